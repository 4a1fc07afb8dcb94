"""Quality of service: partners whose QoS can't match ours, and messages lost, are counted and logged."""

from rclpy.event_handler import PublisherEventCallbacks
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import ParameterException
from rclpy.qos import QoSCompatibility
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import qos_check_compatible
from rclpy.qos_overriding_options import InvalidQosOverridesError
from rclpy.qos_overriding_options import QoSOverridingOptions

from hod_ros.errors import InputError

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


def with_overridable_qos(create, message_type, topic, *arguments, **options):
    """A publisher or subscription whose QoS the parameters qos_overrides.* may change; InputError where they say what is no QoS."""
    try:
        return create(message_type, topic, *arguments, qos_overriding_options=QoSOverridingOptions.with_default_policies(), **options)
    except (RuntimeError, InvalidQosOverridesError, ParameterException) as error:
        raise InputError(f'qos_overrides of {topic}: {error}; see the QoS policies of ROS 2 for their names and values') from None


def incompatible_partners(node, topic):
    """Names of the nodes whose endpoints on this topic can't match ours now."""
    publishers, subscriptions = node.get_publishers_info_by_topic(topic), node.get_subscriptions_info_by_topic(topic)
    ours = node.get_name(), node.get_namespace()
    names = set()
    for publisher in publishers:
        for subscription in subscriptions:
            others = [end for end in (publisher, subscription) if (end.node_name, end.node_namespace) != ours]
            if len(others) == 1 and qos_check_compatible(publisher.qos_profile, subscription.qos_profile)[0] == QoSCompatibility.ERROR:
                names.add(f'{others[0].node_namespace.rstrip("/")}/{others[0].node_name}')
    return sorted(names)
