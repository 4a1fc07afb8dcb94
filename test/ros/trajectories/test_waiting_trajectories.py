# SPDX-License-Identifier: Apache-2.0
"""Trajectories that wait for their stamp are judged again where limits, parameters or the robot change meanwhile."""

from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.logging import get_logger
from rclpy.serialization import serialize_message
from ros_harness import arm_urdf
from setpoint_path import NAMES
from setpoint_path import Path
from streaming_robot import trajectory
from trajectory_msgs.msg import JointTrajectory

from hod_ros.errors import HodError
from hod_ros.ros.serialized import message_of
from hod_ros.ros.streaming.motions import NEWER
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.robot import planning_robot
from hod_ros.ros.streaming.streamer import Streamer

PERIOD = 0.005
ENOUGH = 3.0            # [rad/s] for 1 rad in 1 s


class PlannerHere:
    """The process that interpolates, here; a job takes `ticks` looks at it."""

    running, last_seconds, readiness = True, 0.0, 'ready'

    def __init__(self):
        self.ticks, self._job = 1, None

    def use(self, robot):
        self._robot = robot

    @property
    def busy(self):
        return self._job is not None

    def begin(self, job):
        self._job, self._left = (job, self._robot), self.ticks

    def poll(self):
        if self._job is None:
            return None
        self._left -= 1
        if self._left > 0:
            return None
        (job, robot), self._job = self._job, None
        try:
            return job.run(robot, lambda data: message_of(bytes(data), JointTrajectory))
        except HodError as error:
            return error


class Timer:
    def cancel(self):
        self.canceled = True

    def reset(self):
        self.canceled = False

    def is_canceled(self):
        return self.canceled


class Goal:
    tolerances = None

    def __init__(self):
        self.ended = None

    def finish(self, outcome, text, canceled=False):
        assert self.ended is None
        self.ended = outcome, text


class Streamed(list):
    def publish(self, message):
        self.append((np.array(message.positions), np.array(message.velocities)))


class Node:
    """What streams trajectories in a node, on a clock that is moved on."""

    def __init__(self, monkeypatch, **given):
        self.inside = Path(monkeypatch, **{'limits.joint1.velocity': ENOUGH, 'trajectory.max_deviation': 0.05, **given})
        self.planner, self.streamed = PlannerHere(), Streamed()
        self.streamer = Streamer(
            self.inside.path, self.planner, lambda measured: None, lambda: self.inside.now, Time, get_logger('streamer'))
        self.streamer.open(self.streamed, Timer())
        self.streamer._path.steady = lambda: self.inside.now
        self.use()

    def use(self, robot=None):
        robot = robot or self.inside.path._robot
        self.inside.path.use(robot)
        self.streamer.use(planning_robot(robot, self.inside.parameters))

    def change(self, **values):
        assert self.inside.set(**values).successful
        self.use()

    def follow(self, positions, begin, seconds=1.0):
        """One that begins so many seconds from now."""
        goal = Goal()
        self.streamer.follow(serialize_message(trajectory([0.0, seconds], positions)), self.inside.now + begin, goal)
        return goal

    def run(self, seconds):
        for _ in range(round(seconds / PERIOD)):
            self.inside.now += PERIOD
            path = self.inside.path.measured
            path.take(NAMES, self.streamed[-1][0] if self.streamed else [0.0] * 3, [0.0] * 3, self.inside.now)
            self.streamer.tick()

    @property
    def fastest(self):
        return max((np.abs(velocities).max() for _, velocities in self.streamed), default=0.0)


HERE, THERE, BACK = [0.0] * 3, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]


@pytest.fixture
def node(monkeypatch):
    node = Node(monkeypatch)
    node.inside.path.measured.take(NAMES, HERE, HERE, node.inside.now)
    yield node
    node.inside.close()


def test_one_that_exceeds_limits_that_were_lowered_meanwhile_is_refused_before_it_begins(node):
    goal = node.follow([HERE, THERE], begin=2.0)
    node.run(1.0)
    assert goal.ended is None and not node.streamed
    node.change(**{'limits.joint1.velocity': 0.5})
    node.run(2.0)
    outcome, text = goal.ended
    assert outcome == Outcome.INVALID_GOAL and "velocity of 'joint1' exceeds its limit" in text
    assert not node.streamed and node.streamer.refused == 1 and node.streamer.last_refusal == text


