# SPDX-License-Identifier: Apache-2.0
"""A robot that follows what the node streams of trajectories, and measures itself."""

import time
from array import array

import numpy as np
from builtin_interfaces.msg import Duration
from ros_harness import LATCHED
from ros_harness import PATIENCE
from ros_harness import arm_urdf
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

from hod_interfaces.msg import JointSetpoint
from hod_ros import RobotModel

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
HOME = np.array([0.4, -0.3, 0.6])
TIMEOUT = 2.0           # [s] above any standstill of the machine
PARAMETERS = {
    'publish_commands': True, 'setpoint_timeout': TIMEOUT, 'source_timeout': 2 * TIMEOUT, 'max_age': TIMEOUT, 'rate': 200.0,
    'joint_states_timeout': TIMEOUT, 'trajectory.max_deviation': 0.05}


def trajectory(times, positions, names=NAMES, stamp=0.0, velocities=None):
    """stamp: [s] of the system's clock."""
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
    for i, (seconds, row) in enumerate(zip(times, positions, strict=True)):
        point = JointTrajectoryPoint(positions=array('d', row), velocities=array('d', [] if velocities is None else velocities[i]))
        point.time_from_start = Duration(sec=int(seconds // 1), nanosec=round(seconds % 1 * 1e9))
        message.points.append(point)
    return message


class Robot:
    """Follows what is streamed, and measures itself; without `follows` it stays where it is."""

    def __init__(self, client, *, measures=True):
        self.client, self.measures, self.follows = client, measures, True
        self.place, self.speed = HOME.copy(), np.zeros(3)       # it tells none while it follows
        self.streamed, self.times, self.commands, self.faults = [], [], [], []
        node = client.node
        self._entities = [
            node.create_subscription(JointSetpoint, '/hod/setpoint_stream', self._on_setpoint, 1000),
            node.create_subscription(Float64MultiArray, '/hod/commands', lambda m: self.commands.append(np.array(m.data)), 1000),
            node.create_subscription(String, '/hod/fault', lambda m: self.faults.append(m.data), LATCHED)]
        self._states = node.create_publisher(JointState, '/joint_states', 10)
        self._trajectories = node.create_publisher(JointTrajectory, '/hod/joint_trajectory', 10)

    def _on_setpoint(self, message):
        self.streamed.append(message)
        self.times.append(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)
        if self.follows:
            self.place = np.array(message.positions)

    def tell(self):
        if self.measures:
            self._states.publish(JointState(name=list(NAMES), position=array('d', self.place), velocity=array('d', self.speed)))

    def live(self, seconds=PATIENCE, until=None):
        """Measures every 10 ms; whether `until` came."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until()):
            self.tell()
            self.client.spin(0.01)
        return until is None or bool(until())

    def send(self, message):
        self._trajectories.publish(message)

    def rows(self, first=0):
        """(setpoints, 5, n) streamed since the one with this number."""
        fields = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')
        return np.array([[getattr(message, field) for field in fields] for message in self.streamed[first:]])

    def at(self, place, tolerance=1e-9):
        """Whether what is streamed stands there."""
        def arrived():
            return self.streamed and np.allclose(self.streamed[-1].positions, place, atol=tolerance) and not any(
                self.streamed[-1].velocities)
        assert self.live(until=arrived), (
            f'{len(self.streamed)} setpoints, the last at {self.streamed and list(self.streamed[-1].positions)}, not at {list(place)}; '
            f'fault {self.faults[-1:]}, refusal {self.client.diagnostics("trajectories")[2]["last refusal"]!r}')
        return True

    def close(self):
        for subscription in self._entities:
            self.client.node.destroy_subscription(subscription)
        for publisher in (self._states, self._trajectories):
            self.client.node.destroy_publisher(publisher)
        self.client.spin(0.05)


def assert_continuous(rows, times):
    """No derivative of (setpoints, 5, n) changes from one to the next by more than the one above it can have made of it."""
    steps = np.diff(times)
    most = np.where(steps < 0.02, 1.5, 6.0)     # a busy machine leaves setpoints out, and peaks with them
    for k in range(4):
        change, fastest = np.abs(np.diff(rows[:, k], axis=0)).max(axis=1), np.abs(rows[:, k + 1]).max()
        assert (change <= most * fastest * np.maximum(steps, 1e-3)).all(), f'derivative {k}'


def begin_anew(robot, client):
    """Ends what the node streams, and the fault to which a busy machine may have come meanwhile."""
    client.change_state('deactivate')
    robot.measures = True
    assert robot.live(until=lambda: client.call(Trigger, 'reset', Trigger.Request()).success)
    client.change_state('activate')
    robot.close()
