# SPDX-License-Identifier: Apache-2.0
"""What the parts of a node say about themselves, once a second on /diagnostics, one status for each concern."""

from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray
from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_msgs.msg import KeyValue
from rclpy.node import Node

from hod_ros.errors import shortened
from hod_ros.ros.reporting.status import Status

PERIOD = 1.0            # [s]
LONGEST_VALUE = 10_000  # characters


class Reporter:

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._name = node.get_fully_qualified_name().lstrip('/')

    def report(self, robot: str, statuses: Iterable[Status]) -> None:
        """robot: the name of the robot in use, or empty."""
        message = DiagnosticArray(status=[self._message(robot, status) for status in statuses])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _message(self, robot, status):
        return DiagnosticStatus(
            level=status.level, name=f'{self._name}: {status.task}', message=shortened(status.text), hardware_id=robot,
            values=[KeyValue(key=key, value=shortened(str(value), LONGEST_VALUE)) for key, value in status.values.items()])
