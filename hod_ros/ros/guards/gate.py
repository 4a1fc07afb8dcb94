# SPDX-License-Identifier: Apache-2.0
"""The way of a setpoint to a command: all guards, in the order in which they are asked, and what is commanded in the end.

A stream runs from a setpoint that fits where the robot is until setpoints are stale or a guard raises a fault. Then the fallback
commands, until another stream begins; after a fault only a reset lets it. Setpoints that stop are how every motion ends, and no fault;
joint_states that stop while setpoints still come are one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.guards.age import Age
from hod_ros.ros.guards.bounds import Bounds
from hod_ros.ros.guards.continuity import Continuity
from hod_ros.ros.guards.fallback import GRAVITY
from hod_ros.ros.guards.fallback import Fallback
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.guards.motion_limits import MotionLimits
from hod_ros.ros.guards.ownership import Ownership
from hod_ros.ros.guards.rate_limiter import LONGEST_STEP
from hod_ros.ros.guards.rate_limiter import RateLimiter
from hod_ros.ros.guards.record import Record
from hod_ros.ros.guards.sources import Source

FAULT, CONTINUE = 'fault', 'continue'
REFUSAL_LASTS = 1.0     # [s] for which a setpoint that could not start a stream hinders a reset
LONGEST_PAUSE = 1.0     # [s] after which a stream begins anew, however long setpoint_timeout is
AT_REST = 0.02          # [rad/s] or [m/s]
BRAKED = 1.0            # [s] after the last setpoint, from which on speed is a fault: joints that are braked drag others along

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """What parameters say; times in [s]."""

    setpoint_timeout: float = 0.1           # without a command from setpoints, after which the fallback begins; 0: never
    on_timeout: str = GRAVITY
    max_age: float = 0.1
    source_timeout: float = 0.5
    joint_states_timeout: float = 0.1
    on_joint_states_loss: str = FAULT
    start_tolerance: float = 0.1            # [rad] or [m]
    hold_bandwidth: float = 10.0            # [1/s]


@dataclass
class Arrival:
    """Whose a setpoint is, its arrival on the steady clock [s], and the times [ns] that Age takes; 0: not known."""

    source: Source
    time: float
    stamp: int = 0
    clock: int = 0
    sent: int = 0
    received: int = 0

    def after(self, other: 'Arrival') -> tuple[float, float]:
        """[s] since another: by arrival, or a simulation's clock where that is faster; and by the longer of what stamps and sender tell."""
        simulated = 1e-9 * (self.clock - other.clock) if self.clock != self.received else 0.0
        stamped = self.stamp - other.stamp if self.stamp and other.stamp else 0
        sent = self.sent - other.sent if self.sent and other.sent else 0
        return max(self.time - other.time, simulated), 1e-9 * max(stamped, sent)


