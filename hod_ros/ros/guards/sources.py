"""Whose message it is, and who owns the stream: the first source does, until it has been silent for a time.

Where the middleware names the publisher of a message (its gid), that is the source. Where it only numbers each publisher's messages, a
source is known by these numbers and, where two sources are equally likely, by where its motion was last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hod_ros.ros.guards.record import Record

FASTEST = 1e5           # [1/s] numbers that grow faster are those of two sources
MOST = 16               # sources remembered; of more, those that have been silent for longest are forgotten


@dataclass(eq=False)
class Source:
    """One publisher of one kind of input, and its last message."""

    kind: str
    identity: object            # the publisher's gid, None where it is not known
    number: int | None
    positions: Sequence[float]
    time: float                 # [s] arrival
    lost: int = 0               # messages on the way, before the last one


class Sources:
    """All sources of one node's input; `lost` counts what their numbers leave out."""

    def __init__(self) -> None:
        self._sources: list[Source] = []
        self.lost = 0

    def of(
            self, kind: str, identity: object, number: int | None, positions: Sequence[float], now: float,
            publishers: int | None = None) -> Source:
        """The source of a message that arrived now [s]. publishers: how many there are on its topic, None: unknown."""
        sources = self._sources
        for source in sources:
            if source.number is not None and source.number + 1 == number and source.kind == kind and source.identity == identity:
                break
        else:
            source = None
        if source is None or identity is None and len(sources) > 1:
            source = self._likeliest(kind, identity, number, positions, now, publishers)
        if source is None:
            source = Source(kind, identity, number, positions, now)
            sources.append(source)
            if len(sources) > MOST:
                sources.remove(min(sources, key=lambda old: old.time))
            return source
        lost = number - source.number - 1 if number is not None else 0
        source.lost += lost
        self.lost += lost
        source.number, source.positions, source.time = number, positions, now
        return source

    def _likeliest(
            self, kind: str, identity: object, number: int | None, positions: Sequence[float], now: float,
            publishers: int | None) -> Source | None:
        candidates = [source for source in self._sources if source.kind == kind and source.identity == identity]
        if identity is None and number is not None:
            alone = publishers is not None and len(candidates) >= publishers
            candidates = [
                source for source in candidates
                if 1 <= number - source.number <= (float('inf') if alone else 1 + FASTEST * (now - source.time))]
        elif identity is not None:
            candidates = [source for source in candidates if number is None or number > source.number]
        if len(candidates) < 2:
            return candidates[0] if candidates else None
        following = [source for source in candidates if source.number is not None and source.number + 1 == number]
        return min(following or candidates, key=lambda source: _distance(source.positions, positions))


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return max((abs(a - b) for a, b in zip(one, other, strict=False)), default=0.0)


class Ownership:
    """silence [s]: how long the owner must have been silent before another may take the stream."""

    def __init__(self, silence: float) -> None:
        self.record = Record('source')
        self.silence = silence
        self.owner: Source | None = None
        self._heard = 0.0

    def admits(self, source: Source, now: float) -> bool:
        """Whether the stream is this source's, by its message that arrived now [s]."""
        if source is self.owner:
            self._heard = now
            return True
        if self.owner is not None and now - self._heard <= self.silence:
            self.record.act(f'a second source of {source.kind}s sends beside the owner of the stream: it is not commanded')
            return False
        self.owner, self._heard = source, now
        return True

    def forget(self) -> None:
        self.owner = None
