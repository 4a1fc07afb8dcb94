# SPDX-License-Identifier: Apache-2.0
"""Where a robot description comes from: the parameter where it is set, else the latest message on the topic."""

from collections.abc import Mapping
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_ros.errors import DescriptionError

DESCRIPTION = 'robot_description'       # the parameter and the topic


class DescriptionSource:

    def __init__(self, parameters: Mapping[str, Any], topic: str, logger: RcutilsLogger) -> None:
        self._parameters = parameters
        self._topic = topic
        self._logger = logger
        self._received: str | None = None

    def receive(self, text: str) -> bool:
        """Takes note of a message; whether it changes anything."""
        if text == self._received:
            return False
        self._received = text
        if self._parameters[DESCRIPTION]:
            self._logger.info(
                f'the description on {self._topic} is not used, because the parameter {DESCRIPTION} is set; '
                'set it to an empty string to follow the topic')
            return False
        return True

    @property
    def available(self) -> bool:
        return self.as_if(self._parameters[DESCRIPTION]) is not None

    def current(self) -> tuple[str, str]:
        """(text, source) of the description to use; DescriptionError where there is none yet."""
        description = self.as_if(self._parameters[DESCRIPTION])
        if description is None:
            raise DescriptionError(f'there is no robot description yet; configure again once there is {self.wanted("")}')
        return description

    def as_if(self, parameter: str) -> tuple[str, str] | None:
        """(text, source) to use if the parameter had this value; None where there is none."""
        if parameter:
            return parameter, f'parameter {DESCRIPTION}'
        return None if self._received is None else (self._received, f'topic {self._topic}')

    def wanted(self, fault: str) -> str:
        """What is still to come before the node can start, given what was wrong with the latest description."""
        if fault:
            return f'a valid robot description on {self._topic} or in the parameter {DESCRIPTION}; refused: {fault}'
        return f'a robot description on {self._topic} (transient local) or in the parameter {DESCRIPTION}'
