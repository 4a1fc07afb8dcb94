# SPDX-License-Identifier: Apache-2.0
"""Trajectories: time of interpolation and evaluation, and how well interpolation, time scaling and efforts keep their promises."""

from fractions import Fraction
from math import perm
from time import process_time

import numpy as np
from mp_reference import reference

from bench import ROOT
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import inverse_dynamics
from hod_ros import time_scale
from hod_ros import with_effort

CASES = 1000


def points_of(rng, n, most=9, spread=1.0):
    """(times, positions) at random."""
    points = rng.integers(2, most)
    return np.cumsum(10**rng.uniform(-spread, 0.3, points)), np.cumsum(rng.uniform(-1, 1, (points, n)), axis=0)


def times(model):
    table = Table('10 s at 1 kHz, 7 joints, order 2; CPU time; against inverse_dynamics of the same 10,000 rows [ms]')
    rng = np.random.default_rng(0)
    way, at = np.linspace(0, 10, 21), np.linspace(0, 10, 10_000)
    positions = np.cumsum(rng.uniform(-0.3, 0.3, (21, model.n)), axis=0)
    rows = Trajectory.interpolate(way, positions).evaluate(at, 4)

    def whole(**options):
        t = Trajectory.interpolate(way, positions, **options)
        return inverse_dynamics(model, t.evaluate(at, 4))
    measured = nanoseconds({
        'alone': lambda: inverse_dynamics(model, rows), 'near': whole, 'free': lambda: whole(max_deviation=None)},
        rounds=40, seconds=0.02, clock=process_time)
    table.add('interpolated within 1e-3, evaluated, and Q to Q\'\'', measured['near'] / 1e6, measured['alone'] / 1e6, 2.0, 'ms')
    table.add('the same without a bound of the deviation', measured['free'] / 1e6, measured['alone'] / 1e6, 2.0, 'ms')
    return table.rows


