# SPDX-License-Identifier: Apache-2.0
"""Straight lines between way points, passed more slowly at their corners and left there alone, in bends that are as short as they must be.

At a corner the motion turns by the angle theta at a speed w. To turn within the deviation d takes the acceleration (w theta)^2 / d, up to a
factor; to slow down to w and to speed up again v / h, with v the mean speed on a line that takes the time h. Both are alike where
w = v sqrt(d / length) / theta, up to a factor: that is the speed chosen. So each line gets a motion along it, a polynomial with
these speeds at its ends. It is kept to but for a time tau at either end: there a point is added, with all its derivatives, and between it
and the corner the motion is free. It leaves the line by some w theta tau, so a short tau serves every deviation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.trajectories import polynomials

_SPEED = 2.0            # w / (v sqrt(d / length) / theta)
_REACH = 0.06            # deviation / (w theta tau), by experience
_LONGEST = 2            # tau is at most h / 2^2
DEEPEST = 20            # and at least h / 2^20


class Lines:
    """The straight lines between way points, and the motions along them."""

    def __init__(self, times: NDArray[np.float64], given: NDArray[np.float64], deviation: float) -> None:
        """given: (points, rows, n) derivatives at the points, NaN where free."""
        self.times, self.start, self.rows = times, given[:-1, 0], given.shape[1]
        self.h, self.along = np.diff(times), np.diff(given[:, 0], axis=0)
        self.length = _lengths(self.along)
        direction = self.along / np.where(self.length > 0, self.length, 1.0)[:, None]
        self.mean = self.length / self.h
        self.at_rest = (given[:, 1:] == 0).all(axis=(1, 2))

        turn = _lengths(direction[1:] - direction[:-1])               # 2 sin(theta / 2)
        slower, shorter = np.minimum(self.mean[1:], self.mean[:-1]), np.minimum(self.length[1:], self.length[:-1])
        with np.errstate(divide='ignore', invalid='ignore'):
            factor = np.where(shorter > 0, _SPEED * np.sqrt(deviation / shorter) / turn, 0.0)
        corner = np.concatenate([[0.0], slower * np.minimum(1.0, factor), [0.0]])
        known = ~np.isnan(given[:, 1]).any(axis=1)
        velocity = np.where(known[:, None], given[:, 1], 0.0)
        known, velocity, corner_speed = _at_ends(known), _at_ends(velocity), _at_ends(corner)
        mine = np.minimum(np.maximum(np.einsum('lsn,ln->ls', velocity, direction), 0.0), self.mean[:, None])
        self.speeds = np.where(known, mine, corner_speed)

        across = corner
        across[1:-1] *= turn
        off = velocity - self.speeds[:, :, None] * direction[:, None]
        off = np.where(known, np.sqrt(np.einsum('lsn,lsn->ls', off, off)), 0.0)
        np.maximum(across[:-1], off[:, 0], out=across[:-1])
        np.maximum(across[1:], off[:, 1], out=across[1:])
        self.shortest = np.minimum(np.concatenate([self.h[:1], self.h]), np.concatenate([self.h, self.h[-1:]]))
        with np.errstate(divide='ignore'):
            level = np.ceil(np.log2(_REACH * across * self.shortest / deviation))
        self.first_level = np.clip(level, _LONGEST, DEEPEST).astype(np.intp)

    def points(
            self, active: NDArray[np.bool_], stopped: NDArray[np.bool_], level: NDArray[np.intp],
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
        """(line, time, derivatives (rows, n)) of the points added on active lines (lines,), in the order of time.

        stopped: (points,) those passed at rest; they and those at rest anyway need no bend. level: (points,) tau is h / 2^level there.
        """
        rest = _at_ends(stopped | self.at_rest)
        bends = active[:, None] & ~rest
        line, side = np.nonzero(bends)
        u = (_at_ends(self.shortest * 0.5**level) / self.h[:, None])[bends]
        u = np.where(side == 0, u, 1 - u)
        speeds = np.where(rest, 0.0, self.speeds)[line]
        progress = self._progress(line, u, speeds)
        derivatives = progress[:, :, None] * self.along[line][:, None, :]
        derivatives[:, 0] += self.start[line]
        return line, self.times[line] + u * self.h[line], derivatives

    def _progress(self, line, u, speeds):
        """(points, rows): the part of each line that is behind at u, and its time derivatives; growing, for no speed exceeds the mean."""
        ends = np.zeros((2, len(line), self.rows, 1))
        ends[1, :, 0] = 1.0
        with np.errstate(divide='ignore', invalid='ignore'):
            ends[:, :, 1, 0] = np.where(self.mean[line, None] > 0, speeds / self.mean[line, None], 0.0).T
        c = polynomials.from_end_taylor(ends[0], ends[1])
        return (polynomials.powers(u, c.shape[1], self.rows) @ c)[:, :, 0] / self.h[line, None]**np.arange(self.rows)


def _at_ends(values: NDArray[Any]) -> NDArray[Any]:
    """(lines, 2, ...): of points' values (points, ...) those at the start and at the end of each line."""
    return np.concatenate([values[:-1, None], values[1:, None]], axis=1)


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.einsum('li,li->l', vectors, vectors))
