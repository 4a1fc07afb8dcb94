# SPDX-License-Identifier: Apache-2.0
"""~/commands for an effort controller: what it carries, and in what it ends when setpoints do."""

import time

import numpy as np
import pytest
from ros_harness import SILENCE
from ros_harness import arm_urdf
from ros_harness import running_node
from ros_harness import setpoint
from std_msgs.msg import Float64MultiArray

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

pytestmark = pytest.mark.telling

TIMEOUT = 0.6           # [s] setpoint_timeout, above any standstill of the machine
NAMES = ('joint1', 'joint2', 'joint3')
ORDER = ['joint3', 'joint1']
COLUMNS = [2, 0]
MODEL = RobotModel.from_urdf(arm_urdf(3))
MOTION = np.random.default_rng(9).uniform(-1.0, 1.0, (5, 3))
EFFORTS = inverse_dynamics(MODEL, MOTION)[0]
HOLDING = inverse_dynamics(MODEL, np.stack([MOTION[0], np.zeros(3), np.zeros(3)]))[0]


@pytest.fixture(scope='module', autouse=True)
def node(client):
    parameters = {'publish_commands': 'true', 'command_joints': str(ORDER), 'setpoint_timeout': str(TIMEOUT)}
    with running_node(parameters=parameters) as node:
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        yield node
        client.withdraw_description()


@pytest.fixture
def commands(client):
    """(arrival, data) of the commands since the test began."""
    received = []
    subscription = client.node.create_subscription(
        Float64MultiArray, '/hod/commands', lambda message: received.append((time.monotonic(), np.array(message.data))), 100)

    def heard():
        client.send(setpoint(MOTION, NAMES))
        client.spin(0.02)
        return received
    assert client.wait_until(heard)
    received.clear()
    yield received
    client.node.destroy_subscription(subscription)


def stream(client, seconds, message=None):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        client.send(message or setpoint(MOTION, NAMES))
        client.spin(0.01)


def assert_all(commands, expected):
    assert commands
    for _, data in commands:
        np.testing.assert_allclose(data, expected, rtol=1e-12, atol=1e-12)


def assert_ends_in_holding(client, commands):
    def holding():
        return commands and np.allclose(commands[-1][1], HOLDING[COLUMNS], rtol=1e-12, atol=1e-12)
    assert client.wait_until(holding), commands[-1:]


def settle(client, commands, seconds=TIMEOUT + 0.2):
    client.spin(seconds)
    commands.clear()


def test_commands_are_the_efforts_in_the_controllers_joint_order(client, commands):
    stream(client, 0.2)
    commands.clear()
    stream(client, 0.2)
    assert_all(commands, EFFORTS[COLUMNS])
    commands.clear()
    jumbled = [1, 2, 0]
    stream(client, 0.1, setpoint(MOTION[:, jumbled], [NAMES[i] for i in jumbled]))
    assert_all(commands, EFFORTS[COLUMNS])


def test_stale_setpoints_end_in_the_gravity_torque_soon_and_repeatedly(client, commands):
    stream(client, 0.3)
    last = time.monotonic()
    settle(client, commands, 0.1)
    client.spin(TIMEOUT + 0.4)
    holding = [(arrival, data) for arrival, data in commands if np.allclose(data, HOLDING[COLUMNS], rtol=1e-12, atol=1e-12)]
    assert len(holding) > 10
    assert TIMEOUT - 0.1 < holding[0][0] - last < TIMEOUT + 0.3
    level, message, values = client.diagnostics('commands')
    assert (level, message) == (b'\1', 'stale setpoints: the gravity torque of the last position')
    level, message, values = client.diagnostics('setpoints')
    assert level == b'\1' and '~/feedforward stopped; ~/commands carries the gravity torque' in message
    assert int(values['timeouts']) >= 1
    stream(client, 0.3)
    commands.clear()
    stream(client, 0.1)
    assert_all(commands, EFFORTS[COLUMNS])


def test_feedforward_stops_while_commands_hold(client, commands):
    stream(client, 0.1)
    client.spin(TIMEOUT + 0.2)
    before = len(client.answers)
    client.spin(SILENCE)
    assert len(client.answers) == before and commands


