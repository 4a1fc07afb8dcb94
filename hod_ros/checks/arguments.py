# SPDX-License-Identifier: Apache-2.0
"""Checks of what callers pass beside a description: numbers, vectors, names and tables by name."""

import sys
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Set
from numbers import Number
from pathlib import Path
from reprlib import Repr

import numpy as np

from hod_ros.errors import InputError

MOST_THREADS = 10_000
_MOST_SHOWN = 400       # characters of a value in a message
LARGEST = 1e100         # figures beyond it are no figures of a robot, and their products overflow

_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 200


def shown(value):
    """A value's text for a message: short, whatever the value is."""
    try:
        text = _REPR.repr(value)
    except Exception:       # integers of thousands of digits, for example
        return f'something of type {type(value).__name__}'
    text = text if isinstance(value, str) else ' '.join(text.split())
    return text if len(text) <= _MOST_SHOWN else f'{text[:_MOST_SHOWN]} ...'


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names for a message, of which there may be many."""
    names = list(names)
    return ', '.join(shown(name) for name in names[:most]) + (f' and {len(names) - most} more' if len(names) > most else '')


def some(names: Iterable[str], most: int = 8) -> str:
    """The same without quotation marks, for names that are known to be right."""
    names = list(names)
    return ', '.join(names[:most]) + (f' and {len(names) - most} more' if len(names) > most else '')


def masked(value: object) -> bool:
    """Whether an array has masked entries. Without numpy.ma, whose import takes milliseconds, there is none."""
    return 'numpy.ma' in sys.modules and bool(np.ma.is_masked(value))


def exact_package(value):
    """'sympy' or 'mpmath' of a number of theirs, else None. sympy's functions of time are of a class without a module of its own."""
    packages = (str(kind.__module__).partition('.')[0] for kind in type(value).__mro__)
    return next((package for package in packages if package in ('sympy', 'mpmath')), None)


def one_of(value, words):
    """Whether a value is one of some words; arrays and other things without a truth value are none."""
    return isinstance(value, str) and value in words


def flag(value, what):
    """The bool of a flag."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f'{what} is {shown(value)}; give True or False')
    return bool(value)


def count(value, what, fewest):
    """The int of an integer of at least `fewest`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < fewest:
        raise InputError(f'{what} is {shown(value)}; give an integer of {fewest} or more')
    return int(value)


def threads(value):
    """Refuses what is no number of threads, None apart."""
    if value is not None and count(value, 'threads', 1) > MOST_THREADS:
        raise InputError(f'threads is {shown(value)}; give at most {MOST_THREADS}')


def number_of_0_or_more(value, what, unit=''):
    """The float of a finite number of 0 or more."""
    number = finite_number(value, what, unit)
    if number < 0:
        raise InputError(f'{what} is {number}; give a number of 0 or more {unit}'.rstrip())
    return number


def number_above_0(value, what, unit=''):
    """The float of a finite number above 0."""
    number = finite_number(value, what, unit)
    if number <= 0:
        raise InputError(f'{what} is {number}; give a number above 0 {unit}'.rstrip())
    return number


def finite_number(value, what, unit):
    """The float of a number-like value."""
    problem = InputError(f'{what} is {shown(value)}; give one finite number {unit}'.rstrip())
    if isinstance(value, (bool, np.bool_, str, bytes)) or not (isinstance(value, Number) or getattr(value, 'shape', None) == ()):
        raise problem
    if getattr(getattr(value, 'dtype', None), 'kind', 'f') not in 'uifO':      # float() would drop an imaginary part, or read a text
        raise problem
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise problem from None
    if not abs(number) < LARGEST:
        raise problem
    return number


def finite_vector(value, size, what, unit):
    """(size,) floats of a sequence of numbers."""
    problem = InputError(f'{what} is {shown(value)}; give {size} finite numbers {unit}')
    if isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable):
        raise problem
    try:
        items = list(value)
    except TypeError:
        raise problem from None
    if len(items) != size:
        raise problem
    return np.array([finite_number(item, f'component {k} of {what}', unit) for k, item in enumerate(items)])


def path(value, what):
    """The Path of a file's name."""
    try:
        found = Path(value)
        found.exists()
    except (TypeError, ValueError, OSError):        # no path, a zero in it, or a name too long
        raise InputError(f'{what} is {shown(value)}; give the path of a file') from None
    return found


def text_or_none(value, what):
    """A text, where there is one."""
    if value is not None and not isinstance(value, str):
        raise InputError(f'{what} is {shown(value)}; give a text, or None')
    return value


def names(value, what):
    """Tuple of the distinct names in a sequence of them."""
    try:
        items = None if isinstance(value, (str, bytes, set, frozenset)) or not isinstance(value, Iterable) else tuple(value)
    except TypeError:       # an array without axes
        items = None
    if items is None:
        raise InputError(f'{what} is {shown(value)}; give a sequence of joint names, in the order that they are to have')
    for item in items:
        if not isinstance(item, str):
            raise InputError(f'{what} holds {shown(item)}, which is no name; give joint names')
    repeated = [item for item, times in Counter(items).items() if times > 1]
    if repeated:
        raise InputError(f'{what} names {listed(repeated)} more than once; name every joint once')
    return items


def numbers_by_name(value, what, unit):
    """{name: float} of a mapping, or of None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f'{what} is {shown(value)}; give a mapping from joint names to numbers {unit}')
    names(value, what)
    return {name: finite_number(number, f'{what}[{name!r}]', unit) for name, number in value.items()}
