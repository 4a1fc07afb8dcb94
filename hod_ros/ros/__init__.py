# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node. Nothing outside this package imports rclpy."""
