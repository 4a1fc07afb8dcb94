# SPDX-License-Identifier: Apache-2.0
"""Whether setpoints are fresh: the age of the last good one, by arrival on the steady clock."""

from collections.abc import Mapping
from typing import Any


class Freshness:
    """By the parameter setpoint_timeout [s]; 0: nothing is ever stale."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self.timeouts = 0           # how often setpoints became stale
        self.reset()

    def reset(self) -> None:
        self.last: float | None = None      # [s] arrival of the last good setpoint since the node became active
        self.stale = False

    @property
    def timeout(self) -> float:
        return self._parameters['setpoint_timeout']

    def arrived(self, now: float) -> bool:
        """A good setpoint came; whether it ends a stale time."""
        ended = self.check(now) or self.stale
        self.stale = False
        self.last = now
        return ended

    def check(self, now: float) -> bool:
        """Whether setpoints have become stale since the last look."""
        timeout = self.timeout
        if self.stale or not timeout or self.last is None or now - self.last <= timeout:
            return False
        self.stale = True
        self.timeouts += 1
        return True
