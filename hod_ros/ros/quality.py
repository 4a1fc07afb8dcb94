"""Quality of service: partners whose QoS can't match ours, and messages lost, are counted and logged."""

from rclpy.event_handler import PublisherEventCallbacks
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile

LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
DEPTH = 10      # of every other topic; reliable


def subscription_events(node, topic, statistics, *, count_lost=False):
    def incompatible(event):
        statistics.incompatible[topic] = event.total_count
        node.get_logger().warning(
            f'a publisher on {topic} offers a QoS that this node can\'t receive ({event.last_policy_kind}); '
            'see the qos_overrides parameters, or make it reliable (and transient local for a description)')

    def lost(event):
        statistics.lost = event.total_count

    return SubscriptionEventCallbacks(incompatible_qos=incompatible, message_lost=lost if count_lost else None)


def publisher_events(node, topic, statistics):
    def incompatible(event):
        statistics.incompatible[topic] = event.total_count
        node.get_logger().warning(
            f'a subscriber of {topic} asks for a QoS that this node doesn\'t offer ({event.last_policy_kind}); '
            'see the qos_overrides parameters, or let it ask for volatile durability')

    return PublisherEventCallbacks(incompatible_qos=incompatible)
