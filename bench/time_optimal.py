"""Time-optimal timing: how much slower than TOPP-RA, which keeps no torque rates, and what it costs; then random paths of other arms."""

import logging
from time import process_time

import numpy as np
from scipy.interpolate import make_interp_spline

from bench import ROOT
from bench.timing import Table
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import inverse_dynamics
from hod_ros import time_optimal

PATHS = 20              # of each kind; 100 take some minutes
POINTS = 5
LOOKS = 20001
RATES = {1000.0: 1.05, 200.0: 1.08}
ARMS = ('ur5_robot', 'iiwa14', 'gen3_robotiq_2f_85', 'edo', 'xarm7')


def random_path(model, seed):
    """A spline with four continuous derivatives through random way points within the position limits."""
    low, high = np.clip(model.position_limits.T, -np.pi, np.pi)
    points = np.random.default_rng(seed).uniform(low, high, (POINTS, model.n))
    x = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    free = [(2, np.zeros(model.n)), (3, np.zeros(model.n))]
    spline = make_interp_spline(x, points, 5, bc_type=(free, free))
    return Trajectory.from_derivatives(x, np.stack([spline(x, k) for k in range(5)], axis=1))


def toppra_duration(model, path, points=1001):
    """The duration [s] that TOPP-RA finds with limits of velocities and efforts on a fine grid; None where it finds none."""
    import toppra
    from toppra import algorithm
    from toppra import constraint
    logging.getLogger('toppra').setLevel(logging.CRITICAL)

    class Path(toppra.interpolator.AbstractGeometricPath):
        dof = model.n
        path_interval = np.array([path.start, path.end])
        waypoints = None

        def __call__(self, s, order=0):
            q = path.evaluate(np.clip(np.atleast_1d(s), path.start, path.end), order)[:, order]
            return q if np.ndim(s) else q[0]

    def efforts(q, v, a):
        return inverse_dynamics(model, np.array([q, v, a]))[0]

    grid = np.linspace(path.start, path.end, points)
    velocity, effort = model.velocity_limits, model.effort_limits
    method = algorithm.TOPPRA(
        [constraint.JointVelocityConstraint(np.stack([-velocity, velocity], axis=1)),
         constraint.JointTorqueConstraint(efforts, np.stack([-effort, effort], axis=1), np.zeros(model.n))],
        Path(), gridpoints=grid, solver_wrapper='seidel')
    speed = method.compute_parameterization(0, 0)[1]
    return None if speed is None else float(np.sum(2 * np.diff(grid) / (speed[1:] + speed[:-1])))


def excess(model, motion, rate):
    """The largest excess of any limit on a grid of time much finer than what was optimised on, as a part of it."""
    q = motion.evaluate(np.linspace(motion.start, motion.end, LOOKS), 3)
    Q = inverse_dynamics(model, q)
    return max(
        float((np.abs(values) / limit).max()) for values, limit in
        ((q[:, 1], model.velocity_limits), (Q[:, 0], model.effort_limits), (Q[:, 1], rate))) - 1


def against_toppra(model, rate, bound, paths=PATHS):
    seconds, ratios, costs, exceeded, slowed = [], [], [], [], []
    for seed in range(paths):
        path = random_path(model, seed)
        start = process_time()
        theirs = toppra_duration(model, path)
        middle = process_time()
        motion = time_optimal(model, path, Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=rate))
        seconds.append(process_time() - middle)
        ratios.append(motion.duration / theirs)
        costs.append(seconds[-1] / (middle - start))
        exceeded.append(excess(model, motion, rate))
        slowed.append(motion.certificate.slow_down)
    table = Table(f'{paths} random paths of {model.name}, torque rates within {rate:g} N m/s; against TOPP-RA without that limit')
    table.add('duration, median ratio', np.median(ratios), 1.0, bound, unit='')
    table.add('duration, largest ratio', max(ratios), 1.0, unit='')
    table.add('CPU time of one path, median, by TOPP-RA\'s', np.median(seconds), np.median(seconds) / np.median(costs), unit='s')
    table.add('CPU time of one path, worst, by 5 s', max(seconds), 5.0, 1.0, unit='s')
    table.add('last slow-down, worst, in 0.05 %', max(slowed) / 5e-4, 1.0, 1.0, unit='')
    table.add('largest excess of a limit, in 1e-6', max(exceeded) / 1e-6, 1.0, 1.0, unit='')
    return table.rows


def run():
    model = RobotModel.from_urdf(ROOT / 'config' / 'robots' / 'panda.urdf')
    return [row for rate, bound in RATES.items() for row in against_toppra(model, rate, bound)]
