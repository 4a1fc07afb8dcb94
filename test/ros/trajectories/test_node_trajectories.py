# SPDX-License-Identifier: Apache-2.0
"""~/joint_trajectory over DDS: what the node makes of trajectories, how one replaces another, and what is refused with which words."""

import time

import numpy as np
import pytest
from ros_harness import SILENCE
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import running_node
from ros_harness import setpoint
from std_srvs.srv import Trigger
from streaming_robot import HOME
from streaming_robot import MODEL
from streaming_robot import NAMES
from streaming_robot import PARAMETERS
from streaming_robot import TIMEOUT
from streaming_robot import Robot
from streaming_robot import assert_continuous
from streaming_robot import begin_anew
from streaming_robot import trajectory

from hod_ros import Trajectory
from hod_ros import inverse_dynamics

# A node whose computations may take one second, and whose process that interpolates takes three to start.
SLOW = """
import sys
from hod_ros.ros.streaming import planner
planner.LONGEST, planner.PROGRAM = 1.0, 'import time; time.sleep(3.0); ' + planner.PROGRAM
from hod_ros.ros.process import main
sys.exit(main())
"""

# A node that is held up between reading the clock and publishing what is for that time.
HELD_UP = """
import random, sys, time
from hod_ros.ros.streaming.cursor import Cursor
evaluated = Cursor.at
def at(self, now):
    time.sleep(random.uniform(0, 0.03))
    return evaluated(self, now)
Cursor.at = at
from hod_ros.ros.process import main
sys.exit(main())
"""


def test_what_interpolates_may_be_slow_to_start(client):
    client.describe(arm_urdf(3))
    with running_node(code=SLOW, parameters=PARAMETERS) as node:
        client.wait_for_state('active')
        robot = Robot(client)
        assert client.wait_until(lambda: robot._trajectories.get_subscription_count() and robot._states.get_subscription_count())
        robot.live(0.2)
        robot.send(trajectory([1.0], [HOME + 0.1]))
        assert robot.at(HOME + 0.1), node.output
        robot.close()
    client.withdraw_description()


def test_setpoints_are_stamped_with_the_time_that_they_are_for_however_late_they_come(client):
    client.describe(arm_urdf(3))
    with running_node(code=HELD_UP, parameters=PARAMETERS):
        client.wait_for_state('active')
        robot = Robot(client)
        assert client.wait_until(lambda: robot._trajectories.get_subscription_count() and robot._states.get_subscription_count())
        robot.live(0.2)
        robot.send(trajectory([2.0], [HOME + 0.4]))
        assert robot.at(HOME + 0.4)
        robot.close()
    client.withdraw_description()
    times = np.linspace(0, 2, 20001)
    q, expected = robot.rows()[:, 0, 0], Trajectory.interpolate([0, 2], [HOME, HOME + 0.4]).evaluate(times)[:, 0, 0]
    moving = (q > HOME[0] + 0.01) & (q < HOME[0] + 0.39)
    late = np.array(robot.times)[moving] - np.interp(q[moving], expected, times)
    assert moving.sum() > 20 and np.percentile(np.abs(late - np.median(late)), 90) < 1e-3


@pytest.fixture(scope='module')
def node(client):
    client.describe(arm_urdf(3))
    with running_node(parameters=PARAMETERS) as node:
        client.wait_for_state('active')
        client.connect()
        yield node
    client.withdraw_description()


@pytest.fixture
def robot(node, client):
    robot = Robot(client)
    assert client.wait_until(lambda: robot._trajectories.get_subscription_count() and robot._states.get_subscription_count())
    robot.live(0.2)
    yield robot
    begin_anew(robot, client)


