# SPDX-License-Identifier: Apache-2.0
"""The way of a setpoint: read, computed, limited, answered and commanded; a bad one is counted and explained here."""

import traceback
from collections.abc import Callable
from collections.abc import Mapping
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.lifecycle import LifecyclePublisher

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import LinkWrench
from hod_interfaces.msg import TorqueFeedforward
from hod_ros.errors import HodError
from hod_ros.ros.elastic.motors import MotorFeedforwards
from hod_ros.ros.guards.bounds import motion_bounds
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.gate import Gate
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.guards.model_changes import AUTO
from hod_ros.ros.guards.model_changes import KEEP
from hod_ros.ros.guards.model_changes import hindrance
from hod_ros.ros.guards.ownership import Ownership
from hod_ros.ros.guards.record import Record
from hod_ros.ros.guards.sources import Source
from hod_ros.ros.guards.sources import Sources
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.quality import Partners
from hod_ros.ros.reporting.statistics import Statistics
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.setpoints.answer import Answer
from hod_ros.ros.setpoints.bad_setpoints import INTERNAL
from hod_ros.ros.setpoints.bad_setpoints import REFUSED
from hod_ros.ros.setpoints.bad_setpoints import BadSetpoint
from hod_ros.ros.setpoints.commands import Commands
from hod_ros.ros.setpoints.commands import bounds_of
from hod_ros.ros.setpoints.computation import Computation
from hod_ros.ros.setpoints.feedforward_writer import FeedforwardWriter
from hod_ros.ros.setpoints.freshness import Freshness
from hod_ros.ros.setpoints.motor_changes import motor_hindrance
from hod_ros.ros.setpoints.setpoint_limits import SetpointLimits
from hod_ros.ros.setpoints.setpoint_limits import effort_limits
from hod_ros.ros.setpoints.setpoint_limits import named_limits
from hod_ros.ros.setpoints.wrenches import HeldWrenches
from hod_ros.ros.stamps import nanoseconds


