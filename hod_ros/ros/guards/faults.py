# SPDX-License-Identifier: Apache-2.0
"""After a fault nothing resumes by itself: the first reason is latched until somebody resets it."""

from dataclasses import dataclass


@dataclass
class Fault:
    """Empty `reason`: there is none. `hindrance`: why a reset now would lead to the next fault at once."""

    reason: str = ''
    guard: str = ''
    count: int = 0
    hindrance: str = ''
    _hindered_until: float = 0.0

    def latch(self, guard: str, reason: str) -> bool:
        """Whether this is a new fault: until it is reset, the first one's reason stays."""
        if self.reason:
            return False
        self.reason, self.guard = reason, guard
        self.count += 1
        return True

    def hinder(self, reason: str, until: float) -> None:
        """Until this time [s] a reset is refused for this reason."""
        self.hindrance, self._hindered_until = reason, until

    def reset(self, now: float) -> tuple[bool, str]:
        """(whether there is no fault any more, a sentence)"""
        if not self.reason:
            return True, 'there was no fault'
        if self.hindrance and now < self._hindered_until:
            return False, f'the cause is still there: {self.hindrance}'
        ended, self.reason, self.guard, self.hindrance = self.reason, '', '', ''
        return True, f'ended: {ended}'
