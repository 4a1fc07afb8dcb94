# SPDX-License-Identifier: Apache-2.0
"""Several robots in one graph: nodes of one name under namespaces of their own."""

from contextlib import ExitStack

import numpy as np
import pytest
import ros_harness
from ros_harness import String
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import setpoint

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

ROBOTS = {'/left': (3, 1.5), '/right': (3, 4.0), '/cell/small': (2, 0.5)}       # joints, mass


@pytest.fixture(scope='module')
def robots(ros):
    """{namespace: (client, model)} of three running nodes whose joints have the same names."""
    with ExitStack() as stack:
        robots = {}
        for namespace, (joints, mass) in ROBOTS.items():
            text = arm_urdf(joints, name=namespace.rpartition('/')[2], mass=mass)
            stack.enter_context(ros_harness.running_node(
                arguments=('-r', f'__ns:={namespace}'), parameters=ros_harness.long_queues(f'{namespace}/hod')))
            client = ros_harness.Client('client' + namespace.replace('/', '_'), f'{namespace}/hod')
            stack.callback(client.close)
            publisher = client.node.create_publisher(String, f'{namespace}/robot_description', ros_harness.LATCHED)
            publisher.publish(String(data=text))
            robots[namespace] = client, RobotModel.from_urdf(text)
        for client, _ in robots.values():
            client.wait_for_state('active')
            client.connect()
        yield robots


def test_each_answers_its_own_setpoints_with_its_own_dynamics(robots):
    sent = {namespace: [] for namespace in robots}
    random = np.random.default_rng(3)
    for client, _ in robots.values():
        client.answers.clear()
    for k in range(200):
        for namespace, (client, model) in robots.items():
            q = random.uniform(-1.0, 1.0, (5, model.n))
            sent[namespace].append(q)
            client.send(setpoint(q, model.joint_names, frame_id=namespace, sec=k))
        for client, _ in robots.values():
            client.spin(0.002)
    for namespace, (client, model) in robots.items():
        assert client.wait_until(lambda client=client: len(client.answers) >= 200)
        client.spin(0.1)
        assert [answer.header.stamp.sec for answer in client.answers] == list(range(200))
        assert {answer.header.frame_id for answer in client.answers} == {namespace}
        for q, answer in zip(sent[namespace], client.answers, strict=True):
            np.testing.assert_allclose(efforts(answer), inverse_dynamics(model, q), rtol=1e-12, atol=1e-12)


def test_a_parameter_or_a_transition_of_one_leaves_the_others_alone(robots):
    left, right = robots['/left'][0], robots['/right'][0]
    assert left.set_parameter('order', 1)[0]
    assert left.change_state('deactivate')
    try:
        assert right.state == 'active'
        assert right.get_parameter('order') == 2
    finally:
        assert left.change_state('activate')
        assert left.set_parameter('order', 2)[0]


def test_each_computes_for_its_own_robot_by_service(robots):
    for client, model in robots.values():
        q = np.full((3, model.n), 0.3)
        answer = client.compute(q, order=0)
        np.testing.assert_allclose(answer.efforts, inverse_dynamics(model, q)[0], rtol=1e-12)
