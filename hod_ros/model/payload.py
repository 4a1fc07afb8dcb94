# SPDX-License-Identifier: Apache-2.0
"""Loads that a link carries as part of the model, and their inertia matrices with time derivatives.

Inertia matrices (6, 6) act on twists (angular, linear) of the link's frame, 000 (12).
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks import geometry
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

_TOLERANCE = 1e-6


def with_payload(model: RobotModel, link: str, mass: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0),
                 inertia: ArrayLike | None = None) -> RobotModel:
    """The model with a load rigidly attached to a link (also one of the base); the model itself stays as it is.

    mass [kg], center: its centre of mass in the link's frame [m], inertia: its (3, 3) tensor about its centre of mass
    along the link's axes [kg m^2], None for a point mass.

    Raises InputError where the model has no such link or the load is that of no real body.

        >>> loaded = with_payload(model, 'panda_link8', mass=2.0, center=[0.0, 0.0, 0.1])
        >>> bool(np.isclose(total_mass(loaded) - total_mass(model), 2.0))
        True
    """
    body, placement = motions.robot_model(model).body_of(link)
    load = payload_inertias(*([part] for part in _checked(mass, center, inertia, model.exact)))[0]
    to_link = lie.Ad(lie.inverse(placement))
    load = to_link.T @ load @ to_link
    if body < 0:
        return model.replace(M_base=model.M_base + load)
    M = model.M.copy()
    M[body] += load
    return model.replace(M=M)


@np.errstate(over='ignore', invalid='ignore')
def payload_inertias(mass: ArrayLike, center: ArrayLike, inertia: ArrayLike) -> Array:
    """(rows, 6, 6) inertia matrix about the link's frame and its time derivatives.

    mass (rows,), center (rows, 3), inertia (rows, 3, 3) about the centre of mass: each with its time derivatives.

    Raises InputError where an argument has the wrong shape, name or value.

        >>> payload_inertias([2.0, 0.5], np.zeros((2, 3)), np.zeros((2, 3, 3)))[:, 3, 3]          # 2 kg, and 0.5 kg/s more
        array([2. , 0.5])
    """
    named = {'mass': mass, 'center': center, 'inertia': inertia}
    mass, center, inertia = (arrays.finite(arrays.numbers(value, name), name) for name, value in named.items())
    if not (mass.ndim == 1 and center.shape == (len(mass), 3) and inertia.shape == (len(mass), 3, 3)):
        raise InputError(
            f'a payload has mass, center and inertia of the shapes {mass.shape}, {center.shape}, {inertia.shape}; give '
            '(rows,), (rows, 3), (rows, 3, 3) with as many rows each, row k the k-th time derivative')
    moment = lie.skew(product(mass, center, np.multiply))
    out = np.zeros((len(mass), 6, 6), np.result_type(mass, center, inertia))
    out[:, :3, :3] = inertia + product(moment, transpose(lie.skew(center)))
    out[:, :3, 3:], out[:, 3:, :3], out[:, 3:, 3:] = moment, -moment, mass[:, None, None] * np.eye(3, dtype=int)
    return arrays.not_too_large(out, 'an inertia of the payload')


def _checked(mass, center, inertia, exact):
    numbers = arrays.numbers if exact else arrays.floats
    try:
        mass, center = numbers(mass, 'mass'), numbers(center, 'center')
        inertia = np.zeros((3, 3)) if inertia is None else numbers(inertia, 'inertia')
    except InputError as error:
        raise InputError(f'mass, center or inertia of the payload are no numbers ({error}); give 1, 3 and 3x3 numbers') from None
    if mass.ndim:
        raise InputError(f'the payload has a mass of shape {mass.shape}; give one number [kg]')
    if center.shape != (3,) or inertia.shape != (3, 3):
        raise InputError(
            f'the payload has a center of shape {center.shape}, an inertia of {inertia.shape}; give (3,) and (3, 3)')
    try:
        _check_plausible(float(mass), center.astype(float), inertia.astype(float))
    except TypeError:
        pass        # symbols may stand for anything
    except OverflowError:
        raise InputError('mass, center or inertia of the payload is too large for a floating point number; are the units right?') from None
    return mass[()], center, inertia


def _check_plausible(mass, center, inertia):
    for name, value in (('mass', mass), ('center', center), ('inertia', inertia)):
        if not np.isfinite(value).all():
            raise InputError(f'the payload has {name} {value}; give finite numbers')
    if mass < 0:
        raise InputError(f'the payload has the mass {mass} kg; give 0 or more (the model without it still exists)')
    if np.abs(inertia).max() > arguments.LARGEST:
        raise InputError(f'the payload has the inertia {inertia.tolist()}; give numbers of a real body [kg m^2]')
    if np.abs(inertia - inertia.T).max() > _TOLERANCE * np.abs(inertia).max():
        raise InputError(f'the payload has the inertia {inertia.tolist()}; give a symmetric tensor')
    moments, fault = geometry.principal_moments(inertia)
    if fault:
        raise InputError(
            f'the payload has the principal moments of inertia {", ".join(f"{value:.6g}" for value in moments)} kg m^2: {fault}; give the '
            'tensor about the centre of mass')
