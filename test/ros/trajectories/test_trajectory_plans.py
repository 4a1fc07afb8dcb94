# SPDX-License-Identifier: Apache-2.0
"""What the node makes of a JointTrajectory and a present state: splices, dropped points, refusals. Without ROS."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from ros_harness import arm_urdf

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros.ros.streaming.cursor import Cursor
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.planner_host import in_place
from hod_ros.ros.streaming.planner_host import receive
from hod_ros.ros.streaming.planner_host import send
from hod_ros.ros.streaming.plans import PlanningRobot
from hod_ros.ros.streaming.plans import plan
from hod_ros.ros.streaming.plans import stop
from hod_ros.ros.streaming.robot import planning_robot

MODEL = RobotModel.from_urdf(arm_urdf(3))
NAMES = MODEL.joint_names
HOME = np.array([0.4, -0.3, 0.6])
ROBOT = PlanningRobot(
    MODEL, Limits(velocity=3.0, effort=100.0, effort_rate=1000.0), np.array([[-3.0] * 3, [3.0] * 3]), max_deviation=0.02)
REST = np.stack([HOME, *np.zeros((4, 3))])


def message(times, positions, names=NAMES, velocities=None, accelerations=None):
    points = [SimpleNamespace(
        positions=list(row), velocities=[] if velocities is None else velocities[i],
        accelerations=[] if accelerations is None else accelerations[i], effort=[],
        time_from_start=SimpleNamespace(sec=int(t // 1), nanosec=round(t % 1 * 1e9))) for i, (t, row) in enumerate(
            zip(times, positions, strict=True))]
    return SimpleNamespace(joint_names=list(names), points=points)


def test_a_thousandth_of_random_splices_leaves_no_jump_in_four_derivatives():
    rng = np.random.default_rng(1)
    motion, made = plan(message([1.0, 2.0], [HOME + 0.2, HOME - 0.1]), REST, None, ROBOT), 0
    for _ in range(100):
        at = rng.uniform(0, 0.8 * motion.end)
        state = motion.evaluate([at], 4)[0]
        times = np.cumsum(rng.uniform(0.5, 1.0, rng.integers(1, 5)))
        points = HOME + rng.uniform(-0.3, 0.3, (len(times), 3))
        after = plan(message(times, points), state, None, ROBOT)
        largest = np.abs(after.evaluate(np.linspace(0, after.end, 500), 4)).max(axis=(0, 2))
        assert (np.abs(after.evaluate([0.0], 4)[0] - state).max(axis=1) <= 1e-9 * largest).all()
        assert (np.abs(after.jumps(4)) <= 1e-9 * largest[:, None]).all() if len(after.breaks) > 2 else True
        np.testing.assert_allclose(after.evaluate(times)[:, 0], points, atol=1e-12)
        assert not after.evaluate([after.end], 4)[0, 1:].any()
        assert evaluate_trajectory(MODEL, after, ROBOT.limits, margin=0.8).feasible
        motion, made = after, made + 1
    assert made == 100


def test_the_lines_of_the_plan_are_kept_although_a_moving_robot_is_blended_in():
    state = REST.copy()
    state[1] = [0.3, -0.2, 0.1]
    points = HOME + np.array([[0.1, 0.1, 0.1], [0.2, 0.0, 0.3], [0.3, 0.1, 0.3]])
    motion = plan(message([0.5, 1.2, 2.0], points), state, None, ROBOT)
    for first, last, begin, end in zip(points[:-1], points[1:], (0.5, 1.2), (1.2, 2.0), strict=True):
        q = motion.evaluate(np.linspace(begin, end, 1001))[:, 0]
        along = np.clip((q - first) @ (last - first) / np.sum((last - first)**2), 0, 1)
        assert np.linalg.norm(q - first - along[:, None] * (last - first), axis=1).max() <= 0.02


def test_points_that_are_due_or_past_are_dropped_and_the_rest_keeps_its_times():
    points = HOME + np.array([[0.0] * 3, [0.02] * 3, [0.2] * 3])
    motion = plan(message([0.0, 0.5, 1.0], points), np.stack([points[1] + 0.001, *np.zeros((4, 3))]), -0.6, ROBOT)
    assert motion.end == pytest.approx(0.4) and np.allclose(motion.evaluate([motion.end])[0, 0], points[2])
    assert plan(message([0.0, 0.5, 1.0], points), REST, 5.0, ROBOT).end == pytest.approx(6.0)


def test_joints_may_be_left_out_where_that_is_allowed_and_stay():
    partial = replace(ROBOT, partial=True)
    motion = plan(message([1.0], [[0.1]], names=NAMES[1:2]), REST, None, partial)
    assert np.allclose(motion.evaluate([motion.end])[0, 0], [HOME[0], 0.1, HOME[2]])
    moving = REST.copy()
    moving[1, 0] = 0.1
    with pytest.raises(Refused, match="'joint1' is left out, but moves"):
        plan(message([1.0], [[0.1]], names=NAMES[1:2]), moving, None, partial)
    with pytest.raises(Refused, match="'hand' unknown"):
        plan(message([1.0], [[0.1]], names=['hand']), REST, None, partial)


def test_a_chunk_without_times_has_the_chunk_rate_and_stops_along_its_path_at_its_last_point():
    """Standing there within its last period would take torque rates beyond all limits."""
    robot = replace(ROBOT, chunk_rate=50.0, limits=Limits(effort=100.0, effort_rate=100.0))
    chunk = HOME + 0.3 * (1 - np.cos(1.2 * np.arange(1, 41) / 50))[:, None] * [1, -0.5, 0.7]
    motion = plan(message([0.0] * 40, chunk), REST, None, robot)
    assert 0.8 < motion.end < 1.0 and np.abs(motion.evaluate([motion.end], 4)[0, 1:]).max() < 1e-9
    np.testing.assert_allclose(motion.evaluate([motion.end])[0, 0], chunk[-1], atol=1e-8)
    np.testing.assert_allclose(motion.evaluate(np.arange(1, 31) / 50)[:, 0], chunk[:30], atol=1e-9)
    assert evaluate_trajectory(MODEL, motion, robot.limits, margin=0.8).feasible
    line = np.linspace(chunk[29:-1], chunk[30:], 50, axis=1).reshape(-1, 3)
    assert max(np.abs(line - q).max(axis=1).min() for q in motion.evaluate(np.linspace(0.6, motion.end, 50))[:, 0]) < 1e-3


@pytest.mark.parametrize('late', [0.001, 0.0199, 0.1])
def test_a_chunk_is_joined_later_where_its_next_point_is_too_near_in_time(late):
    robot = replace(ROBOT, chunk_rate=50.0, limits=Limits(effort=100.0, effort_rate=100.0))
    chunk = HOME + 0.2 * np.arange(1, 41)[:, None] / 50
    state = REST.copy()
    state[0], state[1] = HOME + 0.2 * late + 0.002, 0.18
    motion = plan(message([0.0] * 40, chunk), state, -late, robot)
    np.testing.assert_allclose(motion.evaluate([0.0], 4)[0], state, atol=1e-9)
    np.testing.assert_allclose(motion.evaluate([0.6 - late])[0, 0], chunk[29], atol=1e-9)
    assert evaluate_trajectory(MODEL, motion, robot.limits, margin=0.8).feasible


def test_a_joint_without_limits_turns_the_short_way():
    model = RobotModel.from_urdf(arm_urdf(3).replace('name="joint3" type="revolute"', 'name="joint3" type="continuous"'))
    robot = replace(ROBOT, model=model, box=np.array([[-3, -3, -np.inf], [3, 3, np.inf]]))
    motion = plan(message([1.0], [HOME + [0, 0, 4 * np.pi + 0.1]]), REST, None, robot)
    np.testing.assert_allclose(motion.evaluate([motion.end])[0, 0], HOME + [0, 0, 0.1], atol=1e-9)


def test_accelerations_of_trapezoids_at_the_end_do_not_hinder():
    sent = message([0.0, 1.0], [HOME, HOME + 0.1], accelerations=[[0.6] * 3, [-0.6] * 3], velocities=[[0.0] * 3] * 2)
    motion = plan(sent, REST, None, ROBOT)
    assert not motion.evaluate([motion.end], 4)[0, 1:].any()


@pytest.mark.parametrize(('sent', 'start', 'outcome', 'text'), [
    (message([0.5, 0.4], [HOME, HOME]), None, Outcome.INVALID_GOAL, 'times must increase'),
    (message([0.0, 1.0], [HOME + [0.5, 0, 0], HOME]), None, Outcome.INVALID_GOAL, "begins with joint 'joint1' at 0.9, but it is at 0.4"),
    (message([0.0, 1.0], [HOME, HOME + 0.4]), -0.5, Outcome.INVALID_GOAL, 'begins with joint'),
    (message([0.5], [HOME], names=('joint1', 'joint2', 'hand')), None, Outcome.INVALID_JOINTS, "'joint3' missing; 'hand' unknown"),
    (message([0.5], [HOME], names=('joint1', 'joint2', 'joint2')), None, Outcome.INVALID_JOINTS, 'joint2'),
    (message([0.5], [HOME[:2]], names=NAMES[:2]), None, Outcome.INVALID_JOINTS, 'allow_partial_joints_goal'),
    (message([1.0], [HOME + [0, 3.5, 0]]), None, Outcome.INVALID_GOAL, 'beyond its limits from -3 to 3'),
    (message([0.05], [HOME + 1.0]), None, Outcome.INVALID_GOAL, 'exceeds its limit'),
    (message([1.0], [HOME + [np.nan, 0, 0]]), None, Outcome.INVALID_GOAL, 'point 0'),
    (message([1.0], [HOME + [np.inf, 0, 0]]), None, Outcome.INVALID_GOAL, 'inf'),
    (message([1.0], [HOME]), -1.5, Outcome.OLD_HEADER_TIMESTAMP, 'the last was due 0.500 s before'),
    (message([1.0], [HOME], velocities=[[0.3, 0.0, 0.0]]), None, Outcome.INVALID_GOAL, 'ends at rest'),
    (message([1.0], [HOME[:2]]), None, Outcome.INVALID_GOAL, 'point 0 has 2 positions for 3 joints'),
    (message([], []), None, Outcome.INVALID_GOAL, '0 points of 3 joints'),
    (message([], [], names=()), None, Outcome.INVALID_GOAL, '0 points of 0 joints'),
    (message([0.0], [HOME]), None, Outcome.INVALID_GOAL, 'no time to get there'),
    (message([0.0, 0.0], [HOME, HOME]), None, Outcome.INVALID_GOAL, 'trajectory.chunk_rate'),
    (message([0.5, 1.0], [HOME, HOME + 1e300]), None, Outcome.INVALID_GOAL, 'give numbers up to 1e+09'),
    (message(np.arange(1, 20_002) / 100, np.tile(HOME, (20_001, 1))), None, Outcome.INVALID_GOAL, '20001 points'),
])
def test_what_cannot_be_is_refused_with_its_reason(sent, start, outcome, text):
    with pytest.raises(Refused) as refused:
        plan(sent, REST, start, ROBOT)
    assert refused.value.outcome == outcome and text in str(refused.value)


def test_without_a_state_only_what_begins_at_once_is_taken():
    motion = plan(message([0.0, 1.0], [HOME, HOME + 0.1]), None, None, ROBOT)
    assert np.allclose(motion.evaluate([0.0])[0, 0], HOME)
    with pytest.raises(Refused, match='where the robot is is not known'):
        plan(message([0.5], [HOME]), None, None, ROBOT)


def test_a_stop_keeps_to_the_path_and_to_the_limits():
    robot = replace(ROBOT, limits=Limits(effort=100.0, effort_rate=120.0))
    motion = plan(message([1.0, 2.0, 3.0], HOME + np.array([[0.2, 0.1, 0.0], [0.4, 0.3, 0.1], [0.6, 0.3, 0.1]])), REST, None, robot)
    ended = stop(motion, 1.2, robot)
    assert 1.2 < ended.end < motion.end and not np.abs(ended.evaluate([ended.end], 4)[0, 1:]).max() > 1e-6
    assert evaluate_trajectory(MODEL, ended, robot.limits).feasible
    path, walked = motion.evaluate(np.linspace(0, motion.end, 20001))[:, 0], ended.evaluate(np.linspace(0, ended.end, 101))[:, 0]
    assert max(np.abs(path - q).max(axis=1).min() for q in walked) < 1e-3
    before = np.linspace(0, 1.2, 50)
    np.testing.assert_allclose(ended.evaluate(before, 4), motion.evaluate(before, 4), atol=1e-7)
    assert stop(motion, 2.99, robot) == motion


def test_a_long_trajectory_is_stopped_by_its_part_around_the_stop_alone():
    times = np.arange(1, 2001) / 10
    motion = plan(message(times, HOME + 0.1 * np.sin(times)[:, None]), REST, None, ROBOT)
    ended = stop(motion, 100.0, ROBOT)
    assert len(ended.breaks) < 150 and 100.0 < ended.end < 101.0
    near = np.linspace(98.0, 100.0, 101)
    np.testing.assert_allclose(ended.evaluate(near, 4), motion.evaluate(near, 4), atol=1e-7)
    assert np.abs(ended.evaluate([ended.end], 4)[0, 1:]).max() < 1e-6


def test_arrays_go_to_the_other_process_and_back_as_they_are():
    ours, theirs = os.pipe()
    sent = {'many': np.random.default_rng(0).normal(size=(2000, 10, 7)), 'none': np.zeros(0), 'text': 'x', 'bytes': in_place(b'message')}
    with ThreadPoolExecutor(1) as other:
        other.submit(send, theirs, sent)
        came = receive(ours)
    os.close(ours), os.close(theirs)
    assert all(np.array_equal(came[name], sent[name]) for name in sent) and bytes(came['bytes']) == b'message'


def test_a_limit_of_jerks_makes_stops_longer_and_refuses_what_exceeds_it():
    sent = message([2.0, 4.0, 6.0], HOME + np.array([[0.2, 0.1, 0.0], [0.4, 0.2, 0.0], [0.6, 0.3, 0.0]]))
    motion = plan(sent, REST, None, ROBOT)
    jerk = np.abs(motion.evaluate(np.linspace(0, motion.end, 3001), 3)[:, 3]).max()
    quick, slow = (stop(motion, 2.0, replace(ROBOT, limits=Limits(effort_rate=1000.0, jerk=limit))) for limit in (np.inf, 5 * jerk))
    assert np.abs(quick.evaluate(np.linspace(2.0, quick.end, 1001), 3)[:, 3]).max() > 50 * jerk
    assert np.abs(slow.evaluate(np.linspace(2.0, slow.end, 1001), 3)[:, 3]).max() < 5 * jerk
    assert quick.end < slow.end < motion.end
    with pytest.raises(Refused, match="jerk of 'joint1' exceeds its limit"):
        plan(sent, REST, None, replace(ROBOT, limits=Limits(jerk=0.9 * jerk)))


@pytest.mark.parametrize('publish_commands', [True, False])
def test_a_limit_of_0_refuses_every_motion_and_no_more(publish_commands):
    class Given(dict):
        def members(self, family, changes=None):
            return {'joint2': 0.0} if family == 'limits.<joint>.velocity' else {}
    numbers = ('trajectory.margin', 'trajectory.max_deviation', 'start_tolerance', 'trajectory.chunk_rate', 'allow_partial_joints_goal')
    given = Given(dict.fromkeys(numbers, 0.1), publish_commands=publish_commands, joint_friction=False)
    robot = planning_robot(SimpleNamespace(model=MODEL, drives={}), given)
    with pytest.raises(Refused, match="velocity of 'joint2' exceeds its limit"):
        plan(message([5.0], [HOME + 0.01]), REST, None, robot)


def test_the_cursor_is_the_trajectory():
    motion = Trajectory.interpolate([0, 0.3, 1.0], np.random.default_rng(2).normal(size=(3, 3)), max_deviation=0.1)
    cursor, times = Cursor(motion, 6), np.linspace(0, 1, 301)
    expected = motion.evaluate(times, 5)
    got = np.array([cursor.at(time) for time in times])
    assert (np.abs(got - expected).max(axis=(0, 2)) <= 1e-12 * np.abs(expected).max(axis=(0, 2))).all()
    np.testing.assert_array_equal(cursor.at(5.0)[0], motion.evaluate([1.0])[0, 0])
