# SPDX-License-Identifier: Apache-2.0
"""Where the robot is: the latest measured positions and velocities, by joint name, and whether they are fresh.

Several sources may share joint_states, each with some joints; other joints in a message are passed over.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.guards.measured_motion import MeasuredMotion
from hod_ros.ros.guards.measured_motion import Moving
from hod_ros.ros.guards.record import Record

SLACK = 0.1             # [rad] or [m] by which a measured position may change at once, whatever the velocity limit
MARGIN = 2.0            # times the velocity limit: faster, and it is the measurement that is wrong
BELIEVED = 2.0          # timeouts after which a measurement is believed in spite of a jump; a stream that is commanded has ended by then
REMEMBERED = 16         # different lists of names


class Measured:
    """joint_names (n,); velocity_limits (n,); timeout [s]: what is older is not fresh."""

    def __init__(self, joint_names: Sequence[str], velocity_limits: NDArray[np.float64], timeout: float) -> None:
        self.timeout = timeout
        self.record = Record('joint_states', off='none came yet')
        self._names = list(joint_names)
        self._fastest = MARGIN * velocity_limits
        self.motion = MeasuredMotion(self._fastest, SLACK)
        self._refusal = ''          # why the last message was not used
        self.expected = False       # whether somebody publishes them
        self.positions = np.full(len(self._names), np.nan)
        self.velocities = np.full(len(self._names), np.nan)
        self._times = np.full(len(self._names), -np.inf)
        self._velocity_times = np.full(len(self._names), -np.inf)
        self._places: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}

    def use(self, velocity_limits: NDArray[np.float64]) -> None:
        self._fastest = MARGIN * velocity_limits
        self.motion.use(self._fastest)

    def take(self, names: Sequence[str], positions: Sequence[float], velocities: Sequence[float], now: float) -> None:
        """Notes a message that arrived now [s]; a bad one is counted and changes nothing."""
        theirs, ours = self._places_of(names)
        if not ours:
            return
        if len(positions) != len(names) or len(velocities) not in (0, len(names)):
            self._refuse(f'{len(positions)} positions and {len(velocities)} velocities for {len(names)} names: not used')
            return
        q = np.asarray(positions, float)[theirs]
        v = np.asarray(velocities, float)[theirs] if len(velocities) else None
        if not np.isfinite(q).all() or v is not None and not np.isfinite(v).all():
            self._refuse('a value is not finite: not used')
            return
        self.motion.take(ours, q, v, now, BELIEVED * self.timeout)
        elapsed = now - self._times[ours]
        jumps = (elapsed <= BELIEVED * self.timeout) & (np.abs(q - self.positions[ours]) > self._fastest[ours] * elapsed + SLACK)
        if jumps.any():
            joint = ours[int(np.argmax(jumps))]
            self._refuse(f'joint {self._names[joint]!r} jumps from {self.positions[joint]:.4g} to {q[ours.index(joint)]:.4g}: not used')
            return
        self.positions[ours], self._times[ours] = q, now
        if v is not None:
            self.velocities[ours], self._velocity_times[ours] = v, now
        self.record.off = self._refusal = ''

    def _refuse(self, reason: str) -> None:
        self._refusal = reason
        self.record.act(reason)

    def _places_of(self, names: Sequence[str]) -> tuple[list[int], list[int]]:
        key = tuple(names)
        places = self._places.get(key)
        if places is None:
            found = [(key.index(name), column) for column, name in enumerate(self._names) if name in key]
            places = [place for place, _ in found], [column for _, column in found]
            if len(self._places) >= REMEMBERED:
                self._places.clear()
            self._places[key] = places
        return places

    @property
    def known(self) -> bool:
        """Whether every joint's position has ever been measured."""
        return bool(np.isfinite(self._times).all())

    @property
    def time(self) -> float:
        """[s] of the joint whose position is the oldest; -inf where one was never measured."""
        return float(self._times.min())

    def fresh(self, now: float) -> bool:
        """Whether all positions are fresh."""
        return now - self.time <= self.timeout

    def moving_fresh(self, now: float) -> bool:
        """Whether all velocities are fresh too."""
        return self.fresh(now) and bool(now - self._velocity_times.min() <= self.timeout)

    def moving(self, now: float) -> Moving | None:
        """By what the robot may be held, as far as it is fresh."""
        return self.motion.at(now, self.timeout)

    def age_text(self, now: float) -> str:
        if self.known:
            why = f' ({self._refusal})' if self._refusal else ''
            return f'the oldest joint_states are {now - self.time:.3f} s old{why}'
        missing = [name for name, time in zip(self._names, self._times, strict=True) if not np.isfinite(time)]
        return f'joint_states have not come for {", ".join(missing[:3])}{" and others" if len(missing) > 3 else ""}'
