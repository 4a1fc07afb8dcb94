# SPDX-License-Identifier: Apache-2.0
"""A learned policy's chunks, positions without times, streamed through a running node: one comes late, and after the last none comes.

    make run ROBOT=config/robots/panda.urdf ARGS='--ros-args -p trajectory.chunk_rate:=50.0 -p publish_commands:=true'
    .venv/bin/python examples/policy_chunks.py                  in another terminal

In place of a network, the policy draws a figure from wherever it sees the robot, and accelerates where that stands. Where nobody publishes
joint_states, this process stands in for the robot and publishes what the node streams.
"""

import sys
import time
from array import array
from collections.abc import Callable

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.utilities import try_shutdown
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_ros.ros.process import make_executor

JOINTS = [f'panda_joint{i}' for i in range(1, 8)]
RATE, POINTS = 50.0, 40             # [1/s] of a chunk's points, the node's trajectory.chunk_rate; how many there are in it: 0.8 s
EVERY = 0.4                         # [s] from chunk to chunk, so that half of each is never used
CHUNKS, LATE = 6, 3                 # how many there are; which of them comes only when the robot stands
HOME, SIZE = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7]), np.array([0.25, 0.15, 0.2, 0.2, 0.1, 0.15, 0.3])
SPEED, RISE = 1.0, 0.6              # [rad/s] of the figure's phase, [s] until it is reached
NEWEST = 1                          # depth of what comes at the node's rate: on a busy machine a queue would show the robot as it was
PATIENCE = 20.0                     # [s] longest wait for the node

Array = NDArray[np.float64]


def figure(phase: Array) -> Array:
    """(phases, 7)"""
    return np.asarray(HOME + SIZE * np.sin(phase[:, None] * np.array([1, 2, 1, 1, 2, 1, 2])))


def phase_of(positions: Array) -> float:
    """Where on the figure that is nearest."""
    phases = np.linspace(0, 2 * np.pi, 20_001)
    return float(phases[np.argmin(np.linalg.norm(figure(phases) - positions, axis=1))])


def policy(positions: Array, velocities: Array) -> Array:
    """(POINTS, 7) where the joints should be 1 / RATE, 2 / RATE ... after they were seen so."""
    phase = phase_of(positions)
    ahead = figure(np.array([phase, phase + 1e-3]))
    tangent = (ahead[1] - ahead[0]) / 1e-3
    speed = float(np.clip(velocities @ tangent / (tangent @ tangent), 0, SPEED))
    times = np.linspace(0, POINTS / RATE, 10 * POINTS + 1)
    x = np.clip(times / RISE, 0, 1)
    speeds = speed + (SPEED - speed) * x**3 * (10 - 15 * x + 6 * x**2)
    phases = phase + np.concatenate([[0.0], np.cumsum((speeds[1:] + speeds[:-1]) / 2 * np.diff(times))])
    return figure(phases[10::10])


class Arm(Node):
    """What the policy sees of the robot, and the way for its chunks; the robot itself, where there is none."""

    def __init__(self) -> None:
        super().__init__('policy')
        self.seen: JointState | None = None
        self.streamed: list[JointSetpoint] = []
        self.effort_rates = np.zeros(len(JOINTS))
        self.report: dict[str, str] = {}
        self._chunks = self.create_publisher(JointTrajectory, 'hod/joint_trajectory', 10)
        self._states = self.create_publisher(JointState, 'joint_states', 10)
        self.create_subscription(JointState, 'joint_states', self._on_state, qos_profile_sensor_data)
        self.create_subscription(JointSetpoint, 'hod/setpoint_stream', self.streamed.append, NEWEST)
        self.create_subscription(TorqueFeedforward, 'hod/feedforward', self._on_feedforward, NEWEST)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self.create_timer(0.01, self._stand_in)
        self._executor = make_executor()
        self._executor.add_node(self)

    def _on_state(self, state: JointState) -> None:
        if set(JOINTS) <= set(state.name):
            self.seen = state

    def _on_feedforward(self, answer: TorqueFeedforward) -> None:
        self.effort_rates = np.maximum(self.effort_rates, np.abs(answer.effort_rates))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.endswith('hod: trajectories'):
                self.report = {item.key: item.value for item in status.values}

    def _stand_in(self) -> None:
        if self.count_publishers('joint_states') > 1:
            return
        state = JointState(name=JOINTS, position=array('d', figure(np.zeros(1))[0]), velocity=array('d', np.zeros(7)))
        state.header.stamp = self.get_clock().now().to_msg()
        if self.streamed:
            last = self.streamed[-1]
            state.header.stamp, state.position, state.velocity = last.header.stamp, last.positions, last.velocities
        self._states.publish(state)

    def spin(self, seconds: float) -> None:
        self.wait_until(lambda: False, seconds)

    def wait_until(self, condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        end = time.monotonic() + seconds
        while not condition() and (left := end - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=min(left, 0.1))
        return condition()

    def wait_until_ready(self) -> bool:
        """The node says in its diagnostics when it can take trajectories; what comes earlier waits there, and its first points pass."""
        return self.wait_until(lambda: self.seen is not None and self.report.get('process that interpolates') == 'ready')

    def send_chunk(self) -> None:
        """Stamped with what it was made from: so the node drops the points that have passed, however long the policy took. Where the robot
        stands, without a stamp: it begins when the node is ready."""
        seen = self.seen
        assert seen is not None
        columns = [list(seen.name).index(joint) for joint in JOINTS]
        chunk = policy(np.array(seen.position)[columns], np.array(seen.velocity)[columns])
        message = JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(positions=array('d', row)) for row in chunk])
        if any(seen.velocity):
            message.header.stamp = seen.header.stamp
        self._chunks.publish(message)

    def stands(self) -> bool:
        return bool(self.streamed) and not np.any(np.abs(self.streamed[-1].velocities) > 1e-9)


def run(arm: Arm) -> int:
    if not arm.wait_until_ready():
        print('no node is ready for trajectories; is it running, and has it the description of the Panda?', file=sys.stderr)
        return 1
    stops = 0
    for i in range(CHUNKS):
        if i == LATE:
            stops += arm.wait_until(arm.stands, 5.0)
            arm.spin(0.2)
        arm.send_chunk()
        arm.spin(EVERY)
    stops += arm.wait_until(arm.stands, 5.0)
    arm.spin(1.2)                                               # for the last report of the node
    if not arm.streamed:
        print(f'the node streamed nothing: {arm.report.get("last refusal", "")}', file=sys.stderr)
        return 1
    reached = np.array([setpoint.positions for setpoint in arm.streamed])[::10]
    away = max(np.linalg.norm(figure(np.array([phase_of(q)]))[0] - q) for q in reached)
    print(f'{CHUNKS} chunks, {arm.report["begun"]} taken, {arm.report["refused"]} refused; {len(arm.streamed)} setpoints, '
          f'{1e3 * away:.2f} mrad from the figure at most')
    print(f'{stops} stops along it where no chunk came; effort rates up to {arm.effort_rates.max():.0f} N m/s')
    if arm.report['last refusal']:
        print(f'the last refusal: {arm.report["last refusal"]}')
    return 0 if stops == 2 else 1


def main() -> int:
    rclpy.init()
    arm = Arm()
    try:
        return run(arm)
    except KeyboardInterrupt:
        return 1
    finally:
        arm.destroy_node()
        try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
