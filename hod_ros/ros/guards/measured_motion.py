# SPDX-License-Identifier: Apache-2.0
"""How the robot moves, for whoever holds it: without the jumps of encoders, and with velocities also where those that are measured are
missing or are not how fast positions change."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.guards.differences import WINDOW
from hod_ros.ros.guards.differences import Differences
from hod_ros.ros.guards.rate_limiter import LONGEST_STEP
from hod_ros.ros.guards.unbroken import Unbroken

Array = NDArray[np.float64]

AGREE = 0.1             # [rad/s] or [m/s], and times the velocity:
AGREE_SHARE = 0.3       # by which measured velocities may differ from differences of positions
BORNE = 0.4             # of a bandwidth times the time between two states: held at twice that, an arm swings up
FADING = 0.9            # of what is remembered of the longest time between two states, with each of them


@dataclass(frozen=True)
class Moving:
    """(n,) positions and velocities, and the bandwidth [1/s] of feedback that states bear which come so rarely."""

    positions: Array
    velocities: Array
    bandwidth: float


class MeasuredMotion:
    """fastest (n,): velocities beyond which it is the measurement that is wrong; slack [rad] or [m] of a step."""

    def __init__(self, fastest: Array, slack: float) -> None:
        n = len(fastest)
        self._places, self._differences = Unbroken(fastest, np.full(n, slack)), Differences(n)
        self._velocities, self._velocity_times = np.full(n, np.nan), np.full(n, -np.inf)
        self._intervals = np.zeros(n)

    def use(self, fastest: Array) -> None:
        self._places.use(fastest)

    def take(self, joints: list[int], positions: Array, velocities: Array | None, now: float, silence: float) -> None:
        """What is measured of some joints now [s], finite; silence [s]: after which what was measured before tells nothing."""
        elapsed = now - self._places.times[joints]
        self._intervals[joints] = np.where(elapsed <= silence, np.maximum(elapsed, FADING * self._intervals[joints]), 0.0)
        self._places.take(joints, positions, now, silence)
        self._differences.take(joints, self._places.positions[joints], now, silence)
        if velocities is not None:
            self._velocities[joints], self._velocity_times[joints] = velocities, now

    def believe(self) -> None:
        """The robot is where it is measured, whatever encoders have jumped by before."""
        self._places.believe()

    @property
    def positions(self) -> Array:
        """(n,) the last ones; nan where none was ever measured."""
        return self._places.positions

    @property
    def time(self) -> float:
        """[s] of the joint whose position is the oldest."""
        return float(self._places.times.min())

    @property
    def since(self) -> float:
        """[s] since when no joint was silent."""
        return float(self._places.since.max())

    def at(self, now: float, timeout: float) -> Moving | None:
        """As far as all is fresh."""
        if now - self.time > timeout:
            return None
        told, seen = self._velocities, self._differences.velocities
        differ = (np.abs(told) > self._places.fastest) | (np.abs(told - seen) > AGREE + AGREE_SHARE * np.abs(seen))
        by_differences = differ | ~(now - self._velocity_times <= timeout)
        velocities = np.where(by_differences, seen, told)
        if not np.isfinite(velocities).all():
            return None
        interval = max(float(self._intervals.max()), WINDOW if by_differences.any() else LONGEST_STEP)
        return Moving(self.positions.copy(), velocities, BORNE / interval)