class Gate:
    """Makes commands of one model's setpoints. `fault` outlives a gate, as it outlives deactivation."""

    def __init__(self, model: RobotModel, bounds: Bounds, settings: Settings, fault: Fault) -> None:
        self.fault = fault
        self.age = Age(settings.max_age)
        self.ownership = Ownership(settings.source_timeout)
        self.effort, self.effort_rate, self.timeout = Record('effort limit'), Record('effort rate'), Record('setpoint timeout')
        self.measured = Measured(bounds.joint_names, bounds.velocity, settings.joint_states_timeout)
        self.limiter = RateLimiter(bounds.effort, bounds.effort_rate)
        self.limits = self.continuity = self.fallback = None
        self.use(model, bounds, settings)
        self.open()

    def use(self, model: RobotModel, bounds: Bounds, settings: Settings) -> None:
        """Another model of the same joints, other bounds or settings, from now on; nothing is forgotten."""
        if self.limits is None or settings.max_age != self.settings.max_age:
            self.age.use(settings.max_age)
        self.model, self.bounds, self.settings = model, bounds, settings
        self.ownership.silence, self.measured.timeout = settings.source_timeout, settings.joint_states_timeout
        self.measured.use(bounds.velocity)
        self.limiter.use(bounds.effort, bounds.effort_rate)
        before, tolerance = self.limits, settings.start_tolerance
        self.limits = limits = MotionLimits(bounds.joint_names, bounds.lower, bounds.upper, bounds.velocity, tolerance)
        if before is None:
            self.continuity = Continuity(bounds.joint_names, bounds.velocity, tolerance)
            self.fallback = Fallback(model, bounds, self.measured, settings.hold_bandwidth, limits.stopping_place)
            return
        limits.record = before.record
        self.continuity.use(bounds.velocity, tolerance)
        self.fallback.use(model, bounds, settings.hold_bandwidth, limits.stopping_place)

    def open(self) -> None:
        """A new activation: no stream runs, and none has run."""
        self.running = False
        self.motion: Array | None = None            # q (3, n) of the last setpoint that was commanded
        self._arrival: Arrival | None = None        # of it
        self._wanted: Array | None = None           # its efforts
        self._place: Array | None = None            # positions where the last stream ended, for robots without joint_states
        self.ownership.forget()
        self.age.forget()
        self.fallback.end()

    def continue_from(self, other: 'Gate') -> None:
        """Commands go on from the last ones of another gate, joint by joint, and what is measured is known."""
        names, theirs = self.bounds.joint_names, other.bounds.joint_names
        self.limiter.take_over(np.array([other.limiter.last[theirs.index(name)] if name in theirs else 0.0 for name in names]))
        if names == theirs:
            self.measured = self.fallback.measured = other.measured

    # What comes in

    def take(self, q: Array, efforts: Array, arrival: Arrival, beyond: bool) -> Array | None:
        """(n,) the command that a setpoint q (rows, n) with these efforts leads to; None where it is not commanded.

        beyond: whether the setpoint exceeds its limits of position or velocity, as `limits.flags` tells.
        """
        now = arrival.time
        if not self.ownership.admits(arrival.source, now):
            return None
        if self.age.fault(arrival.stamp, arrival.clock, arrival.sent, arrival.received):
            return None
        self._notice_silence(now)
        if self.fault.reason:
            hindrance = self.limits.fault(q) if beyond else self._start_fault(q[0], now)
            if hindrance:
                self.fault.hinder(hindrance, now + REFUSAL_LASTS)
            return None
        if beyond:
            return self._end_stream(self.limits.record, self.limits.fault(q))
        arrived, told = arrival.after(self._arrival) if self.running else (0.0, 0.0)
        if self.running and (arrival.source is not self._arrival.source or arrived > LONGEST_PAUSE):
            self._stop_stream()         # whoever goes on with it begins where the robot is
        if self.running:
            reason = self.continuity.reach_fault(q[0], self.motion[0], arrived, told)
            if reason:
                return self._end_stream(self.continuity.reach, reason)
        elif not self._starts(q[0], now):
            return None
        self.motion, self._arrival, self._wanted = q[:3], arrival, efforts
        return self._limited(efforts, now)

    def refusal(self, source: Source) -> str:
        """Why the last setpoint, of this source, was not commanded although there is no fault."""
        if self.ownership.owner is not source:
            return self.ownership.record.reason
        return self.continuity.start.reason if not self.running and self.continuity.start.reason else self.age.record.reason

    def _starts(self, positions: Array, now: float) -> bool:
        reason = self._start_fault(positions, now)
        if not reason:
            self.running, self._place = True, None
            self.measured.motion.believe()
            self.continuity.begin()
            self.fallback.end()
        elif not self.measured.fresh(now) and (self.measured.known or self.measured.expected):
            self.continuity.start.act(reason)       # no fault: nothing was wrong with the setpoint
        else:
            self._end_stream(self.continuity.start, reason)
        return self.running

    def _start_fault(self, positions: Array, now: float) -> str:
        """Why no stream may start with these positions, or ''."""
        start, measured = self.continuity.start, self.measured
        start.off = ''
        if measured.fresh(now):
            return self.continuity.start_fault(positions, measured.positions, 'by joint_states')
        if measured.known or measured.expected:
            return f'no stream starts, because {measured.age_text(now)}'
        if self._place is not None:
            return self.continuity.start_fault(positions, self._place, 'where the last stream ended')
        start.off = measured.age_text(now)
        return ''

    def reset(self, now: float) -> tuple[bool, str]:
        """(whether there is no fault any more, a sentence)"""
        if self.fault.reason and self.measured.fresh(now):
            reason = self._measured_fault(now)
            if reason:
                return False, f'the cause is still there: {reason}'
        ended, text = self.fault.reset(now)
        if ended:
            self._place = None
            self.ownership.forget()
            self.age.forget()
        return ended, text

    # What goes out

    def tick(self, now: float) -> Array | None:
        """(n,) what to command now although no setpoint came; None: nothing. To be called every LONGEST_STEP."""
        if self.motion is None:
            return None
        if self.measured.fresh(now) and (self.running or self.fallback.holds and not self.fault.reason):
            reason = self._measured_fault(now, braked=not self.running and now - self._arrival.time < BRAKED)
            if reason:
                self._end_stream(self.limits.record, reason)
        elif self.running and self._has_lost_joint_states(now):
            self._end_stream(self.measured.record, f'setpoints come, but {self.measured.age_text(now)}')
        self._notice_silence(now)
        if not self.running:
            return self.fall_back(now)
        if self.limiter.behind and now - self.limiter.time >= 0.9 * LONGEST_STEP:
            return self._limited(self._wanted, now)
        return None

    def fall_back(self, now: float) -> Array | None:
        if self.motion is None:
            return None
        efforts = self.fallback.efforts(self.settings.on_timeout, self.motion, self._arrival.time, now)
        return None if efforts is None else self._limited(efforts, now)

    def settle(self, now: float) -> Array | None:
        """(n,) towards a command that may be held for ever; `limiter.behind` says whether this one is not it yet. None: nothing."""
        if self.motion is None:
            return None
        if self.settings.on_timeout != GRAVITY:
            return self.fall_back(now)
        return self._limited(self.fallback.at_rest(self.motion[0], self._arrival.time), now)

    def moving(self, now: float) -> bool:
        """Whether the robot is seen to move."""
        moving = self.measured.moving(now)
        return moving is not None and bool((np.abs(moving.velocities) > AT_REST).any())

    def _notice_silence(self, now: float) -> None:
        timeout = self.settings.setpoint_timeout
        if self.running and timeout and now - self._arrival.time > timeout:
            self.timeout.act(f'no setpoint to command came within {timeout:g} s')
            self._stop_stream()

    def _has_lost_joint_states(self, now: float) -> bool:
        """Whether they have stopped while setpoints still came: where both stop, that is silence, and where none ever came, as it was."""
        if not self.measured.known or self.settings.on_joint_states_loss == CONTINUE:
            return False
        seen = self._arrival.time if self.settings.setpoint_timeout else now
        return seen - self.measured.time > self.measured.timeout

    def _measured_fault(self, now: float, *, braked: bool = False) -> str:
        """braked: whether joints are just being braked, so that speed is none."""
        measured = self.measured
        judged = not braked and measured.moving_fresh(now)
        return self.limits.measured_fault(measured.positions, measured.velocities if judged else None)

    def _end_stream(self, record: Record, reason: str) -> None:
        record.act(reason)
        self.fault.latch(record.name, reason)
        self._stop_stream()

    def _stop_stream(self) -> None:
        self.running = False
        self._place = None if self.motion is None else self.motion[0]

    def _limited(self, efforts: Array, now: float) -> Array:
        limiter = self.limiter
        command = limiter.next(efforts, now)
        if limiter.clipped:
            joint = int(np.argmax(np.abs(efforts) - self.bounds.effort))
            self.effort.act(f'joint {self.bounds.joint_names[joint]!r}: {efforts[joint]:.4g} is clipped to {self.bounds.effort[joint]:g}')
        if limiter.behind:
            joint = int(np.argmax(np.abs(np.clip(efforts, -self.bounds.effort, self.bounds.effort) - command) / self.bounds.effort_rate))
            self.effort_rate.act(
                f'joint {self.bounds.joint_names[joint]!r} is at {command[joint]:.4g} on its way to {efforts[joint]:.4g}, by '
                f'{self.bounds.effort_rate[joint]:g} a second')
        return command

    # What diagnostics say

    @property
    def records(self) -> tuple[Record, ...]:
        return (
            self.ownership.record, self.age.record, self.limits.record, self.continuity.start, self.continuity.reach, self.timeout,
            self.effort, self.effort_rate, self.measured.record)
