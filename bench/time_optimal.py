# SPDX-License-Identifier: Apache-2.0
"""Time-optimal timing: how much slower than TOPP-RA, which keeps no torque rates, and what it costs; then random paths of other arms."""

import sys
from time import process_time

import numpy as np
from scipy.interpolate import make_interp_spline

from bench import ROOT
from bench.timing import Table
from hod_ros import InputError
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import inverse_dynamics
from hod_ros import time_optimal

sys.path.insert(0, str(ROOT / 'test' / 'helpers'))

PATHS = 10              # of each kind; `python -m bench.time_optimal 100` takes ten minutes
POINTS = 5
LOOKS = 20001           # at which gravity's torques are looked at where a path is refused
RATES = {1000.0: 1.05, 200.0: 1.08}
ARMS = ('kinova', 'so101', 'talos_left_arm', 'ur10_robot', 'xarm7')        # of example-robot-data
RISE = 0.1              # s: torque rates within the efforts by this, for arms whose makers state none


def random_path(model, seed):
    """A spline with four continuous derivatives through random way points within the position limits."""
    low, high = np.clip(model.position_limits.T, -np.pi, np.pi)
    points = np.random.default_rng(seed).uniform(low, high, (POINTS, model.n))
    x = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    free = [(2, np.zeros(model.n)), (3, np.zeros(model.n))]
    spline = make_interp_spline(x, points, 5, bc_type=(free, free))
    return Trajectory.from_derivatives(x, np.stack([spline(x, k) for k in range(5)], axis=1))


def excess(model, motion, limits):
    """The largest excess of any limit at maxima found to rounding, by code that shares nothing with the timing; as a part of the limit."""
    return -min(float(margin.min()) for margin in evaluate_trajectory(model, motion, limits).margins.values())


def against_toppra(model, rate, bound, paths=PATHS):
    from toppra_peer import toppra_duration
    seconds, ratios, costs, exceeded, slowed = [], [], [], [], []
    for seed in range(paths):
        path = random_path(model, seed)
        start = process_time()
        theirs = toppra_duration(model, path)
        middle = process_time()
        limits = Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=rate)
        motion = time_optimal(model, path, limits)
        seconds.append(process_time() - middle)
        ratios.append(motion.duration / theirs)
        costs.append(seconds[-1] / (middle - start))
        exceeded.append(excess(model, motion, limits))
        slowed.append(motion.certificate.slow_down)
    table = Table(f'{paths} random paths of {model.name}, torque rates within {rate:g} N m/s; against TOPP-RA without that limit')
    table.add('duration, median ratio', np.median(ratios), 1.0, bound, unit='')
    table.add('duration, largest ratio', max(ratios), 1.0, unit='')
    table.add('CPU time of one path, median, by TOPP-RA\'s', np.median(seconds), np.median(seconds) / np.median(costs), unit='s')
    table.add('CPU time of one path, worst, by 5 s', max(seconds), 5.0, 1.0, unit='s')
    table.add('last slow-down, worst, in 0.05 %', max(slowed) / 5e-4, 1.0, 1.0, unit='')
    table.add('largest excess of a limit, in 1e-6', max(exceeded) / 1e-6, 1.0, 1.0, unit='')
    return table.rows


def outcome(model, path, rate):
    """'certified' with no limit exceeded, 'refused' where gravity alone is too much somewhere, or what went wrong."""
    limits = Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=rate)
    try:
        motion = time_optimal(model, path, limits)
    except InputError as error:
        q = path.evaluate(np.linspace(path.start, path.end, LOOKS), 0)
        held = inverse_dynamics(model, np.concatenate([q, 0 * q, 0 * q], axis=1))[:, 0]
        return 'refused' if (np.abs(held) >= model.effort_limits).any() else str(error)
    over = excess(model, motion, limits)
    return 'certified' if over <= 1e-6 else f'exceeds a limit by {over:g}'


def arms(paths=PATHS):
    from robots import robot_path
    table = Table(f'{paths} random paths each of public arms: torque rates within the efforts by {RISE:g} s; certified, in all')
    for name in ARMS:
        model = RobotModel.from_urdf(robot_path(name).read_bytes())
        start = process_time()
        outcomes = [outcome(model, random_path(model, seed), model.effort_limits / RISE) for seed in range(paths)]
        seconds = (process_time() - start) / paths
        for other in sorted(set(outcomes) - {'certified', 'refused'}):
            print(f'{name}: {other}')
        true = sum(one in ('certified', 'refused') for one in outcomes)
        what = f'{name}: certified, or truly refused ({outcomes.count("refused")}); {seconds:.1f} s each'
        table.add(what, true, paths, 1.0, unit='', at_least=True)
    return table.rows


def run(paths=PATHS):
    model = RobotModel.from_urdf((ROOT / 'config' / 'robots' / 'panda.urdf').read_bytes())
    return [row for rate, bound in RATES.items() for row in against_toppra(model, rate, bound, paths)] + arms(paths)


if __name__ == '__main__':
    run(int(sys.argv[1]))
