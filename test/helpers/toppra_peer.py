# SPDX-License-Identifier: Apache-2.0
"""TOPP-RA's timing of the same path, with limits of velocities and efforts."""

import logging

import numpy as np
import toppra
from toppra import algorithm
from toppra import constraint

from hod_ros import inverse_dynamics

logging.getLogger('toppra').setLevel(logging.CRITICAL)


def toppra_duration(model, path, points=1001):
    """The duration [s] that TOPP-RA finds with limits of velocities and efforts on a fine grid; None where it finds none."""
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
