# SPDX-License-Identifier: Apache-2.0
"""Loads that a link carries as part of the model, and their inertia matrices with time derivatives.

Inertia matrices (6, 6) act on twists (angular, linear) of the link's frame, 000 (12).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks import geometry
from hod_ros.checks.types import Array
from hod_ros.description.plausibility import grouped
from hod_ros.description.plausibility import inertia_doubts
from hod_ros.description.plausibility import place_doubts
from hod_ros.description.records import Link
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

_TOLERANCE = 1e-6


def with_payload(model: RobotModel, link: str, mass: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0),
                 inertia: ArrayLike | None = None) -> RobotModel:
    """The model with a load rigidly attached to a link (also one of the base); the model itself stays as it is.

    mass [kg], center: its centre of mass in the link's frame [m], inertia: its (3, 3) tensor about its centre of mass
    along the link's axes [kg m^2], None for a point mass. What is doubtful about it comes to the model's warnings.

    Raises InputError where the model has no such link or the load is that of no real body.

        >>> loaded = with_payload(model, 'panda_link8', mass=2.0, center=[0.0, 0.0, 0.1])
        >>> bool(np.isclose(total_mass(loaded) - total_mass(model), 2.0))
        True
    """
    body, placement = motions.robot_model(model).body_of(link)
    mass, center, inertia = _checked(mass, center, inertia, model.exact)
    load = payload_inertias([mass], [center], [inertia])[0]
    to_link = lie.Ad(lie.inverse(placement))
    load = to_link.T @ load @ to_link
    if body < 0:
        return model.replace(M_base=model.M_base + load, warnings=(
            *model.warnings, *(_doubts(link, mass, center, inertia) if model.base == 'free' else ())))
    M = model.M.copy()
    M[body] += load
    return model.replace(M=M, warnings=(*model.warnings, *_doubts(link, mass, center, inertia)))


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
    inertia = _symmetric(inertia)
    moment = lie.skew(product(mass, center, np.multiply))
    out = np.zeros((len(mass), 6, 6), np.result_type(mass, center, inertia))
    out[:, :3, :3] = inertia + product(moment, transpose(lie.skew(center)))
    out[:, :3, 3:], out[:, 3:, :3], out[:, 3:, 3:] = moment, -moment, mass[:, None, None] * np.eye(3, dtype=int)
    arrays.not_too_large(out, 'an inertia of the payload')
    geometry.check_inertias(out, lambda row: f'row {row} of the payload', negative=True)
    return out


def _symmetric(inertia):
    """The tensors (rows, 3, 3), exactly symmetric where they are but for rounding, which may be as large in all rows."""
    if inertia.dtype == object or not inertia.size:
        return inertia
    off = np.abs(inertia - transpose(inertia)).max((-1, -2))
    if not (off <= _TOLERANCE * np.abs(inertia).max()).all():
        row = int(np.argmax(off))
        raise InputError(f'the payload has the inertia {inertia[row].tolist()} in row {row}; give a symmetric tensor in every row')
    return inertia / 2 + transpose(inertia) / 2


@np.errstate(over='ignore')
def _doubts(link, mass, center, inertia):
    """Sentences about a load, as about a link."""
    if object in (np.asarray(mass).dtype, center.dtype, inertia.dtype) or not mass:
        return []
    load = Link(link, float(mass), center, inertia)
    doubts = (*inertia_doubts(link, load.mass, inertia, point_masses=True), *place_doubts(load))
    return grouped(replace(doubt, what='the payload of link') for doubt in doubts)


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
    if not mass and inertia.any():
        raise InputError('the payload has an inertia but no mass; give its mass, or no inertia')
    for name, value, unit in (('mass', mass, 'kg'), ('center', center, 'm'), ('inertia', inertia, 'kg m^2')):
        if np.abs(value).max() > arguments.LARGEST:
            raise InputError(f'the payload has the {name} {np.asarray(value).tolist()}; give numbers of a real body [{unit}]')
    if np.abs(inertia - inertia.T).max() > _TOLERANCE * np.abs(inertia).max():
        raise InputError(f'the payload has the inertia {inertia.tolist()}; give a symmetric tensor')
    moments, fault = geometry.principal_moments(inertia)
    if fault:
        raise InputError(
            f'the payload has the principal moments of inertia {", ".join(f"{value:.6g}" for value in moments)} kg m^2: {fault}; give the '
            'tensor about the centre of mass')
