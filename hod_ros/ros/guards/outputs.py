"""One node answers: whether another publishes on the topics that are this node's own."""

from collections.abc import Iterable
from dataclasses import dataclass

LIFE_SIGN = 2.5         # [s] a node of our own name that lives reports within this time


@dataclass(frozen=True)
class Endpoint:
    """A publisher on one of our topics: the full name of its node and what tells it from every other."""

    topic: str
    node: str
    identity: object


class Outputs:
    """own: the full name of this node."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._namesake_heard = -float('inf')
        self._listening_since: float | None = None

    def listen(self, now: float) -> None:
        """From now on reports of a node of our own name would be heard."""
        if self._listening_since is None:
            self._listening_since = now

    def heard_namesake(self, now: float) -> None:
        self._namesake_heard = now

    def fault(self, endpoints: Iterable[Endpoint], own: frozenset[object], now: float) -> str:
        """Whose our topics are, or ''. own: the identities of our own publishers.

        A namesake that was killed stays in the graph for some 20 s: what counts is whether it reports.
        """
        foreign = [endpoint for endpoint in endpoints if endpoint.identity not in own]
        others = sorted({(endpoint.node, endpoint.topic) for endpoint in foreign if endpoint.node != self._own})
        if others:
            node, topic = others[0]
            return f'{topic} is taken: the node {node} publishes there; end it or remap one of the two'
        if not foreign:
            return ''
        topic = foreign[0].topic
        if now - self._namesake_heard <= LIFE_SIGN:
            return f'{topic} is taken: another node named {self._own} publishes there; end it, or give one of the two another name'
        if self._listening_since is None or now - self._listening_since <= LIFE_SIGN:
            return (f'{topic} may be taken: another node named {self._own} publishes there, or was killed a moment ago; whether it lives '
                    f'is known after {LIFE_SIGN:g} s')
        return ''
