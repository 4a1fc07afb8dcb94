"""Checks of what callers pass beside a description: numbers, vectors, names and tables by name."""

import math
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping

import numpy as np

from hod_ros.errors import InputError


def finite_number(value, what, unit):
    """The float of a number-like value."""
    if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value) != 0:
        raise InputError(f'{what} is {value!r}; give one finite number {unit}')
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f'{what} is {value!r}; give one finite number {unit}') from None
    if not math.isfinite(number):
        raise InputError(f'{what} is {number}; give a finite number {unit}')
    return number


def finite_vector(value, size, what, unit):
    """(size,) floats of a sequence of numbers."""
    problem = InputError(f'{what} is {value!r}; give {size} finite numbers {unit}')
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, (Iterable, np.ndarray)) or np.ndim(value) == 0:
        raise problem
    items = list(value)
    if len(items) != size:
        raise problem
    return np.array([finite_number(item, f'component {k} of {what}', unit) for k, item in enumerate(items)])


def names(value, what):
    """Tuple of the distinct names in a sequence of them."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InputError(f'{what} is {value!r}; give a sequence of joint names')
    items = tuple(value)
    for item in items:
        if not isinstance(item, str):
            raise InputError(f'{what} holds {item!r}, which is no name; give joint names')
    repeated = [item for item, times in Counter(items).items() if times > 1]
    if repeated:
        raise InputError(f'{what} names {", ".join(map(repr, repeated))} more than once; name every joint once')
    return items


def numbers_by_name(value, what, unit):
    """{name: float} of a mapping, or of None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f'{what} is {value!r}; give a mapping from joint names to numbers {unit}')
    names(value, what)
    return {name: finite_number(number, f'{what}[{name!r}]', unit) for name, number in value.items()}
