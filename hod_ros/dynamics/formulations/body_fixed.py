# SPDX-License-Identifier: Apache-2.0
"""Body-fixed joint screws B_ij, twists and wrenches, with their time derivatives: paper 000, II.A-II.E, on trees.

Twists are (angular, linear) and wrenches (torque, force), body-fixed. Axis 0 of every quantity counts its time
derivatives. The axis of bodies has one place more than there are bodies: the last, which the parent index -1 addresses,
is the base. This is the paper's own O(N^2) way, by the joint screws; hod_ros.dynamics.formulations.recursive takes O(N).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.moving_frames import inverse_adjoints
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import checked_external
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import base_pose_and_twists
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class BodyFixedMotion:
    """Poses, joint screws and twists of all bodies, with time derivatives.

    What body_fixed_motion returns; 000 II.E.

        >>> motion = body_fixed_motion(model, q)
        >>> motion.C.shape, motion.V.shape, motion.jacobian(6).shape
        ((8, 4, 4), (4, 8, 6), (4, 6, 7))
    """

    C: Array           # (N + 1, 4, 4)         C_i in the world
    C_rel: Array       # (N, 4, 4)             C_{p,i}
    B: Array           # (rows, N, m, 6)       B_{i,j}: screw j in the frame of body i; 0 if j does not move i
    B_sum: Array       # (rows, N, N + 1, 6)   (14): twist of body i relative to body j; 0 if j does not carry i
    V: Array           # (rows, N + 1, 6)      V_i

    def jacobian(self, body: int) -> Array:
        """(rows, 6, m) geometric Jacobian of a body over the screws, 000 (7)."""
        if arguments.count(body, 'body', 0) >= self.B.shape[1]:
            raise InputError(f'body is {arguments.shown(body)}; give the index of one of the {self.B.shape[1]} bodies')
        return np.swapaxes(self.B[:, body], -1, -2)


@np.errstate(over='ignore', invalid='ignore')
def body_fixed_motion(model: RobotModel, q: ArrayLike, base: FreeBase | None = None, *, order: int | None = None) -> BodyFixedMotion:
    """Derivatives 0 .. rows - 1 of all joint screws and twists for q (rows + 1, n); 000 II.E.

    base: (pose, twists (rows, 6) body-fixed) of a free base; None: at rest in the world frame.
    order: how many derivatives are meant; needed beyond twelve rows of q, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> motion = body_fixed_motion(model, q)
        >>> np.allclose(motion.V[0, 6], motion.jacobian(6)[0] @ q[1])
        True
    """
    q = motions.motion(model, q, 1, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    s = joints.screw_coordinates(model, q)
    C_rel = joints.relative_poses(model, q)
    rates, rows, N = s[1:, :, None], len(s) - 1, len(model.bodies)
    after = bodies_after(model)
    B = np.zeros((rows, N, len(model.X), 6), np.result_type(C_rel, s))
    B_sum = np.zeros((rows, N, N + 1, 6), B.dtype)
    if rows:
        B[0] = _joint_screws(model, C_rel)
    for k in range(rows):
        if k:
            B[k] = nth(lie.ad(B), B_sum[:, :, model.screw_body], k - 1, apply)          # (17)
        B_sum[k] = after @ nth(B, rates[:, None], k, np.multiply)                       # (14), (18)
    C, V = _poses(model, C_rel, q, base), np.zeros((rows, N + 1, 6), B.dtype)
    V[:, :-1] = B_sum[:, :, -1]                                                         # (5), (15)
    if base is not None:
        V[:, -1] = base_pose_and_twists(q, base)[1]
        to_body = inverse_adjoints(lie.inverse(C[-1]) @ C[:-1], B_sum[:, :, -1])
        V[:, :-1] += product(to_body, V[:, None, -1], apply)
    motions.finite_result(model, (C, B, B_sum, V), 'the motion of the bodies', q)
    return BodyFixedMotion(C, C_rel, B, B_sum, V)


def joint_screws(model: RobotModel, C_rel: ArrayLike) -> Array:
    """B_{i,j} (N, m, 6) from their parents' by 000 (9).

    C_rel: (N, 4, 4) poses of the bodies in their parents.

    Raises InputError where an argument has the wrong shape, name or value.

        >>> motion = body_fixed_motion(model, q)
        >>> np.allclose(joint_screws(model, motion.C_rel), motion.B[0])
        True
    """
    C_rel = arrays.poses(C_rel, len(motions.robot_model(model).bodies), 'C_rel')
    return _joint_screws(model, C_rel)


def _joint_screws(model, C_rel):
    B = np.zeros((len(model.bodies) + 1, len(model.X), 6), np.result_type(C_rel, model.X))
    Ad = lie.Ad(lie.inverse(C_rel))
    for i, parent in enumerate(model.parent):
        own = model.screw_body == i
        B[i] = apply(Ad[i], B[parent])
        B[i, own] = model.X[own]
    return B[:-1]


def bodies_after(model):
    """(N + 1, m) 1 where body j carries the body that the screw moves."""
    N = len(model.bodies)
    carries = np.zeros((N + 1, N), int)
    carries[-1] = 1
    for i, parent in enumerate(model.parent):
        if parent >= 0:
            carries[:-1, i] = carries[:-1, parent]
            carries[parent, i] = 1
    return carries[:, model.screw_body]


def inverse_dynamics(model, q, external=None, base=None):
    """Q (order + 1, n) for q (order + 3, n), and the wrench on the base (order + 1, 6); arguments as recursive's."""
    q = motions.derivatives(model, q, 3)
    motion = body_fixed_motion(model, q, base, order=len(q) - 1)
    W = body_wrenches(model, motion, q, checked_external(model, external, len(q) - 2))
    return recursive.joint_forces(model, W, q), W[:, -1]


def body_wrenches(model, motion, q, external=None):
    """Derivatives of the wrenches that joints pass to bodies, 000 (20): (order + 1, N + 1, 6), the base's last."""
    xi = joints.joint_twists(model, q)
    Ad = joints.relative_adjoints(motion.C_rel, xi)
    G = product(inverse_adjoints(motion.C, motion.V), _upward(model, len(q) - 1), apply, len(q) - 1)
    state = recursive.BodyMotion(motion.C_rel, Ad, motion.V, G)
    return recursive.body_wrenches(model, state, len(q) - 2, external)


def _upward(model, rows):
    """Minus the gravitational acceleration in the world, which is constant."""
    out = np.zeros((rows, 6), model.gravity.dtype)
    out[0, 3:] = -model.gravity
    return out


def _poses(model, C_rel, q, base):
    C = np.zeros((len(C_rel) + 1, 4, 4), C_rel.dtype)
    C[-1] = base_pose_and_twists(q, base)[0]
    for i, parent in enumerate(model.parent):
        C[i] = C[parent] @ C_rel[i]
    return C
