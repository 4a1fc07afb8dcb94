# SPDX-License-Identifier: Apache-2.0
"""The speed along a path: b(u) = u'^2 as a spline of degree 5, and the clock that belongs to it.

b is positive, so u(t) rises throughout; t(u) is the integral of b^(-1/2), to rounding by Gauss and Legendre's rule between knots.
"""

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.optional import optional
from hod_ros.trajectories.polynomials import factorials
from hod_ros.trajectories.timing.compositions import clock

interpolate = optional('scipy.interpolate', 'trajectories')
Array = NDArray[np.float64]
DEGREE = 5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1), 0.5 * _WEIGHTS
_NEWTON_STEPS = 6


def knots_of(breaks: Array) -> Array:
    """The spline's knots: every break once, the ends six times."""
    return np.concatenate([[breaks[0]] * DEGREE, breaks, [breaks[-1]] * DEGREE])


class SpeedProfile:
    """b(u) on [0, 1] from its spline coefficients."""

    def __init__(self, breaks: Array, coefficients: Array):
        self.breaks = breaks
        self.coefficients = coefficients
        pieces = interpolate.PPoly.from_spline(interpolate.BSpline(knots_of(breaks), coefficients, DEGREE)).c[:, DEGREE:-DEGREE]
        self._pieces = pieces[::-1].T.copy()                    # (intervals, 6): powers of u - breaks[i], from the constant on
        steps = np.diff(breaks)
        self.times: Array = np.concatenate([[0.0], np.cumsum(self._elapsed(np.arange(len(steps)), steps))])

    @property
    def duration(self) -> float:
        """t at u = 1 [s]"""
        return float(self.times[-1])

    @property
    def positive(self) -> bool:
        """Whether the motion gets to its end."""
        return bool(np.isfinite(self.times).all())

    def slower(self, factor: float) -> 'SpeedProfile':
        """The same motion with all speeds multiplied by the factor."""
        return SpeedProfile(self.breaks, self.coefficients * factor ** 2)

    def derivatives(self, u: Array, order: int = 3) -> Array:
        """b and its derivatives by u, (len(u), order + 1)."""
        return self._series(*self._places(u), order) * factorials(order + 1)

    def series_at(self, u: Array, order: int, left: bool = False) -> Array:
        """Series by time of u(t) where it is u, (len(u), order + 1), normalised; left: from the interval that ends there."""
        i, step = self._places(u, left)
        return clock(self._series(i, step, max(order, 1)), u, order)

    def series(self, times: Array, order: int) -> Array:
        """Series of u at times, (len(times), order + 1), normalised."""
        i, step = self._at(times)
        return clock(self._series(i, step, max(order, 1)), self.breaks[i] + step, order)

    def time_at(self, u: Array) -> Array:
        """t at u [s]"""
        i, step = self._places(u)
        return self.times[i] + self._elapsed(i, step)

    def _places(self, u, left=False):
        i = np.clip(np.searchsorted(self.breaks, u, side='left' if left else 'right') - 1, 0, len(self.breaks) - 2)
        return i, u - self.breaks[i]

    def _series(self, i, step, order):
        """Coefficients of b about breaks[i] + step."""
        c = np.zeros((len(i), max(order, DEGREE) + 1))
        c[:, :DEGREE + 1] = self._pieces[i]
        for lowest in range(DEGREE):                            # Taylor's shift by repeated synthetic division
            for k in range(DEGREE - 1, lowest - 1, -1):
                c[:, k] += step * c[:, k + 1]
        return c[:, :order + 1]

    def _elapsed(self, i, step):
        """Time from breaks[i] to breaks[i] + step; nan where b is not positive."""
        x = step[:, None] * _NODES
        b = np.zeros_like(x)
        for k in range(DEGREE, -1, -1):
            b = b * x + self._pieces[i, k, None]
        with np.errstate(all='ignore'):
            return step * (b ** -0.5 @ _WEIGHTS)

    def _at(self, times):
        """Interval and distance from its beginning at times, by Newton's method within the interval."""
        i = np.clip(np.searchsorted(self.times, times, side='right') - 1, 0, len(self.breaks) - 2)
        width, wanted = np.diff(self.breaks)[i], times - self.times[i]
        step = width * np.clip(wanted / np.diff(self.times)[i], 0.0, 1.0)
        for _ in range(_NEWTON_STEPS):
            missing = wanted - self._elapsed(i, step)
            step = np.clip(step + missing * np.sqrt(self._series(i, step, 0)[:, 0]), 0.0, width)
        return i, step
