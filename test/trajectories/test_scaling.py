# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from planned_motions import panda
from planned_motions import random_motion

from hod_ros import HardeningSpring
from hod_ros import InputError
from hod_ros import Limits
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import time_scale
from hod_ros.trajectories.speeds import FeasibleSpeeds
from hod_ros.trajectories.speeds import evaluate

MODEL = panda()
DRIVES = {name: SeriesElastic(stiffness=3000.0, motor_inertia=0.2, motor_friction=0.3, gear_ratio=2.0) for name in MODEL.joint_names[:5]}
DRIVES[MODEL.joint_names[5]] = Rigid(motor_inertia=0.1)
RUBBING = MODEL.replace(damping=np.linspace(0.5, 2.0, 7))


def random_limits(rng, evaluation, names):
    """Some limits below and above what a motion asks for, of single joints and of all."""
    figures = {}
    for name in names:
        if rng.random() < 0.6:
            peak = evaluation.peaks[name].value
            figures[name] = peak * rng.uniform(0.6, 2.0, peak.shape) if rng.random() < 0.5 else peak.max() * rng.uniform(0.4, 1.3)
    return Limits(**figures)


def test_limits_are_kept_within_rounding_and_broken_when_a_thousandth_faster():
    rng = np.random.default_rng(1)
    names = ['velocity', 'acceleration', 'jerk', 'effort', 'effort_rate', 'motor_velocity', 'motor_effort']
    slowed = 0
    for i in range(24):
        t = random_motion(rng, MODEL, most=4)
        model, options = (RUBBING, {'viscous_friction': True}) if i % 3 == 0 else (MODEL, {})
        drives = DRIVES if i % 2 else None
        limits = random_limits(rng, evaluate_trajectory(model, t, None, drives, **options), names if drives else names[:5])
        f = time_scale(model, t, limits, drives, **options)
        if f.fastest is None:
            assert 'gravity alone exceeds' in f.message
            slow = evaluate_trajectory(model, t.at_speed(1e-4), limits, drives, **options)
            assert not slow.feasible
            continue
        assert f.intervals[-1][1] == f.fastest and f.trajectory == t.at_speed(f.fastest)
        reached = evaluate_trajectory(model, f.trajectory, limits, drives, **options)
        assert all((margin >= -1e-9).all() for margin in reached.margins.values())
        if f.fastest < 1:
            slowed += 1
            assert not evaluate_trajectory(model, t.at_speed(1.001 * f.fastest), limits, drives, **options).feasible
    assert slowed > 8


@pytest.mark.parametrize(('row', 'name'), [(0, 'effort'), (1, 'effort_rate')])
def test_all_feasible_intervals_are_those_of_a_scan_over_speeds(row, name):
    """Motions in which inertia makes up for a part of gravity: some middle or low speed needs more than a higher one."""
    rng = np.random.default_rng(2)
    speeds = np.linspace(0.01, 1.0, 100)
    several = 0
    for _ in range(40):
        c = np.concatenate([rng.uniform(-2, 2, (1, 1, 7)), 0.1 * rng.standard_normal((1, 4, 7))], axis=1)
        t = Trajectory([0.0, 1.0], c).at_speed(rng.uniform(0.9, 1.8))
        q = t.evaluate(np.linspace(t.start, t.end, 300), 3)
        needed = np.stack([
            np.abs(inverse_dynamics(MODEL, q * (mu**np.arange(4))[:, None])[:, row]).max(axis=0) for mu in speeds])
        j = int(np.argmax((needed.max(axis=0) - needed[-1]) / needed.max(axis=0)))
        limit = np.full(7, np.inf)
        limit[j] = (needed[-1, j] + needed[:, j].max()) / 2
        if needed[-1, j] > 0.98 * needed[:, j].max():
            continue
        f = time_scale(MODEL, t, Limits(**{name: limit}))
        several += 1
        assert f.fastest == 1.0 and len(f.intervals) + (f.intervals[0][0] > 0) >= 2
        inside, near = np.zeros(len(speeds), dtype=bool), np.zeros(len(speeds), dtype=bool)
        for low, high in f.intervals:
            inside |= (speeds >= low) & (speeds <= high)
            near |= (np.abs(speeds - low) < 1e-3) | (np.abs(speeds - high) < 1e-3)
        assert ((needed[:, j] <= limit[j]) == inside)[~near].all()
    assert several >= 8


