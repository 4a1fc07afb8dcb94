"""Time derivatives by differences in forty digits: the judge where no library has the quantity."""

import mpmath
import numpy as np

DIGITS = 40


def multiprecision(array):
    return np.vectorize(mpmath.mpf, otypes=[object])(array)


def taylor(rows, t):
    """The polynomial in time that has these derivatives (rows, ...) at 0, with its derivatives, at t."""
    rows = multiprecision(rows)
    return np.stack([
        sum(rows[j] * (mpmath.mpf(t) ** (j - k) / mpmath.factorial(j - k)) for j in range(k, len(rows)))
        for k in range(len(rows))])


def derivatives(function, rows):
    """Derivatives 0 .. rows - 1 at 0 of a function of time with values (size,), as floats (rows, size)."""
    with mpmath.workdps(DIGITS):
        size = len(function(mpmath.mpf(0)))
        return np.array([[_derivative(function, c, k) for c in range(size)] for k in range(rows)], float)


def _derivative(function, component, order):
    return mpmath.diff(lambda t: function(t)[component], 0, order)
