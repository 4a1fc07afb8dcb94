# SPDX-License-Identifier: Apache-2.0
"""Between a node that commands torques and an effort controller that has no timeout: brakes the robot when commands stop coming.

Usage: python3 command_watchdog.py --ros-args -r commands:=/hod/commands -r safe_commands:=/effort_controller/commands
           -p joints:="[joint1, joint2]" -p damping:="[20.0, 10.0]" [-p timeout:=0.05]

commands go through as they come. When none has come for `timeout` seconds, each joint gets its last command less a damping that brings it
to rest, torque = last - damping * velocity, from joint_states: the last command of a robot at rest holds it. Without fresh joint_states it
goes on with the last command, which is what the controller would have done. Then torques change by `rate` a second at most.
"""

import time
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

PERIOD = 0.005      # [s]


class CommandWatchdog(Node):

    def __init__(self) -> None:
        super().__init__('command_watchdog')
        self.joints: list[str] = list(self._parameter('joints', ['']))
        self.damping: list[float] = list(self._parameter('damping', [10.0]))        # [N m s/rad], one a joint
        self.timeout: float = self._parameter('timeout', 0.05)                # [s]
        self.rate: float = self._parameter('rate', 1000.0)                    # [N m/s]
        if len(self.damping) != len(self.joints):
            raise SystemExit('give one damping for each joint')
        self.command: list[float] | None = None         # the last that came
        self.sent: list[float] | None = None            # the last that went out
        self.came = self.measured = -1e9
        self.velocities: dict[str, float] = {}
        self.output = self.create_publisher(Float64MultiArray, 'safe_commands', 10)
        self.create_subscription(Float64MultiArray, 'commands', self.on_command, 10)
        self.create_subscription(JointState, 'joint_states', self.on_state, 10)
        self.create_timer(PERIOD, self.watch)

    def _parameter(self, name: str, default: Any) -> Any:
        return self.declare_parameter(name, default).value

    def on_command(self, message: Float64MultiArray) -> None:
        if len(message.data) == len(self.joints):
            self.command, self.came = list(message.data), time.monotonic()
            self.send(self.command)

    def on_state(self, message: JointState) -> None:
        if len(message.velocity) == len(message.name):
            self.velocities |= dict(zip(message.name, message.velocity, strict=True))
            self.measured = time.monotonic()

    def watch(self) -> None:
        now = time.monotonic()
        if self.command is None or self.sent is None or now - self.came < self.timeout:
            return
        self.get_logger().error('no commands: braking', throttle_duration_sec=1.0)
        fresh = now - self.measured < self.timeout
        step = self.rate * PERIOD
        wanted = [
            torque - damping * (self.velocities.get(joint, 0.0) if fresh else 0.0)
            for joint, torque, damping in zip(self.joints, self.command, self.damping, strict=True)]
        self.send([min(max(value, last - step), last + step) for value, last in zip(wanted, self.sent, strict=True)])

    def send(self, torques: list[float]) -> None:
        self.sent = torques
        self.output.publish(Float64MultiArray(data=torques))


def main() -> None:
    rclpy.init()
    try:
        rclpy.spin(CommandWatchdog())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
