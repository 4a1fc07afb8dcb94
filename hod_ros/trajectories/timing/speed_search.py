# SPDX-License-Identifier: Apache-2.0
"""The search for the fastest speed profile: finer and finer splines, then the points between which a limit is exceeded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.trajectories.timing.interior_point import fastest
from hod_ros.trajectories.timing.maxima import refined_maxima
from hod_ros.trajectories.timing.path_limits import PathLimits
from hod_ros.trajectories.timing.path_limits import PointLimits
from hod_ros.trajectories.timing.speed_basis import Basis
from hod_ros.trajectories.timing.speed_profile import SpeedProfile
from hod_ros.trajectories.timing.warped_path import WarpedPath

Array = NDArray[np.float64]
_FIRST_INTERVALS, _INTERVALS, _MOST_INTERVALS = 60, 240, 4000
_WORTHWHILE = 4e-3          # of the duration: a gain for which the intervals are doubled again
_IN_TIME = 0.95             # share of time, beside that of u, in which the breaks are spread evenly
_POINTS, _END_POINTS = 4, 16        # of an interval, where limits are kept; and of the intervals near both ends
_NEAR_ENDS = 6              # intervals
_LOOKS = 3                  # times as many points, where limits are looked at afterwards
_ROUGH_GAP, _GAP = 3e-3, 3e-4       # of the duration, that the interior-point method leaves
_EXCESS = 3e-4              # of a limit, left to the last slow-down
_NEARLY = 0.98              # of a limit's largest usage on the grid: what may be larger between
_SPARED = 1e-8              # of a limit, by the last slow-down, for rounding
_HELD_BACK = 2e-4           # of a limit, at points, for what happens between them
_ROUNDS, _SLOW_DOWNS = 12, 6
_FASTEST, _SLOWEST = 1e14, 1e-60        # b: the path in 1e-7 s; and so slowly that nothing but gravity counts


class NoSpeedError(InputError):
    """The path is right, but standing still on it exceeds a limit already."""


class SpeedSearch:
    """From a slow motion to the fastest along a path."""

    def __init__(self, route: WarpedPath, limits: PathLimits):
        self.route, self.limits = route, limits
        self._looked_at: tuple[Array, Array, PointLimits] | None = None      # breaks, their grid, and the limits there
        corners = route.places(route.corners(limits.order)[0])
        self.corners = np.unique(np.concatenate([corners, np.maximum(corners - 1e-9, 0.0)]))

    def run(self) -> tuple[SpeedProfile, float]:
        """The profile and the last slow-down, as a part of all speeds."""
        profile, points = self._refined(), np.zeros(0)
        for _ in range(_ROUNDS):
            u, _, share = self.maxima(profile, 0.9)
            if share.max(initial=0.0) <= 1 + _EXCESS:
                slowed, slow_down = self._slowed(profile)
                if slow_down <= 2 * _EXCESS:            # a torque rate may grow when the motion slows down
                    return slowed, slow_down
            points = np.union1d(points, u[share > 1])
            profile = self._fitted(profile.breaks, profile, points)
        return self._slowed(profile)

    def maxima(self, profile: SpeedProfile, floor: float) -> tuple[Array, NDArray[np.intp], Array]:
        """Where the usage of limits has maxima above the floor that are nearly its largest, of which limit, and how large."""
        if self._looked_at is None or self._looked_at[0] is not profile.breaks:
            grid = np.unique(np.concatenate([_points(profile.breaks, _LOOKS), self.corners]))
            self._looked_at = profile.breaks, grid, self.limits.at(grid)
        _, grid, limits = self._looked_at
        z = profile.derivatives(grid)
        values = np.where(z[:, :1] > 0, limits.usage(np.maximum(z, [_SLOWEST, -np.inf, -np.inf, -np.inf])), np.inf)
        floor = np.maximum(floor, _NEARLY * values.max(axis=0))
        return refined_maxima(lambda u: self.limits.at(u).usage(profile.derivatives(u)), grid, values, floor)

    def _refined(self):
        intervals = min(max(_FIRST_INTERVALS, len(getattr(self.route.path, 'breaks', ())) // 2), _MOST_INTERVALS // 4)
        profile = self._fitted(np.linspace(0, 1, intervals + 1))
        while True:
            intervals *= 2
            better = self._fitted(_spread(profile, intervals), profile)
            settled = abs(better.duration / profile.duration - 1) < _WORTHWHILE and intervals >= _INTERVALS
            if settled or intervals > _MOST_INTERVALS / 2:
                return better
            profile = better

    def _fitted(self, breaks, start=None, points=None):
        """The fastest profile on these breaks; points: more of them where limits are kept, near what `start` is."""
        again = points is not None
        u = np.unique(np.concatenate([_points(breaks, 1), self.corners, points if again else []]))
        limits, basis = self.limits.tighter(_HELD_BACK if again else 0.0).at(u), Basis(breaks, u)
        x = np.full(basis.size, _FASTEST) if start is None else basis.like(start) * (0.999 if again else 0.8)
        if not (basis.z(x)[:, 0] > 0).all():
            x = np.full(basis.size, _FASTEST)
        x = self._within(limits, basis, x, 0.98 if again else 0.5)
        weights = np.diff(u, prepend=0) / 2 + np.diff(u, append=1) / 2
        gap, start_gap = (_GAP, 100 * _GAP) if again else (_ROUGH_GAP, 1.0)
        return basis.profile(fastest(basis, limits, weights, x, gap, start_gap).x)

    def _within(self, limits, basis, x, factor):
        """x, slowed down until it keeps all limits."""
        while not (limits.slack(basis.z(x)) > 0).all():
            x = x * factor
            if x.max() < _SLOWEST:
                self.refuse_standstill(limits, basis.u)
        if x.max() == _FASTEST:
            raise InputError('the limits do not bound the speed along the path; give one of velocity')
        return x

    def refuse_standstill(self, limits, u):
        """InputError about the limit that is exceeded at rest."""
        at_rest = np.tile([_SLOWEST, 0.0, 0.0, 0.0], (len(u), 1))
        share = limits.usage(at_rest)
        if not share.max() >= 1:
            raise InputError('the path is too uneven to be timed: its derivatives differ too much in size; parametrise it by its length')
        i, column = np.unravel_index(share.argmax(), share.shape)
        quantity, name = self.limits.labels[column]
        s = self.route.parameter(u[i:i + 1])[0, 0]
        raise NoSpeedError(
            f'no speed is slow enough: at the parameter {s:.6g} of the path standing still takes {100 * share[i, column]:.4g} % of '
            f'the {quantity} that {name!r} may use, by gravity alone; raise that limit, lower the load, or choose another path')

    def _slowed(self, profile):
        factor = 1.0
        for _ in range(_SLOW_DOWNS):
            u, _, share = self.maxima(profile, 0.99)
            if share.max(initial=0.0) <= 1 - _SPARED / 2:
                break
            limits, z = self.limits.at(u), profile.derivatives(u)
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if limits.usage(z * middle ** 2).max() <= 1 - _SPARED else (low, middle)
            profile, factor = profile.slower(low), factor * low
        return profile, 1 - factor


def _points(breaks, density):
    """Points in all intervals, more of them near the ends."""
    count = np.full(len(breaks) - 1, _POINTS * density)
    count[:_NEAR_ENDS] = count[-_NEAR_ENDS:] = _END_POINTS * density
    shares = np.concatenate([np.arange(c) / c for c in count])
    return np.append(np.repeat(breaks[:-1], count) + np.repeat(np.diff(breaks), count) * shares, breaks[-1])


def _spread(profile, intervals):
    """Breaks that are evenly spread over time, and a little over u."""
    u = np.unique(np.concatenate([np.linspace(0, 1, 8 * intervals), profile.breaks]))
    share = _IN_TIME * profile.time_at(u) / profile.duration + (1 - _IN_TIME) * u
    breaks = np.interp(np.linspace(0, 1, intervals + 1), share, u)
    breaks[[0, -1]] = 0.0, 1.0
    return breaks
