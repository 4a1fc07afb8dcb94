# SPDX-License-Identifier: Apache-2.0
"""Recursive n-th order inverse dynamics in body-fixed representation: paper 000, section II, on trees. The reference.

Twists are (angular, linear) and wrenches (torque, force), body-fixed. Axis 0 of every quantity counts its time derivatives. The axis of
bodies has one place more than there are bodies: the last, which the parent index -1 addresses, is the base.

O(N) for the twists and wrenches: where 000 (14)-(18) sums over the joint screws B_ij, the Leibniz rule is applied to (4) itself, with
the derivatives of Ad that 000 gives below (20). Numbers may be of any kind: floats, sympy's symbols, mpmath's.
"""

from dataclasses import dataclass

import numpy as np

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import transpose
from hod_ros.model import joints


@dataclass(frozen=True)
class BodyMotion:
    """Relative poses and twists of all bodies, with time derivatives."""

    C_rel: np.ndarray   # (N, 4, 4)             C_{p,i}: pose of body i in its parent's frame
    Ad: np.ndarray      # (rows, N, 6, 6)       Ad_{C_{i,p}}: the parent's twists to the body's
    V: np.ndarray       # (rows, N + 1, 6)      V_i
    G: np.ndarray       # (rows, N + 1, 6)      minus the gravitational acceleration, as a twist's derivative in the body's frame


def body_motion(model, q, base=None):
    """Forward recursion of 000 II.E for q (rows, n): derivatives 0 .. rows - 2 of all twists.

    base: (pose, twists (rows - 1, 6) body-fixed) of a free base; None: at rest in the world frame.
    """
    rows, N = len(q) - 1, len(model.bodies)
    C_rel = joints.relative_poses(model, q)
    xi = joints.joint_twists(model, q)
    Ad = joints.relative_adjoints(C_rel, xi)
    V = np.zeros((rows, N + 1, 6), Ad.dtype)
    G = np.zeros_like(V)
    _place_base(model, base, V, G)
    for i, parent in enumerate(model.parent):
        for k in range(rows):
            V[k, i] = nth(Ad[:, i], V[:, parent], k) + xi[k, i]       # (4)
            G[k, i] = nth(Ad[:, i], G[:, parent], k)
    return BodyMotion(C_rel, Ad, V, G)


def _place_base(model, base, V, G):
    g = np.concatenate([np.zeros(3), -model.gravity])
    if base is None:
        G[0, -1] = g
        return
    pose, twists = base
    V[:, -1] = twists[:len(V)]
    G[0, -1] = lie.Ad(lie.inverse(pose)) @ g
    for k in range(1, len(G)):
        G[k, -1] = -nth(lie.ad(V[:, -1]), G[:, -1], k - 1, apply)       # Ad' = -ad_V Ad for Ad of the inverse pose


def body_wrenches(model, motion, rows, external=None):
    """Backward recursion, 000 (20): W (rows, N + 1, 6), the wrench each joint passes to its body; the last is the base's."""
    V, M = motion.V, np.concatenate([model.M, model.M_base[None]])
    momentum = apply(M, V)
    ad_Vt = transpose(lie.ad(V))
    W = np.stack([
        apply(M, V[k + 1] + motion.G[k]) - nth(ad_Vt, momentum, k, apply) for k in range(rows)])      # (13)
    if external is not None:
        W = W - external
    Ad_t = transpose(motion.Ad)
    for i in reversed(range(len(model.bodies))):
        for k in range(rows):
            W[k, model.parent[i]] += nth(Ad_t[:, i], W[:, i], k)
    return W


def joint_forces(model, W, q):
    """D^(k) Q_i = X_i^T D^(k) W_i, collected on the coordinates, with the rotors' inertia. W (rows, N + 1, 6) -> (rows, n)."""
    return joints.collect(model, (W[:, model.screw_body] * model.X).sum(-1)) + model.armature * q[2:2 + len(W)]


def inverse_dynamics(model, q, external=None, base=None):
    """Q (order + 1, n) for q (order + 3, n), and the wrench on the base (order + 1, 6).

    external: (order + 1, N + 1, 6) body-fixed wrenches that the environment exerts on the bodies. base: see body_motion.
    """
    motion = body_motion(model, q, base)
    W = body_wrenches(model, motion, len(q) - 2, external)
    return joint_forces(model, W, q), W[:, -1]
