# SPDX-License-Identifier: Apache-2.0
"""Looks who else publishes on a node's own output topics."""

from collections.abc import Iterable

from rclpy.node import Node

from hod_ros.ros.guards.outputs import Outputs

PERIOD = 0.1            # [s] between two looks
UNKNOWN = '_NODE_NAME_UNKNOWN_'     # of a node that is being discovered: its name comes soon


class OutputWatch:

    def __init__(self, node: Node) -> None:
        self._node = node
        self.outputs = Outputs(node.get_fully_qualified_name())

    def taken(self, topics: Iterable[str]) -> str:
        """Whose one of these topics is, or ''."""
        node = self._node
        ours = [publisher.topic_name for publisher in node.publishers]
        own = {name: ours.count(name) for name in map(node.resolve_topic_name, topics)}
        crowded = [name for name, count in own.items() if node.count_publishers(name) > count]
        if not crowded:
            return ''
        endpoints = [
            (name, f'{end.node_namespace.rstrip("/")}/{end.node_name}')
            for name in crowded for end in node.get_publishers_info_by_topic(name) if end.node_name != UNKNOWN]
        return self.outputs.taken(endpoints, own)
