# SPDX-License-Identifier: Apache-2.0
"""examples/command_watchdog.py as a process: what it passes on, how it brakes, and how it comes back."""

import signal
import subprocess
import sys
import time
from array import array
from pathlib import Path

import numpy as np
import pytest
from ros_harness import PATIENCE
from ros_harness import SILENCE
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

WATCHDOG = Path(__file__).parents[3] / 'examples' / 'command_watchdog.py'
JOINTS, DAMPING, RATE = ['joint1', 'joint2'], [20.0, 10.0], 200.0
LONGEST_STEP = RATE * 0.005 * (1 + 1e-9)
COMMAND = [3.0, -2.0]
TIMEOUT = 0.6           # [s] above any standstill of the machine


def start(*parameters):
    return subprocess.Popen(
        [sys.executable, str(WATCHDOG), '--ros-args', *(word for parameter in parameters for word in ('-p', parameter))],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Peer:
    """The node before it, the controller behind it, and the robot."""

    def __init__(self, client):
        self.client, node = client, client.node
        self.received = []
        self._commands = node.create_publisher(Float64MultiArray, 'commands', 10)
        self._states = node.create_publisher(JointState, 'joint_states', 10)
        self._subscription = node.create_subscription(
            Float64MultiArray, 'safe_commands', lambda message: self.received.append(list(message.data)), 1000)
        assert client.wait_until(lambda: self._commands.get_subscription_count() and self._states.get_subscription_count()
                                 and node.count_publishers('/safe_commands'))
        client.spin(0.2)

    def close(self):
        self.client.node.destroy_subscription(self._subscription)
        for publisher in (self._commands, self._states):
            self.client.node.destroy_publisher(publisher)
        self.client.spin(0.05)

    def command(self, *values):
        self._commands.publish(Float64MultiArray(data=array('d', values)))
        self.client.spin(0.002)

    def measure(self, velocities, names=JOINTS):
        self._states.publish(JointState(name=list(names), velocity=array('d', velocities)))
        self.client.spin(0.01)

    def comes(self, expected, meanwhile=lambda: None):
        end = time.monotonic() + PATIENCE
        while not (self.received and np.allclose(self.received[-1], expected, rtol=1e-12)):
            assert time.monotonic() < end, (self.received[-3:], expected)
            meanwhile()
            self.client.spin(0.01)

    def assert_no_jump(self):
        assert np.abs(np.diff(self.received, axis=0)).max() <= LONGEST_STEP


@pytest.fixture
def peer(client):
    process = start(f'joints:={JOINTS}', f'damping:={DAMPING}', f'rate:={RATE}', f'timeout:={TIMEOUT}')
    try:
        peer = Peer(client)
        yield peer
        peer.close()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0 and 'Traceback' not in output, output
    finally:
        process.kill()
        process.communicate()


def test_commands_go_through_as_they_come_and_nothing_goes_out_before_the_first(peer):
    peer.measure([0.1, 0.1])
    peer.client.spin(SILENCE)
    assert not peer.received
    sent = [[0.01 * k * k, -0.5 * k] for k in range(20)]
    for k, command in enumerate(sent):
        peer.command(*command)
        assert peer.client.wait_until(lambda k=k: len(peer.received) > k)
        assert peer.received[k] == command


def test_a_robot_in_motion_is_braked_without_a_jump_and_commands_that_come_again_are_returned_to_without_one(peer):
    peer.command(*COMMAND)
    braked = np.array(COMMAND) - np.array(DAMPING) * [0.5, -1.0]
    peer.comes(braked, lambda: peer.measure([0.5, -1.0]))
    peer.comes([4.0, 4.0], lambda: peer.command(4.0, 4.0))
    peer.assert_no_jump()
    peer.command(5.0, 90.0)
    peer.comes([5.0, 90.0])


def test_joints_that_are_not_measured_go_on_with_their_last_command(peer):
    peer.command(*COMMAND)
    peer.comes([COMMAND[0], COMMAND[1] - DAMPING[1] * 0.4], lambda: peer.measure([0.4, 7.0], ['joint2', 'gripper']))
    peer.comes(COMMAND, lambda: peer.measure([7.0], ['gripper']))
    peer.comes([COMMAND[0], COMMAND[1] - DAMPING[1] * 0.4], lambda: peer.measure([np.nan, 0.4]))
    peer.assert_no_jump()


def test_what_is_no_command_is_not_passed_on(peer):
    peer.command(*COMMAND)
    for bad in ([1.0], [1.0, 2.0, 3.0], [np.nan, 1.0], [1.0, np.inf], []):
        peer.command(*bad)
    peer.comes(COMMAND)
    peer.client.spin(2 * TIMEOUT)
    assert all(command == COMMAND for command in peer.received)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_last_command_of_a_node_that_ends_at_the_same_time_goes_through(client, number):
    process = start(f'joints:={JOINTS}', f'damping:={DAMPING}')
    try:
        peer = Peer(client)
        peer.command(*COMMAND)
        peer.comes(COMMAND)
        process.send_signal(number)
        peer.client.spin(0.1)
        peer.command(0.0, 1.0)
        peer.comes([0.0, 1.0])
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0 and 'Traceback' not in output, output
        peer.close()
    finally:
        process.kill()
        process.communicate()


def test_dampings_that_do_not_fit_the_joints_are_refused():
    process = start(f'joints:={JOINTS}', 'damping:=[20.0]')
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and 'give one damping for each joint' in output
