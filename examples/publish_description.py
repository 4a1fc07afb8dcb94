"""Publishes a robot description as robot_state_publisher does, until Ctrl-C.

Usage: python publish_description.py [URDF] [--ros-args ...]
"""

import sys
from pathlib import Path

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.utilities import remove_ros_args
from sine_motion import PANDA
from std_msgs.msg import String


def main():
    arguments = remove_ros_args(sys.argv)[1:]
    path = Path(arguments[0]) if arguments else PANDA
    rclpy.init()
    node = rclpy.create_node('publish_description')
    latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
    publisher = node.create_publisher(String, 'robot_description', latched)
    publisher.publish(String(data=path.read_text()))
    node.get_logger().info(f'{path.name} is on {publisher.topic_name}')
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
