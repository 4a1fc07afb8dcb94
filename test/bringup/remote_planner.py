# SPDX-License-Identifier: Apache-2.0
"""A planner and consumer on another host than the node's: streams setpoints, and tells about every answer on stdout.

Usage: remote_planner.py RATE DURATION. Lines: `sent INDEX TIME`, `answer INDEX TIME EFFORT...`; times on the steady clock.
"""

import sys
import time
from pathlib import Path

import rclpy
from planned import NAMES
from planned import planned

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward

sys.path.insert(0, str(Path(__file__).parents[1] / 'ros'))
import ros_harness  # noqa: E402


def main():
    rate, duration = map(float, sys.argv[1:])
    rclpy.init()
    node = rclpy.create_node('planner')
    descriptions = node.create_publisher(ros_harness.String, 'robot_description', ros_harness.LATCHED)
    descriptions.publish(ros_harness.String(data=ros_harness.arm_urdf(len(NAMES))))
    setpoints = node.create_publisher(JointSetpoint, 'hod/setpoint', 10)
    lines = []

    def on_feedforward(message):
        efforts = ' '.join(map(repr, ros_harness.efforts(message).ravel().tolist()))
        lines.append(f'answer {message.header.stamp.sec} {time.monotonic()} {efforts}')

    node.create_subscription(TorqueFeedforward, 'hod/feedforward', on_feedforward, 10)
    index = 0

    def send():
        nonlocal index
        setpoints.publish(ros_harness.setpoint(planned(index), NAMES, sec=index))
        lines.append(f'sent {index} {time.monotonic()}')
        index += 1

    node.create_timer(1.0 / rate, send)
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    end = time.monotonic() + duration
    try:
        while time.monotonic() < end:
            executor.spin_once(timeout_sec=0.1)
            if lines:
                print('\n'.join(lines), flush=True)
                lines.clear()
    except KeyboardInterrupt:
        pass
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
