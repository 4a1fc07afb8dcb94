# SPDX-License-Identifier: Apache-2.0
"""A path with its timing, as a Trajectory over time that knows how it uses its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.trajectories import arguments
from hod_ros.trajectories.polynomials import factorials
from hod_ros.trajectories.timing.compositions import composed
from hod_ros.trajectories.timing.speed_profile import SpeedProfile
from hod_ros.trajectories.timing.warped_path import WarpedPath
from hod_ros.trajectories.trajectory import Trajectory

Array = NDArray[np.float64]
_NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(8) / 7)       # of a piece, where its snap is met: polynomials of degree 11
_TO_POWERS = np.linalg.inv(np.vander(_NODES, increasing=True))
_FOUR_INTEGRALS = 1 / ((np.arange(8) + 1) * (np.arange(8) + 2) * (np.arange(8) + 3) * (np.arange(8) + 4))
_LOOKS = np.array([0.1, 0.5, 0.9])
_EXACT = np.array([1e-12, 1e-11, 1e-10, 1e-9, 1e-7])        # of each derivative's largest value of each joint,
_LEAST = 1e-6               # or of this part of all joints'
_HALVINGS = 5


@dataclass(frozen=True)
class Certificate:
    """What a motion was judged by, and what it uses of each limit between all points: nothing exceeds 1."""

    model_name: str
    model_hash: str
    margin: float                       # the part of the limits of forces that was to be used
    usage: dict[str, Array]             # quantity -> (joints or motors,) largest magnitude by its limit, margin included
    times: dict[str, Array]             # when that is [s]
    names: dict[str, tuple[str, ...]]   # joints or motors
    slow_down: float                    # the last, uniform slow-down: 1e-4 where all speeds were reduced by 0.01 %
    intervals: int                      # of the spline that the speed along the path is
    deviation: float                    # the largest distance of the polynomials from the path [rad] or [m]

    @property
    def message(self) -> str:
        """One sentence."""
        quantity = max(self.usage, key=lambda name: self.usage[name].max())
        j = int(self.usage[quantity].argmax())
        return (
            f'feasible for {self.model_name} (model {self.model_hash}), margin {self.margin:g}; most is used of {quantity} of '
            f'{self.names[quantity][j]!r}: '
            f'{100 * self.usage[quantity][j]:.2f} % at {self.times[quantity][j]:.6g} s')


class TimedPath(Trajectory):
    """A motion along a path: piecewise polynomials that agree with the path to rounding, and the parameter of the path over time.

    What time_optimal returns.

        >>> path = Trajectory.interpolate([0, 1], [q[0], q[0] + 0.3])
        >>> motion = time_optimal(model, path, Limits(velocity=1.0))
        >>> np.allclose(motion.parameter([motion.start, motion.end]), [0, 1])
        True
    """

    certificate: Certificate
    path: Trajectory
    deviation: float                    # the largest distance from the path [rad] or [m]
    _route: WarpedPath
    _profile: SpeedProfile

    @classmethod
    def of(cls, route: WarpedPath, profile: SpeedProfile, joint_names: tuple[str, ...]) -> TimedPath:
        """The motion along the route with this speed, from time 0 on."""
        u = np.union1d(profile.breaks, route.breaks)
        times, coefficients, deviation = _pieces(route, profile, u[np.concatenate([[True], np.diff(u) > 1e-12])])
        motion = cls(times, coefficients, joint_names)
        motion.path, motion.deviation, motion._route, motion._profile = route.path, deviation, route, profile
        return motion

    def parameter(self, times: ArrayLike) -> Array:
        """(len(times),) the path's parameter at times [s]."""
        times = arguments.finite_array(arguments.floats(times, 'times'), ('times',), 'times', 'the times to evaluate at [s]')
        u = self._profile.series(np.clip(times, self.start, self.end), 0)[:, 0]
        return self._route.parameter(u)[:, 0]

    def _with_breaks(self, breaks):
        return Trajectory(breaks, self.coefficients, self.joint_names)


def _pieces(route, profile, u):
    """Times and coefficients of pieces that agree with the motion, and how far they miss it."""
    for halvings in range(_HALVINGS + 1):
        times = profile.time_at(u)
        steps = np.diff(times)
        exact = _derivatives(route, profile.series((times[:-1, None] + steps[:, None] * _NODES[1:-1]).ravel(), 4))
        snap = exact[:, 4].reshape(len(steps), len(_NODES) - 2, -1)
        first = _derivatives(route, profile.series_at(u[:-1], 4))
        last = _derivatives(route, profile.series_at(u[1:], 4, left=True), left=True)
        snap = _TO_POWERS @ np.concatenate([first[:, 4:], snap, last[:, 4:]], axis=1)
        low = first[:, :4] / factorials(4)[:, None] * steps[:, None, None] ** np.arange(4)[:, None]
        high = snap * _FOUR_INTEGRALS[:, None] * steps[:, None, None] ** 4
        motion = Trajectory(times, np.concatenate([low, high], axis=1))
        size = np.abs(exact).max(axis=0)
        size = np.maximum(size, _LEAST * size.max(axis=1, keepdims=True))
        size[0] = np.maximum(size[0], 1.0)
        looks = (times[:-1, None] + steps[:, None] * _LOOKS).ravel()
        wrong = np.abs(motion.evaluate(looks, 4) - _derivatives(route, profile.series(looks, 4)))
        bad = (wrong > _EXACT[:, None] * size).any(axis=(1, 2)).reshape(len(steps), -1).any(axis=1)
        if not bad.any() or halvings == _HALVINGS:
            return times, motion.coefficients, float(wrong[:, 0].max())
        u = np.sort(np.concatenate([u, (u[:-1] + u[1:])[bad] / 2]))


def _derivatives(route, u, left=False):
    """q and its derivatives by time, (samples, rows, n), where u has these series by time."""
    rows = u.shape[1]
    s = composed(route.parameter(u[:, 0], rows - 1)[..., None], u)[..., 0]
    return route.series(s, left) * factorials(rows)[:, None]
