"""The largest magnitude of signals along a trajectory, between samples too.

Between two samples a signal is close to the polynomial of degree five that has its values and two derivatives there. How close is seen at the
middle, where the next sample is taken; halving the interval divides the difference by 64. An interval whose polynomial, with that difference on
top, stays below the largest value known so far is done with; the others are halved until nothing is left.
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

    def __init__(self, width, groups):
        self.groups = groups
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
        return self.value * (1 + _CLOSE) + _NOTHING * least


def find(
        signal: Signal, trajectory: Trajectory, scale: NDArray[np.float64] | None = None, groups: Sequence[slice] = (slice(None),)) -> Peaks:
    """The peaks of a signal (samples, 3 rows, columns) of (piece, u), whose rows are values and two derivatives by time.

    scale: (columns,) by which columns are divided; where it is inf a column is left out, its peak 0. groups: columns of the same unit, which
    together cover all.
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
        best = best or _Best(values.shape[2], groups)
        best.offer(values[:, 0], piece, u)
        values = values.reshape(len(pieces), _PARTS + 1, 3, -1)
        _halve(
            rows, best, np.repeat(pieces, _PARTS), np.tile(np.arange(_PARTS) / _PARTS, len(pieces)), np.full(_PARTS * len(pieces), 1 / _PARTS),
            values[:, :-1].reshape(-1, 3, values.shape[3]), values[:, 1:].reshape(-1, 3, values.shape[3]))
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
    x = np.linspace(0, 1, 33)
    powers = x[:, None]**np.arange(6)
    intervals, tops = [], []
    for column in columns:
        mine = np.flatnonzero(which[:, column])
        values = np.abs(c[mine][:, :, column] @ powers.T)
        at = np.unravel_index(np.argmax(values), values.shape)
        top, poly = x[at[1]], c[mine[at[0]], :, column]
        slope = np.arange(1, 6) * poly[1:]
        bend = np.arange(1, 5) * slope[1:]
        for _ in range(6):
            curvature = np.polyval(bend[::-1], top)
            if curvature == 0:
                break
            top = min(max(top - np.polyval(slope[::-1], top) / curvature, 0.0), 1.0)
        intervals.append(mine[at[0]])
        tops.append(top)
    intervals = np.array(intervals)
    u = start[intervals] + np.array(tops) * width[intervals]
    best.offer(rows(piece[intervals], u)[:, 0], piece[intervals], u)


def _quintic(left, right, width):
    """(intervals, 6, columns): coefficients in ascending powers of the part of the interval."""
    scale = (width[:, None]**np.arange(3) / polynomials.factorials(3))[:, :, None]
    return polynomials.from_end_taylor(left * scale, right * scale)
