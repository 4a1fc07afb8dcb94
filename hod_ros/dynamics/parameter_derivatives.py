# SPDX-License-Identifier: Apache-2.0
"""Derivatives of M, C, g by the inertial parameters, and their time derivatives: 001, section III, (13).

The matrices are linear in the parameters, so these hold for all values of them: M = M_pi @ pi. Twists are (angular, linear),
body-fixed. Axis 0 counts time derivatives, the last axis the parameters in the order of parameter_names.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.regressor import momentum_regressor
from hod_ros.dynamics.regressor import parameter_slots
from hod_ros.dynamics.regressor import rotors
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class ParameterDerivatives:
    """Derivatives of 001's matrices by the p inertial parameters, with time derivatives: row k is the k-th.

    What parameter_derivatives returns.

        >>> d = parameter_derivatives(model, q)
        >>> d.M_pi.shape, d.C_pi.shape, d.g_pi.shape
        ((4, 7, 7, 70), (4, 7, 7, 70), (4, 7, 70))
    """

    M_pi: Array    # (order + 1, n, n, p)    dM / dpi, (13a)
    C_pi: Array    # (order + 1, n, n, p)    dC / dpi, (13b)
    g_pi: Array    # (order + 1, n, p)       dg / dpi, (13c)


def parameter_derivatives(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None,
                          order: int | None = None) -> ParameterDerivatives:
    """dM/dpi, dC/dpi and dg/dpi with their time derivatives, for q (order + 2, n); pi as inertial_parameters(model), 001 (13).

    base: (pose, twists (order + 1, 6) body-fixed) of a free base; the axes of the matrices are then n + 6 long.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> d, pi = parameter_derivatives(model, q), inertial_parameters(model)
        >>> D = dynamics_matrices(model, q)
        >>> np.allclose(d.M_pi @ pi, D.M), np.allclose(d.C_pi @ pi, D.C), np.allclose(d.g_pi @ pi, D.g)
        (True, True, True)
    """
    q = motions.motion(model, q, 2, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    with np.errstate(over='ignore', invalid='ignore'):
        derivatives = _derivatives(model, q, base)
    motions.finite_result(model, derivatives, 'a derivative by parameters', q)
    return ParameterDerivatives(*derivatives)


def _derivatives(model, q, base):
    kinematics = jacobians(model, q, base)
    J, slots = kinematics.J[:, parameter_slots(model)], parameter_slots(model)
    V, gamma = kinematics.V[:, slots, None], kinematics.gamma[:-1, slots]
    columns = transpose(J)                                              # J_k^j, (rows + 1, bodies, j, 6)
    momenta = momentum_regressor(columns[:-1])                          # A(J_k^j)
    turned = product(lie.ad(V), columns[:-1], apply)                    # adj_k J_k^j
    forces = momentum_regressor(turned + columns[1:]) - product(transpose(lie.ad(V)), momenta)
    onto = columns[:-1]                                                 # J_k^T
    M = _by_parameters(product(onto[:, :, None], momenta))
    C = _by_parameters(product(onto[:, :, None], forces))
    g = _by_parameters(product(onto, momentum_regressor(gamma))[:, :, None])[:, :, 0]
    rotor, n = rotors(model), J.shape[-1]
    M_rotors = np.zeros((len(M), n, n, len(rotor)), M.dtype)
    M_rotors[0, rotor, rotor, np.arange(len(rotor))] = 1
    return (np.concatenate([M, M_rotors], axis=-1), np.concatenate([C, 0 * M_rotors], axis=-1),
            np.concatenate([g, np.zeros((len(g), n, len(rotor)), g.dtype)], axis=-1))


def _by_parameters(blocks):
    """(rows, bodies, j, n, 10) -> (rows, n, j, p)"""
    rows, bodies, columns, n, ten = blocks.shape
    return np.transpose(blocks, (0, 3, 2, 1, 4)).reshape(rows, n, columns, bodies * ten)
