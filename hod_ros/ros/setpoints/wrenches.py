# SPDX-License-Identifier: Apache-2.0
"""External wrenches of the topic: each holds until the next on its link, or until it is too old."""

from collections.abc import Mapping
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_interfaces.msg import LinkWrench as LinkWrenchMessage
from hod_ros.checks.arguments import LARGEST
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.model.motions import MOST_ROWS_UNASKED
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.status import ERROR
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status


class HeldWrenches:
    """The latest wrench on each link, with its arrival on the steady clock; by the parameter wrench_timeout [s], 0: none."""

    def __init__(self, parameters: Mapping[str, Any], logger: RcutilsLogger) -> None:
        self._parameters = parameters
        self._logger = logger
        self.received = 0
        self.inactive = 0           # those that came while the node was not active
        self.refused = 0
        self.timeouts = 0
        self.last_fault = ''
        self._before = 0, 0
        self.clear()

    def clear(self) -> None:
        self._held: dict[str, tuple[LinkWrench, float]] = {}        # by link, with its arrival
        self._refresh()

    def _refresh(self):
        self.by_link = {link: wrench for link, (wrench, _) in self._held.items()} or None
        self.order = min((len(wrench.values) - 1 for wrench, _ in self._held.values()), default=None)   # the highest that they allow
        self._oldest = min((arrival for _, arrival in self._held.values()), default=None)

    def receive(self, message: LinkWrenchMessage, model: RobotModel, needed: int = 0) -> None:
        """Takes a message; one without values ends the wrench on its link. A bad one changes nothing, and is counted and logged.

        needed: rows that can be used, if there are so many.
        """
        self.received += 1
        try:
            model.body_of(message.link)
            if message.values:
                self._held[message.link] = wrench_of(message, max(needed, MOST_ROWS_UNASKED)), monotonic()
            else:
                self._held.pop(message.link, None)
        except HodError as error:
            self.refused += 1
            self.last_fault = str(error)
            self._logger.warning(f'refused an external wrench: {error}', **ONCE_A_SECOND)
        self._refresh()

    def keep_links_of(self, model: RobotModel) -> None:
        """Drops the wrenches on links that a new model does not have."""
        for link in [link for link in self._held if link not in model.links]:
            del self._held[link]
            self._logger.warning(f'the external wrench on {link!r} ends, because robot {model.name!r} has no such link')
        self._refresh()

    def expire(self, now: float) -> None:
        """Ends wrenches that are too old."""
        timeout = self._parameters['wrench_timeout']
        if not timeout or self._oldest is None or now - self._oldest <= timeout:
            return
        for link in [link for link, (_, arrival) in self._held.items() if now - arrival > timeout]:
            del self._held[link]
            self.timeouts += 1
            self._logger.warning(f'the external wrench on {link!r} ends: no other came within {timeout:g} s')
        self._refresh()

    def status(self) -> Status:
        now = monotonic()
        values = {'received': self.received, 'received while inactive': self.inactive, 'refused': self.refused, 'timeouts': self.timeouts}
        values |= {f'age on {link} [s]': f'{now - arrival:.3f}' for link, (_, arrival) in sorted(self._held.items())}
        if self.order is not None:
            values['highest order they allow'] = self.order
        if self.last_fault:
            values['last fault'] = self.last_fault
        refused, ended = self.refused - self._before[0], self.timeouts - self._before[1]
        self._before = self.refused, self.timeouts
        if refused:
            return Status('external wrenches', ERROR, f'refused {refused}: {self.last_fault}', values)
        if ended:
            return Status('external wrenches', WARN, f'{ended} timed out', values)
        return Status('external wrenches', OK, f'on {", ".join(sorted(self._held))}' if self._held else 'none', values)


def wrench_of(message: LinkWrenchMessage, most: int) -> LinkWrench:
    """The LinkWrench of a message of one sample of up to `most` rows; HodError where it is none."""
    values = wrench_rows(message)
    if len(values) > most:
        raise InputError(
            f'wrench on link {message.link!r}: {len(values)} rows: are these samples? Send one sample in a message; if all rows are '
            f'derivatives of one sample, give no more than {most}')
    return checked_wrench(message, values)


def wrench_rows(message: LinkWrenchMessage) -> NDArray[np.float64]:
    """The values of a message as (rows, 6)."""
    rows, rest = divmod(len(message.values), 6)
    if rest or not rows:
        raise InputError(
            f'wrench on link {message.link!r}: {len(message.values)} values; give rows of 6, torque x y z and force x y z')
    return np.frombuffer(message.values).reshape(rows, 6)


def checked_wrench(message: LinkWrenchMessage, values: NDArray[np.float64]) -> LinkWrench:
    """The LinkWrench of these values in a message's frame; HodError, naming the link, where they make none."""
    if np.abs(values).max() > LARGEST and np.isfinite(values).all():
        raise InputError(f'wrench on link {message.link!r}: it holds {np.abs(values).max():g}; give at most {LARGEST:g} [N m], [N], [s]')
    try:
        return LinkWrench(values, message.frame or 'link')
    except InputError as error:
        raise InputError(f'link {message.link!r}: {error}') from None
