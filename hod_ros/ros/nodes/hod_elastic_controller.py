# SPDX-License-Identifier: Apache-2.0
"""The node `hod_elastic_controller`: motor torques for elastic joints, from ~/motor_feedforward of the node `hod` and measured states.

In: motor_states and, for state feedback, joint_states (sensor_msgs/JointState); motor_feedforward (hod_interfaces/MotorFeedforward) or,
for state feedback, setpoint (hod_interfaces/JointSetpoint). Out: motor_torques (sensor_msgs/JointState: name, effort, and the stamp of the
motor state that it answers) and, where asked for, ~/commands (std_msgs/Float64MultiArray) for an effort controller.

Safety. Nothing is published before the first reference. Where references stop, motors are braked (tau = -velocity_gain theta') or get
zero, as on_timeout says; where states stop, and when the node ends, they get zero. Every torque is finite and within torque_limit.
"""

import sys
from array import array
from time import monotonic

import numpy as np
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import MotorFeedforward
from hod_ros.checks.arguments import some
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.elastic.laws import GAINS
from hod_ros.ros.elastic.laws import MotorPd
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.laws import StateFeedback
from hod_ros.ros.elastic.named_values import NamedValues
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.process import controller_main
from hod_ros.ros.rclpy_private import given_parameters
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.quality import DEPTH
from hod_ros.ros.reporting.quality import WithoutEvents
from hod_ros.ros.robot.waiting import RobotWanted
from hod_ros.ros.scheduling import take_priority
from hod_ros.ros.setpoints.bad_setpoints import stiffness_motion
from hod_ros.ros.setpoints.setpoint_reader import SetpointReader
from hod_ros.ros.stamps import nanoseconds

WATCH = 0.005           # [s] between two looks at the age of what came
PARTING = 0.5           # [s] longest wait for the last torques to arrive
FALLBACKS = {'damping': 'the motors are braked', 'zero': 'the motors get no torque'}


