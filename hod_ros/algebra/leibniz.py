# SPDX-License-Identifier: Apache-2.0
"""Time derivatives of products. A quantity with its derivatives is an array whose axis 0 counts them: f[k] is the k-th derivative."""

from math import comb

import numpy as np


def product(f, g, multiply=np.matmul, rows=None):
    """Derivatives of a bilinear product, 000 (2): (f g)^(n) = sum_k C(n, k) f^(n-k) g^(k), as many as both have, or `rows`."""
    rows = min(len(f), len(g)) if rows is None else rows
    return np.stack([nth(f, g, n, multiply) for n in range(rows)])


def nth(f, g, n, multiply=np.matmul):
    """The n-th derivative of a bilinear product."""
    total = multiply(f[n], g[0])
    for k in range(1, n + 1):
        term = multiply(f[n - k], g[k])
        total = total + (term if k == n else comb(n, k) * term)
    return total


def apply(matrices, vectors):
    """Matrix (..., a, b) times vector (..., b)."""
    return (matrices @ vectors[..., None])[..., 0]


def transpose(matrices):
    """The last two axes exchanged."""
    return np.swapaxes(matrices, -1, -2)
