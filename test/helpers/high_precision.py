# SPDX-License-Identifier: Apache-2.0
"""Time derivatives by differences in seventy digits: the judge where no library has the quantity."""

import mpmath
import numpy as np

DIGITS = 70
REACH = 5
STEP = mpmath.mpf(2) ** -20


def multiprecision(array):
    return np.vectorize(mpmath.mpf, otypes=[object])(array)


def taylor(rows, t):
    """The polynomial in time that has these derivatives (rows, ...) at 0, with its derivatives, at t."""
    rows = multiprecision(rows)
    return np.stack([
        sum(rows[j] * (mpmath.mpf(t) ** (j - k) / mpmath.factorial(j - k)) for j in range(k, len(rows)))
        for k in range(len(rows))])


def derivatives(function, rows):
    """Derivatives 0 .. rows - 1 at 0 of a function of time with values (size,), as floats (rows, size); rows <= 7."""
    with mpmath.workdps(DIGITS):
        nodes = range(-REACH, REACH + 1)
        values = np.stack([multiprecision(function(k * STEP)) for k in nodes])
        powers = mpmath.matrix([[mpmath.mpf(k) ** j for k in nodes] for j in range(len(nodes))])
        coefficients = np.array((powers ** -1).tolist(), object).T @ values
        return np.array([coefficients[k] * mpmath.factorial(k) / STEP ** k for k in range(rows)], float)