def growth():
    table = Table('Interpolation of many way points, CPU time a point; against 1,000 points [us]')
    rng = np.random.default_rng(1)

    def time_a_point(points):
        way = np.cumsum(rng.uniform(0.02, 0.06, points))
        positions = np.sin(way[:, None] * rng.uniform(0.2, 1.0, 7))
        best = np.inf
        for _ in range(max(3, 100_000 // points // 20)):
            start = process_time()
            Trajectory.interpolate(way, positions)
            best = min(best, process_time() - start)
        return best / points * 1e6
    small = time_a_point(1000)
    for points in (10_000, 100_000):
        table.add(f'{points} way points', time_a_point(points), small, 2.0, 'us')
    return table.rows


def interpolation():
    table = Table(f'{CASES} random sets of way points, any smoothness and any subset given; against the bound')
    rng = np.random.default_rng(2)
    jump = met = left = 0.0
    for i in range(CASES):
        smoothness = 2 + i % 4
        way, positions = points_of(rng, rng.integers(1, 7))
        given = [np.where(rng.random(positions.shape) < rng.random(), rng.standard_normal(positions.shape), np.nan) for _ in range(2)]
        t = Trajectory.interpolate(way, positions, *given, smoothness, max_deviation=None)
        size = np.abs(t.evaluate(np.linspace(t.start, t.end, 400), smoothness)).max(axis=(0, 2))
        if len(way) > 2:
            jump = max(jump, (np.abs(t.jumps(smoothness)).max(axis=(0, 2)) / size).max())
        rows = t.evaluate(way, 2)
        met = max(met, max(np.nanmax(np.append(np.abs(rows[:, k + 1] - g), 0.0)) / size[k + 1] for k, g in enumerate(given)))
        t = Trajectory.interpolate(way, positions, smoothness=smoothness)
        at = np.linspace(way[:-1], way[1:], 200, axis=1)
        q = t.evaluate(at.ravel())[:, 0].reshape(*at.shape, -1)
        line = np.diff(positions, axis=0)[:, None]
        part = np.clip(np.sum((q - positions[:-1, None]) * line, axis=2) / np.sum(line * line, axis=2), 0, 1)
        left = max(left, np.sqrt(np.sum((q - positions[:-1, None] - part[..., None] * line)**2, axis=2)).max())
    table.add('largest jump at a knot, of the derivative\'s size [1e-9]', jump * 1e9, 1.0, 1.0, '')
    table.add('given velocities and accelerations missed [1e-12]', met * 1e12, 1.0, 1.0, '')
    table.add('deviation from the straight lines [1e-3]', left * 1e3, 1.0, 1.0, '')
    return table.rows


def exact_rows(t, time, rows):
    """(rows, n): q and its derivatives at a time by rational numbers, from the coefficients of the piece."""
    i = min(int(np.searchsorted(t.breaks, time, side='right')), len(t.coefficients)) - 1
    begin, end = Fraction(t.breaks[i]), Fraction(t.breaks[i + 1])
    u, h = (Fraction(time) - begin) / (end - begin), end - begin
    return np.array([
        [float(sum(perm(j, k) * Fraction(c) * u**(j - k) for j, c in enumerate(column) if j >= k) / h**k) for column in t.coefficients[i].T]
        for k in range(rows)])


def reference_forces(model):
    table = Table("Q, Q', Q'' along 20 random trajectories; against rational numbers and dynamics in fifty digits")
    rng = np.random.default_rng(5)
    worst = np.zeros(3)
    for _ in range(20):
        t = Trajectory.interpolate(*points_of(rng, model.n, 6, 0.5))
        times = rng.uniform(t.start, t.end, 5)
        found = inverse_dynamics(model, t.evaluate(times, 4))
        for time, Q in zip(times, found, strict=True):
            exact = reference(model, exact_rows(t, time, 5))
            worst = np.maximum(worst, [np.abs(a - b).max() / np.abs(b).max() for a, b in zip(Q, exact, strict=True)])
    for name, error in zip(('Q', "Q'", "Q''"), worst, strict=True):
        table.add(f'error of {name}, relative [1e-12]', error * 1e12, 1000.0, 1.0, '')
    return table.rows


def scaling(model):
    table = Table(f'{CASES} random motions and limits of the Panda, scaled in speed; against the bound')
    rng = np.random.default_rng(3)
    excess, slowed, unbroken, none, start = 0.0, 0, 0, 0, process_time()
    spent = 0.0
    for _ in range(CASES):
        way, positions = points_of(rng, model.n, 5, 0.5)
        t = Trajectory.interpolate(way, positions, max_deviation=None)
        peaks = evaluate_trajectory(model, t).peaks
        limited = [name for name in ('velocity', 'effort', 'effort_rate') if rng.random() < 0.7]
        figures = {name: peaks[name].value * rng.uniform(0.5, 3.0, model.n) for name in limited}
        limits = Limits(**figures)
        start = process_time()
        f = time_scale(model, t, limits)
        spent += process_time() - start
        if f.fastest is None:
            none += 1
            continue
        margins = evaluate_trajectory(model, f.trajectory, limits).margins
        excess = max([excess, *(-margin.min() for margin in margins.values())])
        if f.fastest < 1:
            slowed += 1
            unbroken += evaluate_trajectory(model, t.at_speed(1.001 * f.fastest), limits).feasible
    table.add(f'largest excess of a limit, {slowed} slowed, {none} with none [1e-9]', excess * 1e9, 1.0, 1.0, '')
    table.add('still feasible when 0.1 % faster', unbroken, 1.0, 0.0, '')
    table.add('CPU time a motion', spent / CASES * 1e3, 1.0, None, 'ms')
    return table.rows


def efforts(model):
    table = Table('Effort filled in, 100 random motions of the Panda; against 0.1 % of the limit')
    rng = np.random.default_rng(4)
    worst, count = 0.0, []
    for _ in range(100):
        way, positions = points_of(rng, model.n, 6, 0.5)
        t = Trajectory.interpolate(way, positions)
        points = with_effort(model, t)
        at = np.linspace(t.start, t.end, 20_001)
        linear = np.stack([np.interp(at, points.times, column) for column in points.efforts.T], axis=1)
        worst = max(worst, (np.abs(linear - inverse_dynamics(model, t.evaluate(at, 2))[:, 0]) / model.effort_limits).max())
        count.append(len(points) / t.duration)
    table.add(f'error of linear interpolation [0.1 %]; {np.median(count):.0f} points a second', worst * 1e3, 1.0, 1.0, '')
    return table.rows


def run():
    model = RobotModel.from_urdf((ROOT / 'config' / 'robots' / 'panda.urdf').read_bytes())
    return {
        'times': times(model), 'growth': growth(), 'interpolation': interpolation(), 'reference': reference_forces(model),
        'scaling': scaling(model), 'efforts': efforts(model)}


if __name__ == '__main__':
    run()
