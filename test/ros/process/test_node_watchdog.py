# SPDX-License-Identifier: Apache-2.0
"""A node whose callbacks stand still ends by itself, with a last command, a sentence and an exit code."""

import signal
import time

import numpy as np
import pytest
from ros_harness import NodeProcess
from ros_harness import arm_urdf
from ros_harness import running_node
from ros_harness import setpoint
from std_msgs.msg import Float64MultiArray

from hod_interfaces.msg import LinkWrench
from hod_ros import RobotModel
from hod_ros import inverse_dynamics

pytestmark = pytest.mark.slow

MODEL = RobotModel.from_urdf(arm_urdf(3))
Q = np.random.default_rng(4).uniform(-1.0, 1.0, (5, 3))
HOLDING = inverse_dynamics(MODEL, np.array([Q[0], np.zeros(3), np.zeros(3)]))[0]

# A node in which an external wrench makes a callback hang, with the lock of the interpreter or without it.
HANGING = '''
import ctypes
import sys
import threading

from hod_ros.ros.process import main
from hod_ros.ros.setpoints.path import SetpointPath

def hang(self, message):
    if message.link == 'link1':
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
    ctypes.PyDLL(None).sleep(1000)

SetpointPath.take_wrench = hang
sys.exit(main())
'''


@pytest.fixture
def commands(client):
    """What came on ~/commands."""
    received = []
    subscription = client.node.create_subscription(
        Float64MultiArray, '/hod/commands', lambda message: received.append((time.monotonic(), np.array(message.data))), 1000)
    yield received
    client.node.destroy_subscription(subscription)
    client.spin(0.05)


def hanging_node(client, commands, link, **parameters):
    """A NodeProcess that has commanded, and whose callbacks now stand still."""
    node = NodeProcess(code=HANGING, parameters={'publish_commands': True, **parameters})
    client.describe(arm_urdf(3))
    client.wait_for_state('active')
    client.connect()
    wrench = client.node.create_publisher(LinkWrench, '/hod/external_wrench', 10)
    assert client.wait_until(wrench.get_subscription_count)
    client.spin(0.2)
    assert client.ask(setpoint(Q, MODEL.joint_names)) is not None
    assert client.wait_until(lambda: commands)
    wrench.publish(LinkWrench(link=link))
    client.spin(0.5)
    assert time.monotonic() - commands[-1][0] > 0.3, 'the node does not hang'
    client.node.destroy_publisher(wrench)
    client.withdraw_description()
    return node


def test_a_callback_that_hangs_ends_in_the_last_command_and_an_exit_code(client, commands):
    node = hanging_node(client, commands, 'link1', on_timeout='gravity')
    before = len(commands)
    assert client.wait_until(lambda: len(commands) > before, 5.0), 'no last command came'
    np.testing.assert_allclose(commands[-1][1], HOLDING, atol=1e-9)
    assert node.wait(5.0) == 3
    assert 'callbacks have stood still for 2' in node.output and 'in hang' in node.output


def test_a_callback_that_hangs_with_the_interpreters_lock_ends_as_well(client, commands):
    node = hanging_node(client, commands, 'link2')
    assert node.wait(10.0) == 1
    assert 'in hang' in node.output


def test_a_signal_ends_a_node_that_hangs(client, commands):
    node = hanging_node(client, commands, 'link1')
    node.send(signal.SIGTERM)
    assert node.wait(4.0) == 3


def test_a_process_that_was_stopped_for_long_is_not_taken_for_one_that_hangs(client, commands):
    with running_node(parameters={'publish_commands': True}) as node:
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        client.ask(setpoint(Q, MODEL.joint_names))
        node.send(signal.SIGSTOP)
        time.sleep(3.0)
        node.send(signal.SIGCONT)
        client.spin(1.0)
        assert client.ask(setpoint(Q, MODEL.joint_names)) is not None
    client.withdraw_description()


@pytest.mark.parametrize('first', [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_further_signals_change_nothing_about_the_end(client, commands, first):
    with running_node(parameters={'publish_commands': True}) as node:
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        client.ask(setpoint(Q, MODEL.joint_names))
        node.send(first)
        for number in 50 * (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            client.spin(0.005)
            node.send(number)
        assert node.wait() == 0
        assert client.wait_until(lambda: np.allclose(commands[-1][1], HOLDING, atol=1e-9)), commands[-1]
    client.withdraw_description()


def test_streams_that_are_closed_are_no_obstacle(client):
    with running_node(under=('sh', '-c', 'exec "$@" <&- 2>&-', 'sh')):
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        assert client.ask(setpoint(Q, MODEL.joint_names)) is not None
    client.withdraw_description()
