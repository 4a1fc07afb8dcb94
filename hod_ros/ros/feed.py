# SPDX-License-Identifier: Apache-2.0
"""What a node streams, some times a second, as a JSON document a line on standard output: for programs that are to be without rclpy.

    python -m hod_ros.ros.feed /hod 30

No executor and no callbacks: the middleware keeps the newest message of each topic, which is looked at when its time has come. So a stream
of 1 kHz costs its reader as little as one of 30 Hz; and since nothing is acknowledged, it holds up nobody.
"""

import json
import os
import select
import sys
import time
from typing import Any
from typing import TextIO

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos import QoSReliabilityPolicy
from rclpy.subscription import Subscription

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_ros.errors import InputError
from hod_ros.ros.process import StopRequest
from hod_ros.ros.rclpy_private import take_message
from hod_ros.ros.serialized import message_of
from hod_ros.ros.stamps import nanoseconds

NEWEST = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)


class Feed(Node):
    def __init__(self, node: str) -> None:
        super().__init__('hod_feed', use_global_arguments=False, start_parameter_services=False, enable_rosout=False)
        self._setpoints = self.create_subscription(JointSetpoint, f'{node}/setpoint', _unused, NEWEST)
        self._feedforwards = self.create_subscription(TorqueFeedforward, f'{node}/feedforward', _unused, NEWEST)

    def newest(self) -> dict[str, Any] | None:
        """The newest setpoint and feedforward, where either came since this was called last."""
        setpoint, feedforward = _newest(self._setpoints), _newest(self._feedforwards)
        if setpoint is None and feedforward is None:
            return None
        found: dict[str, Any] = {}
        if setpoint is not None:
            found |= {'time': nanoseconds(setpoint.header.stamp) / 1e9, 'positions': _by_name(setpoint, 'positions')}
        if feedforward is not None:
            found |= {'effort': _by_name(feedforward, 'efforts'), 'effort_rate': _by_name(feedforward, 'effort_rates')}
        return found


def main() -> int:
    node, rate = sys.argv[1], float(sys.argv[2])
    stop = StopRequest()
    documents = _standard_output_for_documents_alone()
    rclpy.init(args=[])
    feed = Feed(node)
    reader = select.poll()
    reader.register(documents, 0)       # of no event but that it has gone
    try:
        due = time.monotonic()
        gone = False
        while not (stop.made or gone):
            found = feed.newest()
            if found is not None:
                print(json.dumps(found), file=documents, flush=True)
            due = max(due + 1 / rate, time.monotonic() - 1 / rate)      # late by less than one, it makes up for that
            gone = bool(reader.poll(1e3 * max(0.0, due - time.monotonic())))
    except BrokenPipeError:         # it went in the meantime
        sys.stderr.close()
    finally:
        feed.destroy_node()
        rclpy.try_shutdown()
    return 0


def _standard_output_for_documents_alone() -> TextIO:
    """Where documents go; what the middleware writes on standard output, its errors, goes to standard error from now on."""
    documents = os.dup(1)
    os.dup2(2, 1)
    return open(documents, 'w')


def _newest(subscription: Subscription) -> Any:
    taken = None
    while (raw := take_message(subscription)) is not None:
        taken = raw
    try:
        return None if taken is None else message_of(taken, subscription.msg_type)
    except InputError:
        return None


def _by_name(message: Any, field: str) -> dict[str, float]:
    """{joint: value}; empty where the message has none."""
    return dict(zip(message.joint_names, getattr(message, field), strict=False))


def _unused(_: Any) -> None:
    """No executor calls it."""


if __name__ == '__main__':
    sys.exit(main())
