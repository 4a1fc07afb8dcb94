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
from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import MotorFeedforward
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.conversions import SetpointReader
from hod_ros.ros.conversions import nanoseconds
from hod_ros.ros.declaration import declare
from hod_ros.ros.elastic_control import MotorPd
from hod_ros.ros.elastic_control import State
from hod_ros.ros.elastic_control import StateFeedback
from hod_ros.ros.elastic_robot import ElasticRobot
from hod_ros.ros.elastic_robot import NamedValues
from hod_ros.ros.motor_feedforward import stiffness_motion
from hod_ros.ros.node import controller_main
from hod_ros.ros.quality import DEPTH
from hod_ros.ros.scheduling import take_priority
from hod_ros.ros.specifications import REALTIME_PRIORITY
from hod_ros.ros.specifications import Specification

WATCH = 0.005           # [s] between two looks at the age of what came
PARTING = 0.5           # [s] longest wait for the last torques to arrive
LOG_PERIOD = 1.0        # [s] between two log lines about the same
CONTROLS = ('motor_pd', 'state_feedback')
FALLBACKS = ('damping', 'zero')

PARAMETERS = (
    Specification('control', 'motor_pd', 'motor_pd: motor feedforward and PD of the motors; state_feedback: feedback linearisation.'),
    Specification('bandwidth', 5.0, 'Of the PD control of each motor with its rotor alone [Hz].', minimum=1e-3, maximum=1e4),
    Specification('damping', 0.7, 'Damping ratio of the PD control.', minimum=0.0, maximum=100.0),
    Specification('poles', [-20.0, -22.0, -24.0, -26.0], "Of each joint's error under state feedback [1/s]."),
    Specification('stiffness_poles', [-20.0, -22.0], 'Of the stiffness error of antagonistic pairs under state feedback [1/s].'),
    Specification('timeout', 0.05, 'States and references are stale when none came for so long [s].', minimum=1e-3, maximum=3600.0),
    Specification('on_timeout', 'damping', "While references are stale: 'damping' brakes the motors, 'zero' gives them no torque."),
    Specification(
        'synchronous', False, 'Answer each state once, with a reference stamped at most one `period` later, as a lock-step plant needs; '
        'false: answer each state at once with the latest reference.'),
    Specification('period', 1e-3, 'Of a synchronous controller [s].', minimum=1e-6, maximum=1.0),
    REALTIME_PRIORITY,
    Specification('publish_commands', False, 'Publish the torques on ~/commands too, in the order of the motors.'),
)