class SetpointPath:
    """Between `open` and `close` it has outputs and, by `use`, a robot; while active it answers."""

    def __init__(self, parameters: Parameters, partners: Partners, logger: RcutilsLogger) -> None:
        self._parameters = parameters
        self._partners = partners
        self._logger = logger
        self.statistics = Statistics(logger)
        self.freshness = Freshness(parameters)
        self.limits = SetpointLimits(parameters)
        self.changes = Record('model')
        self._held: Gate | None = None      # whose last command a controller holds
        self.wrenches = HeldWrenches(parameters, logger)
        self._writer = FeedforwardWriter(TorqueFeedforward())
        self._before = self.statistics.dropped.copy(), 0
        self.active = False
        self._own = Source('trajectory', None, None, 0)     # what the node streams itself
        self._motors_ownership = Ownership(parameters['source_timeout'])    # where no commands are published
        self._heard = -inf                  # [s] when the last setpoint of another source came
        self._measured: Measured | None = None              # where no commands are published
        self.close()

    def open(self, feedforward: LifecyclePublisher, commands: Commands | None) -> None:
        """Answers go there."""
        self._feedforward = feedforward
        self.commands = commands
        self._sources = Sources('setpoint', self.statistics.lost)

    def open_motors(self, publisher: LifecyclePublisher) -> None:
        """Where there are drives, before they are used."""
        self._motor_feedforward = publisher

    @property
    def has_motor_output(self) -> bool:
        return self._motor_feedforward is not None

    def close(self) -> None:
        """Forgets outputs, robot and wrenches."""
        if getattr(self, 'commands', None) is not None:
            self._held = self.commands.gate
        self._feedforward: LifecyclePublisher | None = None
        self._motor_feedforward: LifecyclePublisher | None = None
        self.commands: Commands | None = None
        self.motors: MotorFeedforwards | None = None        # where there are elastic joints
        self._robot: Robot | None = None
        self._computation: Computation | None = None
        self.last: Answer | None = None                     # to the last good setpoint, where motors are led of whoever leads them
        self._motors_ownership.forget()
        self.wrenches.clear()

    def check(self, robot: Robot, changes: Mapping[str, Any]) -> None:
        """HodError where `use` could not take this robot, with the parameters as they are but for `changes`: it makes all that can fail."""
        parameters = self._parameters.with_changes(changes)
        SetpointLimits(parameters).use(robot.model)
        if parameters['publish_commands']:
            bounds_of(robot.model, parameters)
        else:
            motion_bounds(robot.model, **named_limits(parameters))
        self._motors_of(robot)

    def hindrance(self, robot: Robot) -> str:
        """Why this robot has to wait for the next activation, or ''."""
        before = self._robot
        if not self.active or before is None or robot.model.hash == before.model.hash and robot.drives == before.drives:
            return ''
        return self._hindrance(Computation(robot.model, self.limits, self._friction_width()), self._motors_of(robot))

    def _motors_of(self, robot):
        if robot is self._robot:
            return self.motors
        return MotorFeedforwards(robot.prepared, self._logger) if robot.drives else None

    def _hindrance(self, new, motors):
        old, how = self._computation, self._parameters['model_changes']
        if how == AUTO and self.commands is None:
            return ''
        how, largest_step = KEEP if how == AUTO else how, self._parameters['largest_model_step']
        q = None if self.last is None else self.last.q
        reason = (hindrance(old, new, q, self.limits.efforts, how=how, largest_step=largest_step)
                  or motor_hindrance(self.motors, old.forces, motors, new.forces, effort_limits(old.model, self._parameters), largest_step))
        if reason:
            self.changes.act(reason)
        return reason

    def _friction_width(self):
        return self._parameters['joint_friction_width'] if self._parameters['joint_friction'] else None

    def use(self, robot: Robot) -> None:
        """Computes with this robot, and with the parameters as they are now, from the next setpoint on; HodError, and all stays as it was,
        where that can't be."""
        self.check(robot, {})
        motors = self._motors_of(robot)
        before, self._robot = self._robot, robot
        if before is not None and before.model.joint_names != robot.model.joint_names:
            self.last = None
        self.limits.use(robot.model)
        computation = Computation(robot.model, self.limits, self._friction_width())
        old = self._computation
        if self.active and old is not None and computation.friction_width != old.friction_width:
            reason = self._hindrance(computation, motors)
            if reason:
                self._logger.warning(f'the friction stays as it was until the next activation: {reason}')
                computation = Computation(robot.model, self.limits, old.friction_width)
        self._computation = computation
        if self.commands is not None:
            self.commands.use(robot.model, self._held)
        else:
            self._measure(robot.model, before)
        self._motors_ownership.silence = self._parameters['source_timeout']
        if robot is not before:
            earlier, self.motors = self.motors, motors
            if earlier is not None and self.motors is not None:
                self.motors.continue_from(earlier)
            self.wrenches.keep_links_of(robot.model)

    def _measure(self, model, before):
        velocity, timeout = motion_bounds(model, **named_limits(self._parameters))[2], self._parameters['joint_states_timeout']
        if self._measured is None or before is None or before.model.joint_names != model.joint_names:
            self._measured = Measured(model.joint_names, velocity, timeout)
        else:
            self._measured.timeout = timeout
            self._measured.use(velocity)

    def activate(self) -> None:
        """The next setpoint is the first."""
        self.freshness.reset()
        self.use(self._robot)
        if self.commands is not None:
            self.commands.open()
        if self.motors is not None:
            self.motors.forget()
        self._motors_ownership.forget()
        self.active = True

    @property
    def commanding(self) -> bool:
        return self.active and self.commands is not None

    def send_last_command(self, *, listen: bool = True) -> None:
        """What an effort controller then holds; listen: whether joint_states may be heard until it is out."""
        if self.active and self.commands is not None:
            self.commands.part(listen)

    def deactivate(self) -> None:
        """Ends with the last command."""
        self.send_last_command()
        self.active = False
        self.freshness.reset()
        self.wrenches.clear()

    def take(self, setpoint: JointSetpoint, information: Mapping[str, Any], publishers: Callable[[], int]) -> None:
        """information: the middleware's about this setpoint; publishers(): how many there are now."""
        began = monotonic()
        statistics = self.statistics
        statistics.received += 1
        source = self._sources.of(information, setpoint.positions, publishers)
        statistics.lost = self._sources.lost
        if not self.active:
            statistics.inactive += 1
            return
        self._heard = began
        statistics.stamped(nanoseconds(setpoint.header.stamp))
        self._take(setpoint, source, information['source_timestamp'], began, True)

    def take_wrench(self, message: LinkWrench) -> None:
        """While inactive none is taken: what held then is not known to hold at the activation."""
        if self.active:
            self.wrenches.receive(message, self._robot.model, 1 + max(self._parameters['order'], self.rows_of_setpoints - 3))
        else:
            self.wrenches.inactive += 1

    def stream(self, setpoint: JointSetpoint, commanded: bool) -> str:
        """A setpoint of the node's own; why it was not answered, or not followed although it was to be, or ''."""
        if not self.active:
            return 'the node is not active'
        self.statistics.received += 1
        return self._take(setpoint, self._own, 0, monotonic(), commanded)

    def _take(self, setpoint, source, sent, began, commanded):
        """Why not all was done, or ''."""
        statistics = self.statistics
        try:
            answer, refusal = self._answer(setpoint, source, began)
            if not refusal:
                self.last = answer
                if self.commands is not None and commanded:
                    refusal = self.commands.take(setpoint, answer, source, sent, began)
        except BadSetpoint as error:
            statistics.drop(error.reason, str(error))
            return str(error)
        except HodError as error:
            statistics.drop(REFUSED, str(error))
            return str(error)
        except Exception as error:
            statistics.drop(INTERNAL, f'internal error, please report it: {error!r}')
            self._logger.error(f'a setpoint failed:\n{traceback.format_exc()}', **ONCE_A_SECOND)
            return f'internal error: {error!r}'
        if self.freshness.arrived(began):
            self._logger.info('setpoints come again', **ONCE_A_SECOND)
        statistics.answered(monotonic() - began)
        return refusal

    # What a stream of the node's own must know

    steady = staticmethod(monotonic)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of the robot, in the model's order."""
        return self._robot.model.joint_names

    @property
    def rows_of_setpoints(self) -> int:
        """That are needed for all that is published."""
        return 5 if self.motors is None else max(5, self.motors.rows + 2)

    @property
    def measured(self) -> Measured:
        """Where the robot is, as far as somebody refreshes it."""
        return self._measured if self.commands is None else self.commands.gate.measured

    @property
    def last_position(self) -> NDArray[np.float64] | None:
        """(n,) of the last good setpoint since the node became active."""
        return None if self.last is None or self.freshness.last is None else self.last.q[0]

    def stream_hindrance(self, commanded: bool = True) -> str:
        """Why the node may stream nothing of its own that is followed now, or ''. commanded: whether it is to be on ~/commands too."""
        fault = self.commands.gate.fault if self.commands is not None and commanded else None
        if fault is not None and fault.reason:
            return f'a fault is latched ({fault.reason}); end it by ~/reset'
        if fault is None and self.motors is None:
            return ''
        return 'another source of setpoints has the stream; let it end first' if self._ownership.is_anothers(self._own, monotonic()) else ''

    @property
    def _ownership(self):
        """Whose the stream is that is followed: by ~/commands, by motors, or by both."""
        return self._motors_ownership if self.commands is None else self.commands.gate.ownership

    def heard_others_since(self, time: float) -> bool:
        """Whether setpoints of other sources have come since then [s]."""
        return self._heard > time

    def release(self) -> None:
        """Others may have the stream that was the node's own."""
        self._ownership.forget()

    def _answer(self, setpoint, source, now):
        """(Answer, why motors are not led by it, or '')"""
        motors, wrenches = self.motors, self.wrenches
        order, rows = self._parameters['order'], 1 if motors is None else motors.rows
        if wrenches.order is not None:
            wrenches.expire(now)
            if wrenches.order is not None:
                order, rows = min(order, wrenches.order), min(rows, wrenches.order + 1)
        answer = self._computation.run(setpoint, order, rows, wrenches.by_link)
        limited = answer.limited
        motor_message, refusal = None, ''
        if motors is None:
            if setpoint.stiffnesses:
                self._logger.warning('setpoints carry stiffnesses, but no elastic joint is configured: they are not used', **ONCE_A_SECOND)
        else:
            refusal = self._motors_refusal(source, now)
            if not refusal:
                motor_message = None if limited.clipped else motors.answer(setpoint, answer)
                self._ownership.admits(source, now)
        self._feedforward.publish(self._writer.write(setpoint, limited, answer.columns))
        if motor_message is not None:
            self._motor_feedforward.publish(motor_message)
        return answer, refusal

    def _motors_refusal(self, source, now):
        """Why motors may not be led by this source now [s], or ''. Only a setpoint that is found to be good makes it the owner."""
        ownership = self._ownership
        if not ownership.is_anothers(source, now):
            return ''
        ownership.admits(source, now)
        self._logger.warning(
            f'{ownership.record.reason}; ~/motor_feedforward answers the owner alone until it is silent for {ownership.silence:g} s '
            '(source_timeout): let only one publish', **ONCE_A_SECOND)
        return ownership.record.reason

    def watch(self) -> None:
        """Looks whether setpoints and wrenches have become old."""
        now = monotonic()
        if self.active and self.freshness.check(now):
            self._logger.warning(f'setpoints are stale: no good one came within {self.freshness.timeout:g} s')
        self.wrenches.expire(now)

    def on_command_period(self) -> None:
        """What goes on ~/commands while setpoints are stale."""
        if self.active:
            self.watch()
            self.commands.on_period()

    def reset(self, fault: Fault) -> tuple[bool, str]:
        """(whether there is no fault any more, a sentence)"""
        return fault.reset(monotonic()) if self.commands is None else self.commands.reset()

    def statuses(self) -> list[Status]:
        parts = (self, self.limits, self.wrenches, self.commands, self.motors)
        return [part.status() for part in parts if part is not None]

    @property
    def guards(self) -> list[Record]:
        """What the guards of model, commands and motors tell."""
        if self.commands is not None:
            return [self.changes, *self.commands.gate.records]
        return [self.changes] if self.motors is None else [self.changes, self._motors_ownership.record]

    def status(self) -> Status:
        freshness, statistics = self.freshness, self.statistics
        dropped, timeouts = self._before
        self._before = statistics.dropped.copy(), freshness.timeouts
        drops, gaps = statistics.dropped - dropped, freshness.timeouts - timeouts
        age = None if freshness.last is None else monotonic() - freshness.last
        values = statistics.values() | {
            'age of the last setpoint [s]': 'none came yet' if age is None else f'{age:.3f}', 'timeouts': freshness.timeouts}
        level, text = OK, ''
        if drops:
            level, text = ERROR, f'dropped {", ".join(f"{count} {reason}" for reason, count in drops.most_common())}'
        elif freshness.stale:
            carried = f'; ~/commands carries {self.commands.carries or "nothing"}' if self.commands is not None else ''
            level, text = WARN, f'no good setpoint for {age:.1f} s: ~/feedforward stopped{carried}'
        elif gaps:
            level, text = WARN, f'{gaps} gaps longer than {freshness.timeout:g} s in the last second'
        incompatible = self._partners.look()
        for topic, partners in incompatible.items():
            values[f'incompatible QoS on {topic}'] = ', '.join(partners) or f'none now, {self._partners.found[topic]} since the start'
        unmatched = [topic for topic, partners in incompatible.items() if partners]
        if unmatched:
            level, text = max(level, WARN), f'{text}{"; " if text else ""}incompatible QoS on {", ".join(unmatched)}'
        return Status('setpoints', level, text or f'{values["rate in [Hz]"]} Hz in, {values["rate out [Hz]"]} Hz out', values)
