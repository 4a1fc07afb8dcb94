# SPDX-License-Identifier: Apache-2.0
"""set_payload: gripping and releasing, seen in the stream, the services and the answer."""

from array import array

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import node_with_arm
from ros_harness import setpoint

from hod_interfaces.srv import SetPayload
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros import with_payload

MODEL = RobotModel.from_urdf(arm_urdf(3))
NAMES = MODEL.joint_names
Q = np.random.default_rng(13).uniform(-1.0, 1.0, (5, 3))
LOAD = dict(link='link3', mass=2.5, center=array('d', [0.01, 0.02, 0.1]), inertia=array('d', [0.02, 0.001, 0, 0.03, 0, 0.04]))
LOADED = with_payload(MODEL, 'link3', 2.5, [0.01, 0.02, 0.1], [[0.02, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.04]])


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client) as node:
        yield node


@pytest.fixture(autouse=True)
def released(client):
    yield
    assert carry(client, link='link3', mass=0.0).success


def carry(client, **fields):
    return client.call(SetPayload, 'set_payload', SetPayload.Request(**fields))


def assert_stream_is_of(client, model):
    np.testing.assert_allclose(efforts(client.ask(setpoint(Q, NAMES))), inverse_dynamics(model, Q), rtol=1e-10, atol=1e-10)


def assert_services_are_of(client, model):
    response = client.compute(Q, order=2)
    np.testing.assert_allclose(np.reshape(response.efforts, (3, 3)), inverse_dynamics(model, Q), rtol=1e-10, atol=1e-10)


def test_payload_counts_in_stream_and_services_from_the_answer_on_and_its_jump_is_stated(client):
    assert_stream_is_of(client, MODEL)
    response = carry(client, **LOAD)
    assert response.success, response.message
    jump = inverse_dynamics(LOADED, Q) - inverse_dynamics(MODEL, Q)
    np.testing.assert_allclose(np.reshape(response.effort_jump, (3, 3)), jump, atol=1e-10)
    assert_services_are_of(client, LOADED)
    assert_stream_is_of(client, LOADED)
    response = carry(client, link='link3', mass=0.0)
    np.testing.assert_allclose(np.reshape(response.effort_jump, (3, 3)), -jump, atol=1e-10)
    assert_services_are_of(client, MODEL)
    assert_stream_is_of(client, MODEL)


def test_jump_at_rest_at_given_positions_follows_the_requests_joint_order(client):
    order = [1, 2, 0]
    response = carry(client, **LOAD, joint_names=[NAMES[i] for i in order], positions=array('d', Q[0, order]))
    rest = np.zeros((3, 3))
    rest[0] = Q[0]
    jump = inverse_dynamics(LOADED, rest)[0] - inverse_dynamics(MODEL, rest)[0]
    np.testing.assert_allclose(response.effort_jump, jump[order], atol=1e-10)


def test_payload_replaces_what_the_link_carried_and_outlives_a_new_description(client):
    assert carry(client, link='link3', mass=9.0).success
    assert carry(client, **LOAD).success
    assert_stream_is_of(client, LOADED)
    heavier = arm_urdf(3, mass=3.0)
    client.describe(heavier)
    expected = inverse_dynamics(with_payload(RobotModel.from_urdf(heavier), 'link3', 2.5, [0.01, 0.02, 0.1], [
        [0.02, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.04]]), Q)
    assert client.wait_until(lambda: np.allclose(efforts(client.ask(setpoint(Q, NAMES))), expected))
    client.describe(arm_urdf(3))
    assert client.wait_until(lambda: np.allclose(efforts(client.ask(setpoint(Q, NAMES))), inverse_dynamics(LOADED, Q)))


def test_a_payload_that_no_link_carries_is_named_also_when_it_is_set_later(client, node):
    assert client.set_parameter('payload.mass', 3.0) == (True, '')
    node.wait_for_output('payload.mass is 3 kg, but payload.link is empty: nothing is carried')
    assert client.set_parameter('payload.mass', 0.0) == (True, '')


def test_a_payload_in_other_units_is_taken_with_a_warning_in_answer_and_log(client, node):
    far = 'implausible: the payload of link {!r}: 300 m: the distance of its centre of mass from its origin; places are in metres'
    response = carry(client, link='link3', mass=1.0, center=array('d', [0, 0, 300.0]), positions=array('d', Q[0]))
    assert response.success and response.message.startswith(far.format('link3')), response.message
    node.wait_for_output(far.format('link3'))
    response = carry(client, link='link3', mass=1.0, center=array('d', [0, 0, 0.3]), positions=array('d', Q[0]))
    assert (response.success, response.message) == (True, '')
    carry(client, link='link3', mass=0.0)
    assert client.set_parameter('payload.center', [0.0, 0.0, 300.0]) == (True, '')
    assert client.set_parameter('payload.mass', 1.0) == (True, '')
    assert client.set_parameter('payload.link', 'link2') == (True, '')
    node.wait_for_output(far.format('link2'))
    assert carry(client, link='link2', mass=0.0).success


@pytest.mark.parametrize(('fields', 'text'), [
    (dict(link='gripper', mass=1.0), "no link 'gripper'"),
    (dict(link='link3', mass=-1.0), 'mass'),
    (dict(link='link3', mass=float('nan')), 'finite'),
    (dict(link='link3', mass=1.0, center=array('d', [0.0, 0.0])), 'center has 2 values; give 3'),
    (dict(link='link3', mass=1.0, center=array('d', [0.0, np.inf, 0.0])), 'y is inf'),
    (dict(link='link3', mass=1.0, inertia=array('d', [1.0, 0, 0])), 'inertia has 3 values; give 6'),
    (dict(link='link3', mass=1.0, inertia=array('d', [1.0, 0, 0, 1.0, 0, 5.0])), 'principal moments'),
    (dict(link='link3', mass=0.0, inertia=array('d', [1.0, 0, 0, 1.0, 0, 1.0])), 'an inertia but no mass'),
    (dict(link='link3', mass=1.0, positions=array('d', [0.0])), 'positions has 1 values for 3 joints'),
    (dict(link='link3', mass=1.0, joint_names=['joint1']), 'missing'),
])
def test_refused_payload_changes_nothing(client, fields, text):
    assert carry(client, **LOAD).success
    response = carry(client, **fields)
    assert not response.success and text in response.message, response.message
    assert_stream_is_of(client, LOADED)


def test_second_link_is_refused_while_another_carries_a_payload(client):
    assert carry(client, **LOAD).success
    response = carry(client, link='link2', mass=1.0)
    assert not response.success and "'link3' carries 2.5 kg" in response.message
    assert_stream_is_of(client, LOADED)


def test_release_of_a_link_that_carries_nothing_changes_nothing(client):
    assert carry(client, **LOAD).success
    response = carry(client, link='link2', mass=0.0, positions=array('d', Q[0]))
    assert response.success, response.message
    assert list(response.effort_jump) == [0.0, 0.0, 0.0]
    assert_stream_is_of(client, LOADED)
