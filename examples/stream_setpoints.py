# SPDX-License-Identifier: Apache-2.0
"""Feeds the node: streams a motion with its derivatives up to the snap at 500 Hz, until Ctrl-C."""

from array import array

from rclpy.node import Node
from sine_motion import SineMotion
from until_signal import run_until_signal

from hod_interfaces.msg import JointSetpoint

RATE = 500.0        # [Hz]


class SetpointStreamer(Node):

    def __init__(self) -> None:
        super().__init__('stream_setpoints')
        self._motion = SineMotion.from_yaml()
        self._publisher = self.create_publisher(JointSetpoint, 'hod/setpoint', 10)
        self._start = self.get_clock().now()
        self.create_timer(1.0 / RATE, self._send)

    def _send(self) -> None:
        now = self.get_clock().now()
        q = self._motion.derivatives((now - self._start).nanoseconds * 1e-9, 5)
        setpoint = JointSetpoint()
        setpoint.header.stamp = now.to_msg()
        setpoint.joint_names = self._motion.joint_names
        setpoint.positions = array('d', q[0])
        setpoint.velocities = array('d', q[1])
        setpoint.accelerations = array('d', q[2])
        setpoint.jerks = array('d', q[3])           # without jerks the node publishes efforts only
        setpoint.snaps = array('d', q[4])           # without snaps it publishes no effort accelerations
        self._publisher.publish(setpoint)


if __name__ == '__main__':
    run_until_signal(SetpointStreamer)
