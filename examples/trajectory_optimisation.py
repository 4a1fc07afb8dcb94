#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fastest motion of a Panda from rest to rest under limits of torque and torque rate, its path free too: IPOPT through CasADi.

The positions are B-splines of degree seven over [0, T]; their control points and T are the unknowns. Torques and their rates come with
exact derivatives. Needs casadi: pip install casadi.

Run: python examples/trajectory_optimisation.py
"""

import argparse

import casadi  # pyright: ignore[reportMissingImports]
import numpy as np
from scipy.interpolate import BSpline

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import example_robot
from hod_ros import time_optimal
from hod_ros import time_scale
from hod_ros.casadi import forces

BEGIN = np.array([-0.6, -0.3, 0.4, -2.2, 0.2, 1.6, 0.5])
END = np.array([0.7, 0.6, -0.5, -1.2, -0.4, 2.6, -0.6])
EFFORT = np.array([87.0, 87, 87, 87, 12, 12, 12])           # [N m]
EFFORT_RATE = 500.0                                         # [N m/s]
DEGREE, SPANS, SAMPLES = 7, 10, 60
AT_REST = 4                                                 # control points at each end, where velocity, acceleration and jerk are 0
KNOTS = np.concatenate([np.zeros(DEGREE), np.linspace(0, 1, SPANS + 1), np.ones(DEGREE)])
COUNT = SPANS + DEGREE                                      # of control points


def basis(u: np.ndarray, order: int) -> np.ndarray:
    """(len(u), COUNT): the order-th derivative of every B-spline by u in [0, 1]."""
    return np.stack([BSpline(KNOTS, np.eye(COUNT)[k], DEGREE).derivative(order)(u) if order else BSpline(KNOTS, np.eye(COUNT)[k], DEGREE)(u)
                     for k in range(COUNT)], axis=1)


def optimised(model: RobotModel, margin: float, guess: float) -> tuple[float, np.ndarray]:
    """T [s] and the control points (COUNT, n) of the fastest motion; guess: a T with which a straight motion keeps the limits."""
    order, n = 1, model.n
    u = (1 - np.cos(np.linspace(0, np.pi, SAMPLES))) / 2                                  # densest at the ends, where rates are largest
    inner, T = casadi.MX.sym('inner', COUNT - 2 * AT_REST, n), casadi.MX.sym('T')
    points = casadi.vertcat(np.tile(BEGIN, (AT_REST, 1)), inner, np.tile(END, (AT_REST, 1)))
    rows = [casadi.mtimes(basis(u, k), points) / T**k for k in range(order + 3)]           # q, q', q'', q''' at the samples: (SAMPLES, n)
    columns = casadi.horzcat(*(row[s, :].T for s in range(SAMPLES) for row in rows))        # sample by sample, as forces wants them
    dynamics = forces(model, order, SAMPLES)
    Q = dynamics(columns)
    g = casadi.vertcat(casadi.vec(Q), casadi.vec(rows[0]))
    lower, upper = model.position_limits.T
    most = np.concatenate([
        np.tile(np.concatenate([margin * EFFORT, np.full(n, margin * EFFORT_RATE)]), SAMPLES), np.repeat(upper, SAMPLES)])
    least = np.concatenate([-most[:2 * n * SAMPLES], np.repeat(lower, SAMPLES)])
    problem = {'x': casadi.vertcat(casadi.vec(inner), T), 'f': T, 'g': g}
    solver = casadi.nlpsol('fastest', 'ipopt', problem, {
        'ipopt.hessian_approximation': 'limited-memory', 'ipopt.limited_memory_max_history': 30, 'ipopt.max_iter': 300, 'ipopt.tol': 1e-5,
        'ipopt.print_level': 0, 'print_time': False, 'ipopt.sb': 'yes'})
    share = np.linspace(0, 1, COUNT - 2 * AT_REST)[:, None]
    start = BEGIN + share * (END - BEGIN)
    found = solver(x0=np.append(start.ravel(order='F'), guess), lbg=least, ubg=most,
                   lbx=np.append(np.full(start.size, -np.inf), 0.1), ubx=np.inf)
    if not solver.stats()['success']:
        raise SystemExit(f'IPOPT found no motion: {solver.stats()["return_status"]}')
    x = np.array(found['x']).ravel()
    middle = x[:-1].reshape(n, -1).T
    return float(x[-1]), np.vstack([np.tile(BEGIN, (AT_REST, 1)), middle, np.tile(END, (AT_REST, 1))])


def trajectory(T: float, points: np.ndarray) -> Trajectory:
    """The same motion as a Trajectory: B-splines of degree seven are polynomials between their knots."""
    u = np.linspace(0, 1, SPANS + 1)
    derivatives = np.stack([basis(u, k) @ points / T**k for k in range(4)], axis=1)
    return Trajectory.from_derivatives(T * u, derivatives)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--margin', type=float, default=0.98, help='part of the limits used at the samples; between them it may be more')
    options = parser.parse_args()

    model = RobotModel.from_urdf(example_robot('panda'))
    limits = Limits(effort=EFFORT, effort_rate=EFFORT_RATE)
    straight = time_optimal(model, Trajectory.interpolate([0, 1], [BEGIN, END]), limits, margin=options.margin)
    T, points = optimised(model, options.margin, 1.5 * straight.end)
    found = trajectory(T, points)
    speed = time_scale(model, found, limits).fastest
    if speed is None:
        raise SystemExit('the motion is feasible at no speed')
    result = evaluate_trajectory(model, found.at_speed(speed), limits)
    print(f'limits kept at {SAMPLES} samples in {T:.3f} s; between them too at {speed:.3f} of that speed, in {T / speed:.3f} s')
    print(f'that is {T / speed / straight.end:.2f} of the {straight.end:.3f} s that the straight line takes')
    print(result.message)


if __name__ == '__main__':
    main()
