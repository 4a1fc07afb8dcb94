# SPDX-License-Identifier: Apache-2.0
"""What every guard tells of itself: whether it can judge, how often it acted, and why it did last."""

from dataclasses import dataclass
from dataclasses import field

OFF, WATCHING, ACTING = 'off', 'watching', 'acting'


@dataclass
class Record:

    name: str
    off: str = ''               # why the guard can't judge now
    count: int = 0              # how often it acted
    reason: str = ''            # why it did last
    _reported: int = field(default=0, repr=False)

    def act(self, reason: str) -> None:
        self.count += 1
        self.reason = reason

    @property
    def state(self) -> str:
        """ACTING where it acted since the last report."""
        if self.count != self._reported:
            return ACTING
        return OFF if self.off else WATCHING

    def report(self) -> tuple[str, str]:
        """(state, text) for a report; what comes later counts for the next one."""
        state, self._reported = self.state, self.count
        text = f'{state}: {self.reason}' if state == ACTING else f'{state}: {self.off}' if state == OFF else state
        if self.count:
            text += f' ({self.count} times' + (f'; last: {self.reason})' if state != ACTING else ')')
        return state, text
