# SPDX-License-Identifier: Apache-2.0
"""Plant and node in one for the controller of elastic joints: its robot, its parameters, what it is sent and what it answers."""

import time
from array import array

import numpy as np
from ros_harness import LATCHED
from ros_harness import arm_urdf
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_msgs.msg import String

from hod_interfaces.msg import MotorFeedforward
from hod_ros import PreparedDrives
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros.ros.elastic.motor_model import MotorModel

MODULE = 'hod_ros.ros.nodes.hod_elastic_controller'
TIMEOUT = 0.8           # [s] above any standstill of the machine
NAMES = ['joint1', 'joint2', 'joint3']
DRIVES = {name: SeriesElastic(stiffness=9000.0, motor_inertia=0.2) for name in NAMES}
PARAMETERS = {f'elastic.{name}.{figure}': value for name in NAMES for figure, value in (
    ('type', 'series_elastic'), ('stiffness', 9000), ('motor_inertia', 0.2))} | {
        'timeout': TIMEOUT, 'delay': 0.0, **{f'limits.{name}.effort_rate': 1e9 for name in NAMES}}
PREPARED = PreparedDrives(RobotModel.from_urdf(arm_urdf()), DRIVES)
THETA, RATE = np.array([0.1, -0.2, 0.3]), np.array([0.5, 0.3, -0.4])
REFERENCE = np.array([THETA + 5e-4, RATE + 5e-3, [1.0, -0.5, 0.7], [3.0, -2.0, 1.0], [20.0, 10.0, -30.0]])      # near the state


class Peer:
    """Plant and node in one: sends states and references, hears torques."""

    def __init__(self, client):
        self.client = client
        self.torques, self.commands = [], []
        node = client.node
        self._subscriptions = [
            node.create_subscription(JointState, 'motor_torques', self.torques.append, 1000),
            node.create_subscription(Float64MultiArray, 'hod_elastic_controller/commands', self.commands.append, 1000)]
        self._motors = node.create_publisher(JointState, 'motor_states', 10)
        self._joints = node.create_publisher(JointState, 'joint_states', 10)
        self._feedforwards = node.create_publisher(MotorFeedforward, 'motor_feedforward', 10)
        self._publishers = [self._motors, self._joints, self._feedforwards]
        self.faults = []
        self._subscriptions.append(
            node.create_subscription(String, 'hod_elastic_controller/fault', lambda message: self.faults.append(message.data), LATCHED))

    def close(self):
        for subscription in self._subscriptions:
            self.client.node.destroy_subscription(subscription)
        for publisher in self._publishers:
            self.client.node.destroy_publisher(publisher)

    @property
    def reaches_the_controller(self):
        return self._motors.get_subscription_count() and self._feedforwards.get_subscription_count()

    def start(self):
        self.client.describe(arm_urdf())
        assert self.client.wait_until(lambda: self.reaches_the_controller)
        self.client.spin(0.3)

    def state(self, nanosec=0, theta=THETA, rate=RATE, names=NAMES, sec=0):
        message = JointState(name=list(names), position=array('d', theta), velocity=array('d', rate))
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        self._motors.publish(message)

    def joint_state(self, q, velocities, nanosec=0):
        message = JointState(name=NAMES, position=array('d', q), velocity=array('d', velocities))
        message.header.stamp.nanosec = nanosec
        self._joints.publish(message)

    def reference(self, nanosec=0, rows=REFERENCE, names=NAMES, sec=0):
        message = MotorFeedforward(
            motor_names=list(names), positions=array('d', rows[0]), velocities=array('d', rows[1]), accelerations=array('d', rows[2]),
            efforts=array('d', rows[3]), effort_rates=array('d', rows[4]))
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        self._feedforwards.publish(message)

    def next(self, act=None):
        """The efforts of the next torque message that comes after acting."""
        before = len(self.torques)
        if act:
            act()
        assert self.client.wait_until(lambda: len(self.torques) > before), 'no torque came'
        return np.array(self.torques[before].effort)

    def wait_for(self, efforts):
        efforts = np.asarray(efforts)
        assert self.client.wait_until(lambda: self.torques and np.allclose(self.torques[-1].effort, efforts, rtol=1e-9, atol=1e-9)), (
            f'{efforts} did not come, but {self.torques[-1:]}')


def weight(theta):
    """What carries the arm with motors there."""
    return MotorModel(PREPARED).at_rest(theta, None)[3]


def at_rest(peer, seconds):
    """States of motors that stand still, for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        peer.state(rate=np.zeros(3))
        peer.client.spin(0.01)


STILL = np.array([THETA, np.zeros(3), np.zeros(3), weight(THETA), np.zeros(3)])


def in_use(client, peer):
    """A fixture's peer, which leaves nothing behind."""
    yield peer
    client.withdraw_description()
    peer.close()
