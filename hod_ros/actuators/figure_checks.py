# SPDX-License-Identifier: Apache-2.0
"""Checks of the figures that drives and springs are made of."""

from dataclasses import MISSING
from dataclasses import field

import numpy as np

from hod_ros.checks.arguments import finite_number
from hod_ros.checks.arguments import finite_vector
from hod_ros.checks.arguments import shown
from hod_ros.errors import InputError


def figure(unit, default=MISSING):
    """A field of a drive or of a spring law: a figure with its unit, for parameter files and pages."""
    return field(default=default, metadata={'unit': unit})


def positive(item, name, unit):
    """Replaces a frozen dataclass's field by its float, which must be above 0."""
    number = _given(item, name, unit)
    if number <= 0:
        raise InputError(f'{_what(item, name)} is {number:g}; give a number above 0 {unit}')
    object.__setattr__(item, name, number)


def not_negative(item, name, unit):
    """Replaces a frozen dataclass's field by its float, which must be 0 or more."""
    number = _given(item, name, unit)
    if number < 0:
        raise InputError(f'{_what(item, name)} is {number:g}; give a number of 0 or more {unit}')
    object.__setattr__(item, name, number)


def direction(item, name):
    """Replaces a field that is not None by the unit vector along its three numbers."""
    value = getattr(item, name)
    if value is None:
        return
    vector = finite_vector(value, 3, _what(item, name), 'in the axes of its link')
    length = float(np.linalg.norm(vector))
    if length == 0:
        raise InputError(f'{_what(item, name)} is {shown(value)}, which is no direction; give three numbers that are not all 0')
    object.__setattr__(item, name, tuple(float(number) / length for number in vector))


def count(item, name, fewest):
    """Checks that a field is None or an integer of at least `fewest`."""
    number = getattr(item, name)
    if number is not None and (isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < fewest):
        raise InputError(f'{_what(item, name)} is {shown(number)}; give an integer of {fewest} or more, or None')


def pair(item, name, check):
    """Replaces a field by two numbers that satisfy a check; one number serves both."""
    value = getattr(item, name)
    both = value if isinstance(value, (tuple, list)) else (value, value)
    if len(both) != 2:
        raise InputError(f'{_what(item, name)} has {len(both)} numbers; give one, or one for each of the two motors')
    object.__setattr__(item, name, tuple(check(number, f'{_what(item, name)}') for number in both))


def each_of(value):
    """A figure of one motor or of two, as a tuple."""
    return value if isinstance(value, tuple) else (value,)


def optional(check):
    """A check that None passes."""
    def checked(value, what):
        return None if value is None else check(value, what)
    return checked


def number_above_0(unit):
    """Check of a number."""
    def check(value, what):
        number = _number(value, what, unit)
        if number <= 0:
            raise InputError(f'{what} is {number:g}; give a number above 0 {unit}')
        return number
    return check


def number_but_0(unit):
    """Check of a number."""
    def check(value, what):
        number = _number(value, what, unit)
        if number == 0:
            raise InputError(f'{what} is 0; give another number {unit}')
        return number
    return check


def number_of_0_or_more(unit):
    """Check of a number."""
    def check(value, what):
        number = _number(value, what, unit)
        if number < 0:
            raise InputError(f'{what} is {number:g}; give a number of 0 or more {unit}')
        return number
    return check


def _given(item, name, unit):
    return _number(getattr(item, name), _what(item, name), unit)


def _number(value, what, unit):
    if value is None:
        raise InputError(f'{what} is missing; give it {unit}')
    return finite_number(value, what, unit)


def _what(item, name):
    return f'{type(item).__name__}: {name}'
