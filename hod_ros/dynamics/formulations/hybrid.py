# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics in hybrid representation, which 003 names beside the spatial and the body-fixed one, on trees.

Twists are (angular, linear) and wrenches (torque, force), resolved in world axes and taken at the body frame's origin:
the linear velocity is that origin's. Between bodies only the origins' distance r enters, and its derivatives are
differences of velocities. Axis 0 of every quantity counts its time derivatives; the last place of the axis of bodies is
the base.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.algebra.moving_frames import rotations
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.loads import checked_external
from hod_ros.kinematics.chain import base_pose_and_twists
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class HybridMotion:
    """Poses, joint screws, twists and distances to the parents' origins of all bodies, with time derivatives.

    What hybrid_motion returns.

        >>> motion = hybrid_motion(model, q)
        >>> motion.V.shape, motion.r.shape
        ((4, 8, 6), (4, 7, 3))
    """

    C: Array       # (N + 1, 4, 4)
    X: Array       # (rows, m, 6)          joint screws in world axes at their body's origin
    V: Array       # (rows, N + 1, 6)
    r: Array       # (rows, N, 3)          from the parent's origin to the body's, in world axes

    @property
    def turning(self) -> Array:
        """(rows, N + 1, 6, 6) blockdiag([w], [w]): what a vector fixed in the body changes by."""
        return turning_matrices(self.V)


def turning_matrices(V):
    """blockdiag([w], [w]) for twists V (..., 6)."""
    return lie.ad(np.concatenate([V[..., :3], 0 * V[..., 3:]], axis=-1))


@np.errstate(over='ignore', invalid='ignore')
def hybrid_motion(model: RobotModel, q: ArrayLike, base: FreeBase | None = None, *, order: int | None = None) -> HybridMotion:
    """Derivatives 0 .. rows - 1 of all twists for q (rows + 1, n).

    base: (pose, twists (rows, 6) body-fixed) of a free base; None: at rest in the world frame.
    order: how many derivatives are meant; needed beyond twelve rows of q, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> hybrid_motion(model, q).X.shape
        (4, 7, 6)
    """
    q = motions.motion(model, q, 1, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    s = joints.screw_coordinates(model, q)
    C_rel = joints.relative_poses(model, q)
    rates, rows, N = s[1:, :, None], len(s) - 1, len(model.bodies)
    C = np.zeros((N + 1, 4, 4), C_rel.dtype)
    V = np.zeros((rows, N + 1, 6), np.result_type(C_rel, s))
    X, r = np.zeros((rows, len(model.X), 6), V.dtype), np.zeros((rows, N, 3), V.dtype)
    C[-1], V_base = base_pose_and_twists(q, base)
    V[:, -1] = product(rotations(C[-1], V_base), V_base, apply)
    turning = np.zeros((rows, N, 6, 6), V.dtype)
    first = np.searchsorted(model.screw_body, np.arange(N + 1))
    for i, parent in enumerate(model.parent):
        own = slice(first[i], first[i + 1])
        C[i] = C[parent] @ C_rel[i]
        r[0, i] = C[i, :3, 3] - C[parent, :3, 3]
        X[0, own] = _rotated(C[i], model.X[own])
        across = lie.skew(V[:, parent, :3])
        for k in range(rows):
            if k:
                r[k, i] = V[k - 1, i, 3:] - V[k - 1, parent, 3:]
                X[k, own] = nth(turning[:, i], X[:, own], k - 1, apply)
            V[k, i] = V[k, parent] + nth(X[:, own], rates[:, own], k, np.multiply).sum(0)
            V[k, i, 3:] += nth(across, r[:, i], k, apply)
            turning[k, i] = turning_matrices(V[k, i])
    motions.finite_result(model, (C, X, V, r), 'the motion of the bodies', q)
    return HybridMotion(C, X, V, r)


def mass_matrices(model, motion):
    """Inertia matrices in world axes about the bodies' origins, with derivatives (rows, N + 1, 6, 6)."""
    R = np.zeros((len(motion.C), 6, 6), motion.C.dtype)
    R[:, :3, :3] = R[:, 3:, 3:] = motion.C[:, :3, :3]
    turning = motion.turning
    M = [R @ np.concatenate([model.M, model.M_base[None]]) @ transpose(R)]
    for k in range(1, len(motion.V)):
        M.append(nth(turning, M, k - 1) - nth(M, turning, k - 1))
    return np.stack(M)


def body_wrenches(model, motion, external=None):
    """The wrench each joint passes to its body (rows - 1, N + 1, 6); the last is the base's. external: body-fixed."""
    rows, M = len(motion.V) - 1, mass_matrices(model, motion)
    momentum = product(M, motion.V, apply)
    flying = lie.ad(np.concatenate([0 * motion.V[..., :3], motion.V[..., 3:]], axis=-1))
    weightless = np.concatenate([0 * model.gravity, -model.gravity])
    W = momentum[1:] + apply(M[:rows], weightless) - product(transpose(flying), momentum, apply, rows)
    if external is not None:
        W = W - product(_to_world_axes(motion.C, motion.turning, rows), external, apply)
    arm = lie.skew(motion.r)
    for i in reversed(range(len(model.bodies))):
        W[:, model.parent[i]] += W[:, i]
        W[:, model.parent[i], :3] += product(arm[:, i], W[:, i, 3:], apply, rows)
    return W


def inverse_dynamics(model, q, external=None, base=None):
    """Q (order + 1, n) for q (order + 3, n), and the wrench on the base (order + 1, 6), body-fixed.

    external: (order + 1, N + 1, 6) body-fixed wrenches that the environment exerts on the bodies. base: (pose, twists).
    """
    q = motions.derivatives(model, q, 3)
    motion = hybrid_motion(model, q, base, order=len(q) - 1)
    W = body_wrenches(model, motion, checked_external(model, external, len(q) - 2))
    along = product(motion.X, W[:, model.screw_body], _dot, len(W))
    Q = joints.collect(model, along) + model.armature * q[2:2 + len(W)]
    back = transpose(_to_world_axes(motion.C[-1], motion.turning[:, -1], len(W)))
    return Q, product(back, W[:, -1], apply)


def _to_world_axes(C, turning, rows):
    """Derivatives of blockdiag(R, R) from world angular velocities: R' = [w] R."""
    R = np.zeros(C.shape[:-2] + (6, 6), C.dtype)
    R[..., :3, :3] = R[..., 3:, 3:] = C[..., :3, :3]
    out = [R]
    for k in range(1, rows):
        out.append(nth(turning, out, k - 1))
    return np.stack(out)


def _rotated(C, screws):
    R = C[:3, :3]
    return np.concatenate([screws[:, :3] @ R.T, screws[:, 3:] @ R.T], axis=-1)


def _dot(a, b):
    return (a * b).sum(-1)
