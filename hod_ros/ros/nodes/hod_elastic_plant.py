# SPDX-License-Identifier: Apache-2.0
"""The executable `hod_elastic_plant`: a simulated robot with elastic joints, on MuJoCo.

It publishes joint_states and motor_states (sensor_msgs/JointState; motors on their own side of the gear) and the clock, and takes
motor_torques (sensor_msgs/JointState: name, effort). In lock-step it simulates one control period for each command, which must carry
the stamp of the state that it answers; free-running it keeps pace with the wall clock.
"""

import sys
from array import array
from time import monotonic

import numpy as np
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState

from hod_interfaces.msg import MotorFeedforward
from hod_ros.actuators.drives import AdjustableStiffness
from hod_ros.checks.arguments import some
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.elastic.named_values import NamedValues
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.process import plant_main
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.quality import DEPTH
from hod_ros.ros.reporting.quality import WithoutEvents
from hod_ros.ros.robot.waiting import RobotWanted
from hod_ros.ros.scheduling import take_priority
from hod_ros.ros.stamps import nanoseconds
from hod_ros.simulation.elastic_plant import ElasticPlant

REPEAT = 0.1            # [s] in lock-step, a state that nobody answers is published again
MOST_LATE = 0.1         # [s] a free-running plant that is further behind gives up catching up


