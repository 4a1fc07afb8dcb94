# SPDX-License-Identifier: Apache-2.0
"""Quality of service: what our topics have, and partners whose own can't match it, which are looked for, named and logged.

No event of the middleware is ever taken: rmw_fastrtps locks the event and then the reader or writer to take one, Fast DDS locks them the
other way round to report one (its pull request 890 of June 2026), so that a process may stand still for ever.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from typing import TypeVar

from rclpy.event_handler import PublisherEventCallbacks
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import ParameterException
from rclpy.lifecycle import LifecyclePublisher
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSCompatibility
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import qos_check_compatible
from rclpy.qos_overriding_options import InvalidQosOverridesError
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

from hod_ros.errors import InputError
from hod_ros.ros.reporting.output_watch import UNKNOWN

LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
DEPTH = 10      # of every other topic; reliable
CALLS = QoSProfile(depth=1000)      # of services and actions: a call that a full queue pushes out is never answered, and nobody hears of it
E = TypeVar('E')


class WithoutEvents:
    """For a node class to inherit from first: none of its publishers and subscriptions, rclpy's own included, takes events."""

    def create_publisher(self, *arguments: Any, **options: Any) -> Publisher:
        return super().create_publisher(*arguments, **_without_events(options, PublisherEventCallbacks))

    def create_lifecycle_publisher(self, *arguments: Any, **options: Any) -> LifecyclePublisher:
        return super().create_lifecycle_publisher(*arguments, **_without_events(options, PublisherEventCallbacks))

    def create_subscription(self, *arguments: Any, **options: Any) -> Subscription:
        return super().create_subscription(*arguments, **_without_events(options, SubscriptionEventCallbacks))


def _without_events(options, callbacks):
    return options | {'event_callbacks': callbacks(use_default_callbacks=False)}


def with_overridable_qos(create: Callable[..., E], message_type: type, topic: str, *arguments: Any) -> E:
    """A publisher or subscription whose QoS the parameters qos_overrides.* may change; InputError where they say what is no QoS."""
    _check_name_is_free(create.__self__, message_type, topic)
    try:
        return create(message_type, topic, *arguments, qos_overriding_options=QoSOverridingOptions.with_default_policies())
    except (RuntimeError, InvalidQosOverridesError, ParameterException) as error:
        raise InputError(f'qos_overrides of {topic}: {error}; see the QoS policies of ROS 2 for their names and values') from None


def _check_name_is_free(node, message_type, topic):
    """A topic has one type; rmw's own words on two would name neither topic nor remedy."""
    name = node.resolve_topic_name(topic)
    for end in (*node.publishers, *node.subscriptions):
        if end.topic_name == name and end.msg_type is not message_type:
            raise InputError(
                f'{topic} is remapped onto {name}, which this node has as a {end.msg_type.__name__} already, not a '
                f'{message_type.__name__}; give each topic a name of its own')


class Partners:
    """Publishers and subscribers that can't match ours."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._now: dict[str, dict[tuple, Partner]] = {}        # topic -> those that were there at the last look
        self.found: dict[str, int] = {}             # topic -> how many have been found since the start

    def look(self) -> dict[str, list[str]]:
        """{topic: names of those that can't match now} of the topics that ever had any; new ones are logged."""
        node, logger = self._node, self._node.get_logger()
        before, self._now = self._now, {}
        for topic in [end.topic_name for end in node.publishers if node.count_subscribers(end.topic_name) > end.get_subscription_count()]:
            for partner in self._new_on(topic, before):
                logger.warning(
                    f'a subscriber of {topic} asks for a QoS that this node doesn\'t offer ({partner.name}: {partner.reason}); '
                    'see the qos_overrides parameters, or let it ask for volatile durability')
        for topic in [end.topic_name for end in node.subscriptions if node.count_publishers(end.topic_name) > end.get_publisher_count()]:
            for partner in self._new_on(topic, before):
                logger.warning(
                    f'a publisher on {topic} offers a QoS that this node can\'t receive ({partner.name}: {partner.reason}); '
                    'see the qos_overrides parameters, or make it reliable (and transient local for a description)')
        there = {topic: self._now.get(topic, {}).values() for topic in sorted(self.found)}
        return {topic: sorted({partner.name for partner in partners if partner.told}) for topic, partners in there.items()}

    def _new_on(self, topic, before) -> list['Partner']:
        """The partners on a topic that are to be told of now. One whose node is not known yet (its name comes
        after its endpoints) is told of at the next look, with its name or, if it has none, without."""
        now = self._now[topic] = incompatible_partners(self._node, topic)
        seen = before.get(topic, {})
        new = []
        for endpoint, partner in now.items():
            partner.told = endpoint in seen or UNKNOWN not in partner.name
            if partner.told and not (endpoint in seen and seen[endpoint].told):
                new.append(partner)
        if new:
            self.found[topic] = self.found.get(topic, 0) + len(new)
        return new


def publishers_of(node: Node, topic: str) -> list[str]:
    """Full names of the nodes that publish on a topic now."""
    return sorted(_name_of(end) for end in node.get_publishers_info_by_topic(topic))


def _name_of(end):
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'


@dataclass
class Partner:
    """An endpoint of another node that can't match ours."""

    name: str
    reason: str
    told: bool = False


def incompatible_partners(node: Node, topic: str) -> dict[tuple, Partner]:
    """{id of an endpoint on this topic that can't match ours now: whose it is and why}"""
    publishers, subscriptions = node.get_publishers_info_by_topic(topic), node.get_subscriptions_info_by_topic(topic)
    ours = node.get_name(), node.get_namespace()
    partners = {}
    for publisher in publishers:
        for subscription in subscriptions:
            others = [end for end in (publisher, subscription) if (end.node_name, end.node_namespace) != ours]
            if len(others) != 1:
                continue
            compatibility, reason = qos_check_compatible(publisher.qos_profile, subscription.qos_profile)
            if compatibility == QoSCompatibility.ERROR:
                partners[tuple(others[0].endpoint_gid)] = Partner(_name_of(others[0]), reason.strip().removeprefix('ERROR: ').rstrip(';'))
    return partners
