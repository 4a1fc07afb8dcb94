# SPDX-License-Identifier: Apache-2.0
"""How fast joints are by where they are measured, where nobody measures how fast they are."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WINDOW = 0.02           # [s] at least between two positions of a difference: arrivals jitter by some milliseconds, encoders are coarse


class Differences:
    """Mean velocities (n,) over the last WINDOW, or the last two samples where these are further apart; nan before."""

    def __init__(self, n: int) -> None:
        self.velocities = np.full(n, np.nan)
        self._positions = np.full(n, np.nan)
        self._times = np.full(n, -np.inf)

    def take(self, joints: list[int], positions: Array, now: float, longest: float) -> None:
        """Positions (k,) of these joints now [s]; longest [s]: between two of a difference."""
        elapsed = now - self._times[joints]
        if (elapsed < WINDOW).all():
            return
        known = (elapsed >= WINDOW) & (elapsed <= longest)
        gone, early = elapsed > longest, elapsed < WINDOW
        with np.errstate(invalid='ignore'):
            velocities = (positions - self._positions[joints]) / elapsed
        self.velocities[joints] = np.where(known, velocities, np.where(gone, np.nan, self.velocities[joints]))
        self._positions[joints] = np.where(early, self._positions[joints], positions)
        self._times[joints] = np.where(early, self._times[joints], now)
