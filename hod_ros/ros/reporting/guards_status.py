# SPDX-License-Identifier: Apache-2.0
"""What the guards say, in one status."""

from collections.abc import Iterable

from hod_ros.ros.guards.record import ACTING
from hod_ros.ros.guards.record import Record
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status


def guards_status(records: Iterable[Record]) -> Status:
    """Warns where one has acted since the last status."""
    reports = [(record.name, *record.report()) for record in records]
    values = {name: text for name, _, text in reports}
    acting = [name for name, state, _ in reports if state == ACTING]
    return Status('guards', WARN, f'acting: {", ".join(acting)}', values) if acting else Status('guards', OK, 'nothing held back', values)
