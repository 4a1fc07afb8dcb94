# SPDX-License-Identifier: Apache-2.0
"""Taylor series of composed functions, of many samples at once.

A series holds normalised coefficients x[k] = x^(k) / k! on axis 1: (samples, order + 1) or (samples, order + 1, n).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def composed(outer: Array, inner: Array) -> Array:
    """Series of f(g(t)) from f's at g(t), (samples, order + 1, n), and g's, (samples, order + 1), by Horner's rule."""
    step = inner.copy()
    step[:, 0] = 0.0
    out = np.zeros_like(outer)
    out[:, 0] = outer[:, -1]
    for k in range(outer.shape[1] - 2, -1, -1):
        out = _product(step, out)
        out[:, 0] += outer[:, k]
    return out


def _product(a: Array, b: Array) -> Array:
    """Cauchy product of (samples, rows) and (samples, rows, n), a[:, 0] being 0."""
    out = np.zeros_like(b)
    for k in range(1, b.shape[1]):
        out[:, k] = np.einsum('sj,sjn->sn', a[:, k:0:-1], b[:, :k])
    return out


def clock(speed_squared: Array, start: Array, order: int) -> Array:
    """Series of u(t), (samples, order + 1), that solves u'^2 = b(u) with u' > 0, from b's at u = start, (samples, rows).

    The coefficients of v = u' follow from v^2 = b(u(t)) one by one: those of b(u(t)) to row k need u only to row k.
    """
    u = np.zeros((len(start), order + 1))
    v = np.zeros((len(start), max(order, 1)))
    u[:, 0], v[:, 0] = start, np.sqrt(speed_squared[:, 0])
    for k in range(order):
        if k:
            b = composed(speed_squared[:, :k + 1, None], u[:, :k + 1])[:, k, 0]
            v[:, k] = (b - np.einsum('sj,sj->s', v[:, 1:k], v[:, k - 1:0:-1])) / (2 * v[:, 0])
        u[:, k + 1] = v[:, k] / (k + 1)
    return u
