# SPDX-License-Identifier: Apache-2.0
"""Counts of what came, what was answered, what was dropped and why, and how long it took."""

from collections import Counter
from time import monotonic
from typing import Any

import numpy as np
from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_ros.ros.reporting.log import ONCE_A_SECOND

MOST_DURATIONS = 20000  # kept between two reports


class Statistics:

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self.received = 0
        self.published = 0
        self.inactive = 0
        self.lost = 0
        self.jumped_back = 0                # stamps that are earlier than the one before
        self._latest = 0                    # [ns]
        self.dropped: Counter[str] = Counter()
        self.last_fault = ''
        self._durations: list[float] = []   # [s] of the setpoints answered since the last report
        self._unlogged = 0
        self._before = monotonic(), 0, 0

    def stamped(self, stamp: int) -> None:
        """Notes the stamp [ns] of a setpoint."""
        if stamp < self._latest:
            self.jumped_back += 1
        self._latest = stamp

    def answered(self, seconds: float) -> None:
        self.published += 1
        if len(self._durations) < MOST_DURATIONS:
            self._durations.append(seconds)

    def drop(self, reason: str, text: str) -> None:
        """Counts a bad setpoint, and logs it unless another was logged within the last second."""
        self.dropped[reason] += 1
        self.last_fault = text
        more = f' ({self._unlogged} more were dropped since the last such line)' if self._unlogged else ''
        logged = self._logger.warning(f'dropped a setpoint: {text}{more}', **ONCE_A_SECOND)
        self._unlogged = 0 if logged else self._unlogged + 1

    def values(self) -> dict[str, Any]:
        """For diagnostics: rates and durations since the last call, counts since the start."""
        now = monotonic()
        before, received, published = self._before
        elapsed = max(now - before, 1e-9)
        self._before = now, self.received, self.published
        values = {
            'rate in [Hz]': f'{(self.received - received) / elapsed:.1f}',
            'rate out [Hz]': f'{(self.published - published) / elapsed:.1f}',
            'received': self.received,
            'published': self.published,
            'received while inactive': self.inactive,
            'lost before arrival': self.lost,
            'stamps that jumped back': self.jumped_back,
            'dropped': sum(self.dropped.values()),
        }
        durations, self._durations = self._durations, []
        if durations:
            for name, value in zip(('p50', 'p99', 'max'), np.percentile(durations, (50, 99, 100)), strict=True):
                values[f'computation {name} [us]'] = f'{1e6 * value:.0f}'
        values |= {f'dropped: {reason}': count for reason, count in sorted(self.dropped.items())}
        if self.last_fault:
            values['last fault'] = self.last_fault
        return values