def test_stale_setpoints_end_in_zero_where_asked_for(client, commands):
    assert client.set_parameter('on_timeout', 'zero') == (True, '')
    stream(client, 0.2)
    settle(client, commands)
    client.spin(0.2)
    assert_all(commands, np.zeros(2))
    assert client.set_parameter('on_timeout', 'gravity') == (True, '')


def test_stale_setpoints_end_in_silence_where_asked_for(client, commands):
    assert client.set_parameter('on_timeout', 'stop') == (True, '')
    stream(client, 0.2)
    settle(client, commands)
    client.spin(SILENCE)
    assert not commands
    assert client.set_parameter('on_timeout', 'gravity') == (True, '')


def test_a_flood_of_bad_setpoints_does_not_keep_commands_alive(client, commands):
    stream(client, 0.2)
    bad = setpoint(MOTION, NAMES)
    bad.accelerations[0] = np.nan
    stream(client, TIMEOUT + 0.3, bad)
    commands.clear()
    stream(client, 0.2, bad)
    assert_all(commands, HOLDING[COLUMNS])


def test_nothing_is_ever_stale_without_a_timeout(client, commands):
    assert client.set_parameter('setpoint_timeout', 0.0) == (True, '')
    stream(client, 0.1)
    settle(client, commands)
    client.spin(SILENCE)
    assert not commands
    assert client.set_parameter('setpoint_timeout', TIMEOUT) == (True, '')


def test_a_new_gravity_waits_for_the_next_activation_unless_small_changes_are_allowed(client, commands):
    sideways = inverse_dynamics(MODEL.replace(gravity=(0.0, 9.81, 0.0)), np.stack([MOTION[0], np.zeros(3), np.zeros(3)]))[0]
    stream(client, 0.1)
    client.spin(TIMEOUT + 0.2)
    assert client.set_parameter('gravity', [0.0, 9.81, 0.0]) == (True, '')
    settle(client, commands, 0.1)
    client.spin(0.1)
    assert_all(commands, HOLDING[COLUMNS])
    level, message, values = client.diagnostics('model')
    assert level == b'\1' and 'kept for the next activation' in message and 'model_changes' in values['kept for the next activation']
    for name, value in (('gravity', [0.0, 0.0, -9.81]), ('model_changes', 'small'), ('largest_model_step', 0.5)):
        assert client.set_parameter(name, value) == (True, '')
    assert client.diagnostics('model')[:2] == (b'\0', 'active')
    assert client.set_parameter('gravity', [0.0, 9.81, 0.0]) == (True, '')
    settle(client, commands, 0.1)
    client.spin(0.1)
    assert_all(commands, sideways[COLUMNS])
    for name, value in (('gravity', [0.0, 0.0, -9.81]), ('model_changes', 'auto')):
        assert client.set_parameter(name, value) == (True, '')


def test_a_robot_with_other_joints_does_not_silence_what_is_held_while_setpoints_are_stale(client, commands):
    stream(client, 0.2)
    settle(client, commands)
    client.describe(arm_urdf(4))
    try:
        assert client.wait_until(lambda: 'joint4' in client.diagnostics('model')[2].get('kept for the next activation', ''))
        commands.clear()
        client.spin(0.5)
        assert len(commands) > 20
        assert_all(commands, HOLDING[COLUMNS])
    finally:
        client.describe(arm_urdf(3))
    assert client.wait_until(lambda: client.diagnostics('model')[:2] == (b'\0', 'active'))


def test_unknown_choice_is_refused_with_the_choices(client):
    accepted, reason = client.set_parameter('on_timeout', 'hold')
    assert not accepted and "'gravity', 'zero', 'stop'" in reason


def test_deactivation_ends_in_one_safe_command_and_then_silence(client, commands):
    stream(client, 0.2)
    assert client.change_state('deactivate')
    assert_ends_in_holding(client, commands)
    commands.clear()
    stream(client, 0.4)
    assert not commands
    assert client.diagnostics('commands')[:2] == (b'\0', 'none: the node is inactive')
    assert client.change_state('activate')
    client.spin(0.4)
    assert not commands, 'a command before the first setpoint'
    stream(client, 0.1)
    assert commands


def test_end_of_the_node_ends_in_one_safe_command(client, commands, node):
    stream(client, 0.2)
    assert node.stop() == 0
    assert_ends_in_holding(client, commands)
