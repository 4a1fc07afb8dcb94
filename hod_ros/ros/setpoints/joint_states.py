# SPDX-License-Identifier: Apache-2.0
"""joint_states, as they are needed: they may come a thousand times a second, but are read a hundred times.

Messages are kept as bytes. Where several publishers share the topic, the latest of each is kept: what follows the stamp, the frame and the
first names, tells them apart, and how long they are.
"""

from time import monotonic

from rclpy.qos import QoSProfile
from rclpy.qos import QoSReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState

from hod_ros.errors import InputError
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.rclpy_private import take_message
from hod_ros.ros.serialized import message_of

TOPIC = 'joint_states'
QOS = QoSProfile(depth=10, reliability=QoSReliabilityPolicy.BEST_EFFORT)     # receives from any publisher
BEGINNING = slice(12, 96)       # of a message, behind encapsulation and stamp
MOST_PUBLISHERS = 16


class JointStates:

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, bytes], tuple[bytes, float]] = {}
        self.subscription: Subscription | None = None       # raw: it hands over bytes

    def keep(self, data: bytes) -> None:
        """A message that came now."""
        key = len(data), data[BEGINNING]        # one that is cut off takes no whole one's place
        self._waiting.pop(key, None)
        if len(self._waiting) >= MOST_PUBLISHERS:
            del self._waiting[next(iter(self._waiting))]        # the oldest
        self._waiting[key] = data, monotonic()

    @property
    def published(self) -> bool:
        """Whether somebody publishes them."""
        return self.subscription is not None and self.subscription.get_publisher_count() > 0

    def refresh(self, measured: Measured) -> None:
        """Lets a guard know of what has come since the last look."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        for data, came in waiting.values():
            try:
                message = message_of(data, JointState)
            except InputError as error:
                measured.record.act(f'{error}: not used')
                continue
            measured.take(message.name, message.position, message.velocity, came)

    def poll(self) -> None:
        """Takes what waits in the middleware, while the executor does not run."""
        if self.subscription is None:
            return
        for _ in range(QOS.depth):
            data = take_message(self.subscription)
            if data is None:
                return
            self.keep(data)
