# SPDX-License-Identifier: Apache-2.0
"""A minimal consumer: takes efforts and their derivatives by joint name, and prints them once a second.

A controller would use `latest` in its own loop, and look at the stamp: it is the setpoint's.
"""

from rclpy.node import Node
from until_signal import run_until_signal

from hod_interfaces.msg import TorqueFeedforward


class Consumer(Node):

    def __init__(self) -> None:
        super().__init__('consume_feedforward')
        self.latest: TorqueFeedforward | None = None
        self._count = 0
        self.create_subscription(TorqueFeedforward, 'hod/feedforward', self._on_feedforward, 10)
        self.create_timer(1.0, self._print)

    def _on_feedforward(self, message: TorqueFeedforward) -> None:
        self.latest = message
        self._count += 1

    def _print(self) -> None:
        if self.latest is None or self._count == 0:
            self.get_logger().info('no feedforward came within the last second')
            return
        message, count, self._count = self.latest, self._count, 0
        lines = [f'{count} a second; the latest:']
        for index, name in enumerate(message.joint_names):
            row = f'{name}: Q {message.efforts[index]:8.3f} N m'
            if message.effort_rates:                # empty where the setpoint had no jerks
                row += f", Q' {message.effort_rates[index]:9.3f} N m/s"
            if message.effort_accelerations:        # empty where the setpoint had no snaps
                row += f", Q'' {message.effort_accelerations[index]:10.3f} N m/s^2"
            lines.append(row)
        self.get_logger().info('\n  '.join(lines))


if __name__ == '__main__':
    run_until_signal(Consumer)
