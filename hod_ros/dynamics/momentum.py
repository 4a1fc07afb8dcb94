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
from hod_ros.model.quantities import Quantity
from hod_ros.model.robot_model import RobotModel

_ABOUT = {'world': np.zeros(1), 'com': np.ones(1)}      # as the kernel takes them


def total_mass(model: RobotModel) -> float:
    """Mass of all moving bodies [kg].

    Raises InputError where model is no RobotModel.

        >>> bool(np.isclose(total_mass(model), model.masses.sum()))
        True
    """
    return moving_inertias(motions.robot_model(model))[:, 3, 3].sum()


def centre_of_mass(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None,
                   threads: int | None = None) -> Array:
    """Common centre of mass of the moving bodies [m] and its time derivatives, (rows, 3), for q (rows, n) or samples of it.

    base: (pose, twists (rows - 1, 6) body-fixed) of a free base.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value; ModelError where the moving bodies have no mass.

        >>> centre_of_mass(model, q).shape
        (5, 3)
    """
    return _CENTRE(model, q, base, order, threads)


def centre_of_mass_jacobian(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None,
                            threads: int | None = None) -> Array:
    """J_CoM of 001 (7), (rows, 3, n) with time derivatives, for q (rows, n) or samples of it: its velocity is J_CoM q'.

    base: as in centre_of_mass; with one there are n + 6 columns, those of its twist last.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value; ModelError where the moving bodies have no mass.

        >>> J = centre_of_mass_jacobian(model, q)
        >>> np.allclose(J[0] @ q[1], centre_of_mass(model, q)[1])
        True
    """
    return _CENTRE_JACOBIAN(model, q, base, order, threads)


def momentum_matrix(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None,
                    threads: int | None = None) -> Array:
    """The map from rates to total momentum about the world's origin, (rows, 6, n), for q (rows, n) or samples of it.

    base: as in centre_of_mass_jacobian.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> A = momentum_matrix(model, q)
        >>> np.allclose(A[0] @ q[1], total_momentum(model, q)[0])
        True
    """
    return _MATRIX(model, q, base, order, threads)


def total_momentum(model: RobotModel, q: ArrayLike, *, about: str = 'world', base: FreeBase | None = None, order: int | None = None,
                   threads: int | None = None) -> Array:
    """Total momentum of the moving bodies and its time derivatives, (rows - 1, 6), for q (rows, n) of two rows or more, or samples.

    about: 'world' for the angular momentum about the world's origin, 'com' for that about the common centre of mass, a
    moving point. Row 1 is the wrench of all that acts from outside: gravity, loads, the base's bearing.
    base: as in centre_of_mass.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.
    (angular [N m s], linear [N s]), in world axes.

    Raises InputError where an argument has the wrong shape, name or value; ModelError where the centre of mass is asked for and there is
    no mass.

        >>> h = total_momentum(model, q)
        >>> h.shape, np.allclose(h[0, 3:], total_mass(model) * centre_of_mass(model, q)[1])
        ((4, 6), True)
    """
    if not arguments.one_of(about, ('world', 'com')):
        raise InputError(f"about is {arguments.shown(about)}; it is 'world' or 'com'")
    return _MOMENTUM(model, q, base, order, threads, (_ABOUT[about],), (about,))


def _momentum_matrix(model, q, base):
    return _momentum_of(model, jacobians(model, q, base))


def _momentum(model, q, base, about):
    kinematics = jacobians(model, q, base)
    momentum = product(_momentum_of(model, kinematics), kinematics.rates, apply)
    if about == 'com':
        momentum[:, :3] -= product(_centre_of(model, kinematics), momentum[:, 3:], np.cross, len(momentum))
    return momentum


def _centre_of_mass(model, q, base):
    return _centre_of(model, jacobians(model, q, base))


def _centre_jacobian(model, q, base):
    return _momentum_matrix(model, q, base)[:, 3:] / _positive_mass(model)


def _momentum_of(model, kinematics):
    return product(transpose(stacked(kinematics.U)), stacked(moving_inertias(model) @ kinematics.J))


def _centre_of(model, kinematics):
    U = stacked(kinematics.U)
    inertia = product(transpose(U), stacked(moving_inertias(model) @ kinematics.U))        # about the world's origin
    return np.stack([inertia[:, 2, 4], inertia[:, 0, 5], inertia[:, 1, 3]], axis=-1) / _positive_mass(model)


def moving_inertias(model):
    base = model.M_base if model.base == 'free' else np.zeros((6, 6))
    return np.concatenate([model.M, base[None]])


def _positive_mass(model):
    mass = total_mass(model)
    if model.M.dtype != object and mass <= 0:
        raise ModelError(f'{model.name} has a total mass of {mass} kg, so no centre of mass; give its bodies a mass')
    return mass


_CENTRE = Quantity('centre_of_mass', _centre_of_mass, 'the motion of the centre of mass', 1)
_CENTRE_JACOBIAN = Quantity('centre_of_mass_jacobian', _centre_jacobian, 'the Jacobian of the centre of mass', 1)
_MATRIX = Quantity('momentum_matrix', _momentum_matrix, 'the momentum matrix', 1)
_MOMENTUM = Quantity('total_momentum', _momentum, 'the momentum', 2)
