# SPDX-License-Identifier: Apache-2.0
"""~/commands for an effort controller: what the guards let through of each setpoint, and what is sent while there are none.

Such a controller holds its last command for ever, so that an end of setpoints must end in a command that is safe to hold.
"""

import time
from array import array
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock
from rclpy.duration import Duration
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.lifecycle import LifecyclePublisher
from std_msgs.msg import Float64MultiArray

from hod_interfaces.msg import JointSetpoint
from hod_ros.errors import HodError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.guards.bounds import Bounds
from hod_ros.ros.guards.bounds import command_bounds
from hod_ros.ros.guards.gate import Arrival
from hod_ros.ros.guards.gate import Gate
from hod_ros.ros.guards.gate import Settings
from hod_ros.ros.guards.parting import part
from hod_ros.ros.guards.sources import Source
from hod_ros.ros.parameters.declared import ChangedParameters
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.setpoints.answer import Answer
from hod_ros.ros.setpoints.fault_topic import FaultTopic
from hod_ros.ros.setpoints.joint_states import JointStates
from hod_ros.ros.setpoints.setpoint_limits import named_limits
from hod_ros.ros.stamps import nanoseconds

ARRIVAL = Duration(seconds=0.3)     # longest wait for the last command to arrive


class Commands:
    """By the parameters of guards. Everything that ~/commands ever carries comes from the gate and goes through `_publish`."""

    def __init__(
            self, publisher: LifecyclePublisher, parameters: Parameters, fault: FaultTopic, joint_states: JointStates, clock: Clock,
            logger: RcutilsLogger) -> None:
        self._publisher = publisher
        self._parameters = parameters
        self._fault = fault
        self._joint_states = joint_states
        self._clock = clock                     # that stamps are of
        self._simulated = clock.ros_time_is_active
        self._logger = logger
        self._message = Float64MultiArray()
        self._columns: list[int] | slice = slice(None)
        self.gate: Gate | None = None
        self.published = 0
        self.fallbacks = 0

    def use(self, model: RobotModel, before: Gate | None) -> None:
        """Commands this model from now on, with the parameters as they are now; before: the gate whose last command is held."""
        bounds, settings = bounds_of(model, self._parameters), _settings(self._parameters)
        if self.gate is not None and self.gate.bounds.joint_names == bounds.joint_names:
            self.gate.use(model, bounds, settings)
        else:
            before = self.gate or before
            self.gate = Gate(model, bounds, settings, self._fault.fault)
            if before is not None:
                self.gate.continue_from(before)
        joints = self._parameters['command_joints']         # the controller's, in its order; empty: the model's
        self._columns = [bounds.joint_names.index(joint) for joint in joints] if joints else slice(None)

    def open(self) -> None:
        """Nothing is sent before the next setpoint."""
        self.gate.open()

    def take(self, setpoint: JointSetpoint, answer: Answer, source: Source, sent: int, now: float) -> str:
        """A setpoint that arrived now [s] on the steady clock, and its efforts; why it was not commanded, or ''.

        sent: [ns] when the middleware sent it; 0: it did not.
        """
        gate = self.gate
        if not gate.running:
            self._joint_states.refresh(gate.measured)
            gate.measured.expected = self._joint_states.published
        system = time.time_ns()
        clock = self._clock.now().nanoseconds if self._simulated else system
        arrival = Arrival(source, now, nanoseconds(setpoint.header.stamp), clock, sent, system)
        command = gate.take(answer.q, answer.Q[0], arrival, answer.limited.beyond)
        if command is not None:
            self._publish(command)
            self.published += 1
            return ''
        if gate.fault.reason:
            self._fault.announce()
            return gate.fault.reason
        return gate.refusal(source)

    def on_period(self) -> None:
        """What goes out although no setpoint came."""
        gate = self.gate
        self._simulated = self._clock.ros_time_is_active
        self._joint_states.refresh(gate.measured)
        self._try(gate.tick)
        self._fault.announce()

    def _try(self, commanded):
        """Whether something was sent. A fallback that can't be computed ends in zero."""
        gate, now = self.gate, monotonic()
        try:
            command = commanded(now)
        except HodError as error:
            self._logger.error(f'~/commands goes to zero: {error}', **ONCE_A_SECOND)
            command = gate.limiter.next(np.zeros(len(gate.limiter.last)), now)
        if command is None:
            return False
        self._publish(command)
        self.fallbacks += not gate.running
        return True

    def part(self, listen: bool) -> None:
        """The last commands. listen: whether joint_states may be heard meanwhile, which only the executor's thread may."""
        gate = self.gate
        if gate is None or gate.motion is None:
            return

        def refresh():
            if listen:
                self._joint_states.poll()
            self._joint_states.refresh(gate.measured)

        if not part(gate, self._publish, refresh, monotonic, time.sleep):
            self._logger.warning(
                f'the last command on ~/commands is {self._named(gate.limiter.last)}: the effort rate let it come no nearer to '
                f'{gate.fallback.meaning}')
        self._publisher.wait_for_all_acked(ARRIVAL)     # else the last one may be lost with its writer

    def _named(self, command):
        return ', '.join(f'{name} {value:.4g}' for name, value in zip(self.gate.bounds.joint_names, command, strict=True))

    def _publish(self, efforts: NDArray[np.float64]) -> None:
        self._message.data = array('d', efforts[self._columns].tobytes())
        self._publisher.publish(self._message)

    def reset(self) -> tuple[bool, str]:
        """(whether there is no fault any more, a sentence)"""
        gate = self.gate
        self._joint_states.refresh(gate.measured)
        return gate.reset(monotonic())

    @property
    def carries(self) -> str:
        """What the fallback commands, in words; '' while it does nothing."""
        return self.gate.fallback.meaning

    def status(self) -> Status:
        gate, how = self.gate, self._parameters['on_timeout']
        values = {
            'published': self.published, 'published while stale': self.fallbacks, 'on_timeout': how, 'fault': gate.fault.reason,
            'faults': gate.fault.count}
        if gate.fault.reason:
            carried = f'; ~/commands carries {self.carries}' if self.carries else ''
            return Status('commands', ERROR, f'fault: {gate.fault.guard}{carried}', values)
        if not self._publisher.is_activated:
            return Status('commands', OK, 'none: the node is inactive', values)
        if gate.motion is not None and not gate.running:
            return Status('commands', WARN, f'stale setpoints: {self.carries or "nothing"}', values)
        return Status('commands', OK, 'efforts of setpoints' if gate.running else 'none: no stream has begun', values)


def bounds_of(model: RobotModel, parameters: Parameters | ChangedParameters) -> Bounds:
    """Of commands; HodError where they would have no limit."""
    efforts = {name: parameters.members(f'limits.<joint>.{name}') for name in ('effort', 'effort_rate')}
    return command_bounds(model, **efforts, **named_limits(parameters))


def _settings(parameters):
    names = Settings.__dataclass_fields__
    return Settings(**{name: parameters[name] for name in names})
