# SPDX-License-Identifier: Apache-2.0
"""The node `hod_elastic_controller`: motor torques for elastic joints, from ~/motor_feedforward of the node `hod` and measured states.

In: motor_states and, for guards and disturbances, joint_states (sensor_msgs/JointState); motor_feedforward
(hod_interfaces/MotorFeedforward). Out: motor_torques (sensor_msgs/JointState: name, effort, and the stamp of the motor state that it
answers) and, where asked for, ~/commands (std_msgs/Float64MultiArray) for an effort controller; ~/fault, /diagnostics.

Safety. Nothing is published before the first reference. Everything that is comes from MotorGate: bounded in value and rate, without a jump
where references start, stop or jump. Where they stop the motors hold their place; where states stop, or a guard raises a fault, nothing is
followed until ~/reset, and the service that stop_service names is asked to stop the motors.
"""

import sys
import time
from array import array
from time import monotonic

import numpy as np
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from hod_interfaces.msg import MotorFeedforward
from hod_ros.checks.arguments import some
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.elastic.brakes import Brakes
from hod_ros.ros.elastic.disturbances import Disturbances
from hod_ros.ros.elastic.laws import GAINS
from hod_ros.ros.elastic.laws import MotorPd
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.elastic.named_values import NamedValues
from hod_ros.ros.elastic.references import References
from hod_ros.ros.guards.delay import Delay
from hod_ros.ros.guards.motor_bounds import motor_bounds
from hod_ros.ros.guards.motor_course import RESTING
from hod_ros.ros.guards.motor_gate import MEANING
from hod_ros.ros.guards.motor_gate import MotorGate
from hod_ros.ros.guards.motor_gate import Settings
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.process import controller_main
from hod_ros.ros.rclpy_private import given_parameters
from hod_ros.ros.rclpy_private import take_message
from hod_ros.ros.reporting import diagnostics
from hod_ros.ros.reporting.guards_status import guards_status
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.quality import DEPTH
from hod_ros.ros.reporting.quality import WithoutEvents
from hod_ros.ros.reporting.quality import publishers_of
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.robot.waiting import RobotWanted
from hod_ros.ros.scheduling import take_priority
from hod_ros.ros.serialized import message_of
from hod_ros.ros.setpoints.fault_topic import FaultTopic
from hod_ros.ros.setpoints.information import with_information
from hod_ros.ros.stamps import nanoseconds

WATCH = 0.005           # [s] between two looks at the age of what came
PARTING = 0.5           # [s] longest time to come to rest at the end, and again to come to torques that may be held
ARRIVAL = Duration(seconds=0.3)     # longest wait for the last torques to arrive
MOST_ELAPSED = 0.1      # [s] between two stamps of one motion
LIMITS = ('effort', 'effort_rate', 'velocity', 'lower', 'upper', 'deflection', 'motor_velocity')


