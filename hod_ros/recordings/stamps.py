# SPDX-License-Identifier: Apache-2.0
"""Stamps of samples: whole nanoseconds, from columns of seconds, of nanoseconds, and of dates."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import InputError

NAMES = ('stamp', 'stamps')     # of whole nanoseconds; others hold seconds
CLOCK = 1e6                     # [s] beyond which floats have no nanoseconds
_LAST = 9.2e18                  # [ns] that 64 bits hold


def nanoseconds(values: np.ndarray, label: str, name: str) -> NDArray[np.int64]:
    """Of a column `label` of the file `name`: what it holds tells its unit where it is of dates or durations, else its label does."""
    if values.dtype.kind in 'mM':
        if np.isnat(values).any():
            raise InputError(f'{label} of {name!r} holds a date that is none; give one for each sample')
        return values.astype(f'{values.dtype.kind}8[ns]').astype(np.int64)
    if values.dtype.kind not in 'iuf':
        raise InputError(f'{label} of {name!r} is of {values.dtype}; give numbers')
    if label in NAMES:
        _refuse_fractions(values, label, name)
        return values.astype(np.int64)
    scaled = np.asarray(values, np.float64) * 1e9
    far = ~(np.abs(scaled) < _LAST)
    if far.any():
        raise InputError(f'{label} of {name!r} is {values[far][0]:g}; it holds finite numbers of seconds: call it {NAMES[len(label) - 4]} '
                         'where they are nanoseconds, else divide them')
    return np.round(scaled).astype(np.int64)


def _refuse_fractions(values, label, name):
    wrong = ~(np.abs(values) < _LAST) | (values != np.round(values))
    if wrong.any():
        raise InputError(f'{label} of {name!r} is {values[wrong][0]:.15g}; it holds whole nanoseconds: call it '
                         f'{"time" if label == "stamp" else "times"} where they are seconds')


def nanoseconds_of_text(cell: str, label: str, name: str) -> int:
    """Of one cell, a finite number, to the last digit, which floats do not hold."""
    number = Decimal(cell.strip()) * (1 if label in NAMES else 10**9)
    if label in NAMES and number != number.to_integral_value() or abs(number) >= _LAST:
        nanoseconds(np.array([float(cell)]), label, name)
    return round(number)
