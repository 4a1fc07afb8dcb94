# SPDX-License-Identifier: Apache-2.0
"""The filter of dampers beside springs, stepped by the stamps of setpoints."""

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray

from hod_ros.actuators.damping_filter import DampingFilter
from hod_ros.actuators.motor_motion import MotorFeedforward
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.ros.stamps import nanoseconds

LONGEST_STEP = 0.5      # [s] between two setpoints of one motion


def damped_joint(prepared: PreparedDrives) -> str | None:
    """The first joint whose drive has a state that only a DampingFilter keeps, or None."""
    return next((joint for joint, drive in zip(prepared.model.joint_names, prepared.drives, strict=True) if drive.keeps_state), None)


class StampedFilter:

    def __init__(self, prepared: PreparedDrives) -> None:
        self._prepared = prepared
        self._filter = DampingFilter(prepared.model, prepared)
        self._stamp = None          # [ns] of the last setpoint
        self.restarts = 0

    def forget(self) -> None:
        """The next setpoint begins a motion."""
        self._filter.reset()
        self._stamp = None

    def continue_from(self, before: 'StampedFilter') -> None:
        """Goes on where the filter of another model or other drives stands."""
        self._filter.continue_from(before._filter)
        self._stamp, self.restarts = before._stamp, before.restarts

    def answer(
            self, stamp: Time, q: NDArray[np.float64], Q: NDArray[np.float64], stiffness: NDArray[np.float64] | None
    ) -> tuple[MotorFeedforward, float | None]:
        """(MotorFeedforward, None), or (.., step) where the step since the last setpoint can't be followed and the filter began anew."""
        stamp = nanoseconds(stamp)
        step = None if self._stamp is None else (stamp - self._stamp) * 1e-9
        begins = step is not None and not 0 < step <= LONGEST_STEP
        current = DampingFilter(self._prepared.model, self._prepared) if begins else self._filter
        result = current.motor_feedforward_of(q, Q, stiffness=stiffness, step=None if begins else step)
        self._filter, self._stamp = current, stamp
        self.restarts += begins
        return result, step if begins else None
