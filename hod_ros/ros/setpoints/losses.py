"""How many messages of a topic were lost on their way, from the numbers that their sources give them.

The middleware's own event for that (MESSAGE_LOST) knows nothing of a queue of ours that overflows, and taking it can lock up a process for
ever. The numbers come without the name of their source: which source a message is of follows from the numbers themselves.
"""

from dataclasses import dataclass
from inspect import Parameter
from inspect import Signature
from operator import attrgetter

NUMBER, STAMP = 'publication_sequence_number', 'source_timestamp'
FASTEST = 1e5       # [1/s] numbers that grow faster are those of two sources
WITH_INFORMATION = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in ('message', 'information')])


@dataclass
class Source:
    """The number and the stamp [ns] of its last message."""

    number: int
    stamp: int


class Losses:

    def __init__(self, statistics):
        self._statistics = statistics
        self._sources = []

    def take(self, information, publishers):
        """Notes a message with this information; publishers(): how many sources there are now."""
        number, stamp = information[NUMBER], information[STAMP]
        if number is None:      # the middleware gives none
            return
        for source in self._sources:
            if source.number == number - 1:
                break
        else:
            source = self._source_after_a_gap(number, stamp, publishers())
        source.number, source.stamp = number, stamp

    def _source_after_a_gap(self, number, stamp, publishers):
        """The source of a number that follows on none: the nearest that lost what is between, or a new one, which has lost nothing."""
        sources = self._sources
        complete = len(sources) >= publishers
        possible = [
            source for source in sources if source.number < number
            and (complete or 1e9 * (number - source.number) <= FASTEST * (stamp - source.stamp))]
        if possible:
            nearest = max(possible, key=attrgetter('number'))
            self._statistics.lost += number - nearest.number - 1
            return nearest
        new = Source(number, stamp)
        sources.append(new)
        if len(sources) > max(publishers, 1):
            sources.remove(min(sources, key=attrgetter('stamp')))       # it has gone, or began anew
        return new


def with_information(callback):
    """A subscription's callback(message, information), whichever way the executor hands these over.

    rclpy's EventsExecutor gives both as one tuple, other executors as two arguments.
    """
    def call(*given):
        message, information = given if len(given) == 2 else given[0]
        return callback(message, information)
    call.__signature__ = WITH_INFORMATION
    return call
