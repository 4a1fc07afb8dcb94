# SPDX-License-Identifier: Apache-2.0
"""Straight lines between way points, passed more slowly at their corners and left there alone, in bends that are as short as they must be.

At a corner the motion turns by the angle theta at a speed w. To turn within the deviation d takes the acceleration (w theta)^2 / d, up to a
factor; to slow down to w and to speed up again v / h, with v the mean speed on a line that takes the time h. Both are alike where
w = v sqrt(d / length) / theta, up to a factor: that is the speed chosen. So each line gets a motion along it, a polynomial with
these speeds at its ends. It is kept to but for a time tau at either end: there a point is added, with all its derivatives, and between it
and the corner the motion is free. It leaves the line by some w theta tau, so a short tau serves every deviation.
"""

from __future__ import annotations

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
        self.length = np.sqrt(np.sum(self.along**2, axis=1))
        direction = self.along / np.where(self.length > 0, self.length, 1.0)[:, None]
        self.mean = self.length / self.h
        self.at_rest = (given[:, 1:] == 0).all(axis=(1, 2))

        turn = np.sqrt(np.sum(np.diff(direction, axis=0)**2, axis=1))               # 2 sin(theta / 2)
        slower, shorter = np.minimum(self.mean[1:], self.mean[:-1]), np.minimum(self.length[1:], self.length[:-1])
        with np.errstate(divide='ignore', invalid='ignore'):
            factor = np.where(shorter > 0, _SPEED * np.sqrt(deviation / shorter) / turn, 0.0)
        corner = np.concatenate([[0.0], slower * np.minimum(1.0, factor), [0.0]])
        known = ~np.isnan(given[:, 1]).any(axis=1)
        velocity = np.where(known[:, None], given[:, 1], 0.0)
        self.speeds = np.stack([
            np.where(known[end], np.clip(np.sum(velocity[end] * direction, axis=1), 0, self.mean), corner[end])
            for end in (slice(None, -1), slice(1, None))], axis=1)

        across = corner * np.concatenate([[0.0], turn, [0.0]])
        for end, side in ((slice(None, -1), 0), (slice(1, None), 1)):
            off = np.sqrt(np.sum((velocity[end] - self.speeds[:, side, None] * direction)**2, axis=1))
            across[end] = np.maximum(across[end], np.where(known[end], off, 0.0))
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
        rest = stopped | self.at_rest
        tau = self.shortest * 0.5**level
        line, u = [], []
        for side, ends in ((0, slice(None, -1)), (1, slice(1, None))):
            which = np.flatnonzero(active & ~rest[ends])
            line.append(which)
            part = tau[ends][which] / self.h[which]
            u.append(part if side == 0 else 1 - part)
        line, u = np.concatenate(line), np.concatenate(u)
        order = np.lexsort((u, line))
        line, u = line[order], u[order]
        speeds = np.where(np.stack([rest[:-1], rest[1:]], axis=1), 0.0, self.speeds)[line]
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
        powers = u[:, None]**np.arange(c.shape[1])
        out = np.empty((len(line), self.rows))
        for k in range(self.rows):
            d = polynomials.derivative(c, k)[:, :, 0]
            out[:, k] = np.sum(d * powers[:, :d.shape[1]], axis=1) / self.h[line]**k
        return out
