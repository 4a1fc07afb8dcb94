# SPDX-License-Identifier: Apache-2.0
"""Where joints are by encoders that may jump: a step that no joint can make is its encoder's doing, and is not gone along with."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FASTEST = 100.0         # [rad/s] or [m/s] of a joint without a velocity limit


class Unbroken:
    """fastest (n,): beyond them it is the measurement that is wrong, inf: not known; slack [rad] or [m], by which positions may change at
    once. Positions are those of the first sample since `believe`, or since a silence, and all steps thereafter that joints can make."""

    def __init__(self, fastest: Array, slack: Array) -> None:
        self.use(fastest)
        self._slack = slack
        self._measured = np.full(len(fastest), np.nan)
        self.positions = np.full(len(fastest), np.nan)
        self.times = np.full(len(fastest), -np.inf)         # [s] of the last samples
        self.since = np.full(len(fastest), -np.inf)         # [s] of the first one after a silence

    def use(self, fastest: Array) -> None:
        self.fastest = np.where(np.isfinite(fastest), fastest, FASTEST)

    def take(self, joints: list[int] | slice, positions: Array, now: float, silence: float) -> NDArray[np.bool_]:
        """(k,) which of these joints jump with this sample of their positions (k,); after a silence [s] each is where it is measured."""
        elapsed, step = now - self.times[joints], positions - self._measured[joints]
        anew = elapsed > silence
        jumps = ~anew & (np.abs(step) > self.fastest[joints] * np.maximum(elapsed, 0.0) + self._slack[joints])
        if anew.any():
            self.positions[joints] = np.where(anew, positions, self.positions[joints] + np.where(jumps, 0.0, step))
            self.since[joints] = np.where(anew, now, self.since[joints])
        else:
            self.positions[joints] += np.where(jumps, 0.0, step)
        self._measured[joints], self.times[joints] = positions, now
        return jumps

    def believe(self) -> None:
        """Joints are where they are measured."""
        self.positions = self._measured.copy()