class ControllerNode(Node):

    def __init__(self, **kwargs):
        super().__init__('hod_elastic_controller', **kwargs)
        self._settings = settings = declare(self, PARAMETERS)
        for name, choices in (('control', CONTROLS), ('on_timeout', FALLBACKS)):
            if settings[name] not in choices:
                raise InputError(f'parameter {name} is {settings[name]!r}; it is one of {", ".join(choices)}')
        self._gains = self._declare_gains()
        self._synchronous = settings['synchronous']
        self._period = round(settings['period'] * 1e9)
        self._timeout = settings['timeout']
        self._law = None
        self._state = self._state_stamp = self._state_came = None
        self._joints_stamp = None
        self._reference = self._reference_stamp = self._reference_came = None
        self._answered = None               # stamp of the state that was answered last
        self._next_log = {}
        self._publisher = self.create_publisher(JointState, 'motor_torques', DEPTH)
        self._commands = self.create_publisher(Float64MultiArray, '~/commands', DEPTH) if settings['publish_commands'] else None
        self._robot = ElasticRobot(self, self._use)
        take_priority(self.get_logger(), settings['realtime_priority'])

    def _declare_gains(self):
        """{motor: (position gain, velocity gain)} of the parameters gains.<motor>.position and .velocity."""
        motors = sorted({
            name.removeprefix('gains.').rpartition('.')[0] for name in self._parameter_overrides if name.startswith('gains.')})
        gains = {}
        for motor in motors:
            names = [f'gains.{motor}.{part}' for part in ('position', 'velocity')]
            units = ('[N m/rad]', '[N m s/rad]')
            values = declare(self, [
                Specification(name, 0.0, f'Gain of motor {motor} {unit}.', minimum=0.0, maximum=1e12)
                for name, unit in zip(names, units, strict=True)])
            gains[motor] = tuple(values[name] for name in names)
        return gains

    def _use(self, prepared):
        settings = self._settings
        self._prepared = prepared
        law = MotorPd(prepared, bandwidth=settings['bandwidth'], damping=settings['damping'], gains=self._gains)
        if settings['control'] == 'state_feedback':
            law = StateFeedback(prepared, poles=settings['poles'], stiffness_poles=settings['stiffness_poles'], brake=law.brake)
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
        self.create_timer(WATCH, self._watch, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f'controls {prepared.model.name} by {settings["control"]}, motors {", ".join(prepared.motor_names)}')

    # What comes in

    def _on_motor_states(self, message):
        try:
            self._state.motor_positions, self._state.motor_velocities = self._motor_values.take(message, 'position', 'velocity')
        except InputError as error:
            self._warn('motor_states', f'refused motor_states: {error}')
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
            self._warn('joint_states', f'refused joint_states: {error}')
            return
        self._joints_stamp, self._joints_came = nanoseconds(message.header.stamp), monotonic()
        if self._synchronous:
            self._answer()

    def _on_motor_feedforward(self, message):
        if message.motor_names != self._message.name:
            self._warn('reference', f'refused motor_feedforward of the motors {", ".join(message.motor_names)}; the motors here are '
                                    f'{", ".join(self._message.name)}: do both nodes have the same robot and drives?')
            return
        rows = message.positions, message.velocities, message.accelerations, message.efforts
        reference = np.array(rows) if all(len(row) == len(message.motor_names) for row in rows) else None
        if reference is None or not np.isfinite(reference).all():
            self._warn('reference', 'refused motor_feedforward: give positions, velocities, accelerations and efforts, one finite number '
                                    'for each motor')
            return
        self._take_reference(message, reference)

    def _on_setpoint(self, message):
        try:
            q, columns = self._reader.read(message, 2)
            if len(q) < 5:
                raise InputError(f'it has {len(q)} rows; state feedback needs positions to snaps')
            self._take_reference(message, (q, stiffness_motion(message, columns.names, self._prepared.variable_joints)))
        except HodError as error:
            self._warn('reference', f'refused a setpoint: {error}')

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
            self._warn('joint_states', 'joint_states are stale: the motors are braked')
            self._fall_back()
            return
        offset = (self._state_stamp - self._reference_stamp) * 1e-9
        if abs(offset) > self._timeout:
            offset = 0.0                    # the stamps are of different clocks
        try:
            torques = self._law.torques(self._state, self._reference, offset)
        except HodError as error:
            self._warn('law', f'the motors are braked: {error}')
            self._fall_back()
            return
        self._publish(torques)

    def _watch(self):
        """References and states that stay away."""
        if self._reference_came is None or self._state_came is None:
            return
        if self._stale(self._state_came):
            self._warn('states', f'no motor_states came within {self._timeout:g} s: the motors get no torque')
            self._publish(np.zeros(len(self._message.name)))
        elif self._stale(self._reference_came):
            self._warn('stale', f'no reference came within {self._timeout:g} s: on_timeout is {self._settings["on_timeout"]}')
            self._fall_back()

    def _stale(self, came):
        return monotonic() - came > self._timeout

    def _fall_back(self):
        braked = self._settings['on_timeout'] == 'damping'
        self._publish(self._law.brake(self._state) if braked else np.zeros(len(self._message.name)))

    def _publish(self, torques):
        limit = self._prepared.torque_limit
        if not np.isfinite(torques).all():
            self._warn('finite', 'the torques are not finite: the motors get none')
            torques = np.zeros(len(torques))
        elif (np.abs(torques) > limit).any():
            motor = int(np.argmax(np.abs(torques) > limit))
            self._warn('limit', f'motor {self._message.name[motor]!r} would need {torques[motor]:.4g} [N m], its limit is {limit[motor]:g}')
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

    def destroy_node(self):
        if self._answered is not None and self.context.ok():
            self._publish(np.zeros(len(self._message.name)))
            for publisher in filter(None, (self._publisher, self._commands)):
                publisher.wait_for_all_acked(Duration(seconds=PARTING))     # else it may be lost with its writer
        super().destroy_node()

    def _warn(self, key, text):
        now = monotonic()
        if now >= self._next_log.get(key, 0.0):
            self._next_log[key] = now + LOG_PERIOD
            self.get_logger().warning(text)


if __name__ == '__main__':
    sys.exit(controller_main())
