# SPDX-License-Identifier: Apache-2.0
"""A load whose inertia changes with time, as the wrench that it exerts on its link: 003 V.B.

Inertia matrices (6, 6) act on twists (angular, linear) of the link's frame, 000 (12).
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.algebra.moving_frames import inverse_adjoints
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks import geometry
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import body_pose_and_twists
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


def payload_wrench(model: RobotModel, q: ArrayLike, link: str, inertias: ArrayLike, *, exchanged: bool = False,
                   base: FreeBase | None = None,
                   order: int | None = None) -> LinkWrench:
    """The LinkWrench (order + 1 rows, frame 'link') of a load whose inertia changes with time, for q (order + 3, n).

    inertias: (order + 2, 6, 6) inertia matrix about the link's frame with its time derivatives, see payload_inertias.
    The load's momentum is M V. exchanged=False: it stays with the load, as for a body that changes its shape, and the
    wrench is the load's weight less d(M V)/dt. exchanged=True: matter joins and leaves at the link's own velocity, as
    when something is gripped, filled in or poured out, and carries the momentum flow M' V with it; order + 1 rows do
    then. Momentum of motion inside the load, as m c' of a moving centre of mass, is not part of M V: add its wrench.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> inertias = payload_inertias([2.0, 0.5, 0.0, 0.0], np.zeros((4, 3)), np.zeros((4, 3, 3)))         # 2 kg, filled with 0.5 kg/s
        >>> W = payload_wrench(model, q, 'panda_link8', inertias, exchanged=True)
        >>> inverse_dynamics(model, q, wrenches={'panda_link8': W}).shape
        (3, 7)
    """
    body, placement = motions.robot_model(model).body_of(link)
    exchanged = arguments.flag(exchanged, 'exchanged')
    q = motions.motion(model, q, 3, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    inertias = arrays.numbers(inertias, 'inertias')
    rows = len(q) - 2
    needed = rows if exchanged else rows + 1
    if inertias.ndim != 3 or inertias.shape[1:] != (6, 6) or len(inertias) < needed:
        raise InputError(
            f'inertias of the payload on {link!r} have the shape {inertias.shape}, but q with {len(q)} rows needs '
            f'({needed}, 6, 6): the inertia matrix and its time derivatives')
    if inertias.dtype != object and not np.isfinite(inertias).all():
        row = int(np.argwhere(~np.isfinite(inertias))[0][0])
        raise InputError(f'inertias of the payload on {link!r} are not finite in row {row}; give finite numbers')
    motions.check_shared(len(inertias), needed, None, f'inertias of the payload on {link!r} have', '6, 6')
    geometry.check_inertias(inertias, lambda row: f'row {row} of the payload on {link!r}', negative=True, together=True)
    with np.errstate(over='ignore', invalid='ignore'):
        W = _wrench(model, q, body, placement, inertias, exchanged, base)
    return LinkWrench(motions.finite_result(model, -W, 'the wrench of the payload', q))


def _wrench(model, q, body, placement, inertias, exchanged, base):
    """What moves the payload, (order + 1, 6) in the link's frame."""
    rows = len(q) - 2
    C, V = body_pose_and_twists(model, q, body, base)
    C, V = C @ placement, apply(lie.Ad(lie.inverse(placement)), V)
    weightless = np.concatenate([np.zeros(3), -model.gravity])
    acceleration = V[1:] + apply(inverse_adjoints(C, V), weightless)[:rows]
    momentum = product(inertias, V[:rows], apply)
    W = product(inertias, acceleration, apply) - product(transpose(lie.ad(V)), momentum, apply, rows)
    if not exchanged:
        W = W + product(inertias[1:], V, apply, rows)
    return W
