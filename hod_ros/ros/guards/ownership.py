# SPDX-License-Identifier: Apache-2.0
"""One source at a time owns the stream: the first does, until it has been silent for a time."""

from hod_ros.ros.guards.record import Record
from hod_ros.ros.guards.sources import Source


class Ownership:
    """silence [s]: how long the owner must have been silent before another may take the stream."""

    def __init__(self, silence: float) -> None:
        self.record = Record('source')
        self.silence = silence
        self.owner: Source | None = None
        self._heard = 0.0

    def admits(self, source: Source, now: float) -> bool:
        """Whether the stream is this source's, by its message that arrived now [s]."""
        if source is not self.owner:
            if self.owner is not None and now - self._heard <= self.silence:
                self.record.act(f'besides the owner of the stream, another source sends {source.kind} messages: they are not commanded')
                return False
            self.owner = source
            self.record.off = 'the middleware does not tell publishers apart' if source.anybody else ''
        self._heard = now
        return True

    def is_anothers(self, source: Source, now: float) -> bool:
        """Whether another source has the stream now [s]."""
        return self.owner is not None and self.owner is not source and now - self._heard <= self.silence

    def forget(self) -> None:
        self.owner = None
