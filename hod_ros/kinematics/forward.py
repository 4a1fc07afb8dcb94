# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobians of any link, with time derivatives of any order.

Twists are (angular, linear) [rad/s], [m/s] in one of three representations: 'body' (axes and origin of the link),
'spatial' (world axes, the body point at the world's origin: 003) or 'world_aligned' (world axes at the link's origin:
its rows are the origin's velocity, acceleration, jerk, ...). Derivatives are those of the components.
"""

from typing import NamedTuple

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
from hod_ros.model.quantities import FEW
from hod_ros.model.quantities import Quantity
from hod_ros.model.robot_model import RobotModel


class LinkMotion(NamedTuple):
    """Pose and twists of a link; with samples these are axis 0.

    What forward_kinematics returns; twists are (angular, linear) [rad/s], [m/s].

        >>> hand = forward_kinematics(model, q, 'panda_link8')
        >>> hand.pose.shape, hand.twists.shape
        ((4, 4), (4, 6))
    """

    pose: Array        # (4, 4) in the world
    twists: Array      # (rows - 1, 6) row k: the k-th time derivative


def forward_kinematics(model: RobotModel, q: ArrayLike, link: str, representation: str = 'body', *,
                       base: FreeBase | None = None, order: int | None = None, threads: int | None = None) -> LinkMotion:
    """LinkMotion of a link for q (rows, n), or for (samples, rows, n): its pose and rows - 1 derivatives of its twist.

    base: (pose, twists (rows - 1, 6) body-fixed) of a free base.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    representation: 'body' (axes and origin of the link), 'spatial' (world axes, the point at the world's origin) or 'world_aligned'
    (world axes at the link's origin); twists are (angular, linear) [rad/s], [m/s].
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where the model has no such link, an argument has the wrong shape, name or value, or the result is too large for
    floats.

        >>> hand = forward_kinematics(model, q, 'panda_link8', 'world_aligned')
        >>> position, velocity, acceleration = hand.pose[:3, 3], hand.twists[0, 3:], hand.twists[1, 3:]
        >>> velocity.shape
        (3,)
    """
    place = _place(model, link, representation)
    return LinkMotion._make(_MOTION(model, q, base, order, threads, place, (link, representation)))


def jacobian(model: RobotModel, q: ArrayLike, link: str, representation: str = 'body', *, base: FreeBase | None = None,
             order: int | None = None, threads: int | None = None) -> Array:
    """(rows, 6, n) Jacobian of a link with time derivatives 0 .. rows - 1 for q (rows, n); its twist is J q'.

    For q (samples, rows, n): (samples, rows, 6, n). A free base's motion, base as in forward_kinematics, turns and
    moves the frame of the Jacobian; its own columns are not among these.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    representation, threads: as in forward_kinematics.

    Raises InputError where the model has no such link, an argument has the wrong shape, name or value, or the result is too large for
    floats.

        >>> J = jacobian(model, q, 'panda_link8')
        >>> np.allclose(J[0] @ q[1], forward_kinematics(model, q, 'panda_link8').twists[0])
        True
    """
    try:
        if base is None and order is None and threads is None:
            kernel = model._compiled
            J = kernel.jacobian(q, kernel.kept[representation][link])
            if J is not None and (len(J) <= FEW or J.ndim == 4):
                return J
    except (AttributeError, KeyError, TypeError):       # no model, no kernel, or a link that was not asked for before
        pass
    place = _place(model, link, representation)
    return (_OWN_JACOBIAN if representation == 'body' else _JACOBIAN)(model, q, base, order, threads, place, (link, representation))


def _place(model, link, representation):
    """What the kernel asks of a link; nothing without a kernel."""
    kernel = getattr(model, '_compiled', None)
    try:
        return (kernel.kept[representation][link],)
    except (AttributeError, KeyError, TypeError):       # no kernel, or not asked before
        check_representation(representation)
        motions.robot_model(model).body_of(link)
        return () if kernel is None else (kernel.link(model, link, representation),)


def _motion(model, q, base, link, representation):
    q, base = _rows_first(q, base)
    C, V = _link_pose_and_twists(model, q, *model.body_of(link), base)
    change = from_body(representation, C, V) if len(V) else None
    return C, np.moveaxis(V if change is None else product(change, V, apply), 0, -2)


def _jacobian(model, q, base, link, representation):
    q, base = _rows_first(q, base)
    J = _body_jacobian(model, q, *model.body_of(link))
    if representation != 'body':
        C, V = _link_pose_and_twists(model, q, *model.body_of(link), base)
        J = product(from_body(representation, C, V), J)
    return np.moveaxis(J, 0, -3)


def _rows_first(q, base):
    """q and the twists of a free base with the axis of derivatives first."""
    return np.moveaxis(q, -2, 0), None if base is None else (base[0], np.moveaxis(base[1], -2, 0))


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


_MOTION = Quantity('forward_kinematics', _motion, 'the motion of link {!r}', 1, in_batches=True)
_JACOBIAN = Quantity('jacobian', _jacobian, 'the Jacobian of link {!r}', 1, in_batches=True)
_OWN_JACOBIAN = Quantity('jacobian', _jacobian, 'the Jacobian of link {!r}', 1, in_batches=True, of_base=False)
