# SPDX-License-Identifier: Apache-2.0
"""Limits and friction: what is flagged, what is clipped, and what the diagnostics say about it."""

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import node_with_arm
from ros_harness import setpoint

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
MOTION = np.random.default_rng(6).uniform(-1.0, 1.0, (6, 3))
Q = inverse_dynamics(MODEL, MOTION[:5])
EFFORT, RATE, ACCELERATION = 1, 2, 4


def limits(exceeded):
    """Parameters with limits just above or just below what the motion needs, by (joint, kind)."""
    kinds = {'effort': 0, 'effort_rate': 1, 'effort_acceleration': 2}
    return {
        f'limits.{joint}.{kind}': float(abs(Q[row, column]) * (0.9 if (joint, kind) in exceeded else 1.1))
        for column, joint in enumerate(NAMES) for kind, row in kinds.items()}


@pytest.fixture(scope='module')
def node(client):
    parameters = limits({('joint1', 'effort'), ('joint2', 'effort_rate'), ('joint2', 'effort_acceleration')})
    with node_with_arm(client, parameters=parameters) as node:
        yield node


def test_exceeded_limits_are_flagged_in_the_setpoints_joint_order_and_nothing_is_changed(client, node):
    order = [2, 0, 1]
    answer = client.ask(setpoint(MOTION[:5, order], [NAMES[i] for i in order]))
    assert list(answer.limit_flags) == [0, EFFORT, RATE + ACCELERATION]
    assert not answer.clipped
    np.testing.assert_allclose(efforts(answer), Q[:, order], rtol=1e-12, atol=1e-12)


def test_only_orders_that_are_published_are_flagged(client, node):
    assert list(client.ask(setpoint(MOTION[:3], NAMES)).limit_flags) == [EFFORT, 0, 0]
    assert list(client.ask(setpoint(MOTION[:4], NAMES)).limit_flags) == [EFFORT, RATE, 0]


def test_joints_within_their_limits_are_flagged_zero(client, node):
    still = np.zeros((5, 3))
    flags = client.ask(setpoint(still, NAMES)).limit_flags
    expected = np.abs(inverse_dynamics(MODEL, still)[0]) > [node_limit(client, joint) for joint in NAMES]
    assert list(flags) == [EFFORT * int(flag) for flag in expected]


def node_limit(client, joint):
    return client.get_parameter(f'limits.{joint}.effort')


def test_diagnostics_name_joint_value_and_limit(client, node):
    client.diagnostics('limits')
    client.ask(setpoint(MOTION[:5], NAMES))
    level, message, values = client.diagnostics('limits')
    assert level == b'\1' and 'exceeds' in message and len(message) < 100
    assert values['joint1: effort'].startswith(f'{Q[0, 0]:.6g}, limit {0.9 * abs(Q[0, 0]):.6g}')
    assert int(values['joint2: effort rate, times exceeded']) >= 1
    assert 'joint3: effort' not in values
    client.diagnostics('limits')
    assert client.diagnostics('limits')[:2] == (b'\0', 'kept')


def test_clipped_efforts_come_without_rates(client, node):
    assert client.set_parameter('limits.clip', True) == (True, '')
    answer = client.ask(setpoint(MOTION, NAMES))
    assert answer.clipped and list(answer.limit_flags) == [EFFORT, RATE + ACCELERATION, 0]
    np.testing.assert_allclose(answer.efforts, [0.9 * Q[0, 0], *Q[0, 1:]], rtol=1e-9)
    assert not len(answer.effort_rates) and not len(answer.effort_accelerations) and not len(answer.higher)
    assert client.set_parameter('limits.joint1.effort', 1e6) == (True, '')
    answer = client.ask(setpoint(MOTION[:5], NAMES))
    assert not answer.clipped and efforts(answer).shape == (3, 3)
    assert client.set_parameter('limits.joint1.effort', 0.9 * abs(float(Q[0, 0]))) == (True, '')
    assert client.set_parameter('limits.clip', False) == (True, '')


@pytest.mark.parametrize('value', [-1.0, float('nan'), 'much'])
def test_a_limit_that_is_none_is_refused(client, node, value):
    accepted, reason = client.set_parameter('limits.joint1.effort', value)
    assert not accepted and reason
