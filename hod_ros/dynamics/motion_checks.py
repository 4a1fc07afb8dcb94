"""Checks of the arrays that users hand in: motions, forces, parameters, the motion of a free base."""

import numpy as np

from hod_ros.errors import InputError


def motion(model, q, fewest, name='q'):
    """q as an array (rows, n) of finite numbers with at least `fewest` rows; row k is the k-th time derivative."""
    q = numbers(q, name)
    if q.ndim != 2 or q.shape[1] != model.n or len(q) < fewest:
        raise InputError(
            f'{name} has the shape {q.shape}, but needs {fewest} rows or more of {model.n} columns: '
            f'row k is the k-th time derivative, column j the joint joint_names[j] of {model.name}')
    _finite(q, name, model.joint_names)
    return q.astype(object) if model.exact else q


def vector(value, names, name):
    """A vector of finite numbers, one for each name."""
    value = numbers(value, name)
    if value.shape != (len(names),):
        raise InputError(f'{name} has the shape {value.shape}; give {len(names)} numbers: {", ".join(names[:3])}, ...')
    _finite(value[None], name, names)
    return value


def free_base(base, rows):
    """(pose, twists) of a free base as arrays, with at least `rows` rows of twists; None passes."""
    if base is None:
        return None
    try:
        pose, twists = base
    except (TypeError, ValueError):
        raise InputError('base is not a pair (pose, twists): give a 4x4 matrix and an array (rows, 6)') from None
    pose, twists = numbers(pose, 'the pose of base'), numbers(twists, 'the twists of base')
    if pose.shape != (4, 4) or twists.ndim != 2 or twists.shape[1] != 6 or len(twists) < rows:
        raise InputError(
            f'base has a pose of shape {pose.shape} and twists of shape {twists.shape}; '
            f'give (4, 4) and {rows} rows or more of 6 (angular, linear, body-fixed; row k the k-th time derivative)')
    _finite(pose, 'the pose of base', 'xyz1')
    _finite(twists, 'the twists of base', ('angular x', 'angular y', 'angular z', 'linear x', 'linear y', 'linear z'))
    return pose, twists


def numbers(value, name):
    """An array of floats, or of objects where it holds symbols or multiprecision numbers."""
    try:
        array = np.asarray(value)
        return array if array.dtype == object else array.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise InputError(f'{name} is not an array of numbers ({reason}); give rows of equal length') from None


def _finite(array, name, columns):
    if array.dtype == object or np.isfinite(array).all():
        return
    row, column = np.argwhere(~np.isfinite(array))[0]
    raise InputError(f'{name} is {array[row, column]} in row {row} of {columns[column]!r}; every number must be finite')
