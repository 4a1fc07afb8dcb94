# SPDX-License-Identifier: Apache-2.0
"""Commands never jump: whatever is wanted, they change no faster than a rate, and stay within their limits."""

import numpy as np
from numpy.typing import NDArray

LONGEST_STEP = 0.01     # [s] what a command may change by after a longer silence, too: an effort controller holds it until then


def within(values: NDArray[np.float64], bound: float) -> bool:
    """Whether none of these is beyond a bound. Their norm, which is quicker, says so of most."""
    return bool(values @ values <= bound * bound) or bool((np.abs(values) <= bound).all())


class RateLimiter:
    """limit [N m] and rate [N m/s], (n,) each. The first command goes out from zero, or from where `start_from` says."""

    def __init__(self, limit: NDArray[np.float64], rate: NDArray[np.float64]) -> None:
        self.use(limit, rate)
        self.last = np.zeros(len(limit))
        self.time = -np.inf             # [s] of the last command
        self.clipped = False            # whether the last was wanted beyond its limit
        self.behind = False             # whether the last is not yet what was wanted, within the limit

    def use(self, limit: NDArray[np.float64], rate: NDArray[np.float64]) -> None:
        """From now on. A command beyond a new limit moves towards it as fast as the rate lets it."""
        self._limit, self._rate = limit, rate

    def start_from(self, torques: NDArray[np.float64]) -> None:
        """The next command goes on from these, which are measured or known, as far as they are within limits and finite."""
        command = np.clip(np.asarray(torques, float), -self._limit, self._limit)
        self.take_over(np.where(np.isfinite(command), command, self.last))

    def take_over(self, command: NDArray[np.float64]) -> None:
        """The next command goes on from this one, which another limiter has let through and the controller holds: also where limits have
        been lowered since, for a command never jumps."""
        self.last = np.array(command, float)
        self.clipped = self.behind = False

    def next(self, wanted: NDArray[np.float64], now: float) -> NDArray[np.float64]:
        """(n,) the command of the time now [s]: as near to what is wanted as rate and limit let it be; the last one where that is no
        number."""
        elapsed = min(max(now - self.time, 0.0), LONGEST_STEP)
        self.time = now
        if within(wanted / self._limit, 1.0) and within((wanted - self.last) / self._rate, elapsed):
            self.clipped = self.behind = False
            self.last = wanted
            return wanted
        limited, step = np.clip(wanted, -self._limit, self._limit), self._rate * elapsed
        self.clipped = bool((limited != wanted).any())
        command = np.clip(limited, self.last - step, self.last + step)
        command = np.where(np.isfinite(command), command, self.last)
        self.behind = bool((command != limited).any())
        self.last = command
        return command