def test_a_trajectory_is_streamed_from_where_the_robot_is_and_commanded(robot, client):
    goal = HOME + [0.3, 0.2, -0.2]
    robot.send(trajectory([0.4, 1.0], [HOME + [0.1, 0.1, -0.1], goal]))
    assert robot.at(goal)
    q, times = robot.rows(), np.array(robot.times)
    np.testing.assert_allclose(q[0, 0], HOME, atol=1e-3)
    expected = Trajectory.interpolate([0, 0.4, 1.0], [HOME, HOME + [0.1, 0.1, -0.1], goal], max_deviation=0.05)
    begin = times[0] - np.interp(q[0, 0, 0], expected.evaluate(np.linspace(0, 1, 1001))[:, 0, 0], np.linspace(0, 1, 1001))
    moving = times - begin < 1.0
    np.testing.assert_allclose(q[moving, 0], expected.evaluate(np.clip(times[moving] - begin, 0, 1))[:, 0], atol=2e-2)
    assert robot.live(until=lambda: robot.commands and np.allclose(robot.commands[-1], inverse_dynamics(MODEL, q[-1, :3])[0]))
    answered = {message.header.stamp.nanosec: message for message in client.answers}
    answer = answered[robot.streamed[-1].header.stamp.nanosec]
    np.testing.assert_allclose(efforts(answer)[0], robot.commands[-1])
    assert robot.faults[-1] == ''


def test_a_replacement_in_flight_is_continuous_and_the_last_wins(robot):
    robot.send(trajectory([1.5], [HOME + 0.4]))
    assert robot.live(until=lambda: len(robot.streamed) > 60)
    robot.send(trajectory([0.8], [HOME + [0.3, -0.1, 0.2]]))
    robot.live(0.2)
    robot.send(trajectory([0.7, 1.0], [HOME + 0.1, HOME]))
    assert robot.at(HOME)
    q, times = robot.rows(), np.array(robot.times)
    steps = np.diff(times)
    keep = steps > 1e-4
    for k in range(4):      # what changes from one setpoint to the next is what the next derivative says, splice or not
        change = np.diff(q[:, k], axis=0)[keep]
        rate = (q[1:, k + 1] + q[:-1, k + 1])[keep] / 2
        bend = np.abs(np.diff(q[:, k + 1], axis=0))[keep].max()
        assert np.abs(change - rate * steps[keep, None]).max() <= max(2 * bend * steps.max(), 1e-6)
    assert np.abs(np.diff(q[:, 0], axis=0)).max() < 3 * steps.max()


def test_replacements_that_come_faster_than_they_take_over_leave_no_jump(robot):
    rng = np.random.default_rng(3)
    robot.send(trajectory([1.0], [HOME + 0.3]))
    assert robot.live(until=lambda: len(robot.streamed) > 20)
    for _ in range(100):
        later = time.time() + 0.1 if rng.random() < 0.3 else 0.0
        robot.send(trajectory([0.8], [HOME + rng.uniform(-0.2, 0.2, 3)], stamp=later))
        robot.live(rng.uniform(0, 0.03))
    robot.send(trajectory([1.0], [HOME]))
    assert robot.at(HOME) and robot.faults[-1] == ''
    assert_continuous(robot.rows(), robot.times)


def test_a_future_stamp_splices_there(robot):
    robot.send(trajectory([0.6], [HOME + 0.2]))
    robot.live(0.1)
    begin = time.time() + 1.0
    robot.send(trajectory([0.5], [HOME], stamp=begin))
    assert robot.at(HOME + 0.2)
    assert robot.at(HOME)
    left = next(t for t, q in zip(reversed(robot.times), robot.rows()[::-1, 0], strict=True) if np.allclose(q, HOME + 0.2, atol=1e-6))
    assert abs(left - begin) < 0.1


def test_points_in_the_past_are_dropped(robot):
    robot.send(trajectory([0.0, 2.0, 3.0], [HOME, HOME + 0.02, HOME + 0.2], stamp=time.time() - 0.3))
    begin = time.time()
    assert robot.at(HOME + 0.2)
    assert next(t for t, q in zip(robot.times, robot.rows()[:, 0], strict=True) if np.allclose(q, HOME + 0.2, atol=1e-6)) - begin < 3.0


