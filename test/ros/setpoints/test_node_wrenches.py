# SPDX-License-Identifier: Apache-2.0
"""External wrenches of the topic: what they do to the feedforward, how long they hold, and how bad ones are refused."""

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import node_with_arm
from ros_harness import setpoint

from hod_interfaces.msg import LinkWrench as Message
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.dynamics.loads import LinkWrench

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
Q = np.random.default_rng(7).uniform(-1.0, 1.0, (5, 3))
W = np.random.default_rng(8).uniform(-5.0, 5.0, (3, 6))


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client) as node:
        yield node


@pytest.fixture(scope='module')
def publisher(client, node):
    """One that the node has heard."""
    publisher = client.node.create_publisher(Message, '/hod/external_wrench', 10)

    def heard():
        publisher.publish(Message(link='link3'))
        return int(client.diagnostics('external wrenches')[2]['received'])

    assert client.wait_until(heard)
    yield publisher
    client.node.destroy_publisher(publisher)
    client.spin(0.05)


@pytest.fixture
def push(client, publisher):
    """Publishes a wrench and waits until the node has seen it; ends all wrenches afterwards."""

    def send(values, link='link3', frame=''):
        publisher.publish(Message(link=link, frame=frame, values=np.ravel(values).astype(float).tolist()))
        client.spin(0.1)

    yield send
    for link in ('link2', 'link3'):
        send([], link)


def answer(client):
    return efforts(client.ask(setpoint(Q, NAMES)))


def assert_same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize('frame', ['', 'link', 'world_aligned', 'world'])
def test_wrench_unloads_the_joints_and_holds_until_the_next(client, push, frame):
    push(W, frame=frame)
    expected = inverse_dynamics(MODEL, Q, wrenches={'link3': LinkWrench(W, frame or 'link')})
    assert_same(answer(client), expected)
    client.spin(0.3)
    assert_same(answer(client), expected)
    push(2 * W, frame=frame)
    assert_same(answer(client), inverse_dynamics(MODEL, Q, wrenches={'link3': LinkWrench(2 * W, frame or 'link')}))
    push([])
    assert_same(answer(client), inverse_dynamics(MODEL, Q))


def test_wrenches_on_several_links_add_up(client, push):
    push(W, 'link3')
    push(-W, 'link2', 'world')
    expected = inverse_dynamics(MODEL, Q, wrenches={'link3': W, 'link2': LinkWrench(-W, 'world')})
    assert_same(answer(client), expected)


@pytest.mark.parametrize('rows', [1, 2, 3])
def test_only_orders_that_the_wrench_supports_are_published(client, push, rows):
    push(W[:rows])
    result = answer(client)
    assert result.shape == (rows, 3)
    assert_same(result, inverse_dynamics(MODEL, Q[:rows + 2], wrenches={'link3': W[:rows]}))


FAULTS = {
    'unknown link': (dict(values=W, link='hand'), "no link 'hand'"),
    'no rows of six': (dict(values=[1.0] * 7), '7 values; give rows of 6'),
    'unknown frame': (dict(values=W, frame='tool'), "frame 'tool'"),
    'not finite': (dict(values=[0.0, np.nan, 0.0, 0.0, 0.0, 0.0]), 'torque y = nan'),
    'absurd': (dict(values=[1e200] * 6), 'it holds 1e+200; give at most'),
    'infinite rate': (dict(values=[0.0] * 11 + [np.inf]), 'force z = inf in row 1'),
}


@pytest.mark.parametrize('fault', FAULTS)
def test_bad_wrench_is_refused_counted_and_explained_and_the_last_good_one_holds(client, push, fault):
    arguments, text = FAULTS[fault]
    push(W)
    before = int(client.diagnostics('external wrenches')[2]['refused'])
    push(**arguments)
    level, message, values = client.diagnostics('external wrenches')
    assert int(values['refused']) == before + 1
    assert text in values['last fault']
    assert level == b'\2' and text in message
    assert_same(answer(client), inverse_dynamics(MODEL, Q, wrenches={'link3': W}))


def test_wrench_ceases_after_its_timeout(client, push, node):
    assert client.set_parameter('wrench_timeout', 0.8) == (True, '')
    push(W[:1])
    assert answer(client).shape == (1, 3)
    before = int(client.diagnostics('external wrenches')[2]['timeouts'])
    push(W[:1])
    client.spin(0.9)
    assert_same(answer(client), inverse_dynamics(MODEL, Q))
    client.diagnostics('external wrenches')
    assert int(client.diagnostics('external wrenches')[2]['timeouts']) > before
    node.wait_for_output("external wrench on 'link3' ends: no other came within 0.8 s")
    assert client.set_parameter('wrench_timeout', 0.0) == (True, '')


def test_wrench_ends_with_its_link_when_the_robot_is_swapped(client, push, node):
    push(W)
    client.describe(arm_urdf(2))
    node.wait_for_output("external wrench on 'link3' ends, because robot 'arm' has no such link")
    client.describe(arm_urdf(3))
    assert client.wait_until(lambda: client.diagnostics('model')[2]['joints'].count('joint') == 3)
    assert_same(answer(client), inverse_dynamics(MODEL, Q))
