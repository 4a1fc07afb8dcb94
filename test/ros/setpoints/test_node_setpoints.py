# SPDX-License-Identifier: Apache-2.0
"""Setpoints in, feedforwards out: promises about what is answered, and what is refused and said."""

import re
from collections import Counter

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import node_with_arm
from ros_harness import setpoint

from hod_ros import HodError
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.ros.setpoints.setpoint_reader import SetpointReader

pytestmark = pytest.mark.telling

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
Q = np.random.default_rng(2).uniform(-1.0, 1.0, (8, 3))


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client) as node:
        yield node


def assert_same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


def test_feedforward_equals_the_librarys_own_result_and_echoes_the_header(client):
    answer = client.ask(setpoint(Q[:5], NAMES, frame_id='base', sec=7, nanosec=9))
    assert_same(efforts(answer), inverse_dynamics(MODEL, Q[:5]))
    assert (answer.header.stamp.sec, answer.header.stamp.nanosec, answer.header.frame_id) == (7, 9, 'base')
    assert list(answer.joint_names) == list(NAMES)
    assert len(answer.limit_flags) == 0 and not answer.clipped


def test_jumbled_joint_order_is_answered_in_the_setpoints_order(client):
    order = [2, 0, 1]
    answer = client.ask(setpoint(Q[:5, order], [NAMES[i] for i in order]))
    assert list(answer.joint_names) == [NAMES[i] for i in order]
    assert_same(efforts(answer), inverse_dynamics(MODEL, Q[:5])[:, order])


def test_each_setpoint_is_answered_in_its_own_joint_order_when_orders_alternate(client):
    before = len(client.answers)
    orders = [list(np.random.default_rng(k).permutation(3)) for k in range(40)]
    for order in orders:
        client.send(setpoint(Q[:5, order], [NAMES[i] for i in order]))
        client.spin(0.002)
    assert client.wait_until(lambda: len(client.answers) == before + 40)
    for order, answer in zip(orders, client.answers[before:], strict=True):
        assert_same(efforts(answer), inverse_dynamics(MODEL, Q[:5])[:, order])


@pytest.mark.parametrize('rows', [3, 4, 5, 6, 8])
def test_only_orders_that_the_rows_support_are_published(client, rows):
    answer = client.ask(setpoint(Q[:rows], NAMES))
    order = min(rows - 3, 2)
    assert_same(efforts(answer), inverse_dynamics(MODEL, Q[:order + 3]))
    assert len(answer.efforts) == 3
    assert len(answer.effort_rates) == (3 if rows >= 4 else 0)
    assert len(answer.effort_accelerations) == (3 if rows >= 5 else 0)
    assert len(answer.higher) == 0


def test_order_parameter_limits_and_raises_what_is_published(client):
    assert client.set_parameter('order', 0) == (True, '')
    assert efforts(client.ask(setpoint(Q, NAMES))).shape == (1, 3)
    assert client.set_parameter('order', 5) == (True, '')
    assert_same(efforts(client.ask(setpoint(Q, NAMES))), inverse_dynamics(MODEL, Q))
    assert client.set_parameter('order', 2) == (True, '')


def test_gravity_parameter_takes_effect_with_the_next_setpoint(client):
    assert client.set_parameter('gravity', [0.0, 1.62, 0.0]) == (True, '')
    answer = client.ask(setpoint(Q[:5], NAMES))
    assert_same(efforts(answer), inverse_dynamics(MODEL.replace(gravity=(0.0, 1.62, 0.0)), Q[:5]))
    assert client.set_parameter('gravity', [0.0, 0.0, -9.81]) == (True, '')
    assert_same(efforts(client.ask(setpoint(Q[:5], NAMES))), inverse_dynamics(MODEL, Q[:5]))


def test_a_stamp_that_jumps_back_is_answered(client):
    for sec in (100, 50, 0):
        assert client.ask(setpoint(Q[:5], NAMES, sec=sec)).header.stamp.sec == sec


def test_stiffnesses_that_no_joint_takes_are_named_and_the_rest_is_answered(client, node):
    message = setpoint(Q[:5], NAMES)
    message.stiffnesses = [100.0]
    assert_same(efforts(client.ask(message)), inverse_dynamics(MODEL, Q[:5]))
    node.wait_for_output('setpoints carry stiffnesses, but no elastic joint is configured')


def bad(field, value):
    message = setpoint(Q[:5], NAMES)
    getattr(message, field)[1] = value
    return message


def without(field):
    message = setpoint(Q[:6], NAMES)
    setattr(message, field, [])
    return message


