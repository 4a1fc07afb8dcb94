# SPDX-License-Identifier: Apache-2.0
"""Joint screws and link inertias from vectors that a drawing or data sheet gives: 003 II, 000 (12).

Screws are (angular, linear), in the frame in which axis and point are given: the world's for the spatial screws Y of
003, the body's for the body-fixed screws X of 000. A joint of one axis is a (6,) array, one of d axes a (d, 6) array.
Lengths in [m], a pitch in [m/rad].
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.errors import ModelError

ORIGIN = (0, 0, 0)
AXES = np.eye(3, dtype=int)


def revolute(e: ArrayLike, y: ArrayLike = ORIGIN) -> Array:
    """(6,) screw (e, y x e) of a rotation about the axis e through the point y."""
    return helical(e, y, 0)


def prismatic(e: ArrayLike) -> Array:
    """(6,) screw (0, e) of a translation along e."""
    e = _direction(e)
    return np.concatenate([0 * e, e])


def helical(e: ArrayLike, y: ArrayLike, h: float) -> Array:
    """(6,) screw (e, y x e + h e) of a motion about the axis e through y that advances by the pitch h a radian."""
    e, y = _direction(e), _vector(y, 'point y')
    return np.concatenate([e, np.cross(y, e) + _number(h, 'pitch h') * e])


def cylindrical(e: ArrayLike, y: ArrayLike = ORIGIN) -> Array:
    """(2, 6) screws of the rotation about the axis e through y, and of the translation along it."""
    return np.stack([revolute(e, y), prismatic(e)])


def spherical(y: ArrayLike = ORIGIN, axes: ArrayLike = AXES) -> Array:
    """(3, 6) screws of a ball joint about y; its rates are the relative angular velocity along the three axes."""
    axes = _numbers(axes, 'axes')
    if axes.shape != (3, 3):
        raise ModelError(f'axes has the shape {axes.shape}; give three axes of a ball joint, (3, 3)')
    return np.stack([revolute(e, y) for e in axes])


def planar(e1: ArrayLike, e2: ArrayLike, y: ArrayLike = ORIGIN) -> Array:
    """(3, 6) screws of motion in a plane: translations along e1 and e2, and the rotation about e1 x e2 through y."""
    e1, e2 = _direction(e1), _direction(e2)
    return np.stack([prismatic(e1), prismatic(e2), revolute(np.cross(e1, e2), y)])


def free(y: ArrayLike = ORIGIN) -> Array:
    """(6, 6) screws of unconstrained motion; its rates are the relative twist (angular, linear) of a frame at y."""
    return np.concatenate([spherical(y), [prismatic(e) for e in AXES]])


@np.errstate(over='ignore', invalid='ignore')
def link_inertia(mass: ArrayLike, com: ArrayLike = ORIGIN, tensor: ArrayLike | None = None, *, about: str = 'com') -> Array:
    """(6, 6) inertia M_i of a link about its frame's origin, 000 (12).

    mass [kg]; com: centre of mass in the link's frame [m].
    tensor: (3, 3) rotational inertia in the link's axes [kg m^2], None for a point mass.
    about: the point that the tensor is given about, 'com' or 'frame' (the frame's origin).

    Raises ModelError where a figure has the wrong shape or is not finite, or about is neither.

        >>> M = link_inertia(2.0, [0.0, 0.0, 0.1], np.diag([0.01, 0.01, 0.005]))
        >>> float(M[3, 3]), bool(np.isclose(M[0, 0], 0.01 + 2.0 * 0.1**2))
        (2.0, True)
    """
    if not arguments.one_of(about, ('com', 'frame')):
        raise ModelError(f"about is {arguments.shown(about)}; a tensor is given about 'com' or 'frame'")
    mass, c = _number(mass, 'mass'), lie.skew(_vector(com, 'com'))
    steiner = -mass * (c @ c)
    if tensor is None:
        tensor, about = np.zeros((3, 3), dtype=int), 'com'
    tensor = _numbers(tensor, 'tensor')
    if tensor.shape != (3, 3):
        raise ModelError(f'tensor has the shape {tensor.shape}; give the symmetric (3, 3) matrix')
    out = np.zeros((6, 6), np.result_type(c, tensor, mass, float))
    out[:3, :3] = tensor + steiner if about == 'com' else tensor
    out[:3, 3:], out[3:, :3], out[3:, 3:] = mass * c, -mass * c, mass * np.eye(3, dtype=int)
    if out.dtype != object and not np.isfinite(out).all():
        raise ModelError(
            f'the inertia of the mass {mass} at {np.asarray(com).tolist()} is too large for a floating point number; are the units right?')
    return out


def _direction(e):
    e = _vector(e, 'axis e')
    if e.dtype == object:
        return e
    length = np.linalg.norm(e)
    if not length > 0:
        raise ModelError(f'axis e is {e.tolist()}, which has no direction; give a vector that is not zero')
    return e / length if abs(length - 1) > 1e-15 else e


def _vector(v, what):
    try:
        shape = np.shape(v)
    except ValueError:      # rows of different length
        shape = None
    if shape not in (None, (3,)):
        raise ModelError(f'{what} has the shape {shape}; give three numbers')
    return _numbers(v, what)


def _number(value, what):
    value = _numbers(value, what)
    if value.shape:
        raise ModelError(f'{what} has the shape {value.shape}; give one number')
    return value


def _numbers(value, what):
    try:
        array = arrays.plain(arrays.numbers(value, what), what)
    except InputError as error:
        raise ModelError(str(error)) from None
    if array.dtype != object and not np.isfinite(array).all():
        raise ModelError(f'{what} is {array.tolist()}; give finite numbers')
    return array