class ControllerNode(WithoutEvents, Node):

    _answered = _gate = _brakes = None      # here, for a node that is not made to its end

    def __init__(self, **kwargs):
        super().__init__('hod_elastic_controller', **kwargs)
        self._settings = settings = Parameters(self, 'hod_elastic_controller')
        self._gains = self._given_gains()
        self._synchronous = settings['synchronous']
        self._period = round(settings['period'] * 1e9)
        self._timeout = settings['timeout']
        self._state = self._state_stamp = self._state_came = None
        self._joints_stamp = None
        self._now = 0.0                     # [s] time of the loop: by the stamps of states, as far as they are plausible
        self._publisher = self.create_publisher(JointState, 'motor_torques', DEPTH)
        self._commands = self.create_publisher(Float64MultiArray, '~/commands', DEPTH) if settings['publish_commands'] else None
        self._fault = FaultTopic(self, self._reset)
        self._brakes = Brakes(self, settings['stop_service'])
        self._reporter = diagnostics.Reporter(self)
        take_priority(self.get_logger(), settings['realtime_priority'])
        RobotWanted(self, self._settings, self._use)

    def _given_gains(self):
        """{motor: {'position': gain, 'velocity': gain}} of the parameters gains.<motor>.position and .velocity that were given."""
        gains = {}
        for part in GAINS:
            for motor, gain in self._settings.members(f'gains.<motor>.{part}').items():
                gains.setdefault(motor, {})[part] = gain
        for name in sorted(given_parameters(self)):
            if name.startswith('gains.') and name not in self._settings:
                motor, _, part = name.removeprefix('gains.').rpartition('.')
                raise InputError(f'parameter {name} is no gain of a motor; give gains.{motor or "<motor>"}.position [N m/rad], .velocity '
                                 '[N m s/rad] or both')
        return gains

    def _use(self, robot):
        prepared, settings = robot.prepared, self._settings
        bounds = motor_bounds(prepared, **{name: settings.members(f'limits.<joint>.{name}') for name in LIMITS})
        law = MotorPd(prepared, bandwidth=settings['bandwidth'], damping=settings['damping'], gains=self._gains)
        delay = (0.0 if self._synchronous else settings['delay']) + settings['period'] / 2
        margin = law.check(delay)
        self._lead = delay                  # [s] from a state to the middle of the time over which its torques act
        self._delay = Delay(margin, told=settings['delay'], held=settings['period'] / 2, off=self._why_unmeasured())
        self._disturbances = Disturbances(
            prepared, bounds.effort, bandwidth=settings['disturbance_bandwidth'], period=settings['period'],
            delay=0.0 if self._synchronous else settings['delay'], share=settings['largest_disturbance'])
        chosen = Settings(**{name: settings[name] for name in Settings.__dataclass_fields__})
        self._gate = MotorGate(MotorModel(prepared), law, bounds, chosen, self._fault.fault)
        self._prepared = prepared
        self._message = JointState(name=list(prepared.motor_names))
        self._torques = np.zeros(len(prepared.motor_names))
        self._motor_values = NamedValues(prepared.motor_names)
        self._joint_values = NamedValues(prepared.model.joint_names)
        self._references = References(
            prepared, self.get_logger(), timeout=self._timeout, source_timeout=settings['source_timeout'],
            longest=max(round(settings['longest_extrapolation'] * 1e9), self._period if self._synchronous else 0))
        self._states = self.create_subscription(JointState, 'motor_states', self._on_motor_states, DEPTH)
        self.create_subscription(JointState, 'joint_states', self._on_joint_states, DEPTH)
        self._feedforwards = self.create_subscription(
            MotorFeedforward, 'motor_feedforward', with_information(self._on_motor_feedforward), DEPTH)
        self.create_timer(WATCH, self._watch, clock=STEADY)
        self.create_timer(diagnostics.PERIOD, self._report, clock=STEADY)
        self.get_logger().info(
            f'controls {prepared.model.name}, motors {some(prepared.motor_names)}; the loop bears a delay of {margin * 1e3:.3g} ms, '
            f'and has {delay * 1e3:.3g} ms')

    def _why_unmeasured(self):
        """Why the loop's delay is not measured, or ''."""
        if self._synchronous:
            return 'synchronous: time waits for torques'
        return '' if self._settings['measure_delay'] else 'measure_delay is false'

    # What comes in

    def _on_motor_states(self, message):
        if not self._take_motor_states(message):
            return
        if self._synchronous and self._state_stamp == self._answered:
            self._send()                    # the plant asks again: our answer was lost
        elif self._synchronous:
            self._answer()
        else:
            self._control()

    def _take_motor_states(self, message):
        """Whether they are good."""
        fields = ('position', 'velocity', 'effort') if message.effort else ('position', 'velocity')
        try:
            values = self._motor_values.take(message, *fields)
        except InputError as error:
            self.get_logger().warning(f'refused motor_states: {error}', **ONCE_A_SECOND)
            return False
        joints = self._state
        self._state = State(*values)
        if joints is not None:
            self._state.positions, self._state.velocities = joints.positions, joints.velocities
        stamp, came = nanoseconds(message.header.stamp), monotonic()
        if self._state_stamp is not None:
            elapsed = 1e-9 * (stamp - self._state_stamp)
            if not 0 < elapsed <= MOST_ELAPSED:
                elapsed = 0.0 if self._synchronous else min(came - self._state_came, MOST_ELAPSED)
            self._now += elapsed
        self._state_stamp, self._state_came = stamp, came
        return True

    def _take_motor_states_of(self, data):
        try:
            message = message_of(data, JointState)
        except InputError as error:
            self.get_logger().warning(f'refused motor_states: {error}', **ONCE_A_SECOND)
            return False
        return self._take_motor_states(message)

    def _on_joint_states(self, message):
        try:
            positions, velocities = self._joint_values.take(message, 'position', 'velocity')
        except InputError as error:
            self.get_logger().warning(f'refused joint_states: {error}', **ONCE_A_SECOND)
            return
        self._joints_stamp = nanoseconds(message.header.stamp)
        self._joints = positions, velocities

    def _on_motor_feedforward(self, message, information):
        if self._references.take(message, information, self._feedforwards.get_publisher_count) and self._synchronous:
            self._answer()

    # What goes out

    def _answer(self):
        """Synchronous: as soon as state and reference of one period are there, or no reference comes any more."""
        stamp, references = self._state_stamp, self._references
        if stamp is None or references.stamp is None or stamp == self._answered:
            return
        if 0 <= references.stamp - stamp <= self._period or not references.fresh:
            self._control()

    def _control(self):
        state, gate = self._state, self._gate
        paired = self._joints_stamp is not None and abs(self._joints_stamp - self._state_stamp) <= self._period / 2
        state.positions, state.velocities = self._joints if paired else (None, None)
        reference = self._references.at(self._state_stamp, self._lead)
        try:
            disturbances = self._disturbances.take(self._now, self._torques, state) if gate.wanted is not None else None
            if self._delay.fault:
                torques = self._without_feedback(self._now, self._delay.fault, self._delay.record)
                if torques is None:
                    self._delay.record.act(self._delay.fault)
                    self.get_logger().error(f'no reference is followed: {self._delay.fault}', **ONCE_A_SECOND)
            else:
                torques = gate.command(self._now, state, reference, stiffness=self._references.stiffness, disturbances=disturbances)
        except HodError as error:
            self.get_logger().error(f'the motors hold what carries the arm: {error}', **ONCE_A_SECOND)
            torques = None if gate.wanted is None else gate.settled(self._now)
        if torques is not None:
            self._publish(torques)
        self._delay.take(self._state_stamp, self.get_clock().now().nanoseconds)
        self._tell()

    def _without_feedback(self, now, reason, guard=None):
        return self._gate.blind(now, reason, guard=guard, disturbances=self._disturbances.torques)

    def _watch(self):
        """References and states that stay away."""
        if self._state_came is None:
            return
        if _stale(self._state_came, self._timeout):
            now = self._now + monotonic() - self._state_came
            torques = self._without_feedback(now, f'no motor_states came within {self._timeout:g} s')
            if torques is not None:
                self._publish(torques)
        elif self._synchronous and not self._references.fresh:
            self._answer()
        self._tell()

    def _tell(self):
        """Of what has changed: faults, brakes, references that stay away."""
        gate = self._gate
        self._fault.announce()
        self._brakes.watch(gate.fault.reason, monotonic())
        if gate.doing == RESTING and not gate.fault.reason and not self._references.fresh:
            self.get_logger().warning(
                f'no reference came within {self._timeout:g} s: {MEANING[self._settings["on_timeout"]]}', **ONCE_A_SECOND)

    def _publish(self, torques):
        if not np.isfinite(torques).all():      # the gate's never are
            return
        stamp = self._message.header.stamp
        stamp.sec, stamp.nanosec = divmod(self._state_stamp, 1_000_000_000)
        self._torques = torques
        self._message.effort = array('d', torques.tobytes())
        self._answered = self._state_stamp
        self._send()

    def _send(self):
        self._publisher.publish(self._message)
        if self._commands is not None:
            self._commands.publish(Float64MultiArray(data=self._message.effort))

    def _reset(self):
        if self._gate is None:
            return True, 'there was no fault'
        ended, text = self._gate.reset(self._now)
        if ended:
            self._references.ownership.forget()
        return ended, text

    def _report(self):
        gate, fault = self._gate, self._fault.fault
        values = {
            'does': gate.meaning, 'on_timeout': self._settings['on_timeout'], 'fault': fault.reason, 'faults': fault.count,
            'largest error of the motors': f'{np.abs(gate.error).max():.4g}', **self._delay.values,
            'publishers of references': ', '.join(publishers_of(self, self._feedforwards.topic_name))}
        resting, late = gate.doing == RESTING, self._delay.warning
        level = ERROR if fault.reason else WARN if resting or late else OK
        why = f'fault: {fault.guard}; ' if fault.reason else 'no reference is followed: ' if resting else ''
        control = Status('control', level, why + gate.meaning + (f'; {late}' if late else ''), values)
        guards = guards_status([
            *gate.records, self._references.ownership.record, self._delay.record, self._disturbances.record, self._brakes.record])
        self._reporter.report(self._prepared.model.name, [control, guards])

    # The end

    @property
    def commanding(self):
        return self._answered is not None and self.context.ok()

    def send_last_command(self):
        """Torques that may be held for ever, at their rate; by a thread that may not be the executor's."""
        if not self.commanding:
            return
        self._brakes.ask(monotonic())
        end = monotonic() + PARTING
        while True:
            self._publish(self._gate.settled(monotonic()))
            if not self._gate.limiter.behind or monotonic() > end:
                break
            time.sleep(WATCH)
        for publisher in filter(None, (self._publisher, self._commands)):
            publisher.wait_for_all_acked(ARRIVAL)       # else it may be lost with its writer

    def _come_to_rest(self):
        """While states come, before the last command."""
        end = monotonic() + PARTING
        self._references.stop()
        while self._gate.doing != RESTING or self._gate.course.moving:
            data = take_message(self._states)
            if data is not None and self._take_motor_states_of(data):
                self._joints_stamp = None
                self._control()
            elif monotonic() > end:
                return
            else:
                time.sleep(0.1 * WATCH)

    def destroy_node(self):
        if self.commanding:
            if not self._synchronous:
                self._come_to_rest()
            self.send_last_command()
        super().destroy_node()


def _stale(came, timeout):
    return monotonic() - came > timeout


if __name__ == '__main__':
    sys.exit(controller_main())
