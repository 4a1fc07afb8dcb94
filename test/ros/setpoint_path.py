# SPDX-License-Identifier: Apache-2.0
"""A SetpointPath by itself, with sources that send to it and what it answered, on a clock that stands until it is told."""

import numpy as np
from rclpy.parameter import Parameter
from ros_harness import arm_urdf
from ros_harness import setpoint

from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.quality import Partners
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.robot.settings import robot_settings
from hod_ros.ros.setpoints import path as path_module
from hod_ros.ros.setpoints.path import SetpointPath

NAMES = ('joint1', 'joint2', 'joint3')
SERIES = {'type': 'series_elastic', 'stiffness': 3000.0, 'motor_inertia': 0.2}
ELASTIC = {f'elastic.{joint}.{figure}': value for joint in NAMES for figure, value in SERIES.items()}


class Outlet(list):
    """A publisher's messages, as the positions or efforts that they held when they were sent."""

    def publish(self, message):
        self.append(np.array(message.positions if hasattr(message, 'positions') else message.efforts))


class Path:

    def __init__(self, monkeypatch, text=None, **given):
        self.now = 100.0
        monkeypatch.setattr(path_module, 'monotonic', lambda: self.now)
        self.node = ManagedNode('path', parameter_overrides=[Parameter(name, value=value) for name, value in given.items()])
        self.parameters = Parameters(self.node, 'hod')
        self.path = SetpointPath(self.parameters, Partners(self.node), self.node.get_logger())
        self.feedforward, self.motors = Outlet(), Outlet()
        self.path.open(self.feedforward, None)
        self.path.open_motors(self.motors)
        self.path.use(self.robot(text or arm_urdf(3)))
        self.path.activate()
        self._sent = 0

    def robot(self, text):
        return Robot.build(text, 'the test', robot_settings(self.parameters))

    def send(self, positions, source='first', rows=5):
        """A setpoint at rest there, of the publisher of this name; whether motors were led by it."""
        return self.take(self._setpoint(positions, rows), source)

    def take(self, message, source):
        before = len(self.motors)
        self._sent += 1
        self.path.take(message, {
            'publisher_gid': source, 'publication_sequence_number': self._sent, 'source_timestamp': self._sent}, lambda: 2)
        return len(self.motors) > before

    def set(self, **values):
        return self.node.set_parameters_atomically([Parameter(name, value=value) for name, value in values.items()])

    def stream(self, positions, commanded=False):
        """One of the node's own; why it was not followed, or ''."""
        return self.path.stream(self._setpoint(positions, 5), commanded)

    def _setpoint(self, positions, rows):
        return setpoint(np.concatenate([[positions], np.zeros((rows - 1, 3))]), NAMES)

    def offer(self, robot):
        """Why it is kept, or '': then it is used."""
        reason = self.path.hindrance(robot)
        if not reason:
            self.path.use(robot)
        return reason

    def guard(self, name):
        """The record of this guard, or None."""
        return next((record for record in self.path.guards if record.name == name), None)

    def close(self):
        self.node.destroy_node()

