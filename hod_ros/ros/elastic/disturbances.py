# SPDX-License-Identifier: Apache-2.0
"""The observer of disturbances in a loop of messages: it takes states that are one period apart, and begins anew where one is missing."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.disturbance_observer import DisturbanceObserver
from hod_ros.actuators.disturbance_observer import largest_bandwidth
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.errors import InputError
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.guards.record import Record

Array = NDArray[np.float64]

UNKNOWN_DELAY = 2       # periods that torques may act later than the observer is told
GAIN = 0.5              # of what is then stable
UNEVEN = 0.25           # of a period, by which two states may be closer or further apart


class Disturbances:
    """bandwidth [rad/s], 0: none are observed; share: of a motor's torque limit (motors,), that is made up for at most."""

    def __init__(
            self, prepared: PreparedDrives, limit: Array, *, bandwidth: float, period: float, delay: float, share: float) -> None:
        self.record = Record('disturbances', off='' if bandwidth else 'disturbance_bandwidth is 0')
        self.torques: Array = np.zeros(len(prepared.motor_names))
        self._limit, self._period = share * limit, period
        self._names = prepared.motor_names
        self._observer = None
        self._last: float | None = None
        if not bandwidth:
            return
        most = GAIN * largest_bandwidth(period, UNKNOWN_DELAY)
        if bandwidth > most:
            raise InputError(
                f'disturbance_bandwidth is {bandwidth:g} rad/s; up to {most:.4g} it is stable, with torques {UNKNOWN_DELAY} periods '
                f'of {period:g} s later than `delay` says')
        self._observer = DisturbanceObserver(prepared.model, prepared, step=period, bandwidth=bandwidth, delay=round(delay / period))

    def take(self, now: float, commanded: Array, state: State) -> Array | None:
        """(motors,) torques to be made up for, after those that were commanded for the last state; None: nothing is observed."""
        if self._observer is None:
            return None
        if state.positions is None:
            self.record.off = 'no joint_states of the time of motor_states'
            return self.torques
        elapsed = self._period if self._last is None else now - self._last
        self._last = now
        self.record.off = ''
        try:
            if abs(elapsed - self._period) > UNEVEN * self._period:
                raise InputError(f'two states are {elapsed:.4g} s apart, and period is {self._period:g}')
            seen = self._observer(commanded, state.motor_positions, motor_velocities=state.motor_velocities, positions=state.positions)
        except InputError as error:
            self._observer.reset()
            self._observer.disturbances = self.torques.copy()       # it goes on from there
            self.record.act(f'it begins anew: {error}')
            return self.torques
        self.torques = np.clip(seen, -self._limit, self._limit)
        if (self.torques != seen).any():
            m = int(np.argmax(np.abs(seen) / self._limit))
            self.record.act(f'of {seen[m]:.4g} that disturb motor {self._names[m]!r}, {self._limit[m]:.4g} are made up for')
        return self.torques
