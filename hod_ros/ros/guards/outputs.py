# SPDX-License-Identifier: Apache-2.0
"""One node answers: whether another publishes on the topics that are this node's own."""

from collections.abc import Iterable
from collections.abc import Mapping

from hod_ros.ros.guards.record import Record

SETTLED = 15.0          # [s] a node that was started so long ago stays; one that came later steps back, as soon as it finds the other


class Outputs:
    """own: the full name of this node. A node that was killed still counts, for some 20 s, for those who knew it."""

    def __init__(self, own: str) -> None:
        self.record = Record('outputs')
        self._own = own

    def taken(self, endpoints: Iterable[tuple[str, str]], own: Mapping[str, int]) -> str:
        """Whose our topics are, or ''. endpoints: (topic, full name of its node) of all publishers; own: how many are ours, by topic."""
        left = dict(own)
        for topic, node in endpoints:
            if node == self._own and left.get(topic, 0):
                left[topic] -= 1
            elif node == self._own:
                return f'{topic} is taken: another node named {node} publishes there; end it, or give one of the two another name'
            else:
                return f'{topic} is taken: the node {node} publishes there; end it, or remap one of the two'
        return ''
