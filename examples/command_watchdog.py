# SPDX-License-Identifier: Apache-2.0
"""Between a node that commands torques and an effort controller that has no timeout: brakes the robot when commands stop coming.

Usage: python3 command_watchdog.py --ros-args -r commands:=/hod/commands -r safe_commands:=/effort_controller/commands
           -p joints:="[joint1, joint2]" -p damping:="[20.0, 10.0]" [-p timeout:=0.05]

commands go through as they come. When none has come for `timeout` seconds, each joint gets its last command less a damping that brings it
to rest, torque = last - damping * velocity, from joint_states: the last command of a robot at rest holds it. A joint without fresh
joint_states goes on with its last command, which is what the controller would have done. Then, and until commands that come again are
reached, torques change by `rate` a second at most. What is no number, or of another length, is no command.
Ctrl-C ends it two seconds later, which is how long a node that ends with it may take: what that commands last still goes through.
"""

import math
import time
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from until_signal import run_until_signal

PERIOD = 0.005      # [s]
PARTING = 2.0       # [s]


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
        self.sent: list[float] = []                     # the last that went out
        self.came = self.left = -math.inf               # [s] when
        self.braking = False
        self.states: dict[str, tuple[float, float]] = {}        # joint -> velocity, when it came
        self.output = self.create_publisher(Float64MultiArray, 'safe_commands', 10)
        self.create_subscription(Float64MultiArray, 'commands', self.on_command, 10)
        self.create_subscription(JointState, 'joint_states', self.on_state, 10)
        self.create_timer(PERIOD, self.watch)

    def _parameter(self, name: str, default: Any) -> Any:
        return self.declare_parameter(name, default).value

    def on_command(self, message: Float64MultiArray) -> None:
        command = list(message.data)
        if len(command) != len(self.joints) or not all(map(math.isfinite, command)):
            self.get_logger().error('a command of another length, or that is no number: not passed on', throttle_duration_sec=1.0)
            return
        self.command, self.came = command, time.monotonic()
        if self.braking:
            self.approach(command)
            self.braking = self.sent != command
        else:
            self.send(command)

    def on_state(self, message: JointState) -> None:
        now = time.monotonic()
        if len(message.velocity) == len(message.name):
            for joint, velocity in zip(message.name, message.velocity, strict=True):
                if math.isfinite(velocity):
                    self.states[joint] = velocity, now

    def watch(self) -> None:
        if self.command is None or time.monotonic() - self.came < self.timeout:
            return
        self.get_logger().error('no commands: braking', throttle_duration_sec=1.0)
        self.braking = True
        self.approach([
            torque - damping * self.velocity(joint)
            for joint, torque, damping in zip(self.joints, self.command, self.damping, strict=True)])

    def velocity(self, joint: str) -> float:
        """Of a joint; 0 where it is not measured now."""
        velocity, came = self.states.get(joint, (0.0, -math.inf))
        return velocity if time.monotonic() - came < self.timeout else 0.0

    def approach(self, wanted: list[float]) -> None:
        """As far as the rate lets it be."""
        step = self.rate * min(time.monotonic() - self.left, PERIOD)
        self.send([min(max(value, last - step), last + step) for value, last in zip(wanted, self.sent, strict=True)])

    def send(self, torques: list[float]) -> None:
        self.sent, self.left = torques, time.monotonic()
        self.output.publish(Float64MultiArray(data=torques))


if __name__ == '__main__':
    run_until_signal(CommandWatchdog, PARTING)