class PlantNode(WithoutEvents, Node):

    def __init__(self, **kwargs):
        super().__init__('hod_elastic_plant', **kwargs)
        self._settings = Parameters(self, 'hod_elastic_plant')
        period, step = self._settings['period'], self._settings['step']
        self._substeps = round(period / step)
        if self._substeps < 1 or abs(self._substeps * step - period) > 1e-9 * period:
            raise InputError(f'parameter step is {step:g} s, which is no whole fraction of the period, {period:g} s')
        self._period = round(period * 1e9)
        self._plant = None
        self._time = 0                  # [ns] of the simulation
        self._torques = None
        self._stiffness = None          # of the adjustable joints, None: as configured
        self._commanded = None          # arrival of the last command
        self.halted = False
        self._clock_publisher = self.create_publisher(ClockMessage, '/clock', DEPTH)
        self._joint_publisher = self.create_publisher(JointState, 'joint_states', DEPTH)
        self._motor_publisher = self.create_publisher(JointState, 'motor_states', DEPTH)
        take_priority(self.get_logger(), self._settings['realtime_priority'])
        RobotWanted(self, self._settings, self._use)

    def _use(self, robot):
        prepared = robot.prepared
        settings = self._settings
        plant = ElasticPlant(prepared.model, prepared, step=settings['step'], integrator=settings['integrator'])
        plant.set_state(
            self._of_joints('initial_positions', plant.joint_names), self._of_joints('initial_velocities', plant.joint_names),
            self._of_motors('initial_motor_positions', plant.motor_names), self._of_motors('initial_motor_velocities', plant.motor_names))
        self._plant = plant
        torques = self._of_motors('initial_motor_torques', plant.motor_names)
        self._torques = np.zeros(len(plant.motor_names)) if torques is None else np.array(torques)
        self._joint_message = JointState(name=list(plant.joint_names))
        self._motor_message = JointState(name=list(plant.motor_names))
        self._clock_message = ClockMessage()
        self._values = NamedValues(plant.motor_names, exactly=True)
        self.create_subscription(JointState, 'motor_torques', self._on_torques, DEPTH)
        self._adjustable = [
            name for name, drive in zip(prepared.model.joint_names, prepared.drives, strict=True) if isinstance(drive, AdjustableStiffness)]
        if self._adjustable:
            self.create_subscription(MotorFeedforward, 'motor_feedforward', self._on_motor_feedforward, DEPTH)
        self._publish()
        if settings['lock_step']:
            self._timer = self.create_timer(REPEAT / 2, self._repeat, clock=STEADY)
        else:
            self._due = monotonic()
            self._timer = self.create_timer(settings['period'], self._on_period, clock=STEADY)
        self.get_logger().info(
            f'simulating {prepared.model.name}, motors {some(plant.motor_names)}, '
            f'{"in lock-step" if settings["lock_step"] else "free-running"}')

    def _of_joints(self, name, joints):
        values = self._settings[name] or [0.0]
        return _counted(name, values * len(joints) if len(values) == 1 else values, joints)

    def _of_motors(self, name, motors):
        values = self._settings[name]
        return _counted(name, values, motors) if values else None

    # Commands

    def _on_torques(self, message):
        try:
            torques, = self._values.take(message, 'effort')
        except InputError as error:
            self.get_logger().warning(f'refused motor torques: {error}', **ONCE_A_SECOND)
            return
        self._commanded = monotonic()
        if not self._settings['lock_step']:
            self._torques = torques
        elif nanoseconds(message.header.stamp) == self._time:
            self._torques = torques
            self._advance()

    def _on_motor_feedforward(self, message):
        """The mechanisms that set the stiffness of adjustable joints are taken as ideal."""
        stiffness = dict(zip(message.joint_names, message.stiffnesses, strict=False))
        values = [stiffness.get(joint, np.nan) for joint in self._adjustable]
        if np.isfinite(values).all() and min(values) > 0:
            self._stiffness = np.array(values)
        else:
            self.get_logger().warning(
                f'refused stiffnesses of {some(self._adjustable)}: {values}; give numbers above 0 [N m/rad]', **ONCE_A_SECOND)

    commanding = False

    def send_last_command(self):
        """A plant has none."""

    # Time

    def _repeat(self):
        """A state that nobody has answered, again."""
        if monotonic() - self._published > REPEAT:
            self._publish()

    def _on_period(self):
        if self._commanded is None and self._settings['start_at_first_command']:
            self._due = monotonic()
            self._repeat()
            return
        now = monotonic()
        if now - self._due > MOST_LATE:
            self.get_logger().warning(
                f'the simulation is {now - self._due:.3f} s late and goes on from here; take a longer period or step', **ONCE_A_SECOND)
            self._due = now
        if self._commanded is not None and now - self._commanded > self._settings['torque_timeout'] and self._torques.any():
            self.get_logger().warning(
                f'no motor torques came within {self._settings["torque_timeout"]:g} s: the motors have none', **ONCE_A_SECOND)
            self._torques = np.zeros_like(self._torques)
        while self._due <= now and not self.halted:
            self._due += self._settings['period']
            self._advance()

    def _advance(self):
        """One period with the torques held."""
        if self.halted:
            return
        try:
            for _ in range(self._substeps):
                if self._plant.step(self._torques, self._stiffness).any():
                    motors = ', '.join(np.array(self._plant.motor_names)[self._plant.saturated])
                    self.get_logger().warning(f'motors saturate: {motors}', **ONCE_A_SECOND)
        except HodError as error:
            self.halted = True
            self.get_logger().error(f'the simulation stands still: {error}')
            return
        self._time += self._period
        self._publish()

    def _publish(self):
        if self.halted:
            return
        self._published = monotonic()
        plant, stamp = self._plant, self._clock_message.clock
        stamp.sec, stamp.nanosec = divmod(self._time, 1_000_000_000)
        joints, motors = self._joint_message, self._motor_message
        joints.header.stamp = motors.header.stamp = stamp
        joints.position = array('d', plant.positions.tobytes())
        joints.velocity = array('d', plant.velocities.tobytes())
        motors.position = array('d', plant.motor_positions.tobytes())
        motors.velocity = array('d', plant.motor_velocities.tobytes())
        motors.effort = array('d', self._torques.tobytes())
        self._clock_publisher.publish(self._clock_message)
        self._joint_publisher.publish(joints)
        self._motor_publisher.publish(motors)


def _counted(name, values, names):
    if len(values) != len(names):
        raise InputError(f'{name} has {len(values)} values; give one for each of {some(names)}')
    return values


if __name__ == '__main__':
    sys.exit(plant_main())
