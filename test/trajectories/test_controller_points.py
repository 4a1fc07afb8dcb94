# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

import numpy as np
import pytest
from planned_motions import panda
from planned_motions import random_motion

from hod_ros import InputError
from hod_ros import SeriesElastic
from hod_ros import Trajectory
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import with_effort

MODEL = panda()


def linear(points, at):
    return np.stack([np.interp(at, points.times, column) for column in points.efforts.T], axis=1)


@pytest.mark.parametrize('seed', range(3))
def test_linear_interpolation_of_the_effort_errs_less_than_a_thousandth_of_its_limit(seed):
    t = random_motion(np.random.default_rng(seed), MODEL, max_deviation=None if seed else 0.01)
    points = with_effort(MODEL, t)
    at = np.linspace(t.start, t.end, 50001)
    error = np.abs(linear(points, at) - inverse_dynamics(MODEL, t.evaluate(at, 2))[:, 0]).max(axis=0)
    assert (error <= points.effort_error * (1 + 1e-9)).all() and (points.effort_error <= 1e-3 * MODEL.effort_limits).all()
    assert error.max() > 0.05 * points.effort_error.max()
    assert set(t.breaks) <= set(points.times)
    np.testing.assert_allclose(points.efforts, inverse_dynamics(MODEL, t.evaluate(points.times, 2))[:, 0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(points.positions, t.evaluate(points.times)[:, 0], atol=1e-12)
    assert points.position_error.max() < 1e-4


def test_a_coarser_tolerance_needs_fewer_points_and_one_joint_may_have_its_own():
    t = random_motion(np.random.default_rng(4), MODEL)
    fine, coarse = with_effort(MODEL, t, 0.01), with_effort(MODEL, t, [10.0] * 7)
    assert len(fine) > 2 * len(coarse)


def test_motors_effort_where_drives_are_given():
    t = random_motion(np.random.default_rng(5), MODEL)
    drives = {MODEL.joint_names[1]: SeriesElastic(stiffness=2000.0, motor_inertia=0.3)}
    points = with_effort(MODEL, t, 0.5, drives)
    at = np.linspace(t.start, t.end, 5001)
    assert np.abs(linear(points, at) - motor_feedforward(MODEL, drives, t.evaluate(at, 4)).efforts).max() <= 0.5


class Point(SimpleNamespace):
    def __init__(self, **fields):
        super().__init__(**({'positions': [], 'velocities': [], 'accelerations': [], 'effort': [], 'time_from_start': Duration()} | fields))


class Duration(SimpleNamespace):
    def __init__(self, sec=0, nanosec=0):
        super().__init__(sec=sec, nanosec=nanosec)


def test_the_message_comes_back_with_more_points_and_keeps_the_rest():
    t = random_motion(np.random.default_rng(6), MODEL).starting_at(0.0)
    backwards = list(reversed(MODEL.joint_names))
    plan = SimpleNamespace(header='kept', joint_names=backwards, points=[Point()])
    points = with_effort(MODEL, t, 1.0)
    filled = points.message(plan)
    assert filled.header == 'kept' and filled.joint_names == backwards and len(plan.points) == 1
    np.testing.assert_array_equal([p.effort for p in filled.points], points.efforts[:, ::-1])
    np.testing.assert_array_equal([p.positions for p in filled.points], points.positions[:, ::-1])
    assert len(filled.points) == len(points) and all(len(p.effort) == len(p.positions) == 7 for p in filled.points)
    seconds = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in filled.points]
    np.testing.assert_allclose(seconds, points.times, atol=1e-9)
    assert all(isinstance(p, Point) and 0 <= p.time_from_start.nanosec < 10**9 for p in filled.points)
    with pytest.raises(InputError, match='no JointTrajectory'):
        points.message(SimpleNamespace(points=[]))
    with pytest.raises(InputError, match='template names the joints x, but'):
        points.message(SimpleNamespace(header='', joint_names=['x'], points=[Point()]))


@pytest.mark.parametrize(('tolerance', 'message'), [
    (0.0, 'tolerance is 0'), ([1, 2], 'tolerance is'), (1e-14, 'more than'), (np.nan, 'nan')])
def test_tolerances_that_cannot_be_are_refused(tolerance, message):
    with pytest.raises(InputError, match=message):
        with_effort(MODEL, random_motion(np.random.default_rng(7), MODEL), tolerance)


def test_without_effort_limits_a_tolerance_must_be_given():
    free = MODEL.replace(effort_limits=np.array([87, np.inf, 87, 87, 12, 12, 12]))
    t = Trajectory.interpolate([0, 1], np.zeros((2, 7)))
    with pytest.raises(InputError, match=f'joint {MODEL.joint_names[1]!r} has no effort limit'):
        with_effort(free, t)