def of_length(field, length):
    message = setpoint(Q[:6], NAMES)
    setattr(message, field, [0.5] * length)
    return message


FAULTS = {
    'missing joint': (setpoint(Q[:5, :2], NAMES[:2]), 'joint names', "'joint3' missing"),
    'no joints': (setpoint(Q[:5, :0], ()), 'joint names', 'missing'),
    'unknown joint': (setpoint(Q[:5], ('joint1', 'joint2', 'elbow')), 'joint names', "'elbow' unknown"),
    'one joint too many': (setpoint(np.ones((5, 4)), (*NAMES, 'finger')), 'joint names', "'finger' unknown or locked"),
    'duplicate joint': (setpoint(Q[:5], ('joint1', 'joint2', 'joint2')), 'joint names', "'joint2' named more than"),
    'two rows': (setpoint(Q[:2], NAMES), 'too few derivatives', 'accelerations not given'),
    'nothing': (setpoint(Q[:0], NAMES), 'too few derivatives', 'positions not given'),
    'no positions': (without('positions'), 'gap in the derivatives', 'velocities given without positions'),
    'no accelerations': (without('accelerations'), 'gap in the derivatives', 'jerks given without accelerations'),
    'snaps without jerks': (without('jerks'), 'gap in the derivatives', 'snaps given without jerks'),
    'higher without snaps': (without('snaps'), 'gap in the derivatives', 'higher given without snaps'),
    'short velocities': (of_length('velocities', 2), 'wrong array length', 'velocities has 2 values for 3 joints'),
    'long snaps': (of_length('snaps', 6), 'wrong array length', 'snaps has 6 values for 3 joints'),
    'broken higher': (of_length('higher', 4), 'wrong array length', 'higher has 4 values for 3 joints'),
    'overflow': (setpoint(np.full((5, 3), 1e200), NAMES), 'refused by the dynamics', 'too large'),
}
for _field in ('positions', 'velocities', 'accelerations', 'jerks', 'snaps'):
    for _value in (np.nan, np.inf, -np.inf):
        FAULTS[f'{_value} in {_field}'] = (bad(_field, _value), 'not finite', f"{_field} of joint 'joint2' is {_value}")
_higher = setpoint(Q[:8], NAMES)
_higher.higher[4] = np.nan
FAULTS['nan in an unused row of higher'] = (_higher, 'not finite', "higher, row 1 of joint 'joint2' is nan")


@pytest.mark.parametrize('fault', FAULTS)
def test_bad_setpoint_is_dropped_and_the_next_good_one_answered(client, fault):
    assert client.is_refused(FAULTS[fault][0], setpoint(Q[:5], NAMES))


def test_bad_setpoints_are_counted_by_reason_and_the_last_one_explained(client):
    def counts():
        values = client.diagnostics('setpoints')[2]
        return {reason: int(values.get(f'dropped: {reason}', 0)) for reason in expected}, values.get('last fault', '')

    expected = Counter(reason for _, reason, _ in FAULTS.values())
    before, _ = counts()
    for message, _, _ in FAULTS.values():
        client.send(message)
        client.spin(0.005)
    wanted = {reason: before[reason] + count for reason, count in expected.items()}
    assert client.wait_until(lambda: counts()[0] == wanted), (counts(), wanted)
    assert FAULTS[list(FAULTS)[-1]][2] in counts()[1]


@pytest.mark.parametrize('fault', FAULTS)
def test_text_about_a_bad_setpoint_names_the_culprit(fault):
    message, reason, text = FAULTS[fault]
    with pytest.raises(HodError, match=re.escape(text)) as caught:
        q, _ = SetpointReader(MODEL).read(message, 2)
        inverse_dynamics(MODEL, q)
    assert getattr(caught.value, 'reason', 'refused by the dynamics') == reason


def test_log_explains_a_flood_of_bad_setpoints_without_flooding(client, node):
    client.spin(1.1)
    before = node.output.count('dropped a setpoint')
    for _ in range(300):
        client.send(FAULTS['missing joint'][0])
        client.spin(0.001)
    client.spin(1.1)
    client.send(FAULTS['missing joint'][0])
    node.wait_for_output(r'\d\d\d? more were dropped')
    assert node.output.count('dropped a setpoint') - before <= 3


def test_no_setpoint_is_lost_at_a_thousand_a_second(client):
    before = len(client.answers)
    count = 1000
    for k in range(count):
        client.send(setpoint(Q[:5], NAMES, nanosec=k))
        client.spin(0.001)
    assert client.wait_until(lambda: len(client.answers) == before + count), len(client.answers) - before
    assert [answer.header.stamp.nanosec for answer in client.answers[before:]] == list(range(count))