@pytest.mark.parametrize(('message', 'text'), [
    (lambda: trajectory([0.5, 0.4], [HOME, HOME]), 'times must increase'),
    (lambda: trajectory([0.05], [HOME + 1.0]), 'exceeds its limit'),
    (lambda: trajectory([1.0], [HOME], stamp=time.time() - 10.0), 'all points are in the past'),
    (lambda: trajectory([1.0], [HOME], stamp=time.time() + 1e8), 'in the future'),
])
def test_what_cannot_be_is_refused_with_a_sentence_before_it_starts(robot, client, message, text):
    robot.send(message())
    assert robot.live(until=lambda: text in client.diagnostics('trajectories')[2]['last refusal'])
    assert not robot.streamed and not robot.commands


def test_without_joint_states_a_trajectory_is_feedforward_only_and_says_so(node, client):
    robot = Robot(client, measures=False)
    assert client.wait_until(lambda: robot._trajectories.get_subscription_count())
    client.spin(2 * TIMEOUT)
    robot.send(trajectory([0.0, 0.4], [HOME, HOME + 0.1]))
    assert robot.at(HOME + 0.1)
    node.wait_for_output('streamed as feedforward only')
    assert not robot.commands and client.answers[-1].efforts
    client.change_state('deactivate')
    client.change_state('activate')
    robot.send(trajectory([0.4], [HOME + 0.1]))
    node.wait_for_output('where the robot is is not known')
    robot.close()


def test_a_fault_ends_the_stream_and_nothing_resumes(robot, client):
    robot.send(trajectory([3.0], [HOME + 0.5]))
    assert robot.live(until=lambda: len(robot.streamed) > 20)
    robot.follows, robot.place = False, np.array([3.5, 0.0, 0.0])      # beyond its position limit, at once
    assert robot.live(until=lambda: robot.faults and 'joint1' in robot.faults[-1]) or 'jumps' in client.diagnostics('guards')[1]
    robot.place = HOME
    count = len(robot.streamed)
    robot.live(SILENCE)
    streamed = len(robot.streamed) - count
    if robot.faults[-1]:
        assert streamed <= 2
        robot.send(trajectory([1.0], [HOME]))
        assert robot.live(until=lambda: 'a fault is latched' in client.diagnostics('trajectories')[2]['last refusal'])
        assert robot.live(until=lambda: client.call(Trigger, 'reset', Trigger.Request()).success)       # once it is believed to be at HOME


def test_another_source_waits_until_the_trajectory_has_ended_and_then_takes_over(robot, client):
    robot.send(trajectory([1.0], [HOME + 0.1]))
    assert robot.live(until=lambda: len(robot.streamed) > 20)
    foreign = np.zeros((5, 3))
    foreign[0] = HOME + 0.1
    before = len(robot.commands)
    for _ in range(10):
        client.send(setpoint(foreign, NAMES))
        robot.live(0.01)
    assert not any(np.allclose(c, inverse_dynamics(MODEL, foreign[:3])[0], rtol=1e-9) for c in robot.commands[before:])
    assert robot.at(HOME + 0.1)
    robot.live(0.2)
    foreign[0] += 0.01
    for _ in range(100):
        client.send(setpoint(foreign, NAMES))
        robot.live(0.01)
    assert np.allclose(robot.commands[-1], inverse_dynamics(MODEL, foreign[:3])[0])
    count = len(robot.streamed)
    robot.live(0.1)
    assert len(robot.streamed) == count


def test_deactivation_ends_a_trajectory(robot, client):
    robot.send(trajectory([3.0], [HOME + 0.5]))
    assert robot.live(until=lambda: len(robot.streamed) > 20)
    assert client.change_state('deactivate')
    count = len(robot.streamed)
    robot.live(0.2)
    assert len(robot.streamed) <= count + 1
    robot.send(trajectory([1.0], [HOME]))
    assert robot.live(until=lambda: client.diagnostics('trajectories')[2]['refused'] != '')
    assert len(robot.streamed) <= count + 1
