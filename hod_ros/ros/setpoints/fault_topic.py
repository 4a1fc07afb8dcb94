# SPDX-License-Identifier: Apache-2.0
"""~/fault says, latched, why nothing is commanded; ~/reset ends a fault whose cause is gone."""

from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.reporting.quality import CALLS
from hod_ros.ros.reporting.quality import LATCHED
from hod_ros.ros.services.table import ALWAYS_ANSWERED


class FaultTopic:
    """reset(): (whether there is no fault any more, a sentence)."""

    def __init__(self, node: Node, reset) -> None:
        self.fault = Fault()
        self._logger = node.get_logger()
        self._reset = reset
        self._said: str | None = None
        self._publisher = node.create_publisher(String, '~/fault', LATCHED)
        node.create_service(ALWAYS_ANSWERED['reset'].type, '~/reset', self._on_reset, qos_profile=CALLS)
        self.announce()

    def announce(self) -> None:
        """Tells of a fault that is new, or over."""
        reason = self.fault.reason
        if reason == self._said:
            return
        if reason:
            self._logger.error(f'fault: {reason}; nothing is followed until ~/reset')
        elif self._said:
            self._logger.info('the fault was reset')
        self._said = reason
        self._publisher.publish(String(data=reason))

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self._reset()
        self.announce()
        return response
