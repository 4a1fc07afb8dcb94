# SPDX-License-Identifier: Apache-2.0
"""A path seen through a warp of its parameter, which lets a motion of positive speed begin and end at rest.

The path q(s) is read at s = S(u), u in [0, 1], where S' is proportional to u^(i-1) (1-u)^(j-1). With u' > 0 throughout, q(S(u(t))) then
leaves its first point like t^5: velocity, acceleration, jerk and snap begin and end at 0. Where the path's own derivatives vanish at an
end, as those of a motion at rest do, less of a warp or none is needed there.
"""

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.trajectories.polynomials import factorials
from hod_ros.trajectories.timing.compositions import composed
from hod_ros.trajectories.trajectory import Trajectory

_AT_REST = 5                # q - q(start) is of this order in t, at least
_VANISHES = 1e-9            # of the path's extent
_PROBES = 200
_JUMP = 1e-6                # of a derivative's size: what counts as continuous
_BISECTIONS = 60


class WarpedPath:
    """q(S(u)) and its derivatives by u, for u in [0, 1]."""

    def __init__(self, path: Trajectory) -> None:
        self.path: Trajectory = path
        self.n: int = path.n
        self._refuse_standstill()
        first, last = (-(-_AT_REST // self._leaves_like(end)) for end in (path.start, path.end))
        self._forwards = _share(first, last) * (path.end - path.start)
        self._backwards = _share(last, first) * (path.end - path.start)         # from the end, which keeps the digits there

    def parameter(self, u: NDArray[np.float64], order: int = 0) -> NDArray[np.float64]:
        """Series of s at u, (len(u), order + 1), normalised."""
        u = np.asarray(u, dtype=float)
        late = u > 0.5
        near = np.where(late, 1 - u, u)
        rows = []
        for k in range(order + 1):
            from_start, from_end = (p.deriv(k)(near) if k else p(near) for p in (self._forwards, self._backwards))
            rows.append(np.where(late, -((-1) ** k) * from_end, from_start))
        s = np.stack(rows, axis=1) / factorials(order + 1)
        s[:, 0] = np.clip(np.where(late, self.path.end, self.path.start) + s[:, 0], self.path.start, self.path.end)
        return s

    def series(self, s: NDArray[np.float64], left: bool = False) -> NDArray[np.float64]:
        """Series of q, (samples, rows, n), where s has the series (samples, rows); left: from the piece of the path that ends there."""
        rows = s.shape[1]
        places = np.nextafter(s[:, 0], self.path.start) if left else s[:, 0]
        return composed(self.path.evaluate(places, rows - 1) / factorials(rows)[:, None], s)

    def derivatives(self, u: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        """q and its derivatives by u, (len(u), order + 1, n)."""
        return self.series(self.parameter(u, order)) * factorials(order + 1)[:, None]

    def places(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """u where the path's parameter is s, by bisection."""
        low, high = np.zeros(len(s)), np.ones(len(s))
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            before = self.parameter(middle)[:, 0] < s
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return high

    @property
    def breaks(self) -> NDArray[np.float64]:
        """u where the path's pieces meet, as far as it tells them."""
        inner = np.asarray(getattr(self.path, 'breaks', ()), dtype=float)[1:-1]
        return self.places(inner)

    def corners(self, order: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The path's own parameter where one of its derivatives to this order jumps, and the lowest that does."""
        none = np.zeros(0), np.zeros(0, dtype=int)
        if len(getattr(self.path, 'breaks', ())) < 3 or not hasattr(self.path, 'jumps'):
            return none
        probes = np.union1d(self.path.breaks, np.linspace(self.path.start, self.path.end, 4 * len(self.path.breaks)))
        size = np.abs(self.path.evaluate(probes, order)).max(axis=(0, 2))
        jumping = np.abs(self.path.jumps(order)).max(axis=2) > _JUMP * size
        where = np.flatnonzero(jumping.any(axis=1))
        return self.path.breaks[1:-1][where], jumping[where].argmax(axis=1)

    def _leaves_like(self, end):
        """The lowest power of the distance from this end with which the path leaves it, up to the one wanted."""
        length = self.path.end - self.path.start
        powers = np.arange(_AT_REST + 1)
        terms = np.abs(self.path.evaluate(np.array([end]), _AT_REST)[0]).max(axis=1) * length ** powers / factorials(_AT_REST + 1)
        extent = np.ptp(self._probe(), axis=0).max()
        leaving = np.flatnonzero(terms[1:] > _VANISHES * extent)
        return int(leaving[0]) + 1 if leaving.size else _AT_REST

    def _probe(self):
        return self.path.evaluate(np.linspace(self.path.start, self.path.end, _PROBES + 1), 0)[:, 0]

    def _refuse_standstill(self):
        q = self._probe()
        extent = np.ptp(q, axis=0).max()
        if not extent > 0:
            raise InputError('path does not move: all of it is one position; a path to be timed leads somewhere')
        still = np.abs(np.diff(q, axis=0)).max(axis=1) <= 1e-15 * max(extent, np.abs(q).max())
        held = np.flatnonzero(still[:-2] & still[1:-1] & still[2:])
        if held.size:
            s = self.path.start + (self.path.end - self.path.start) * held[0] / _PROBES
            raise InputError(f'path stands still around its parameter {s:.6g}: a path has no waiting in it; take that piece out')


def _share(first, last):
    """The polynomial from (0, 0) to (1, 1) whose derivative is proportional to u^(first-1) (1-u)^(last-1)."""
    share = (Polynomial([0, 1]) ** (first - 1) * Polynomial([1, -1]) ** (last - 1)).integ()
    return share / share(1.0)
