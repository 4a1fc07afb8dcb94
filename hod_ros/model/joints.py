# SPDX-License-Identifier: Apache-2.0
"""From coordinates to relative motions of neighbouring bodies, and from forces along screws back to coordinates.

Every formulation goes through these few functions, so that mimic joints and joints of several axes are known in one place only.
Twists are (angular, linear), in the frame of the body that the joint moves. Axis 0 counts time derivatives.
"""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import nth


def screw_coordinates(model, q):
    """(rows, ..., n) -> (rows, ..., m): the motion along every screw."""
    out = q[..., model.coordinate] * model.multiplier
    out[0] = out[0] + model.offset
    return out


def relative_poses(model, q):
    """C_{p,i} = B_i exp(X_i q_i) (..., N, 4, 4): pose of every body in its parent's frame, for q (rows, ..., n)."""
    return model.B @ exponentials(model, model.X, screw_coordinates(model, q[:1])[0])


def exponentials(model, screws, s):
    """exp(sum_k screws_k s_k) (..., N, 4, 4): each body's own motion along screws (m, 6), for s (..., m)."""
    if model.single_axes:
        return lie.exp(screws, s)
    twists = _sum_by_body(model, screws * s[..., None])
    moved = np.stack([lie.exp_twist(xi) for xi in twists.reshape(-1, 6)])
    return moved.reshape(twists.shape[:-1] + (4, 4))


def joint_twists(model, q):
    """xi_i = X_i q_i' and its derivatives, (rows - 1, ..., N, 6) for q (rows, ..., n)."""
    rates = screw_coordinates(model, q)[1:]
    return _sum_by_body(model, model.X * rates[..., None])


def moved_coordinates(model, q, step):
    """Coordinates (n,) after a small motion: each joint first as q says, then by `step` along its screws in the moved body."""
    out = q + step
    if model.single_axes:
        return out
    for body in np.flatnonzero(np.bincount(model.screw_body) > 1):
        own = model.screw_body == body
        X, columns = model.X[own], model.coordinate[own]
        C = lie.exp_twist(q[columns] @ X) @ lie.exp_twist(step[columns] @ X)
        out[columns] = np.linalg.lstsq(X.T, lie.log(C), rcond=None)[0]
    return out


def screw_matrices(model):
    """X_i with xi_i = X_i q', 001's Xi_k: (N, 6, n), constant. A mimic joint's screw stands in its master's column."""
    out = np.zeros((len(model.bodies), 6, model.n), np.result_type(model.X, model.multiplier))
    np.add.at(out, (model.screw_body, slice(None), model.coordinate), model.X * model.multiplier[:, None])
    return out


def collect(model, forces):
    """(..., m) forces along the screws -> (..., n): generalised forces of the coordinates."""
    out = np.zeros(forces.shape[:-1] + (model.n,), forces.dtype)
    forces = forces * model.multiplier
    for k, column in enumerate(model.coordinate):
        out[..., column] += forces[..., k]
    return out


def _sum_by_body(model, values):
    """(..., m, 6) -> (..., N, 6)"""
    if model.single_axes:
        return values
    out = np.zeros(values.shape[:-2] + (len(model.bodies), 6), values.dtype)
    for k, body in enumerate(model.screw_body):
        out[..., body, :] += values[..., k, :]
    return out


def relative_adjoints(C_rel, xi):
    """Derivatives of Ad_{C_{i,p}}, below 000 (20): Ad' = -ad_xi Ad with xi = X q'. C_rel (N, 4, 4), xi (rows, N, 6)."""
    Ad = [lie.Ad(lie.inverse(C_rel))]
    ad_xi = lie.ad(xi)
    for k in range(1, len(xi)):
        Ad.append(-nth(ad_xi, Ad, k - 1))
    return np.stack(Ad)
