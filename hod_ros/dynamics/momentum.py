# SPDX-License-Identifier: Apache-2.0
"""Centre of mass, its Jacobian (paper 001, (7)) and total momentum, with time derivatives, as dynamic balancing needs.

Everything is resolved in world axes; momenta are (angular [N m s], linear [N s]). Axis 0 counts time derivatives. All
moving bodies count: a free base does, a fixed one doesn't (nor does it in the total mass).
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks import arguments
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.matrices import stacked
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


def total_mass(model: RobotModel) -> float:
    """Mass of all moving bodies [kg].

    Raises InputError where model is no RobotModel.

        >>> bool(np.isclose(total_mass(model), model.masses.sum()))
        True
    """
    return _moving_inertias(motions.robot_model(model))[:, 3, 3].sum()


@np.errstate(over='ignore', invalid='ignore')
def centre_of_mass(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None,
                   order: int | None = None) -> Array:
    """Common centre of mass of the moving bodies [m] and its time derivatives, (rows, 3), for q (rows, n).

    base: (pose, twists (rows - 1, 6) body-fixed) of a free base.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value; ModelError where the moving bodies have no mass.

        >>> centre_of_mass(model, q).shape
        (5, 3)
    """
    q, kinematics = _kinematics(model, q, 1, base, order)
    U = stacked(kinematics.U)
    inertia = product(transpose(U), stacked(_moving_inertias(model) @ kinematics.U))        # about the world's origin
    centre = np.stack([inertia[:, 2, 4], inertia[:, 0, 5], inertia[:, 1, 3]], axis=-1) / _positive_mass(model)
    return motions.finite_result(model, centre, 'the motion of the centre of mass', q)


@np.errstate(over='ignore', invalid='ignore')
def centre_of_mass_jacobian(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None,
                            order: int | None = None) -> Array:
    """J_CoM of 001 (7), (rows, 3, n) with time derivatives, for q (rows, n): its velocity is J_CoM q'.

    base: as in centre_of_mass; with one there are n + 6 columns, those of its twist last.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value; ModelError where the moving bodies have no mass.

        >>> J = centre_of_mass_jacobian(model, q)
        >>> np.allclose(J[0] @ q[1], centre_of_mass(model, q)[1])
        True
    """
    q, kinematics = _kinematics(model, q, 1, base, order)
    J = _momentum_matrix(model, kinematics)[:, 3:] / _positive_mass(model)
    return motions.finite_result(model, J, 'the Jacobian of the centre of mass', q)


@np.errstate(over='ignore', invalid='ignore')
def momentum_matrix(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None,
                    order: int | None = None) -> Array:
    """The map from rates to total momentum about the world's origin, (rows, 6, n), for q (rows, n).

    base: as in centre_of_mass_jacobian.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> A = momentum_matrix(model, q)
        >>> np.allclose(A[0] @ q[1], total_momentum(model, q)[0])
        True
    """
    q, kinematics = _kinematics(model, q, 1, base, order)
    return motions.finite_result(model, _momentum_matrix(model, kinematics), 'the momentum matrix', q)


@np.errstate(over='ignore', invalid='ignore')
def total_momentum(model: RobotModel, q: ArrayLike, *, about: str = 'world', base: FreeBase | None = None,
                   order: int | None = None) -> Array:
    """Total momentum of the moving bodies and its time derivatives, (rows - 1, 6), for q (rows, n) of two rows or more.

    about: 'world' for the angular momentum about the world's origin, 'com' for that about the common centre of mass, a
    moving point. Row 1 is the wrench of all that acts from outside: gravity, loads, the base's bearing.
    base: as in centre_of_mass.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    (angular [N m s], linear [N s]), in world axes.

    Raises InputError where an argument has the wrong shape, name or value; ModelError where the centre of mass is asked for and there is
    no mass.

        >>> h = total_momentum(model, q)
        >>> h.shape, np.allclose(h[0, 3:], total_mass(model) * centre_of_mass(model, q)[1])
        ((4, 6), True)
    """
    if not arguments.one_of(about, ('world', 'com')):
        raise InputError(f"about is {arguments.shown(about)}; it is 'world' or 'com'")
    q, kinematics = _kinematics(model, q, 2, base, order)
    momentum = product(_momentum_matrix(model, kinematics), kinematics.rates, apply)
    if about == 'com':
        lever = centre_of_mass(model, q, base=base, order=len(q) - 1)
        momentum[:, :3] -= product(lever, momentum[:, 3:], np.cross, len(momentum))
    return motions.finite_result(model, momentum, 'the momentum', q)


def _kinematics(model, q, fewest, base, order):
    q = motions.motion(model, q, fewest, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    return q, jacobians(model, q, base)


def _momentum_matrix(model, kinematics):
    return product(transpose(stacked(kinematics.U)), stacked(_moving_inertias(model) @ kinematics.J))


def _moving_inertias(model):
    base = model.M_base if model.base == 'free' else np.zeros((6, 6))
    return np.concatenate([model.M, base[None]])


def _positive_mass(model):
    mass = total_mass(model)
    if model.M.dtype != object and mass <= 0:
        raise ModelError(f'{model.name} has a total mass of {mass} kg, so no centre of mass; give its bodies a mass')
    return mass
