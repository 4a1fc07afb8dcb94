# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy of a robot with time derivatives: what drives must give and brakes take."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.matrices import stacked
from hod_ros.dynamics.momentum import moving_inertias
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model.quantities import Quantity
from hod_ros.model.robot_model import RobotModel


class Energy(NamedTuple):
    """Energies [J] and their time derivatives [W], ...; with samples these are axis 0.

    What energy returns.

        >>> E = energy(model, q)
        >>> E.kinetic.shape, E.potential.shape
        ((4,), (4,))
    """

    kinetic: Array         # (order + 1,) of all moving bodies and of the joints' rotors
    potential: Array       # (order + 1,) 0 where the moving bodies' centre of mass is level with the world's origin


def energy(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None,
           threads: int | None = None) -> Energy:
    """Kinetic and potential energy with derivatives up to the order, for q (order + 2, n) or (samples, order + 2, n).

    The sum's first derivative is the power q' Q of the joints and of whatever else acts.
    base: (pose, twists (order + 1, 6) body-fixed) of a free base, which then counts too.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> E = energy(model, q)
        >>> np.allclose(E.kinetic[1] + E.potential[1], inverse_dynamics(model, q)[0] @ q[1])
        True
    """
    return Energy._make(_ENERGY(model, q, base, order, threads))


def _one_sample(model, q, base):
    kinematics = jacobians(model, q, base)
    rates, rows = kinematics.rates, len(q) - 1
    inertia, V, U = moving_inertias(model), kinematics.V, stacked(kinematics.U[:rows])
    kinetic = product(V, apply(inertia, V), lambda a, b: (a * b).sum((-2, -1)))
    rotors = product(rates[:, :model.n], model.armature * rates[:, :model.n], lambda a, b: (a * b).sum(-1))
    masses = product(transpose(U), stacked(inertia @ kinematics.U[:rows]))                  # about the world's origin
    moments = np.stack([masses[:, 2, 4], masses[:, 0, 5], masses[:, 1, 3]], axis=-1)
    return (kinetic + rotors) / 2, -moments @ model.gravity


_ENERGY = Quantity('energy', _one_sample, 'the energy', 2)
