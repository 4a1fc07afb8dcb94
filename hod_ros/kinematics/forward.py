# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobians of any link, with time derivatives of any order.

Twists are (angular, linear) [rad/s], [m/s] in one of three representations: 'body' (axes and origin of the link),
'spatial' (world axes, the body point at the world's origin: 003) or 'world_aligned' (world axes at the link's origin:
its rows are the origin's velocity, acceleration, jerk, ...). Derivatives are those of the components.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.moving_frames import check_representation
from hod_ros.algebra.moving_frames import from_body
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.kinematics.chain import body_pose_and_twists
from hod_ros.kinematics.chain import chain_of
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class LinkMotion:
    """Pose and twists of a link; with samples these are axis 0.

    What forward_kinematics returns; twists are (angular, linear) [rad/s], [m/s].

        >>> hand = forward_kinematics(model, q, 'panda_link8')
        >>> hand.pose.shape, hand.twists.shape
        ((4, 4), (4, 6))
    """

    pose: Array        # (4, 4) in the world
    twists: Array      # (rows - 1, 6) row k: the k-th time derivative


@np.errstate(over='ignore', invalid='ignore')
def forward_kinematics(model: RobotModel, q: ArrayLike, link: str, representation: str = 'body', *,
                       base: FreeBase | None = None,
                       order: int | None = None) -> LinkMotion:
    """LinkMotion of a link for q (rows, n), or for (samples, rows, n): its pose and rows - 1 derivatives of its twist.

    base: (pose, twists (rows - 1, 6) body-fixed) of a free base.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    representation: 'body' (axes and origin of the link), 'spatial' (world axes, the point at the world's origin) or 'world_aligned'
    (world axes at the link's origin); twists are (angular, linear) [rad/s], [m/s].

    Raises InputError where the model has no such link, an argument has the wrong shape, name or value, or the result is too large for
    floats.

        >>> hand = forward_kinematics(model, q, 'panda_link8', 'world_aligned')
        >>> position, velocity, acceleration = hand.pose[:3, 3], hand.twists[0, 3:], hand.twists[1, 3:]
        >>> velocity.shape
        (3,)
    """
    check_representation(representation)
    body, placement = motions.robot_model(model).body_of(link)
    q = np.moveaxis(motions.motions(model, q, 1, order), -2, 0)
    C, V = _link_pose_and_twists(model, q, body, placement, _base(model, base, q))
    if len(V):
        V = _changed(V, from_body(representation, C, V))
    motions.finite_result(model, (C, V), f'the motion of link {link!r}', np.moveaxis(q, 0, -2))
    return LinkMotion(C, np.moveaxis(V, 0, -2))


@np.errstate(over='ignore', invalid='ignore')
def jacobian(model: RobotModel, q: ArrayLike, link: str, representation: str = 'body', *, base: FreeBase | None = None,
             order: int | None = None) -> Array:
    """(rows, 6, n) Jacobian of a link with time derivatives 0 .. rows - 1 for q (rows, n); its twist is J q'.

    For q (samples, rows, n): (samples, rows, 6, n). A free base's motion, base as in forward_kinematics, turns and
    moves the frame of the Jacobian; its own columns are not among these.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    representation: as in forward_kinematics.

    Raises InputError where the model has no such link, an argument has the wrong shape, name or value, or the result is too large for
    floats.

        >>> J = jacobian(model, q, 'panda_link8')
        >>> np.allclose(J[0] @ q[1], forward_kinematics(model, q, 'panda_link8').twists[0])
        True
    """
    check_representation(representation)
    body, placement = motions.robot_model(model).body_of(link)
    q = np.moveaxis(motions.motions(model, q, 1, order), -2, 0)
    J = _body_jacobian(model, q, body, placement)
    if representation != 'body':
        C, V = _link_pose_and_twists(model, q, body, placement, _base(model, base, q))
        J = product(from_body(representation, C, V), J)
    motions.finite_result(model, J, f'the Jacobian of link {link!r}', np.moveaxis(q, 0, -2))
    return np.moveaxis(J, 0, -3)


def _body_jacobian(model, q, body, placement):
    """Columns Ad_{C_{l,j}} X_j, 000 (8), of the screws on the link's chain; 0 elsewhere."""
    rows, samples = len(q), q.shape[1:-1]
    chain = chain_of(model, body)
    C_rel = joints.relative_poses(model, q)
    xi = joints.joint_twists(model, np.concatenate([q, 0 * q[:1]]))     # the last Ad needs no further twist
    J = np.zeros((rows, *samples, 6, len(model.X)), np.result_type(C_rel, q))
    to_link = np.zeros((rows, *samples, 6, 6), J.dtype)
    to_link[0] = lie.Ad(lie.inverse(placement))
    for i in reversed(chain):
        for k in np.flatnonzero(model.screw_body == i):
            J[..., k] = to_link @ model.X[k]
        to_link = product(to_link, joints.relative_adjoints(C_rel[..., i, :, :], xi[..., i, :]))
    return joints.collect(model, J)


def _link_pose_and_twists(model, q, body, placement, base):
    C, V = body_pose_and_twists(model, q, body, base)
    return C @ placement, apply(lie.Ad(lie.inverse(placement)), V)


def _changed(V, change):
    return V if change is None else product(change, V, apply)


def _base(model, base, q):
    """base in the shapes that belong to q (rows, ..., n)."""
    samples, rows = q.shape[1:-1], len(q) - 1
    if model.base == 'fixed' or base is None or not samples:
        return motions.base_of(model, base, rows)
    pose, twists = motions.free_bases(base, samples, rows)
    return pose, np.moveaxis(twists, -2, 0)
