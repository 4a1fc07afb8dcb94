# SPDX-License-Identifier: Apache-2.0
"""Looks who else publishes on a node's own output topics: by the graph, and by claims, which processes of one machine see at once."""

import os
from collections.abc import Iterable
from contextlib import suppress
from uuid import uuid4

from rclpy.node import Node
from rclpy.utilities import get_rmw_implementation_identifier
from std_msgs.msg import Empty

from hod_ros.ros.guards.claims import PARTICIPANT
from hod_ros.ros.guards.claims import Claims
from hod_ros.ros.guards.outputs import Outputs

PERIOD = 0.1            # [s] between two looks
UNKNOWN = '_NODE_NAME_UNKNOWN_'     # of a node that is being discovered: its name comes soon


class OutputWatch:

    def __init__(self, node: Node) -> None:
        self._node = node
        self.outputs = Outputs(node.get_fully_qualified_name())
        self._claims = Claims(_network_of(node), _participant_of(node), node.get_fully_qualified_name())

    def taken(self, topics: Iterable[str]) -> str:
        """Whose one of these topics is, or ''."""
        node = self._node
        names = [node.resolve_topic_name(topic) for topic in topics]
        claimed = self._claims.others(names)
        if claimed:
            return self.outputs.taken(claimed, {})
        ours = [publisher.topic_name for publisher in node.publishers]
        own = {name: ours.count(name) for name in names}
        crowded = [name for name, count in own.items() if node.count_publishers(name) > count]
        if not crowded:
            return ''
        endpoints = [
            (name, f'{end.node_namespace.rstrip("/")}/{end.node_name}')
            for name in crowded for end in node.get_publishers_info_by_topic(name)
            if end.node_name != UNKNOWN and not self._claims.is_dead(bytes(end.endpoint_gid))]
        return self.outputs.taken(endpoints, own)

    def claim(self, topics: Iterable[str]) -> str:
        """Claims these topics; whose one of them is, or ''."""
        taken = self.taken(topics)
        return taken or self.outputs.taken(self._claims.take(map(self._node.resolve_topic_name, topics)), {})

    def release(self) -> None:
        """Others may have them."""
        self._claims.release()


def _network_of(node):
    """What sets those apart who don't hear one another although they are on one machine."""
    network = 0
    with suppress(OSError):
        network = os.stat('/proc/self/ns/net').st_ino
    return f'{get_rmw_implementation_identifier()} {node.context.get_domain_id()} {network}'


def _participant_of(node):
    """How the identifiers of all endpoints of this process begin, from a publisher on a topic that nobody else can have."""
    publisher = node.create_publisher(Empty, f'~/claims_{uuid4().hex}', 1)
    ends = node.get_publishers_info_by_topic(publisher.topic_name)
    node.destroy_publisher(publisher)
    return bytes(ends[0].endpoint_gid)[:PARTICIPANT] if ends else b''
