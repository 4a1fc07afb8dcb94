# SPDX-License-Identifier: Apache-2.0
"""Which publisher a message is of, and how many of its messages were lost on their way.

Where the middleware names the publisher (its gid), that is the source. Where it only numbers each publisher's messages, a source is known
by these numbers and, where two are equally likely, by where its motion was last. The middleware's own event for losses (MESSAGE_LOST)
knows nothing of a queue of ours that overflows, and taking it can lock up a process for ever.
"""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

NUMBER, STAMP, GID = 'publication_sequence_number', 'source_timestamp', 'publisher_gid'
FASTEST = 1e5       # [1/s] numbers that grow faster are those of two sources


@dataclass(eq=False)
class Source:
    """One publisher of one kind of input; number and stamp [ns] of its last message, and the positions in it.

    anybody: whether it may be several, because the middleware tells none apart.
    """

    kind: str
    gid: object
    number: int | None
    stamp: int
    positions: Sequence[float] = ()
    anybody: bool = False


class Sources:
    """All publishers of one topic; `lost` counts on by what their numbers leave out."""

    def __init__(self, kind: str, lost: int = 0) -> None:
        self._kind = kind
        self._sources: list[Source] = []
        self.lost = lost

    def of(self, information: Mapping[str, Any], positions: Sequence[float], publishers: Callable[[], int]) -> Source:
        """The source of a message with this information; publishers(): how many there are now."""
        gid, number, stamp = information.get(GID), information[NUMBER], information[STAMP]
        following = [
            source for source in self._sources
            if source.gid == gid and (number is None or source.number is not None and source.number + 1 == number)]
        if len(following) == 1:
            source = following[0]
        elif following:
            source = min(following, key=lambda source: _distance(source.positions, positions))
        else:
            source = self._after_a_gap(gid, number, stamp, publishers())
        source.number, source.stamp, source.positions = number, stamp, positions
        return source

    def _after_a_gap(self, gid, number, stamp, publishers):
        """The nearest source that lost what is between, or a new one, which has lost nothing."""
        sources = self._sources
        complete = gid is not None or len(sources) >= publishers
        possible = [] if number is None else [
            source for source in sources if source.gid == gid and source.number < number
            and (complete or 1e9 * (number - source.number) <= FASTEST * (stamp - source.stamp))]
        if possible:
            nearest = max(possible, key=attrgetter('number'))
            self.lost += number - nearest.number - 1
            return nearest
        new = Source(self._kind, gid, number, stamp, anybody=gid is None and number is None)
        sources.append(new)
        if len(sources) > max(publishers, 1):
            sources.remove(min(sources, key=attrgetter('stamp')))       # it has gone, or began anew
        return new


def _distance(one, other):
    return max((abs(a - b) for a, b in zip(one, other, strict=False)), default=0.0)
