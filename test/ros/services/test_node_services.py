# SPDX-License-Identifier: Apache-2.0
"""compute_inverse_dynamics: what it answers, and how it refuses."""

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import node_with_arm
from ros_harness import setpoint

from hod_interfaces.msg import LinkWrench
from hod_ros import RobotModel
from hod_ros import inverse_dynamics

MODEL = RobotModel.from_urdf(arm_urdf(3))
NAMES = MODEL.joint_names
Q = np.random.default_rng(4).uniform(-1.0, 1.0, (12, 3))


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client, parameters={'max_samples': 500}) as node:
        yield node


def result(response, samples, order):
    assert response.success, response.message
    return np.reshape(response.efforts, (samples, order + 1, 3))


@pytest.mark.parametrize('order', [0, 1, 2, 4, 9])
def test_one_sample_of_any_order_equals_the_librarys_own_result(client, order):
    response = client.compute(Q[:order + 3], order=order)
    assert list(response.joint_names) == list(NAMES) and response.message == ''
    expected = inverse_dynamics(MODEL, Q[:order + 3])
    np.testing.assert_allclose(result(response, 1, order)[0], expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_positions_in_degrees_are_answered_and_told_in_the_message(client):
    q = Q[:3].copy()
    q[0] = 90.0
    response = client.compute(q, order=0)
    assert response.success and "joint 'joint1' at 90 lies far beyond its limits" in response.message


def test_many_samples_in_another_joint_order(client):
    q = np.random.default_rng(5).uniform(-1.0, 1.0, (50, 5, 3))
    response = client.compute(q[..., [1, 2, 0]], order=2, names=['joint2', 'joint3', 'joint1'])
    assert list(response.joint_names) == ['joint2', 'joint3', 'joint1']
    np.testing.assert_allclose(result(response, 50, 2), inverse_dynamics(MODEL, q)[..., [1, 2, 0]], rtol=1e-10)


def pushed(*value):
    return dict(derivatives=Q[:3], order=0, wrenches=[LinkWrench(link='link2', values=6 * list(value))])


NAN = Q[:5].copy()
NAN[3, 1] = np.nan
REFUSED = {
    'wrong size': (dict(derivatives=Q[:4], order=2), '12 values; order 2 needs order + 3 = 5 rows: give samples x rows'),
    'samples that are not announced': (dict(derivatives=np.zeros(18), order=0), '= 9. Are these 2 samples? Then set samples to 2'),
    'samples that do not fit': (dict(derivatives=np.zeros((3, 2, 3)), order=0), '= 3 x 3 x 3 = 27. Are these 2 samples?'),
    'wrench of too many rows': (dict(derivatives=np.zeros((2, 3, 3)), order=0, wrenches=[LinkWrench(link='link2', values=[0.0] * 18)]),
                                "wrench on link 'link2': 3 rows for 2 samples; give order + 1 = 1 rows"),
    'no samples': (dict(derivatives=[], order=2), '0 values'),
    'missing joint': (dict(derivatives=Q[:5, :2], order=2, names=['joint1', 'joint2']), "'joint3' missing"),
    'duplicate joint': (dict(derivatives=Q[:5], order=2, names=['joint1', 'joint1', 'joint2']), 'more than once'),
    'unknown joint': (dict(derivatives=Q[:5], order=2, names=['joint1', 'joint2', 'x']), "'x' unknown"),
    'not finite': (dict(derivatives=NAN, order=2), "row 3 of joint 'joint2' in sample 0 is nan"),
    'overflow': (dict(derivatives=np.full((5, 3), 1e200), order=2), 'too large'),
    'order': (dict(derivatives=Q, order=21), 'order is 21, but this node computes up to max_order = 20'),
    'absurd order': (dict(derivatives=Q, order=4_000_000_000), 'order is 4000000000'),
    'samples': (dict(derivatives=np.zeros((501, 3, 3)), order=0), 'samples is 501, but this node takes up to max_samples'),
    'formulation': (dict(derivatives=Q[:5], order=2, formulation='magic'), 'magic'),
    'wrench that is not finite': (pushed(np.inf), "link 'link2': a wrench has torque x = inf"),
    'absurd wrench': (pushed(1e308), "wrench on link 'link2': it holds 1e+308"),
    'wrench without values': (pushed(), "wrench on link 'link2': 0 values; give rows of 6"),
}


@pytest.mark.parametrize('case', REFUSED)
def test_bad_request_is_refused_with_a_sentence_and_the_stream_goes_on(client, case):
    request, text = REFUSED[case]
    response = client.compute(**request)
    assert not response.success
    assert text in response.message
    assert len(response.efforts) == 0
    assert client.ask(setpoint(Q[:5], NAMES)) is not None


def test_limits_of_requests_follow_their_parameters(client):
    assert client.set_parameter('max_order', 1) == (True, '')
    assert not client.compute(Q[:5], order=2).success
    assert client.set_parameter('max_order', 20) == (True, '')
    assert client.compute(Q[:5], order=2).success


def test_messages_about_input_of_any_size_are_short(client):
    response = client.compute(Q[:5], order=2, names=[f'joint_{k}' for k in range(100_000)])
    assert not response.success and len(response.message) < 1200
    assert 'and 99992 more' in response.message and 'name each of joint1, joint2, joint3' in response.message
    client.send(setpoint(Q[:5], 20_000 * ['nobody']))
    assert client.wait_until(lambda: 'last fault' in client.diagnostics('setpoints')[2])
    values = client.diagnostics('setpoints')[2]
    assert len(values['last fault']) < 1200 and max(map(len, values.values())) < 1200
    assert client.ask(setpoint(Q[:5], NAMES)) is not None


def test_stamps_that_jump_back_are_answered_and_counted(client):
    for sec in (10, 20, 15, 16, 5):
        assert client.ask(setpoint(Q[:5], NAMES, sec=sec)) is not None
    assert client.diagnostics('setpoints')[2]['stamps that jumped back'] == '2'
