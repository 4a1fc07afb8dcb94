# SPDX-License-Identifier: Apache-2.0
"""What acts on each body by itself: 001 (2), 000 (13), with time derivatives.

Twists are (angular, linear) and wrenches (torque, force), body-fixed. Axis 0 counts time derivatives.
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.matrices import body_inertias
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


def net_wrenches(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None) -> Array:
    """f_k = Lambda_k V_k' - ad_{V_k}^T Lambda_k V_k with time derivatives: (order + 1, N + 1, 6) for q (order + 3, n), 001 (2).

    The sum of all that acts on a body, its weight, loads and joints' wrenches together: the rate of its momentum, in its own frame
    [N m], [N]. The base's is the last. What joints pass on is the sum of these over all that they carry, 000 (19), 003 (30).
    base: (pose, twists (order + 2, 6) body-fixed) of a free base. order: how many derivatives are meant; needed beyond twelve rows.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> f = net_wrenches(model, q)
        >>> f.shape, bool(f[:, -1].any())                                           # the base is at rest
        ((3, 8, 6), False)
    """
    q = motions.motion(model, q, 3, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    with np.errstate(over='ignore', invalid='ignore'):
        V = jacobians(model, q, base).V
        momentum = apply(body_inertias(model), V)
        f = momentum[1:] - product(transpose(lie.ad(V)), momentum, apply, len(q) - 2)
    return motions.finite_result(model, f, 'a net wrench', q)
