# SPDX-License-Identifier: Apache-2.0
"""Derivatives of array-valued functions by central differences in fifty digits: exact to far below double precision."""

from fractions import Fraction
from math import factorial

import mpmath
import numpy as np
from high_precision import multiprecision
from high_precision import taylor

STEP = Fraction(1, 10**5)
REACH = 4


def time_derivatives(function, q, rows):
    """Derivatives 0 .. rows - 1 at t = 0 of function(q(t)), where row k of q is the k-th derivative at 0."""
    return _differences(lambda t: function(taylor(q, t)), rows)


def derivative_along(function, x, direction):
    """Derivative at 0 of function(x + s direction) by s."""
    x, direction = multiprecision(x), multiprecision(direction)
    return _differences(lambda s: function(x + s * direction), 2)[1]


def _differences(function, rows):
    with mpmath.workdps(50):
        step = mpmath.mpf(STEP.numerator) / STEP.denominator
        values = np.stack([function(k * step) for k in range(-REACH, REACH + 1)])
        nodes = range(-REACH, REACH + 1)
        weights = mpmath.inverse(mpmath.matrix([[mpmath.mpf(k) ** j for k in nodes] for j in range(len(nodes))]))
        weights = np.array(weights.tolist(), object).reshape(2 * REACH + 1, -1)
        coefficients = np.tensordot(weights.T, values, axes=1)
        return np.array([coefficients[k] * factorial(k) / step**k for k in range(rows)]).astype(float)
