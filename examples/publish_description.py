# SPDX-License-Identifier: Apache-2.0
"""Publishes a robot description as robot_state_publisher does, until Ctrl-C.

Usage: python publish_description.py [URDF] [--ros-args ...]
"""

import sys
from pathlib import Path

from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.utilities import remove_ros_args
from sine_motion import PANDA
from std_msgs.msg import String
from until_signal import run_until_signal


class DescriptionPublisher(Node):

    def __init__(self) -> None:
        super().__init__('publish_description')
        arguments = remove_ros_args(sys.argv)[1:]
        path = Path(arguments[0]) if arguments else PANDA
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self._publisher = self.create_publisher(String, 'robot_description', latched)
        self._publisher.publish(String(data=path.read_text()))
        self.get_logger().info(f'{path.name} is on {self._publisher.topic_name}')


if __name__ == '__main__':
    run_until_signal(DescriptionPublisher)
