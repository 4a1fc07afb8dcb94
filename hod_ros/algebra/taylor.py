# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of Taylor series: a series is a list whose k-th entry is x^(k) / k!, a number or an array of samples."""

import math
from operator import mul
from typing import Any
from typing import TypeAlias

import numpy as np

Series: TypeAlias = list[Any]       # of numbers or arrays


def from_derivatives(rows):
    """Series of a quantity's time derivatives."""
    return [row / math.factorial(k) for k, row in enumerate(rows)]


def to_derivatives(series):
    """Time derivatives of a series."""
    return [term * math.factorial(k) for k, term in enumerate(series)]


def rate(series):
    """The series of the time derivative, one term shorter."""
    return [(k + 1) * term for k, term in enumerate(series[1:])]


def product(a, b):
    """Series of a b, as long as the shorter."""
    return [sum(map(mul, a[:k + 1], b[k::-1])) for k in range(min(len(a), len(b)))]


def quotient(a, b):
    """Series of a / b, as long as the shorter."""
    out = []
    for k in range(min(len(a), len(b))):
        out.append((a[k] - sum(out[j] * b[k - j] for j in range(k))) / b[0])
    return out


def exponential(a):
    """Series of exp(a)."""
    out = [_value(np.exp, a[0])]
    for k in range(1, len(a)):
        out.append(sum(j * a[j] * out[k - j] for j in range(1, k + 1)) / k)
    return out


def hyperbolic(a):
    """Series of sinh(a) and of cosh(a)."""
    sinh, cosh = [_value(np.sinh, a[0])], [_value(np.cosh, a[0])]
    for k in range(1, len(a)):
        sinh.append(sum(j * a[j] * cosh[k - j] for j in range(1, k + 1)) / k)
        cosh.append(sum(j * a[j] * sinh[k - j] for j in range(1, k + 1)) / k)
    return sinh, cosh


def tanh(a):
    """Series of tanh(a): y' = (1 - y^2) a'."""
    y, s = [np.tanh(a[0])], [1 / np.cosh(np.minimum(np.abs(a[0]), 350.0)) ** 2]         # beyond, 1 - tanh^2 is 0
    for k in range(1, len(a)):
        y.append(sum(j * a[j] * s[k - j] for j in range(1, k + 1)) / k)
        s.append(-sum(y[j] * y[k - j] for j in range(k + 1)))
    return y


def _value(function, x):
    """Of numpy's function; Python's float of a float, with which arithmetic is quicker."""
    return float(function(x)) if isinstance(x, float) else function(x)