def test_gravity_alone_may_exceed_a_joint():
    t = Trajectory.interpolate([0, 2], [[0, 1.0, 0, -1.0, 0, 1.5, 0], [0, 1.2, 0, -0.8, 0, 1.5, 0]])
    f = time_scale(MODEL, t, Limits(effort=[87, 5, 87, 87, 12, 12, 12]))
    assert f.fastest is None and f.intervals == () and f.trajectory is None
    assert f.message.startswith(f'none: gravity alone exceeds joint {MODEL.joint_names[1]!r}: ')


def test_what_is_feasible_as_given_is_not_slowed_down():
    t = Trajectory.interpolate([0, 5], [[0.1] * 7, [0.3] * 7])
    f = time_scale(MODEL, t, Limits(effort=1000.0, effort_rate=1e4, velocity=10))
    assert f.fastest == 1.0 and f.intervals == ((0.0, 1.0),) and f.message.startswith('1: all limits are kept')
    assert time_scale(MODEL, t, Limits()).fastest == 1.0


def test_a_margin_makes_it_slower():
    t = random_motion(np.random.default_rng(3), MODEL)
    limits = Limits(effort_rate=evaluate_trajectory(MODEL, t).peaks['effort_rate'].value.max() / 2)
    assert time_scale(MODEL, t, limits, margin=0.8).fastest < time_scale(MODEL, t, limits).fastest < 1


def test_a_velocity_limit_scales_in_proportion():
    t = random_motion(np.random.default_rng(4), MODEL)
    peak = evaluate_trajectory(MODEL, t).peaks['velocity'].value.max()
    assert time_scale(MODEL, t, Limits(velocity=0.37 * peak)).fastest == pytest.approx(0.37, rel=1e-9)


@pytest.mark.parametrize('drive', [
    HardeningSpring(stiffness=1000.0, cubic=100.0, motor_inertia=0.1),
    SeriesElastic(stiffness=1000.0, motor_inertia=0.1, damping=1.0, damping_terms=1),
    SeriesElastic(stiffness=1000.0, motor_inertia=0.1, motor_coulomb=1.0, motor_friction_width=0.1),
])
def test_motors_that_follow_no_polynomial_are_refused_but_evaluated(drive):
    drives, t = {MODEL.joint_names[0]: drive}, random_motion(np.random.default_rng(5), MODEL)
    with pytest.raises(InputError, match='evaluate_trajectory at some speeds'):
        time_scale(MODEL, t, Limits(motor_effort=10), drives)
    found = evaluate_trajectory(MODEL, t, None, drives).peaks['motor_effort']
    q = t.evaluate(np.linspace(t.start, t.end, 4001), 6)
    on_grid = np.abs(motor_feedforward(MODEL, drives, q).efforts).max(axis=0)
    np.testing.assert_allclose(found.value, on_grid, rtol=1e-4)
    assert (found.value >= on_grid * (1 - 1e-9)).all()


def test_limits_must_be_limits_and_motors_need_drives():
    t = random_motion(np.random.default_rng(5), MODEL)
    with pytest.raises(InputError, match='limits is'):
        time_scale(MODEL, t, None)
    with pytest.raises(InputError, match='no drives are'):
        time_scale(MODEL, t, Limits(motor_effort=10))


def test_speeds_between_roots_are_those_of_a_fine_grid():
    rng = np.random.default_rng(6)
    grid = np.linspace(0, 1, 4001)
    for _ in range(300):
        c = rng.standard_normal((rng.integers(1, 6), 5)) * 10**rng.uniform(-1, 1.3, 5)
        c[:, 0] *= 0.3
        if rng.random() < 0.5:
            c[:, rng.integers(0, 5)] = 0
        speeds = FeasibleSpeeds()
        speeds.add(c)
        want = (np.abs(evaluate(c, np.tile(grid, (len(c), 1)))) <= 1).all(axis=0)
        got, near = np.zeros(len(grid), dtype=bool), np.zeros(len(grid), dtype=bool)
        for low, high in speeds.intervals:
            got |= (grid >= low) & (grid <= high)
            near |= (np.abs(grid - low) < 1e-9) | (np.abs(grid - high) < 1e-9)
        assert (got == want)[~near].all()