class ControllerNode(WithoutEvents, Node):

    _answered = None                        # stamp of the state that was answered last; here, for a node that is not made to its end

    def __init__(self, **kwargs):
        super().__init__('hod_elastic_controller', **kwargs)
        self._settings = settings = Parameters(self, 'hod_elastic_controller')
        self._gains = self._given_gains()
        self._synchronous = settings['synchronous']
        self._period = round(settings['period'] * 1e9)
        self._timeout = settings['timeout']
        self._longest_extrapolation = max(round(settings['longest_extrapolation'] * 1e9), self._period if self._synchronous else 0)
        self._fallback = FALLBACKS[settings['on_timeout']]
        self._law = None
        self._state = self._state_stamp = self._state_came = None
        self._joints_stamp = self._joints_came = None
        self._reference = self._reference_stamp = self._reference_came = None
        self._publisher = self.create_publisher(JointState, 'motor_torques', DEPTH)
        self._commands = self.create_publisher(Float64MultiArray, '~/commands', DEPTH) if settings['publish_commands'] else None
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
        prepared = robot.prepared
        settings = self._settings
        law = MotorPd(prepared, bandwidth=settings['bandwidth'], damping=settings['damping'], gains=self._gains)
        if settings['control'] == 'state_feedback':
            try:
                law = StateFeedback(prepared, poles=settings['poles'], stiffness_poles=settings['stiffness_poles'], brake=law.brake)
            except InputError as error:
                raise InputError(f"control is 'state_feedback', but {error}; or take control 'motor_pd'") from None
        self._prepared = prepared
        self._law = law
        self._message = JointState(name=list(prepared.motor_names))
        self._motor_values = NamedValues(prepared.motor_names)
        self._joint_values = NamedValues(prepared.model.joint_names)
        self._state = State(None, None)
        self.create_subscription(JointState, 'motor_states', self._on_motor_states, DEPTH)
        if law.needs_joints:
            self._reader = SetpointReader(prepared.model)
            self.create_subscription(JointState, 'joint_states', self._on_joint_states, DEPTH)
            self.create_subscription(JointSetpoint, 'setpoint', self._on_setpoint, DEPTH)
        else:
            self.create_subscription(MotorFeedforward, 'motor_feedforward', self._on_motor_feedforward, DEPTH)
        self.create_timer(WATCH, self._watch, clock=STEADY)
        self.get_logger().info(f'controls {prepared.model.name} by {settings["control"]}, motors {some(prepared.motor_names)}')

    # What comes in

    def _on_motor_states(self, message):
        try:
            self._state.motor_positions, self._state.motor_velocities = self._motor_values.take(message, 'position', 'velocity')
        except InputError as error:
            self.get_logger().warning(f'refused motor_states: {error}', **ONCE_A_SECOND)
            return
        self._state_stamp, self._state_came = nanoseconds(message.header.stamp), monotonic()
        if self._synchronous and self._state_stamp == self._answered:
            self._send()                    # the plant asks again: our answer was lost
        elif not self._synchronous and self._reference_came is not None and not self._stale(self._reference_came):
            self._control()
        elif self._synchronous:
            self._answer()

    def _on_joint_states(self, message):
        try:
            self._state.positions, self._state.velocities = self._joint_values.take(message, 'position', 'velocity')
        except InputError as error:
            self.get_logger().warning(f'refused joint_states: {error}', **ONCE_A_SECOND)
            return
        self._joints_stamp, self._joints_came = nanoseconds(message.header.stamp), monotonic()
        if self._synchronous:
            self._answer()

    def _on_motor_feedforward(self, message):
        if message.motor_names != self._message.name:
            self.get_logger().warning(
                f'refused motor_feedforward of the motors {some(message.motor_names)}; the motors here are '
                f'{", ".join(self._message.name)}: do both nodes have the same robot and drives?', **ONCE_A_SECOND)
            return
        rows = message.positions, message.velocities, message.accelerations, message.efforts
        reference = np.array(rows) if all(len(row) == len(message.motor_names) for row in rows) else None
        if reference is None or not np.isfinite(reference).all():
            self.get_logger().warning(
                'refused motor_feedforward: give positions, velocities, accelerations and efforts, one finite number '
                'for each motor', **ONCE_A_SECOND)
            return
        self._take_reference(message, reference)

    def _on_setpoint(self, message):
        try:
            q, columns = self._reader.read(message, 2)
            if len(q) < 5:
                raise InputError(f'it has {len(q)} rows; state feedback needs positions to snaps')
            self._take_reference(message, (q, stiffness_motion(message, columns.names, self._prepared.variable_joints)))
        except HodError as error:
            self.get_logger().warning(f'refused a setpoint: {error}', **ONCE_A_SECOND)

    def _take_reference(self, message, reference):
        self._reference = reference
        self._reference_stamp, self._reference_came = nanoseconds(message.header.stamp), monotonic()
        if self._synchronous:
            self._answer()

    # What goes out

    def _answer(self):
        """Synchronous: as soon as state and reference of one period are there."""
        stamp = self._state_stamp
        if stamp is None or self._reference_stamp is None or stamp == self._answered:
            return
        if not 0 <= self._reference_stamp - stamp <= self._period or self._law.needs_joints and self._joints_stamp != stamp:
            return
        self._control()

    def _control(self):
        if self._law.needs_joints and (self._joints_stamp is None or self._stale(self._joints_came)):
            came = 'have come yet' if self._joints_came is None else f'came within {self._timeout:g} s'
            self.get_logger().warning(
                f'no joint_states {came}, without which there is no state feedback: {self._fallback}', **ONCE_A_SECOND)
            self._fall_back()
            return
        try:
            torques = self._law.torques(self._state, self._reference, self._offset())
        except HodError as error:
            self.get_logger().warning(f'{self._fallback}: {error}', **ONCE_A_SECOND)
            self._fall_back()
            return
        self._publish(torques)

    def _offset(self):
        """Time over which the reference is carried to that of the state [s]: 0 where the stamps cannot be related."""
        offset = self._state_stamp - self._reference_stamp
        if abs(offset) <= self._longest_extrapolation:
            return offset * 1e-9
        self.get_logger().warning(
            f'the stamps of motor_states and references are {abs(offset) * 1e-9:.4g} s apart and cannot be related, which '
            f'takes {self._longest_extrapolation * 1e-9:g} s at most: references are taken as they stand; stamp both by '
            'one clock, or raise longest_extrapolation', **ONCE_A_SECOND)
        return 0.0

    def _watch(self):
        """References and states that stay away."""
        if self._reference_came is None or self._state_came is None:
            return
        if self._stale(self._state_came):
            self.get_logger().warning(f'no motor_states came within {self._timeout:g} s: the motors get no torque', **ONCE_A_SECOND)
            self._publish(np.zeros(len(self._message.name)))
        elif self._stale(self._reference_came):
            self.get_logger().warning(
                f'no reference came within {self._timeout:g} s: on_timeout is {self._settings["on_timeout"]}, '
                f'{self._fallback}', **ONCE_A_SECOND)
            self._fall_back()

    def _stale(self, came):
        return monotonic() - came > self._timeout

    def _fall_back(self):
        braked = self._settings['on_timeout'] == 'damping'
        self._publish(self._law.brake(self._state) if braked else np.zeros(len(self._message.name)))

    def _publish(self, torques):
        limit = self._prepared.torque_limit
        if not np.isfinite(torques).all():
            self.get_logger().warning('the torques are not finite: the motors get none', **ONCE_A_SECOND)
            torques = np.zeros(len(torques))
        elif (np.abs(torques) > limit).any():
            motor = int(np.argmax(np.abs(torques) > limit))
            self.get_logger().warning(
                f'motor {self._message.name[motor]!r} would need {torques[motor]:.4g} [N m], its limit is {limit[motor]:g}',
                **ONCE_A_SECOND)
            torques = np.clip(torques, -limit, limit)
        stamp = self._message.header.stamp
        stamp.sec, stamp.nanosec = divmod(self._state_stamp, 1_000_000_000)
        self._message.effort = array('d', torques.tobytes())
        self._answered = self._state_stamp
        self._send()

    def _send(self):
        self._publisher.publish(self._message)
        if self._commands is not None:
            self._commands.publish(Float64MultiArray(data=self._message.effort))

    @property
    def commanding(self):
        return self._answered is not None and self.context.ok()

    def send_last_command(self):
        """No torque, which is what motors are then left with."""
        if self.commanding:
            self._publish(np.zeros(len(self._message.name)))
            for publisher in filter(None, (self._publisher, self._commands)):
                publisher.wait_for_all_acked(Duration(seconds=PARTING))     # else it may be lost with its writer

    def destroy_node(self):
        self.send_last_command()
        super().destroy_node()


if __name__ == '__main__':
    sys.exit(controller_main())
