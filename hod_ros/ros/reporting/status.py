# SPDX-License-Identifier: Apache-2.0
"""What one part of a node says about itself once a second."""

from typing import Any
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


class Status(NamedTuple):
    task: str
    level: bytes
    text: str
    values: dict[str, Any]
