# SPDX-License-Identifier: Apache-2.0
"""What a lifecycle node makes when it is configured, and gives back when it is cleaned up."""

from collections.abc import Callable
from typing import TypeVar

from rclpy.lifecycle import LifecycleNode
from rclpy.lifecycle import LifecyclePublisher
from rclpy.qos import QoSProfile
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer

from hod_ros.ros.reporting.log import STEADY
from hod_ros.ros.reporting.quality import CALLS
from hod_ros.ros.reporting.quality import DEPTH
from hod_ros.ros.reporting.quality import with_overridable_qos

T = TypeVar('T')


class Entities:

    def __init__(self, node: LifecycleNode) -> None:
        self._node = node
        self._made: list[tuple[Callable, object]] = []      # with what destroys each

    def publisher(self, message_type: type, topic: str) -> LifecyclePublisher:
        """Its QoS may be overridden; it is as active as the node becomes."""
        publisher = with_overridable_qos(self._node.create_lifecycle_publisher, message_type, topic, DEPTH)
        return self._keep(self._node.destroy_lifecycle_publisher, publisher)

    def subscription(self, message_type: type, topic: str, callback: Callable) -> Subscription:
        """Its QoS may be overridden."""
        return self._keep(
            self._node.destroy_subscription, with_overridable_qos(self._node.create_subscription, message_type, topic, callback, DEPTH))

    def raw_subscription(self, message_type: type, topic: str, callback: Callable, qos: QoSProfile) -> Subscription:
        """One whose callback takes bytes."""
        return self._keep(
            self._node.destroy_subscription, self._node.create_subscription(message_type, topic, callback, qos, raw=True))

    def service(self, service_type: type, name: str, callback: Callable) -> Service:
        return self._keep(self._node.destroy_service, self._node.create_service(service_type, name, callback, qos_profile=CALLS))

    def timer(self, period: float, callback: Callable) -> Timer:
        """Every `period` [s] of the steady clock."""
        return self._keep(self._node.destroy_timer, self._node.create_timer(period, callback, clock=STEADY))

    def own(self, thing: T) -> T:
        """Something that has a `destroy` of its own."""
        return self._keep(lambda thing: thing.destroy(), thing)

    def _keep(self, destroy, entity):
        self._made.append((destroy, entity))
        return entity

    def destroy(self) -> None:
        made, self._made = self._made, []
        for destroy, entity in made:
            destroy(entity)
