# SPDX-License-Identifier: Apache-2.0
"""Speed profiles as linear functions of few unknowns, seen at points of the path.

b is a spline of degree 5 whose first and last coefficients are four times the same, so that b', b'', b''' are 0 at both ends: a motion then
leaves its first point in one way, like t^5, and not with a snap without bounds.
"""

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.optional import optional
from hod_ros.trajectories.timing.speed_profile import DEGREE
from hod_ros.trajectories.timing.speed_profile import SpeedProfile
from hod_ros.trajectories.timing.speed_profile import knots_of

interpolate = optional('scipy.interpolate', 'trajectories')
Array = NDArray[np.float64]
_TIED = 3                   # coefficients at each end that are the same as the next


class Basis:
    """From the unknowns x to z = (b, b', b'', b''') at points u, and back. A point touches six coefficients of the spline."""

    def __init__(self, breaks: Array, u: Array):
        self.breaks, self.u = breaks, u
        knots = knots_of(breaks)
        coefficients = len(knots) - DEGREE - 1
        self.size = coefficients - 2 * _TIED
        self._unknown = np.clip(np.arange(coefficients) - _TIED, 0, self.size - 1)
        spline = interpolate.BSpline(knots, np.eye(coefficients), DEGREE)
        first = np.clip(np.searchsorted(breaks, u, side='right') - 1, 0, len(breaks) - 2)
        touched = first[:, None] + np.arange(DEGREE + 1)
        self._P = np.stack([np.take_along_axis(spline(u, nu), touched, axis=1) for nu in range(4)], axis=1)
        self._columns = self._unknown[touched]
        self._i, self._j = np.triu_indices(DEGREE + 1)
        row, column = self._columns[:, self._i], self._columns[:, self._j]
        self._slots = (DEGREE + row - column) * self.size + column
        self._times = np.where((row == column) & (self._i != self._j), 2.0, 1.0)    # both halves meet on the diagonal

    def z(self, x: Array) -> Array:
        """(points, 4)"""
        return np.einsum('pkj,pj->pk', self._P, x[self._columns])

    def gradient(self, by_z: Array) -> Array:
        """Derivatives by x of a sum whose derivatives by z at the points are given, (points, 4)."""
        parts = np.einsum('pkj,pk->pj', self._P, by_z)
        return np.bincount(self._columns.ravel(), parts.ravel(), self.size)

    def banded(self, by_z: Array) -> Array:
        """The upper diagonals (6, size) of the second derivatives by x from those by z at the points, (points, 4, 4)."""
        parts = (np.swapaxes(self._P, 1, 2) @ by_z @ self._P)[:, self._i, self._j] * self._times
        return np.bincount(self._slots.ravel(), parts.ravel(), (DEGREE + 1) * self.size).reshape(DEGREE + 1, self.size)

    def profile(self, x: Array) -> SpeedProfile:
        """The profile itself."""
        return SpeedProfile(self.breaks, x[self._unknown])

    def like(self, profile: SpeedProfile) -> Array:
        """Unknowns of a profile near the given one, and positive as it is: Schoenberg's approximation."""
        if np.array_equal(profile.breaks, self.breaks):
            return profile.coefficients[_TIED:-_TIED]
        knots = knots_of(self.breaks)
        places = np.convolve(knots[1:-1], np.full(DEGREE, 1 / DEGREE), 'valid')
        return profile.derivatives(np.clip(places, 0.0, 1.0), 0)[_TIED:-_TIED, 0]
