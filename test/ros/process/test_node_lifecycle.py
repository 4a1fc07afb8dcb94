# SPDX-License-Identifier: Apache-2.0
"""The lifecycle: autostart, a manager's transitions, and what a robot description does in each state."""

import time

import numpy as np
import pytest
from ros_harness import PATIENCE
from ros_harness import SILENCE
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import long_queues
from ros_harness import running_node
from ros_harness import setpoint

from hod_interfaces.msg import LinkWrench
from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import ComputeInverseDynamics
from hod_ros import RobotModel
from hod_ros import inverse_dynamics

Q = np.random.default_rng(3).uniform(-1.0, 1.0, (5, 3))
NAMES = ('joint1', 'joint2', 'joint3')
HEAVY = arm_urdf(3, name='heavy', mass=20.0)
BAD_DESCRIPTIONS = {
    'empty': ' ',
    'not xml': 'this is no URDF',
    'cut off': arm_urdf(3)[:-200],
    'negative mass': arm_urdf(3, mass=-1.0),
    'no moving joint': '<robot name="rock"><link name="base"/></robot>',
}


@pytest.fixture(autouse=True)
def no_description_left(client):
    yield
    client.withdraw_description()


def assert_answers(client, text, joints=3):
    model = RobotModel.from_urdf(text)
    answer = client.ask(setpoint(Q[:, :joints], NAMES[:joints]))
    np.testing.assert_allclose(efforts(answer), inverse_dynamics(model, Q[:, :joints]), rtol=1e-12, atol=1e-12)


OVERTAKEN = """
import time
from hod_ros.ros.nodes.hod import HodNode
from hod_ros.ros.process import leave, run_process

class Overtaken(HodNode):
    overtaken = False

    def _configure(self, state):
        super()._configure(state)
        while not self.overtaken:
            time.sleep(0.01)
            self.overtaken = self.count_publishers('/hod/feedforward') > 1

leave(run_process('hod_node', '__main__', 'Overtaken'))
"""


def test_a_node_that_another_overtakes_as_it_starts_gives_its_topics_back_and_starts_once_they_are_free(client):
    """Else each of two that start at once waits for the other's topics."""
    def publishers():
        return client.node.count_publishers('/hod/feedforward')

    client.describe(arm_urdf(3))
    with running_node(code=OVERTAKEN) as node:
        assert client.wait_until(lambda: publishers() == 1)
        other = client.node.create_publisher(TorqueFeedforward, '/hod/feedforward', 1)
        node.wait_for_output('not activated: /hod/feedforward is taken: the node /client')
        node.wait_for_output('waiting for its output topics: /hod/feedforward is taken: the node /client')
        assert client.wait_until(lambda: publishers() == 1) and client.state == 'unconfigured'
        client.node.destroy_publisher(other)
        client.wait_for_state('active')


def test_a_node_that_is_configured_by_hand_while_its_topics_are_taken_waits_for_them_no_more(client):
    client.describe(arm_urdf(3))
    other = client.node.create_publisher(TorqueFeedforward, '/hod/feedforward', 1)
    with running_node() as node:
        node.wait_for_output('waiting for its output topics: /hod/feedforward is taken: the node /client')
        assert client.change_state('configure') and not client.change_state('activate')
        client.diagnostics('model')
        assert client.diagnostics('model')[1] == 'inactive'
        client.node.destroy_publisher(other)
        client.diagnostics('model')
        assert client.state == 'inactive' and 'a callback failed' not in node.output
        assert client.change_state('activate')


def test_node_waits_says_for_what_and_starts_on_a_late_description(client):
    with running_node() as node:
        node.wait_for_output('waiting for a robot description on /robot_description')
        level, message, values = client.diagnostics('model')
        assert level == b'\1' and 'waiting for a robot description' in message and values['state'] == 'unconfigured'
        assert not client.offers(ComputeInverseDynamics, 'compute_inverse_dynamics')
        before, began = node.output.count('waiting for'), time.monotonic()
        client.spin(2.2)
        assert abs(node.output.count('waiting for') - before - (time.monotonic() - began)) < 1.5
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        assert_answers(client, arm_urdf(3))
        assert client.diagnostics('model')[:2] == (b'\0', 'active')


