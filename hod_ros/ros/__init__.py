"""The ROS 2 node. Nothing outside this package imports rclpy."""
