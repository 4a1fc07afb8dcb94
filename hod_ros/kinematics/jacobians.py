# SPDX-License-Identifier: Apache-2.0
"""Body-fixed Jacobians and their derivatives by time and state: the iterative algorithm of paper 001, section VI.

Twists are (angular, linear), body-fixed; 001 writes (linear, angular). Axis 0 of a quantity counts its time
derivatives. The axis of bodies has one place more than there are bodies: the last is the base. With a free base's
motion given, its twist V_0 is the last six of the n + 6 rates; otherwise there are n rates and its Jacobian is zero.

A derivative by state, d/dq_h, of a joint of several axes is that along its h-th screw with the quasi-velocities held:
the body moves by exp(X_h eps), and 001's (33) leads from there to coordinates of another kind. The base's six are
those along its own axes.
"""

from dataclasses import dataclass

import numpy as np

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import product
from hod_ros.model import joints


@dataclass(frozen=True)
class Jacobians:
    """Jacobians of all bodies with their time derivatives; n counts the rates."""

    rates: np.ndarray   # (rows - 1, n)             q', or (q', V_0)
    Xi: np.ndarray      # (N + 1, 6, n)             joint screws: the relative twist is xi = Xi q', below (27)
    Ad: np.ndarray      # (rows, N, 6, 6)           Ad_{p,k}^-1: the parent's twists to the body's
    ad_xi: np.ndarray   # (rows - 1, N, 6, 6)       adj_{p,k} of the relative twists
    J: np.ndarray       # (rows, N + 1, 6, n)       J_k with V_k = J_k q', (27)-(29)
    V: np.ndarray       # (rows - 1, N + 1, 6)      V_k, 001's v_k
    U: np.ndarray       # (rows, N + 1, 6, 6)       Ad_{0,k}^-1: twists of the world frame to the body's
    gamma: np.ndarray   # (rows, N + 1, 6)          gamma_k = Ad_{0,k}^-1 gamma_0, minus the gravitational acceleration


@dataclass(frozen=True)
class StateJacobians:
    """Derivatives of Jacobians by the coordinates; axis h names the coordinate."""

    J: np.ndarray       # (N + 1, h, 6, n)      dJ_k / dq_h, (31); that of J_k' by q_h' is the same, (30)
    J_dot: np.ndarray   # (N + 1, h, 6, n)      dJ_k' / dq_h, (32)


def jacobians(model, q, base=None):
    """Jacobians of q (rows, n): derivatives 0 .. rows - 1 of J, and 0 .. rows - 2 of V.

    base: (pose, twists (rows - 1, 6) body-fixed) of a free base; None: at rest, without columns in J.
    """
    rows, N = len(q), len(model.bodies)
    rates = base_rates(q, base)
    Xi = screws(model, base)
    xi = joints.joint_twists(model, q)
    unused = np.zeros((1, N, 6), q.dtype)       # Ad^(k) takes derivatives of xi up to k - 1
    Ad = joints.relative_adjoints(joints.relative_poses(model, q), np.concatenate([xi, unused]))
    J = np.zeros((rows, N + 1, 6, Xi.shape[-1]), Ad.dtype)
    J[0] = Xi
    for i, parent in enumerate(model.parent):
        for k in range(rows):
            J[k, i] = J[k, i] + nth(Ad[:, i], J[:, parent], k)                      # (27)-(29)
    V = product(J, rates[:, None], apply) if rows > 1 else np.zeros((0, N + 1, 6), J.dtype)
    U = _world_adjoints(model, Ad, V, base)
    return Jacobians(rates, Xi, Ad, lie.ad(xi), J, V, U, U[..., 3:] @ -model.gravity)


def base_rates(q, base):
    """The rates q', or (q', V_0) of a free base, with their derivatives: (rows - 1, n)."""
    return q[1:] if base is None else np.concatenate([q[1:], base[1][:len(q) - 1]], axis=1)


def screws(model, base):
    """Xi (N + 1, 6, n), constant: every body's joint screws in their coordinates' columns; six more for a base."""
    N, n = len(model.bodies), model.n
    moved = joints.screw_matrices(model)
    Xi = np.zeros((N + 1, 6, n if base is None else n + 6), moved.dtype)
    Xi[:N, :, :n] = moved
    if base is not None:
        Xi[N, :, n:] = np.eye(6)
    return Xi


def _world_adjoints(model, Ad, V, base):
    U = np.zeros((len(Ad), len(model.bodies) + 1, 6, 6), Ad.dtype)
    U[0, -1] = np.eye(6, dtype=int) if base is None else lie.Ad(lie.inverse(base[0]))
    for i, parent in enumerate(model.parent):
        U[0, i] = Ad[0, i] @ U[0, parent]
    ad_V = lie.ad(V)
    for k in range(1, len(U)):
        U[k] = -nth(ad_V, U, k - 1)                                                 # below (2): Ad^-1' = -adj Ad^-1
    return U


def state_jacobians(model, jacobians):
    """Derivatives by q_h of J and J' (31)-(32), for Jacobians of two rows or more."""
    J, Ad, ad_xi = jacobians.J, jacobians.Ad[0], jacobians.ad_xi[0]
    N, n = J.shape[1], J.shape[-1]
    ad_Xi = lie.ad(np.swapaxes(jacobians.Xi, -1, -2))
    dJ = np.zeros((N, n, 6, n), J.dtype)
    dJ_dot = np.zeros_like(dJ)
    for i, parent in enumerate(model.parent):
        dJ[i] = Ad[i] @ dJ[parent] - ad_Xi[i] @ (Ad[i] @ J[0, parent])              # (31)
        dJ_dot[i] = Ad[i] @ dJ_dot[parent] - ad_Xi[i] @ (Ad[i] @ J[1, parent]) - ad_xi[i] @ dJ[i]     # (32)
    return StateJacobians(dJ, dJ_dot)
