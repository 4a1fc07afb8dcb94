# SPDX-License-Identifier: Apache-2.0
"""Messages that are cut off, on the topics that the node takes as bytes: refused, counted and said; nothing else is disturbed."""

from array import array

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from ros_harness import arm_urdf
from ros_harness import running_node
from ros_harness import setpoint
from sensor_msgs.msg import JointState
from streaming_robot import HOME
from streaming_robot import MODEL
from streaming_robot import NAMES
from streaming_robot import PARAMETERS
from streaming_robot import Robot
from streaming_robot import begin_anew
from streaming_robot import trajectory
from trajectory_msgs.msg import JointTrajectory

from hod_ros import inverse_dynamics
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.setpoints.joint_states import JointStates

STATE = serialize_message(JointState(name=list(NAMES), position=array('d', HOME), velocity=array('d', [0.0] * 3)))
TRAJECTORY = serialize_message(trajectory([0.3, 0.6], [HOME, HOME + 0.1]))
KINDS = {'1 byte': lambda data: data[:1], '6 bytes': lambda data: data[:6], 'half': lambda data: data[:len(data) // 2]}
EMPTY = b''             # the middleware does not deliver it
STILL = np.array([HOME, *np.zeros((4, 3))])


@pytest.fixture(scope='module')
def node(client):
    client.describe(arm_urdf(3))
    with running_node(parameters=PARAMETERS) as node:
        client.wait_for_state('active')
        client.connect()
        yield node
    assert 'internal error' not in node.output, node.output
    client.withdraw_description()


@pytest.fixture
def robot(node, client):
    robot = Robot(client)
    assert client.wait_until(lambda: robot._trajectories.get_subscription_count() and robot._states.get_subscription_count())
    robot.live(0.2)
    yield robot
    begin_anew(robot, client)


@pytest.fixture
def publisher(client, request):
    """Another one, of the topic that a test names."""
    publisher = client.node.create_publisher(*request.param, 10)
    assert client.wait_until(publisher.get_subscription_count)
    client.spin(0.2)
    yield publisher
    client.node.destroy_publisher(publisher)
    client.spin(0.05)


@pytest.mark.parametrize('publisher', [(JointState, '/joint_states')], indirect=True)
@pytest.mark.parametrize('kind', [*KINDS, 'empty'])
def test_joint_states_that_are_cut_off_are_counted_and_stop_no_commands(robot, client, publisher, kind):
    bad = KINDS[kind](STATE) if kind in KINDS else EMPTY
    answers, commands = len(client.answers), len(robot.commands)
    for number in range(60):
        publisher.publish(bad)
        robot.tell()
        client.send(setpoint(STILL, NAMES, nanosec=number))
        client.spin(0.01)
    assert client.wait_until(lambda: len(client.answers) - answers >= 60 and len(robot.commands) - commands >= 60)
    np.testing.assert_allclose(robot.commands[-1], inverse_dynamics(MODEL, STILL[:3])[0], rtol=1e-9)
    assert not any(robot.faults)
    if kind in KINDS:
        told = [item.value for report in client.reports for status in report.status for item in status.values if item.key == 'joint_states']
        told += [client.diagnostics('guards')[2]['joint_states']]
        assert any('bytes are no whole JointState: the message is cut off' in text for text in told), told[-3:]


@pytest.mark.parametrize('publisher', [(JointTrajectory, '/hod/joint_trajectory')], indirect=True)
@pytest.mark.parametrize('kind', [*KINDS, 'empty'])
def test_trajectories_that_are_cut_off_are_counted_and_refused_in_a_sentence(robot, client, node, publisher, kind):
    def refused():
        return int(client.diagnostics('trajectories')[2]['refused'])

    before, lines = refused(), len(node.output.splitlines())
    for _ in range(20):
        publisher.publish(KINDS[kind](TRAJECTORY) if kind in KINDS else EMPTY)
        robot.live(0.05)
    if kind in KINDS:
        assert robot.live(until=lambda: refused() > before)
        assert 'bytes are no whole JointTrajectory: the message is cut off' in client.diagnostics('trajectories')[2]['last refusal']
    if kind in ('1 byte', '6 bytes'):       # those that need no process have been refused, each of them
        assert robot.live(until=lambda: refused() == before + 20)
    assert len(node.output.splitlines()) - lines < 30, 'the log is throttled'
    assert not robot.streamed
    robot.live(0.2)         # it was not measured while reports were waited for
    robot.send(trajectory([0.3, 0.6], [HOME, HOME + 0.1]))
    assert robot.at(HOME + 0.1)


def test_joint_states_that_are_cut_off_take_no_whole_ones_place():
    q = np.arange(20.0) / 100
    names = [f'joint{i}' for i in range(20)]
    whole = serialize_message(JointState(name=names, position=array('d', q)))
    for length in range(len(whole) - 64):
        measured, states = Measured(names, np.ones(20), 0.1), JointStates()
        states.keep(whole)
        states.keep(whole[:length])
        states.refresh(measured)
        np.testing.assert_array_equal(measured.positions, q)
        assert measured.record.count == 1, length


def test_many_sources_of_joint_states_in_one_round_push_out_the_oldest_alone():
    measured, states = Measured(['joint1'], np.ones(1), 0.1), JointStates()
    for k in range(17):
        state = JointState(name=['joint1' if k == 8 else 'other'], position=array('d', [0.1 * k]))
        state.header.frame_id = f'frame {k}'
        states.keep(serialize_message(state))
    states.refresh(measured)
    assert measured.positions == [pytest.approx(0.8)]
