# SPDX-License-Identifier: Apache-2.0
"""A fault asks the hardware for its brakes, by a service that the user names, until that service says that it did."""

from rclpy.node import Node
from std_srvs.srv import Trigger

from hod_ros.ros.guards.record import Record
from hod_ros.ros.reporting.log import ONCE_A_SECOND

AGAIN = 1.0         # [s] after which a request without answer, or one that was refused, is sent again


class Brakes:
    """service: the name of a std_srvs/Trigger that stops the motors, as by brakes or by deactivating the hardware; empty: there is none."""

    def __init__(self, node: Node, service: str) -> None:
        self.record = Record('brakes', off='' if service else 'stop_service names none')
        self._service = service
        self._logger = node.get_logger()
        self._client = node.create_client(Trigger, service) if service else None
        self._asked = self._answer = None
        self._reason = ''

    def watch(self, fault: str, now: float) -> None:
        """To be called often: a fault asks, until there is none."""
        if self._client is None:
            return
        if not fault:
            self._reason, self._asked, self._answer = '', None, None
        elif fault != self._reason or self._answer is None and now - self._asked >= AGAIN:
            self._reason, self._answer = fault, None
            self.ask(now)

    def ask(self, now: float) -> None:
        if self._client is None:
            return
        self._asked = now
        if not self._client.service_is_ready():
            self.record.off = f'{self._service} is not there'
            self._logger.error(f'{self._service}, which stop_service names, is not there to stop the motors', **ONCE_A_SECOND)
            return
        self.record.off = ''
        self.record.act(f'asked {self._service}, which has not answered')
        self._client.call_async(Trigger.Request()).add_done_callback(self._on_answer)

    def _on_answer(self, future):
        answer = future.result()
        if answer is not None and answer.success:
            self._answer = answer
            self.record.reason = f'{self._service} answered: {answer.message}'
            return
        self.record.reason = f'{self._service} refused: {answer.message if answer is not None else "no answer"}'
        self._logger.error(self.record.reason, **ONCE_A_SECOND)
