# SPDX-License-Identifier: Apache-2.0
"""The way of a measured state and a reference to motor torques: guards, changes without a jump, and what is done without a reference.

Motors follow references from one that is within reach of where they are, until references stop or a guard raises a fault; then they come to
rest and hold their place. After a fault only a reset lets them follow again. Whatever the change, what is wanted of the motors goes on from
where it is: the difference to its new course fades (Ramp), and the dynamics of that fading are a part of the torques.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import HodError
from hod_ros.ros.elastic.laws import MotorPd
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.motion_limits import MotionLimits
from hod_ros.ros.guards.motor_bounds import MotorBounds
from hod_ros.ros.guards.ramp import Ramp
from hod_ros.ros.guards.ramp import fading_time
from hod_ros.ros.guards.ramp import stopping_distance
from hod_ros.ros.guards.ramp import stopping_time
from hod_ros.ros.guards.rate_limiter import RateLimiter
from hod_ros.ros.guards.record import Record

Array = NDArray[np.float64]

HOLD, DAMPING, ZERO = 'hold', 'damping', 'zero'
MEANING = {HOLD: 'the motors hold their place', DAMPING: 'the motors are braked', ZERO: 'the motors get no torque'}
IDLE, FOLLOWING, RESTING = 'nothing: no reference came yet', 'follows references', 'holds'
SHARE = 0.5             # of torque and torque-rate limits, that ramps and stops make use of
SPEED = 0.35            # of velocity limits, that ramps make use of, for motions go on meanwhile
VELOCITY = 1.0          # [rad/s] or [m/s] of ramps of joints without a velocity limit
NEAR, SLOW = 1e-3, 0.02                 # [rad], [rad/s]: a reference by so much from where the motors are is where they are
JUMP, RATE_JUMP = 2e-3, 0.1             # [rad], [rad/s] by which references may differ from where earlier ones lead
REFUSAL_LASTS = 1.0     # [s] for which a reference that may not be followed hinders a reset
AT_REST = 0.02          # [rad/s]
FURTHEST = 0.1          # [s] over which rows are carried on


@dataclass(frozen=True)
class Settings:
    """What parameters say."""

    on_timeout: str = HOLD
    start_tolerance: float = 1.0        # [rad] or [m] from where motors are to a reference that they may go to
    largest_error: float = 0.2          # [rad] or [m] of the motors, on the joints' side


class MotorGate:
    """Times are handed in: those at which torques act, on one clock that never steps back."""

    def __init__(self, model: MotorModel, law: MotorPd, bounds: MotorBounds, settings: Settings, fault: Fault) -> None:
        self.fault = fault
        self.doing = IDLE
        self.timeout, self.states = Record('reference timeout'), Record('motor_states', off='none came yet')
        self.start, self.jump = Record('start'), Record('jump')
        self.tracking, self.deflection = Record('tracking error'), Record('spring deflection')
        self.effort, self.effort_rate = Record('torque limit'), Record('torque rate')
        self.limiter = RateLimiter(bounds.effort, bounds.effort_rate)
        self.wanted: Array | None = None            # rows (5, motors) of the last torques
        self.error = np.zeros(model.model.n)        # of the motors, on the joints' side
        self._model, self._law, self._bounds, self._settings = model, law, bounds, settings
        names = model.model.joint_names
        free = np.where(np.isfinite(bounds.deflection), bounds.deflection, 0.0)     # motors may be ahead of joints at their limits
        self.limits = MotionLimits(names, bounds.lower, bounds.upper, bounds.velocity, settings.largest_error)
        self._reference_limits = MotionLimits(names, bounds.lower - free, bounds.upper + free, bounds.velocity)
        self._reference: Array | None = None        # rows of the last one that was followed
        self._rest: Array | None = None             # rows of the place to hold
        self._ramp: Ramp | None = None
        self._stiffness: Array | None = None
        self._now = -np.inf
        self._blind = False                         # whether the last torques were made without a state

    # What comes in and goes out

    def command(
            self, now: float, state: State, reference: Array | None, *, stiffness: Array | None = None,
            disturbances: Array | None = None) -> Array | None:
        """(motors,) torques for a state measured now; None before the first reference that may be followed.

        reference: rows (5, motors) of this time, None: there is none that is fresh. stiffness: (v,) that belongs to it. disturbances:
        (motors,) torques that are known to act beside the model, to be made up for.
        """
        self.states.off = ''
        carried = self._carried(now, state)
        self._law.at(self._model.of_joints(state.motor_positions))
        if self.wanted is not None:
            self._judge(now, state, carried)
        if reference is not None:
            self._stiffness = stiffness
        follows = reference is not None and self._may_follow(now, reference, carried, state)
        if self.wanted is None and not follows:
            return None
        if not follows and (self.doing == FOLLOWING or self._blind):
            if self.doing == FOLLOWING:
                self.timeout.act('no fresh reference')
            self._hold(now, carried)
        self._blind, self._now = False, now
        self.wanted = rows = self._rows(now, reference)
        self.error = np.zeros_like(self.error)
        if not follows and self._settings.on_timeout != HOLD:
            braked = self._settings.on_timeout == DAMPING
            return self._limited(self._law.brake(state.motor_velocities) if braked else np.zeros(len(rows[0])), now)
        errors = rows[:2] - [state.motor_positions, state.motor_velocities]
        self.error = self._model.of_joints(errors[0])
        torques = rows[3] + self._law.feedback(*errors)
        return self._limited(torques if disturbances is None else torques - disturbances, now)

    def blind(self, now: float, reason: str, *, disturbances: Array | None = None) -> Array | None:
        """(motors,) torques without a state: the fault is latched, and by the model alone the motors come to rest and carry the arm."""
        self.states.off = reason
        if self.wanted is None:
            return None
        if not self._blind:
            self._fail(self.states, reason)
            if self.doing == FOLLOWING:
                self._hold(now, self._ahead(now))
        self._blind, self._now = True, now
        self.error = np.zeros_like(self.error)
        self.wanted = rows = self._rows(now, None)
        if self._settings.on_timeout != HOLD:
            return self._limited(np.zeros(len(rows[0])), now)
        return self._limited(rows[3] if disturbances is None else rows[3] - disturbances, now)

    def settled(self, now: float, disturbances: Array | None = None) -> Array:
        """(motors,) towards torques that may be held for ever; `limiter.behind` says whether these are not they yet."""
        if self._settings.on_timeout != HOLD or self.wanted is None:
            return self._limited(np.zeros(len(self._bounds.effort)), now)
        torques = self._rest[3] if self.doing == RESTING else self._carrying(self._model.of_joints(self.wanted[0]))
        return self._limited(torques if disturbances is None else torques - disturbances, now)

    def reset(self, now: float) -> tuple[bool, str]:
        """(whether there is no fault any more, a sentence)"""
        if self.fault.reason and self.states.off:
            return False, f'the cause is still there: {self.states.off}'
        if self.fault.reason and self._present:
            return False, f'the cause is still there: {self._present}'
        return self.fault.reset(now)

    # Guards

    _present = ''           # what is wrong with what was measured last

    def _judge(self, now, state, carried):
        """What is measured, against limits; a fault where it exceeds them."""
        model, bounds = self._model, self._bounds
        measured = state.positions is not None
        x = model.of_joints(state.motor_positions)
        positions = state.positions if measured else x
        velocities = state.velocities if measured else model.of_joints(state.motor_velocities)
        self.deflection.off = '' if measured else 'no joint_states of the time of motor_states'
        record, reason = self.limits.record, self.limits.measured_fault(positions, velocities)
        if not reason and measured and (np.abs(x - positions) > bounds.deflection).any():
            j = int(np.argmax(np.abs(x - positions) - bounds.deflection))
            record, reason = self.deflection, (
                f'the spring of joint {self._name(j)!r} is bent by {x[j] - positions[j]:.4g}; its largest deflection is '
                f'{bounds.deflection[j]:.4g}')
        if not reason and np.abs(self.error).max() > self._settings.largest_error:
            j = int(np.argmax(np.abs(self.error)))
            record, reason = self.tracking, (
                f'the motors of joint {self._name(j)!r} are {self.error[j]:.4g} behind what is wanted; largest_error is '
                f'{self._settings.largest_error:g}')
        self._present = reason
        if reason and self._fail(record, reason):
            self._hold(now, self._measured(state))

    def _may_follow(self, now, reference, carried, state):
        """Whether the reference is followed; where it is the first or a jump, the way there begins."""
        model = self._model
        position = model.of_joints(reference[:2])
        beyond = self._reference_limits.fault(position)
        distance = np.abs(model.of_joints(reference[0] - carried[0]))
        far = ''
        if distance.max() > self._settings.start_tolerance:
            j = int(np.argmax(distance))
            far = (f'a reference is {distance[j]:.4g} from where joint {self._name(j)!r} is; references within start_tolerance, '
                   f'{self._settings.start_tolerance:g}, are followed')
        if self.fault.reason:
            if beyond or far:
                self.fault.hinder(beyond or far, now + REFUSAL_LASTS)
            return False
        if self.doing != FOLLOWING:
            if beyond or far:
                self.start.act(beyond or far)
                return False
            self._begin(now, reference, carried, state)
        elif beyond or far:
            self._fail(self.limits.record if beyond else self.jump, beyond or far)
            self._hold(now, carried)
            return False
        else:
            jump = self._jump(now, reference)
            if jump:
                self.jump.act(jump)
                self._blend(now, reference, carried)
        self._reference = reference
        return True

    def _jump(self, now, reference):
        """By how much the reference is not where earlier ones lead, in words, or ''."""
        x = self._model.of_joints(reference[:2] - _ahead(self._reference, now - self._now)[:2])
        if (np.abs(x[0]) <= JUMP).all() and (np.abs(x[1]) <= RATE_JUMP).all():
            return ''
        j = int(np.argmax(np.abs(x[0]) / JUMP + np.abs(x[1]) / RATE_JUMP))
        return f'a reference is {x[0, j]:.4g}, and {x[1, j]:.4g} a second, from where earlier ones lead joint {self._name(j)!r}'

    def _fail(self, record, reason):
        """Whether this is a new fault."""
        new = self.fault.latch(record.name, reason)
        if new:
            record.act(reason)
        return new

    # Courses and the ways between them

    def _begin(self, now, reference, carried, state):
        """The first reference after rest."""
        if self.wanted is None:
            x = self._model.of_joints(state.motor_positions)
            self.limiter.start_from(state.efforts if state.efforts is not None and state.efforts.any() else self._carrying(x))
        offset = self._model.of_joints(carried[:2] - reference[:2])
        self.doing, self._ramp = FOLLOWING, None
        if (np.abs(offset[0]) > NEAR).any() or (np.abs(offset[1]) > SLOW).any():
            self._blend(now, reference, carried)

    def _blend(self, now, course, carried):
        """From what is wanted now, rows `carried`, to the rows of another course."""
        offset = self._offset(course, carried)
        self._ramp = Ramp(offset, now, self._fading(offset, self._model.of_joints(carried[0])))

    def _hold(self, now, carried):
        """Comes to rest from the rows `carried`, and stays there."""
        model, bounds = self._model, self._bounds
        x = model.of_joints(carried[0])
        duration = stopping_time(
            carried[1], carried[2], inertia=model.inertia(x), effort=self._headroom(x), effort_rate=SHARE * bounds.effort_rate)
        free = x + model.of_joints(stopping_distance(carried[1], carried[2], duration))
        place = self.limits.within(free)
        self._rest, self.doing = self._resting(place, carried), RESTING
        offset = self._offset(self._rest, carried)
        if (place != free).any():           # it has to come back
            duration = max(duration, self._fading(offset, x))
        self._ramp = Ramp(offset, now, duration)

    def _offset(self, course, carried):
        """(3, motors) by which what is wanted, rows `carried`, differs from a course, but for what `added` adds."""
        offset = np.zeros((4, len(carried[0])))
        for _ in range(3):
            offset[:3] += carried[:3] - course[:3] - self._model.added(course, offset)[:3]
        return offset[:3]

    def _fading(self, offset, x):
        bounds = self._bounds
        velocity = np.where(np.isfinite(bounds.velocity), SPEED * bounds.velocity, VELOCITY)
        return fading_time(
            offset, inertia=self._model.inertia(x), velocity=np.abs(self._model.of_motors(velocity)), effort=self._headroom(x),
            effort_rate=SHARE * bounds.effort_rate)

    def _rows(self, now, reference):
        """What is wanted of the motors now."""
        course = reference if self.doing == FOLLOWING else self._rest
        if self._ramp is not None and self._ramp.over(now):
            self._ramp = None
        return course if self._ramp is None else course + self._model.added(course, self._ramp.at(now))

    def _carried(self, now, state):
        """Rows of where the motors are wanted to be now; of where they are, where nothing is wanted of their place."""
        lost = self.wanted is None or self._blind or self.doing == RESTING and self._settings.on_timeout != HOLD
        return self._measured(state) if lost else self._ahead(now)

    def _ahead(self, now):
        return _ahead(self.wanted, now - self._now)

    def _measured(self, state):
        rows = np.zeros((5, len(state.motor_positions)))
        rows[0], rows[1] = state.motor_positions, state.motor_velocities
        return rows

    def _resting(self, x, carried):
        try:
            return self._model.at_rest(x, self._stiffness)
        except HodError:            # springs that can't: what the motors have is the best that is known
            rows = np.zeros_like(carried)
            rows[0], rows[3] = self._model.of_motors(x), self.limiter.last
            return rows

    def _carrying(self, x):
        """(motors,) what carries the arm at rest."""
        try:
            return self._model.at_rest(x, self._stiffness)[3]
        except HodError:
            return np.zeros(len(self._bounds.effort))

    def _headroom(self, x):
        return SHARE * np.maximum(self._bounds.effort - np.abs(self._carrying(x)), 0.1 * self._bounds.effort)

    # The last before the motors

    def _limited(self, torques, now):
        bounds, limiter = self._bounds, self.limiter
        command = limiter.next(torques, now)
        if limiter.clipped:
            m = int(np.argmax(np.abs(torques) / bounds.effort))
            self.effort.act(f'motor {self._motor(m)!r}: {torques[m]:.4g} is clipped to {bounds.effort[m]:g}')
        if limiter.behind:
            m = int(np.argmax(np.abs(np.clip(torques, -bounds.effort, bounds.effort) - command) / bounds.effort_rate))
            self.effort_rate.act(
                f'motor {self._motor(m)!r} is at {command[m]:.4g} on its way to {torques[m]:.4g}, by {bounds.effort_rate[m]:g} a second')
        return command

    @property
    def moving(self) -> bool:
        """Whether what is wanted of the motors is not yet at rest."""
        return self.wanted is not None and bool((np.abs(self._model.of_joints(self.wanted[1])) > AT_REST).any())

    @property
    def records(self) -> tuple[Record, ...]:
        return (self.timeout, self.states, self.start, self.jump, self.limits.record, self.tracking, self.deflection, self.effort,
                self.effort_rate)

    @property
    def meaning(self) -> str:
        """What it does, in words."""
        if self.doing == RESTING and self._blind:
            return 'carries the arm by the model alone' if self._settings.on_timeout == HOLD else MEANING[ZERO]
        if self.doing == RESTING:
            return MEANING[self._settings.on_timeout]
        return f'{self.doing}, coming from elsewhere' if self._ramp is not None else self.doing

    def _name(self, j):
        return self._model.model.joint_names[j]

    def _motor(self, m):
        return self._model.prepared.motor_names[m]


def _ahead(rows, elapsed):
    """Rows as they are `elapsed` [s] later, by their own derivatives."""
    elapsed = min(max(elapsed, 0.0), FURTHEST)
    ahead = rows.copy()
    ahead[0] += elapsed * (rows[1] + 0.5 * elapsed * rows[2])
    ahead[1] += elapsed * rows[2]
    ahead[3] += elapsed * rows[4]
    return ahead
