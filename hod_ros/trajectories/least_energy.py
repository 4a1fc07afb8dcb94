# SPDX-License-Identifier: Apache-2.0
"""Derivatives at way points that nobody gave: those of least energy, the integral of the square of one derivative over the motion.

Piece by piece the motion is the polynomial that its end derivatives fix, so the energy is a quadratic form in the derivatives at the
points, which couples neighbours only: its minimum is the solution of one banded, symmetric and positive definite system.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import perm

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.optional import optional
from hod_ros.errors import InputError
from hod_ros.trajectories import polynomials

linalg = optional('scipy.linalg', 'trajectories')

_BLOCK = 2048               # points handled at a time, so that what they need stays in the processor's cache


@cache
def energy_matrix(rows: int, order: int) -> NDArray[np.float64]:
    """(2 rows, 2 rows): G of the energy z^T G z of a polynomial on [0, 1]; z: its Taylor coefficients at u = 0, then at u = 1.

    The energy is the integral of the square of the order-th derivative by u.
    """
    units = np.eye(2 * rows)
    exact = [[Fraction(int(c)) for c in row] for row in polynomials.from_end_taylor(units[:rows], units[rows:])]
    powers = [[Fraction(perm(j, order) * perm(k, order), j + k - 2 * order + 1) if min(j, k) >= order else Fraction(0)
               for k in range(2 * rows)] for j in range(2 * rows)]
    half = [[sum(powers[j][k] * exact[k][b] for k in range(2 * rows)) for b in range(2 * rows)] for j in range(2 * rows)]
    return np.array([[float(sum(exact[j][a] * half[j][b] for j in range(2 * rows))) for b in range(2 * rows)] for a in range(2 * rows)])


def complete(times: NDArray[np.float64], derivatives: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """The derivatives (points, rows, n) with NaN replaced by the values of least energy of the order-th derivative.

    times: (points,) increasing. Every position (row 0) is given. Takes time in proportion to the points.
    """
    free = np.isnan(derivatives[:, 1:])
    if (free == free[:, :, :1]).all():
        return _complete(times, derivatives, free[:, :, 0], order) if free.any() else derivatives.copy()
    out = derivatives.copy()
    alike: dict[bytes, list[int]] = {}
    for column in range(free.shape[2]):
        alike.setdefault(free[:, :, column].tobytes(), []).append(column)
    for columns in alike.values():
        pattern = free[:, :, columns[0]]
        if pattern.any():
            out[:, :, columns] = _complete(times, out[:, :, columns], pattern, order)
    return out


def _complete(times, derivatives, free, order):
    """As complete, for joints of which the same derivatives are free (points, rows - 1)."""
    points, rows, n = derivatives.shape
    b = rows - 1
    h = np.diff(times)
    scale = np.concatenate([h[:1], np.sqrt(h[1:] * h[:-1]), h[-1:]])        # of time at each point, so that unknowns are of one size
    units = scale[:, None]**np.arange(1, rows) / polynomials.factorials(rows)[1:]      # Taylor coefficients per derivative
    band, right = np.zeros((2 * b, points, b)), np.zeros((points, b, n))
    for first in range(0, points - 1, _BLOCK):
        some, pieces = slice(first, min(first + _BLOCK + 1, points)), slice(first, min(first + _BLOCK, points - 1))
        blocks, coupling, steps = _energies(h[pieces], scale[some], rows, order)
        _put_banded(band[:, some], blocks, coupling, free[some])
        _put_right(right[some], derivatives[some], units[some], free[some], blocks, coupling, steps)
    band[0][~free] = 1.0
    band, right = band.reshape(2 * b, points * b), right.reshape(points * b, n)
    balance = 1 / np.sqrt(band[0])
    for d in range(len(band)):
        band[d, :points * b - d] *= balance[:points * b - d] * balance[d:]
    right *= balance[:, None]
    try:
        found = linalg.solveh_banded(band, right, overwrite_ab=True, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        found = np.full_like(right, np.nan)
    out = derivatives.copy()
    factor = balance.reshape(points, b) / units
    for first in range(0, points, _BLOCK):
        some = slice(first, first + _BLOCK)
        np.copyto(
            out[some, 1:], found.reshape(points, b, n)[some] * factor[some, :, None], where=free[some, :, None])
    if not np.isfinite(out).all():
        shortest, longest = int(np.argmin(h)), int(np.argmax(h))
        raise InputError(
            f'times differ too much for floating point numbers: {h[shortest]:.3g} s after point {shortest}, {h[longest]:.3g} s after point '
            f'{longest}; drop points that follow each other that closely')
    return out


def _energies(h, scale, rows, order):
    """The energy's matrix: (points, b, b) of each point, (points - 1, b, b) between neighbours, (points - 1, 2 b) of the steps between."""
    b = rows - 1
    G = energy_matrix(rows, order)
    powers = np.arange(1, rows)
    weight = h**(1.0 - 2 * order)
    start, end = (h / scale[:-1])[:, None]**powers, (h / scale[1:])[:, None]**powers
    blocks = np.zeros((len(scale), b, b))
    blocks[:-1] += weight[:, None, None] * start[:, :, None] * G[1:rows, 1:rows] * start[:, None, :]
    blocks[1:] += weight[:, None, None] * end[:, :, None] * G[rows + 1:, rows + 1:] * end[:, None, :]
    coupling = weight[:, None, None] * start[:, :, None] * G[1:rows, rows + 1:] * end[:, None, :]
    steps = weight[:, None] * np.concatenate([start * G[1:rows, rows], end * G[rows + 1:, rows]], axis=1)
    return blocks, coupling, steps


def _put_banded(band, blocks, coupling, free):
    """Adds to the lower banded form (2 b, points, b) of the free unknowns' system."""
    b = blocks.shape[1]
    blocks = np.where(free[:, :, None] & free[:, None, :], blocks, 0.0)
    coupling = np.where(free[:-1, :, None] & free[1:, None, :], coupling, 0.0)
    for i in range(b):
        for j in range(i + 1):
            band[i - j, :, j] += blocks[:, i, j]
        for j in range(b):
            band[b + i - j, :-1, j] += coupling[:, j, i]


def _put_right(right, derivatives, units, free, blocks, coupling, steps):
    """Adds to the right side (points, b, n): what the given derivatives and the steps of the positions make."""
    b = blocks.shape[1]
    rise = np.diff(derivatives[:, 0], axis=0)[:, None, :]
    out = np.zeros_like(right)
    if not free[1:-1].all() or np.nan_to_num(derivatives[[0, -1], 1:]).any():
        y = np.where(free[:, :, None], 0.0, derivatives[:, 1:] * units[:, :, None])
        out -= blocks @ y
        out[:-1] -= coupling @ y[1:]
        out[1:] -= coupling.transpose(0, 2, 1) @ y[:-1]
    out[:-1] -= steps[:, :b, None] * rise
    out[1:] -= steps[:, b:, None] * rise
    out[~free] = 0.0
    right += out
