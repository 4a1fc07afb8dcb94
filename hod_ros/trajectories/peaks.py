# SPDX-License-Identifier: Apache-2.0
"""The largest magnitude of signals along a trajectory, between samples too.

Between two samples a signal is close to the polynomial of degree five that has its values and two derivatives there. How close is seen at
the middle, where the next sample is taken; halving the interval divides the difference by 64. An interval whose polynomial, with that
difference on top, stays below the largest value known so far is done with; the others are halved until nothing is left.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hod_ros.trajectories import polynomials
from hod_ros.trajectories.trajectory import Trajectory

Signal = Callable[[NDArray[np.intp], NDArray[np.float64]], NDArray[np.float64]]

_PARTS = 4                  # first intervals of a piece
_DEEPEST = 16               # halvings of them
_CLOSE = 1e-11              # of the peak: what is nearer to it is not looked for
_NOTHING = 1e-13            # of the largest column of a group: what is smaller is rounding
_CHUNK = 512                # pieces at a time
_TRIED = np.linspace(0, 1, 17)[:, None]**np.arange(6)       # where extrema of polynomials are looked for first


class Peaks(NamedTuple):
    """The largest magnitude of each column, its sign, and where it is."""

    value: NDArray[np.float64]          # 0 or more
    sign: NDArray[np.float64]
    piece: NDArray[np.intp]
    u: NDArray[np.float64]

    def times(self, trajectory: Trajectory) -> NDArray[np.float64]:
        """When [s]."""
        breaks = trajectory.breaks
        return breaks[self.piece] + self.u * (breaks[self.piece + 1] - breaks[self.piece])


class _Best:
    """The largest magnitudes so far."""

    def __init__(self, width, groups, least):
        self.groups, self.least = groups, least
        self.value, self.sign = np.full(width, -1.0), np.ones(width)
        self.piece, self.u = np.zeros(width, dtype=np.intp), np.zeros(width)

    def offer(self, values, piece, u):
        """values: (samples, columns) at u of pieces."""
        size = np.abs(values)
        at = np.argmax(size, axis=0)
        columns = np.arange(len(at))
        better = size[at, columns] > self.value
        at, columns = at[better], columns[better]
        self.value[columns], self.sign[columns] = size[at, columns], np.sign(values[at, columns])
        self.piece[columns], self.u[columns] = piece[at], u[at]

    def near(self):
        """(columns,) from where on an interval is of interest."""
        least = np.empty_like(self.value)
        for group in self.groups:
            least[group] = max(float(self.value[group].max()), 0.0)
        return np.maximum(self.value * (1 + _CLOSE) + _NOTHING * least, self.least)


def find(
        signal: Signal, trajectory: Trajectory, scale: NDArray[np.float64] | None = None,
        groups: Sequence[slice] = (slice(None),), least: float = 0.0) -> Peaks:
    """The peaks of a signal (samples, 3 rows, columns) of (piece, u), whose rows are values and two derivatives by time.

    scale: (columns,) by which columns are divided; where it is inf a column is left out, its peak 0. groups: columns of the same unit,
    which together cover all. least: peaks below it are not looked for, so theirs may be given too low.
    """
    steps, factor = np.diff(trajectory.breaks), None if scale is None else 1 / scale

    def rows(piece, u):
        """In units of the piece's own u."""
        values = signal(piece, u) if factor is None else signal(piece, u) * factor
        return values * (steps[piece][:, None] ** np.arange(3))[:, :, None]

    best = None
    for first in range(0, len(steps), _CHUNK):
        pieces = np.arange(first, min(first + _CHUNK, len(steps)))
        piece, u = np.repeat(pieces, _PARTS + 1), np.tile(np.arange(_PARTS + 1) / _PARTS, len(pieces))
        values = rows(piece, u)
        best = best or _Best(values.shape[2], groups, least)
        best.offer(values[:, 0], piece, u)
        values = values.reshape(len(pieces), _PARTS + 1, 3, -1)
        _halve(
            rows, best, np.repeat(pieces, _PARTS), np.tile(np.arange(_PARTS) / _PARTS, len(pieces)),
            np.full(_PARTS * len(pieces), 1 / _PARTS), values[:, :-1].reshape(_PARTS * len(pieces), 3, -1),
            values[:, 1:].reshape(_PARTS * len(pieces), 3, -1))
    return Peaks(best.value, best.sign, best.piece, best.u)


def _halve(rows, best, piece, start, width, left, right):
    for _ in range(_DEEPEST):
        if not len(piece):
            return
        c = _quintic(left, right, width)
        middle = start + width / 2
        here = rows(piece, middle)
        best.offer(here[:, 0], piece, middle)
        off = np.abs(np.einsum('j,ijm->im', 0.5**np.arange(6), c) - here[:, 0])
        highest = np.abs(polynomials.control_points(c, 2)).max(axis=1) + off
        keep = highest > best.near()
        _offer_tops(rows, best, piece, start, width, c, keep & (off < 1e-3 * best.value))
        again = (keep & (highest > best.near()) & (off > _CLOSE * best.value)).any(axis=1)
        piece, start, width, middle, left, right, here = (x[again] for x in (piece, start, width, middle, left, right, here))
        piece, start, width = np.tile(piece, 2), np.concatenate([start, middle]), np.tile(width / 2, 2)
        left, right = np.concatenate([left, here]), np.concatenate([here, right])


def _offer_tops(rows, best, piece, start, width, c, which):
    """Samples where the polynomials have their extrema, of each column the most promising one."""
    columns = np.flatnonzero(which.any(axis=0))
    if not columns.size:
        return
    found = [np.flatnonzero(which[:, column]) for column in columns]
    tried = np.abs(_TRIED @ c[:, :, columns])
    intervals = np.empty(len(columns), dtype=np.intp)
    x = np.empty(len(columns))
    for i, mine in enumerate(found):
        at, top = np.unravel_index(np.argmax(tried[mine, :, i]), (len(mine), len(_TRIED)))
        intervals[i], x[i] = mine[at], top / (len(_TRIED) - 1)
    slope = c[intervals, 1:, columns] * np.arange(1, 6)
    bend = slope[:, 1:] * np.arange(1, 5)
    for _ in range(6):
        powers = x[:, None]**np.arange(5)
        curvature = np.sum(bend * powers[:, :4], axis=1)
        step = np.sum(slope * powers, axis=1) / np.where(curvature != 0, curvature, np.inf)
        x = np.clip(x - step, 0.0, 1.0)
    u = start[intervals] + x * width[intervals]
    best.offer(rows(piece[intervals], u)[:, 0], piece[intervals], u)


def _quintic(left, right, width):
    """(intervals, 6, columns): coefficients in ascending powers of the part of the interval."""
    scale = (width[:, None]**np.arange(3) / polynomials.factorials(3))[:, :, None]
    return polynomials.from_end_taylor(left * scale, right * scale)
