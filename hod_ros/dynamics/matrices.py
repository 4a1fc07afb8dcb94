# SPDX-License-Identifier: Apache-2.0
"""Dynamic matrices M, C, g with their time derivatives: paper 001, (6) and (25), on trees with joints of several axes.

Twists are (angular, linear), body-fixed; 001 writes (linear, angular). Axis 0 counts time derivatives. C is not
unique: this is 001's (6b), chosen because M' - 2 C is skew, for joints of several axes and mimic joints too; so
C + C^T = M', and the same holds of their derivatives.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import motions
from hod_ros.model.quantities import Quantity
from hod_ros.model.robot_model import RobotModel


class DynamicMatrices(NamedTuple):
    """M q'' + C q' + g = Q, 001 (5), and time derivatives: row k is the k-th.

    What dynamics_matrices returns.

        >>> D = dynamics_matrices(model, q)
        >>> D.M.shape, D.C.shape, D.g.shape
        ((4, 7, 7), (4, 7, 7), (4, 7))
    """

    M: Array       # (order + 1, n, n) [kg m^2] (revolute), with the rotors' inertia (6a)
    C: Array       # (order + 1, n, n) (6b)
    g: Array       # (order + 1, n) [N m] (6c)


def dynamics_matrices(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None,
                      threads: int | None = None) -> DynamicMatrices:
    """M, C and g with their time derivatives up to the order, for q (order + 2, n) or (samples, order + 2, n): C^(k) needs q^(k+1).

    base: (pose, twists (order + 1, 6) body-fixed: angular, linear) of a free base; the matrices are then
    (n + 6, n + 6), the base's last.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.
    M q'' + C q' + g = Q, 001 (5), (6) and (25).

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats; ModelError where
    nothing that moves has inertia.

        >>> D = dynamics_matrices(model, q)
        >>> np.allclose(D.M[0] @ q[2] + D.C[0] @ q[1] + D.g[0], inverse_dynamics(model, q)[0])
        True
    """
    return DynamicMatrices._make(_MATRICES(model, q, base, order, threads))


def matrices_from_jacobians(model, q, base=None):
    """The same by (6a)-(6c) in numpy, for checked arrays."""
    kinematics = jacobians(model, q, base)
    J, V = kinematics.J, kinematics.V
    inertia = body_inertias(model)
    momenta = inertia @ J
    M = sum_over_bodies(J[:-1], momenta[:-1])                                       # (6a), (25a)
    M[0, :model.n, :model.n] += np.diag(model.armature)
    C = sum_over_bodies(J[:-1], product(coriolis_blocks(inertia, V), J) + momenta[1:])      # (6b), (25b)
    g = sum_over_bodies(J[:-1], inertia @ kinematics.gamma[:-1, ..., None])[..., 0]       # (6c), (25c)
    return DynamicMatrices(M, C, g)


_MATRICES = Quantity('matrices', matrices_from_jacobians, 'a dynamic matrix', 2, asked=motions.massive)


def body_inertias(model):
    """Lambda_k, (N + 1, 6, 6), the base's last."""
    return np.concatenate([model.M, model.M_base[None]])


def coriolis_blocks(inertia, V):
    """Psi_k = Lambda_k adj_k - adj_k^T Lambda_k, skew, below (3); for V (..., N + 1, 6)."""
    ad = lie.ad(V)
    return inertia @ ad - transpose(ad) @ inertia


def sum_over_bodies(J, wrenches):
    """sum_k J_k^T w_k with time derivatives: (rows, N + 1, 6, n) and (rows, N + 1, 6, p) -> (rows, n, p)."""
    return product(transpose(stacked(J)), stacked(wrenches))


def stacked(blocks):
    """(..., N + 1, 6, n) -> (..., 6 (N + 1), n): col(.) of 001."""
    *outer, bodies, six, columns = blocks.shape
    return blocks.reshape(*outer, bodies * six, columns)