def test_parameter_comes_before_the_topic(client, tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text(f"/**:\n  ros__parameters:\n    robot_description: '{arm_urdf(2)}'\n")
    client.describe(arm_urdf(3))
    with running_node(parameters_file=file) as node:
        client.wait_for_state('active')
        client.connect()
        node.wait_for_output('is not used, because the parameter robot_description is set')
        assert_answers(client, arm_urdf(2), joints=2)
        assert client.diagnostics('model')[2]['description from'] == 'parameter robot_description'

        accepted, reason = client.set_parameter('robot_description', arm_urdf(3, mass=-1.0))
        assert not accepted and 'mass' in reason
        assert_answers(client, arm_urdf(2), joints=2)
        assert client.set_parameter('robot_description', HEAVY) == (True, '')
        assert_answers(client, HEAVY)
        assert client.set_parameter('robot_description', '') == (True, '')
        assert_answers(client, arm_urdf(3))


@pytest.mark.slow
def test_bad_descriptions_are_refused_with_a_reason_before_and_after_a_good_one(client):
    with running_node() as node:
        for text in BAD_DESCRIPTIONS.values():
            client.describe(text)
            client.spin(0.1)
        node.wait_for_output('waiting for a valid robot description.*refused: ')
        assert client.state == 'unconfigured'
        assert client.diagnostics('model')[0] == b'\2'
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        assert_answers(client, arm_urdf(3))
        for text in BAD_DESCRIPTIONS.values():
            client.describe(text)
            client.spin(0.1)
            assert_answers(client, arm_urdf(3))
        level, message, values = client.diagnostics('model')
        assert level == b'\1' and 'the last good model runs' in message and 'description refused' in values
        client.describe(HEAVY)
        node.wait_for_output('new robot description')
        assert_answers(client, HEAVY)
        assert client.diagnostics('model')[0] == b'\0'


@pytest.mark.slow
def test_manager_takes_the_node_through_its_states(client):
    with running_node(parameters={'autostart': 'false'}) as node:
        assert client.state == 'unconfigured'
        assert not client.change_state('configure')
        node.wait_for_output('there is no robot description yet')
        assert not client.change_state('activate')
        assert client.state == 'unconfigured'

        client.describe(arm_urdf(3))
        node.wait_for_output('ready to be configured')
        assert client.state == 'unconfigured'
        assert client.change_state('configure')
        client.connect()
        assert client.ask(setpoint(Q, NAMES), SILENCE) is None
        assert client.compute(Q, order=2).success

        assert client.change_state('activate')
        assert_answers(client, arm_urdf(3))
        assert not client.change_state('activate')
        assert client.change_state('deactivate')
        assert client.ask(setpoint(Q, NAMES), SILENCE) is None
        assert client.compute(Q, order=2).success
        assert client.diagnostics('setpoints')[2]['received while inactive'] == '2'

        assert client.change_state('cleanup')
        assert client.wait_until(lambda: not client.offers(ComputeInverseDynamics, 'compute_inverse_dynamics'))
        assert client.diagnostics('model')[2] == {'state': 'unconfigured'}
        assert client.change_state('configure')
        assert client.change_state('activate')
        client.connect()
        assert_answers(client, arm_urdf(3))


def stream_with_swaps(client, node, texts, swaps, at_least, period):
    """The answers to a stream in which these descriptions take turns so many times, at least so many setpoints apart."""
    before, sent = len(client.answers), 0

    def stream(count):
        nonlocal sent
        for _ in range(count):
            client.send(setpoint(Q, NAMES, nanosec=sent))
            client.spin(period)
            sent += 1

    stream(at_least)
    for swap in range(1, swaps + 1):
        client.describe(texts[swap % len(texts)])
        end = time.monotonic() + PATIENCE
        while node.output.count('new robot description') < swap:
            assert time.monotonic() < end, node.output
            stream(1)
        stream(at_least)
    assert client.wait_until(lambda: len(client.answers) == before + sent), (len(client.answers) - before, sent)
    answers = client.answers[before:]
    assert [answer.header.stamp.nanosec for answer in answers] == list(range(sent))
    return answers


def test_description_is_swapped_between_two_setpoints_of_a_stream_without_losing_one(client):
    texts = [arm_urdf(3), HEAVY]
    with running_node(parameters=long_queues()) as node:
        client.describe(texts[0])
        client.wait_for_state('active')
        client.connect()
        expected = [inverse_dynamics(RobotModel.from_urdf(text), Q) for text in texts]
        answers = stream_with_swaps(client, node, texts, swaps=6, at_least=50, period=0.002)
        used = [[np.allclose(efforts(answer), Q_) for Q_ in expected].index(True) for answer in answers]
        assert sum(a != b for a, b in zip(used, used[1:], strict=False)) == 6


def large(text, elements):
    """The description with so many visual elements, as large robots have."""
    visual = '<visual><origin xyz="0 0 0" rpy="0 0 0"/><geometry><mesh filename="package://robot/mesh.dae"/></geometry></visual>'
    return text.replace('</inertial>', f'</inertial>{visual * (elements // 3)}', 1)


@pytest.mark.slow
def test_large_descriptions_are_loaded_beside_a_stream_of_a_thousand_a_second_without_losing_one(client):
    texts = [large(arm_urdf(3), 2500), large(HEAVY, 2500)]
    with running_node(parameters=long_queues()) as node:
        client.describe(texts[0])
        client.wait_for_state('active')
        client.connect()
        stream_with_swaps(client, node, texts, swaps=10, at_least=100, period=0.001)


def test_cleanup_in_the_middle_of_a_load_and_a_change_of_gravity_meanwhile(client):
    with running_node(parameters={'autostart': 'false'}) as node:
        client.describe(arm_urdf(3))
        node.wait_for_output('ready to be configured')
        assert client.change_state('configure')
        client.describe(large(HEAVY, 60000))
        assert client.set_parameter('gravity', [0.0, 0.0, -1.62]) == (True, '')
        node.wait_for_output('new robot description')
        response = client.compute(Q, order=2)
        model = RobotModel.from_urdf(HEAVY, gravity=(0.0, 0.0, -1.62))
        np.testing.assert_allclose(np.reshape(response.efforts, (3, 3)), inverse_dynamics(model, Q), rtol=1e-12, atol=1e-12)
        client.describe(large(arm_urdf(3), 60000))
        assert client.change_state('cleanup')
        loaded = node.output.count('new robot description')
        client.spin(0.8)
        assert client.diagnostics('model')[2] == {'state': 'unconfigured'}
        assert node.output.count('new robot description') == loaded


def test_messages_that_are_on_their_way_during_a_cleanup_do_no_harm(client):
    wrenches = client.node.create_publisher(LinkWrench, '/hod/external_wrench', 100)
    with running_node():
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        for _ in range(5):
            for transition in ('deactivate', 'cleanup', 'configure', 'activate'):
                for _ in range(20):
                    client.send(setpoint(Q, NAMES))
                    wrenches.publish(LinkWrench(link='link3', values=[0.0] * 18))
                assert client.change_state(transition)
        client.connect()
        assert_answers(client, arm_urdf(3))
    client.node.destroy_publisher(wrenches)
    client.spin(0.05)


def test_locked_position_locks_its_joint_also_where_joints_is_empty(client):
    model = RobotModel.from_urdf(arm_urdf(3), locked={'joint2': 1.0})
    with running_node(parameters={'locked_positions.joint2': '1', 'payload.mass': '2.0'}) as node:
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        response = client.compute(Q[:, :2], order=2)
        assert list(response.joint_names) == ['joint1', 'joint3']
        np.testing.assert_allclose(
            np.reshape(response.efforts, (3, 2)), inverse_dynamics(model, Q[:, :2]), rtol=1e-12, atol=1e-12)
        assert 'payload.mass is 2 kg, but payload.link is empty' in node.output


def test_joints_parameter_selects_and_orders_and_locks_the_others(client):
    parameters = {'joints': '[joint3, joint1]', 'locked_positions.joint2': '1'}
    model = RobotModel.from_urdf(arm_urdf(3), joints=['joint3', 'joint1'], locked={'joint2': 1.0})
    with running_node(parameters=parameters):
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        response = client.compute(Q[:, :2], order=2)
        assert list(response.joint_names) == ['joint3', 'joint1']
        np.testing.assert_allclose(
            np.reshape(response.efforts, (3, 2)), inverse_dynamics(model, Q[:, :2]), rtol=1e-12, atol=1e-12)
        assert client.is_refused(setpoint(Q, NAMES), setpoint(Q[:, :2], ('joint1', 'joint3')))
