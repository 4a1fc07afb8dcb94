# SPDX-License-Identifier: Apache-2.0
"""The first good description makes the robot of plant and controller, once."""

from collections.abc import Callable

from rclpy.node import Node
from std_msgs.msg import String

from hod_ros.errors import DescriptionError
from hod_ros.errors import HodError
from hod_ros.errors import ModelError
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.quality import LATCHED
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.robot.settings import robot_settings
from hod_ros.ros.robot.source import DESCRIPTION


class RobotWanted:
    """Calls use(robot) once; use may refuse it by a HodError, which ends the node where the robot is a parameter's."""

    def __init__(self, node: Node, parameters: Parameters, use: Callable[[Robot], None]) -> None:
        self._node = node
        self._parameters = parameters
        self._use = use
        self._done = False
        text = parameters[DESCRIPTION]
        if text:
            self._take(text, f'parameter {DESCRIPTION}')
        else:
            topic = node.resolve_topic_name(DESCRIPTION)
            node.create_subscription(String, DESCRIPTION, lambda message: self._on_description(message, topic), LATCHED)
            node.get_logger().info(f'waiting for a robot description on {topic}')

    def _on_description(self, message, topic):
        if self._done:
            self._node.get_logger().info('another robot description came and is not used; start this node again to use it')
            return
        try:
            self._take(message.data, f'topic {topic}')
        except (DescriptionError, ModelError) as error:
            self._node.get_logger().error(f'robot description refused: {error}')
        except HodError as error:
            self._node.get_logger().error(f'this robot cannot be used with the parameters as they are: {error}')

    def _take(self, text, source):
        robot = Robot.build(text, source, robot_settings(self._parameters))
        for warning in robot.warnings:
            self._node.get_logger().warning(warning)
        self._use(robot)
        self._done = True
