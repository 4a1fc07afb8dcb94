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
    h = times[1:] - times[:-1]
    taylor = derivatives / polynomials.factorials(rows)[:, None]            # derivatives as Taylor coefficients: these are the unknowns
    taylor[:, 1:][free] = 0.0
    band, right = np.zeros((points, b, 2 * b)), np.zeros((points, b, n))
    for first in range(0, points - 1, _BLOCK):
        some, pieces = slice(first, min(first + _BLOCK + 1, points)), slice(first, min(first + _BLOCK, points - 1))
        weight, powers = h[pieces, None]**(1.0 - 2 * order), h[pieces, None]**np.arange(rows)
        band[some] += _columns(weight, powers[:, 1:], free[some], order)
        begins, ends = _slopes(weight, powers, taylor[some], order)
        right[first:some.stop - 1] -= begins
        right[first + 1:some.stop] -= ends
    concerned = free.any(axis=1)            # points that are given wholly part the system
    free, band, right = free[concerned], band[concerned], right[concerned]
    band[:, :, 0][~free] = 1.0
    right[~free] = 0.0
    _, found, failed = linalg.lapack.dpbsv(band.reshape(-1, 2 * b).T, right.reshape(-1, n), lower=1, overwrite_ab=1, overwrite_b=1)
    if failed or not np.isfinite(found).all():
        shortest, longest = int(np.argmin(h)), int(np.argmax(h))
        raise InputError(
            f'times differ too much for floating point numbers: {h[shortest]:.3g} s after point {shortest}, {h[longest]:.3g} s after point '
            f'{longest}; drop points that follow each other that closely')
    out = derivatives.copy()
    found = found.reshape(-1, b, n) * polynomials.factorials(rows)[1:, None]
    out[concerned, 1:] = np.where(free[:, :, None], found, derivatives[concerned, 1:])
    return out


def _columns(weight, powers, free, order):
    """(points, b, 2 b): columns of the energy's matrix, of the free unknowns, each from its diagonal on."""
    points, b = free.shape
    G = energy_matrix(b + 1, order)
    begins, ends = powers * free[:-1], powers * free[1:]
    weighted = (weight * begins)[:, :, None]
    columns = np.zeros((points, b, 3 * b))              # from the point's first unknown on: its own, then those of its neighbour
    columns[:-1, :, :b] = weighted * begins[:, None] * G[1:b + 1, 1:b + 1]
    columns[:-1, :, b:2 * b] = weighted * ends[:, None] * G[1:b + 1, b + 2:]
    columns[1:, :, :b] += (weight * ends)[:, :, None] * ends[:, None] * G[b + 2:, b + 2:]
    point, column, entry = columns.strides
    return np.ndarray((points, b, 2 * b), np.float64, columns, 0, (point, column + entry, entry))


def _slopes(weight, powers, taylor, order):
    """Two of (points - 1, b, n): how the energy of each piece grows with what is free at its begin and at its end, where that is 0."""
    rows = taylor.shape[1]
    z = np.concatenate([taylor[:-1], taylor[1:]], axis=1) * np.concatenate([powers, powers], axis=1)[:, :, None]
    z[:, rows] -= z[:, 0]
    z[:, 0] = 0.0
    weighted = (weight * powers)[:, 1:, None]
    G = energy_matrix(rows, order)
    return (G[1:rows] @ z) * weighted, (G[rows + 1:] @ z) * weighted
