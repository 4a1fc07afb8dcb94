# SPDX-License-Identifier: Apache-2.0
"""Partners of incompatible QoS, as a node meets them while it discovers them. (Found over DDS in test_node_diagnostics.)"""

from types import SimpleNamespace

from rclpy.qos import QoSProfile
from rclpy.qos import QoSReliabilityPolicy

from hod_ros.ros.reporting.output_watch import UNKNOWN
from hod_ros.ros.reporting.quality import Partners

TOPIC = '/hod/setpoint'
RELIABLE, BEST_EFFORT = QoSProfile(depth=1), QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)


def endpoint(name, gid, qos):
    return SimpleNamespace(node_name=name, node_namespace='/', endpoint_gid=[gid], qos_profile=qos)


class Graph:
    """A node that subscribes to TOPIC, and whoever publishes there."""

    def __init__(self):
        self.others, self.warnings, self.publishers = [], [], []
        self.subscriptions = [SimpleNamespace(topic_name=TOPIC, get_publisher_count=lambda: 0)]

    def get_name(self):
        return 'hod'

    def get_namespace(self):
        return '/'

    def get_logger(self):
        return SimpleNamespace(warning=self.warnings.append)

    def count_publishers(self, topic):
        return len(self.others)

    def get_publishers_info_by_topic(self, topic):
        return self.others

    def get_subscriptions_info_by_topic(self, topic):
        return [endpoint('hod', 0, RELIABLE)]


def test_a_partner_whose_name_comes_after_its_endpoint_is_told_of_once_and_by_name():
    graph = Graph()
    partners = Partners(graph)
    graph.others = [endpoint(UNKNOWN, 1, BEST_EFFORT)]
    assert partners.look() == {} and graph.warnings == []
    graph.others = [endpoint('planner', 1, BEST_EFFORT)]
    assert partners.look() == partners.look() == {TOPIC: ['/planner']}
    assert len(graph.warnings) == 1 and '(/planner: ' in graph.warnings[0]
    graph.others = []
    assert partners.look() == {TOPIC: []} and partners.found == {TOPIC: 1}


def test_a_partner_that_never_has_a_name_is_told_of_at_the_second_look():
    graph = Graph()
    partners = Partners(graph)
    graph.others = [endpoint(UNKNOWN, 1, BEST_EFFORT)]
    partners.look()
    assert partners.look() == partners.look() == {TOPIC: [f'/{UNKNOWN}']}
    assert len(graph.warnings) == 1 and partners.found == {TOPIC: 1}


def test_a_partner_that_comes_back_is_counted_again():
    graph = Graph()
    partners = Partners(graph)
    for gid in (1, 2):
        graph.others = [endpoint('planner', gid, BEST_EFFORT)]
        partners.look()
        graph.others = []
        partners.look()
    assert len(graph.warnings) == 2 and partners.found == {TOPIC: 2}
