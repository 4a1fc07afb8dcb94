# SPDX-License-Identifier: Apache-2.0
"""Robots whose drives are all rigid or linear springs: their motors from q and Q in one pass, compiled where it can be."""

from functools import partial

import numpy as np


def in_numpy(figures, q, Q):
    """(.., 2 R - 2, n) for q (.., R + 2, n) and Q (.., R, n): R rows of theta, then R - 2 of tau; None: use the general way."""
    if not (_plain(q) and _plain(Q)) or q.ndim not in (2, 3) or q.shape[-2] < 5:
        return None
    if Q.shape != (*q.shape[:-2], q.shape[-2] - 2, q.shape[-1]) or q.shape[-1] != figures.shape[1]:
        return None
    ratio, compliance, inertia, friction, inverse = figures
    with np.errstate(all='ignore'):
        theta = ratio * (q[..., :-2, :] + compliance * Q)
        tau = inertia * theta[..., 2:, :] + friction * theta[..., 1:-1, :] + inverse * Q[..., :-2, :]
        out = np.concatenate([theta, tau], axis=-2)
        return out if np.isfinite(out).all() and np.isfinite(q[..., -2:, :]).all() else None


def linear_drives(model, drives):
    """What computes as in_numpy the motors of these drives, one a joint; None where one of them is of another kind."""
    if not all((drive.linear_spring or not drive.elastic) and not drive.damping for drive in drives):
        return None
    figures, kernel = figures_of(drives), getattr(model, '_compiled', None)
    if kernel is None:
        return partial(in_numpy, figures)
    compute = kernel.robot.algorithm('linear_drives')
    return lambda q, Q: compute(q, Q, figures)


def figures_of(drives):
    """(5, n): gear ratio, compliance, inertia, viscous friction, inverse of the gear ratio of linear drives."""
    return np.array([
        (drive.gear_ratio, 1 / drive.stiffness if drive.elastic else 0.0, drive.motor_inertia, drive.motor_friction, 1 / drive.gear_ratio)
        for drive in drives]).reshape(-1, 5).T.copy()


def _plain(array):
    return type(array) is np.ndarray and array.dtype == np.float64
