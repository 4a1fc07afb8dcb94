# SPDX-License-Identifier: Apache-2.0
"""References of motors as they come: those of one source at a time, judged, and carried to the time of a state."""

from array import array
from collections.abc import Callable
from collections.abc import Mapping
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_interfaces.msg import MotorFeedforward
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.checks.arguments import some
from hod_ros.ros.guards.ownership import Ownership
from hod_ros.ros.guards.sources import Sources
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.stamps import nanoseconds

Array = NDArray[np.float64]


class References:
    """timeout: for so long the last one is fresh; source_timeout: so long its source must be silent before another is listened to [s].
    longest: over which one is carried to the time of a state [ns]."""

    def __init__(
            self, prepared: PreparedDrives, logger: RcutilsLogger, *, timeout: float, source_timeout: float, longest: int) -> None:
        self.ownership = Ownership(source_timeout)
        self.stamp: int | None = None           # [ns] of the last one
        self.stiffness: Array | None = None     # (v,) that belongs to it
        self._rows: Array | None = None         # (5, motors)
        self._came = -np.inf
        self._sources = Sources('motor_feedforward')
        self._logger = logger
        self._timeout, self._longest = timeout, longest
        self._names = list(prepared.motor_names)
        self._elastic = len(prepared.elastic_joints)
        self._variable = [prepared.elastic_joints.index(joint) for joint in prepared.variable_joints]

    def take(self, message: MotorFeedforward, information: Mapping[str, Any], publishers: Callable[[], int]) -> bool:
        """Whether it is good, and of the source that is listened to."""
        source = self._sources.of(information, message.positions, publishers)
        rows = self._rows_of(message)
        if rows is None:
            return False
        now = monotonic()
        if not self.ownership.admits(source, now):
            self._logger.warning(
                f'{self.ownership.record.reason}; the first one is listened to until it is silent for {self.ownership.silence:g} s '
                '(source_timeout): let only one publish', **ONCE_A_SECOND)
            return False
        stiffnesses = np.array(message.stiffnesses)
        self.stiffness = stiffnesses[self._variable] if self._variable and len(stiffnesses) == self._elastic else None
        self._rows, self.stamp, self._came = rows, nanoseconds(message.header.stamp), now
        return True

    def _rows_of(self, message):
        names = self._names
        if message.motor_names != names:
            self._logger.warning(
                f'refused motor_feedforward of the motors {some(message.motor_names)}; the motors here are '
                f'{", ".join(names)}: do both nodes have the same robot and drives?', **ONCE_A_SECOND)
            return None
        rates = message.effort_rates or array('d', bytes(8 * len(names)))
        rows = message.positions, message.velocities, message.accelerations, message.efforts, rates
        if all(len(row) == len(names) for row in rows):
            taken = np.array(rows)
            if np.isfinite(taken).all():
                return taken
        self._logger.warning(
            'refused motor_feedforward: give positions, velocities, accelerations, efforts and, where they are known, effort_rates: '
            'one finite number for each motor', **ONCE_A_SECOND)
        return None

    @property
    def fresh(self) -> bool:
        return monotonic() - self._came <= self._timeout

    def at(self, stamp: int, lead: float) -> Array | None:
        """Rows at the time of a state [ns], their torque `lead` [s] later, when it will act; as they stand where the stamps cannot be
        related; None where there are none that are fresh."""
        if not self.fresh:
            return None
        offset = stamp - self.stamp
        if abs(offset) <= self._longest:
            t = offset * 1e-9
            theta, rate, acceleration, tau, tau_rate = self._rows
            theta, rate = theta + t * (rate + 0.5 * t * acceleration), rate + t * acceleration
            return np.array([theta, rate, acceleration, tau + (t + lead) * tau_rate, tau_rate])
        self._logger.warning(
            f'the stamps of motor_states and references are {abs(offset) * 1e-9:.4g} s apart and cannot be related, which '
            f'takes {self._longest * 1e-9:g} s at most: references are taken as they stand; stamp both by '
            'one clock, or raise longest_extrapolation', **ONCE_A_SECOND)
        return self._rows

    def stop(self) -> None:
        """There is none any more."""
        self._came = -np.inf