def test_one_that_is_being_computed_is_judged_by_the_limits_that_come_meanwhile(node):
    node.planner.ticks = 20
    goal = node.follow([HERE, THERE], begin=2.0)
    node.run(0.05)
    node.change(**{'limits.joint1.velocity': 0.5})
    node.run(3.0)
    assert goal.ended[0] == Outcome.INVALID_GOAL and not node.streamed


def test_one_that_is_fit_for_the_new_limits_begins_in_time_and_ends_where_it_is_to(node):
    goal = node.follow([HERE, THERE], begin=2.0)
    node.run(1.0)
    node.change(**{'limits.joint1.velocity': 2.9})
    node.run(0.99)
    assert not node.streamed
    node.run(1.2)
    assert goal.ended == (Outcome.SUCCESSFUL, '')
    np.testing.assert_allclose(node.streamed[-1][0], THERE, atol=1e-9)
    assert 1.0 < node.fastest < 2.9 and node.streamer.begun == 1


def test_where_a_new_verdict_comes_too_late_nothing_begins_without_it(node):
    goal = node.follow([HERE, THERE], begin=1.0)
    node.run(0.9)
    node.planner.ticks = 60
    node.change(**{'limits.joint1.velocity': 0.5})
    node.run(1.0)
    assert goal.ended[0] == Outcome.INVALID_GOAL and not node.streamed


def test_two_that_wait_for_one_another_are_both_judged_and_keep_their_order(node):
    first = node.follow([HERE, BACK], begin=1.0)
    node.run(0.1)
    second = node.follow([BACK, THERE], begin=2.5)
    node.run(0.1)
    node.change(**{'limits.joint1.velocity': 2.0})
    node.run(4.0)
    assert first.ended == second.ended == (Outcome.SUCCESSFUL, '')
    np.testing.assert_allclose(node.streamed[-1][0], THERE, atol=1e-9)


def test_a_goal_with_a_tolerance_that_is_judged_nowhere_is_refused(node):
    goal = Goal()
    goal.tolerances = SimpleNamespace(unjudged='it is for an acceleration')
    node.streamer.follow(serialize_message(trajectory([1.0], [THERE])), None, goal)
    assert goal.ended == (Outcome.INVALID_GOAL, 'it is for an acceleration') and node.streamer.refused == 1


def test_another_payload_is_another_robot(node):
    goal = node.follow([HERE, THERE], begin=2.0)
    node.run(1.0)
    node.use(node.inside.robot(arm_urdf(3, mass=400.0)))
    node.run(3.0)
    assert goal.ended[0] == Outcome.INVALID_GOAL and 'effort' in goal.ended[1]


def test_parameters_that_judge_nothing_compute_nothing_anew(node):
    node.follow([HERE, THERE], begin=2.0)
    node.run(1.0)
    begun, node.planner.begin = node.planner.begin, None
    node.change(order=1)
    node.run(0.5)
    assert node.streamer._next is not None
    node.planner.begin = begun


@pytest.mark.parametrize('how', ['cancel', 'end', 'follow'])
def test_whoever_waits_for_a_new_verdict_hears_how_it_ends(node, how):
    goal = node.follow([HERE, THERE], begin=2.0)
    node.run(1.0)
    node.change(**{'limits.joint1.velocity': 2.9})
    assert node.streamer._again is not None
    if how == 'cancel':
        node.streamer.cancel(goal)
        assert goal.ended == (Outcome.SUCCESSFUL, 'canceled')
    elif how == 'end':
        node.streamer.end('enough')
        assert goal.ended == (Outcome.INVALID_GOAL, 'enough')
    else:
        node.follow([HERE, BACK], begin=0.5)
        node.run(2.0)
        assert goal.ended == (Outcome.INVALID_GOAL, NEWER)
    node.run(0.1)
