# SPDX-License-Identifier: Apache-2.0
"""Checks of arrays that users hand in: numbers of any kind, shapes, finiteness, poses."""

from numbers import Real

import numpy as np

from hod_ros.checks import geometry
from hod_ros.checks.arguments import exact_package
from hod_ros.checks.arguments import masked
from hod_ros.checks.arguments import shown
from hod_ros.errors import InputError


def vector(value, names, name):
    """A vector of finite numbers, one for each name."""
    value = numbers(value, name)
    if value.shape != (len(names),):
        meaning = f': {", ".join(names[:3])}{", ..." if len(names) > 3 else ""}' if names else ''
        raise InputError(f'{name} has the shape {value.shape}; give {len(names)} numbers{meaning}')
    finite_rows(value[None], name, names)
    return value


def array(value, shape, name, meaning):
    """An array of finite numbers of a shape, in which words stand for any length."""
    value = numbers(value, name)
    if value.ndim != len(shape) or any(isinstance(size, int) and size != n for size, n in zip(shape, value.shape, strict=True)):
        raise InputError(f'{name} has the shape {value.shape}, but needs ({", ".join(map(str, shape))}): {meaning}')
    return finite(value, name)


def finite(value, name):
    """An array whose numbers must be finite."""
    if value.dtype != object and not np.isfinite(value).all():
        at = np.argwhere(~np.isfinite(value))[0]
        raise InputError(f'{name} is {value[tuple(at)]} at {at.tolist()}; every number must be finite')
    return value


def not_too_large(result, what):
    """A result of finite numbers, unless it grew beyond floating point numbers."""
    if result.dtype != object and not np.isfinite(result).all():
        raise InputError(f'{what} is too large for a floating point number; are the units right ([rad], [m], [s], [kg])?')
    return result


def poses(value, count, name):
    """Homogeneous matrices (count, 4, 4)."""
    value = array(value, (count, 4, 4), name, 'one 4x4 rotation and displacement for each body')
    return geometry.poses(value, lambda i: f'{name}[{i}]')


def floats(value, name):
    """An array of floats, where symbols and multiprecision numbers are of no use."""
    value = numbers(value, name)
    try:
        return value.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f'{name} holds {shown(value.flat[0])}, ..., of which some are no floating point numbers; give floats') from None


def numbers(value, name):
    """An array of floats, or of objects where it holds symbols or multiprecision numbers."""
    if masked(value):
        raise InputError(f'{name} has masked entries, which have no value; fill them')
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as reason:
        raise InputError(f'{name} is not an array of numbers ({reason}); give rows of equal length') from None
    if array.dtype == object:
        for entry in array.flat:
            if not isinstance(entry, Real) and exact_package(entry) is None:
                raise InputError(f'{name} holds {shown(entry)}, which is no real number; give real numbers')
            if not _is_finite(entry):
                raise InputError(f'{name} holds {shown(entry)}; every number must be finite')
        return array
    if array.dtype.kind not in 'buif':
        raise InputError(f'{name} is not an array of numbers but of {array.dtype}; give real numbers')
    return array.astype(np.float64)


def _is_finite(entry):
    try:
        return bool(entry * 0 == 0)
    except TypeError:
        return False


def plain(array, name):
    """A checked array in floats where Python's numbers are all that it holds."""
    if array.dtype == object and all(isinstance(entry, (float, int, np.floating, np.integer)) for entry in array.flat):
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise InputError(f'{name} holds an integer that is too large for a floating point number; are the units right?') from None
    return array


def finite_rows(array, name, columns):
    if array.dtype == object or np.isfinite(array).all():
        return
    row, column = np.argwhere(~np.isfinite(array))[0]
    raise InputError(f'{name} is {array[row, column]} in row {row} of {columns[column]!r}; every number must be finite')
