# SPDX-License-Identifier: Apache-2.0
"""The way of a measured state and a reference to motor torques: guards, changes without a jump, and what is done without a reference.

Motors follow references from one that is within reach of where they are, until references stop or a guard raises a fault; then they come to
rest and hold their place. After a fault only a reset lets them follow again. `motor_guards.py` judges, `motor_course.py` leads from one
course to the next.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.elastic.laws import MotorPd
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.motor_bounds import MotorBounds
from hod_ros.ros.guards.motor_course import FOLLOWING
from hod_ros.ros.guards.motor_course import IDLE
from hod_ros.ros.guards.motor_course import RESTING
from hod_ros.ros.guards.motor_course import MotorCourse
from hod_ros.ros.guards.motor_encoders import MotorEncoders
from hod_ros.ros.guards.motor_guards import MotorGuards
from hod_ros.ros.guards.rate_limiter import RateLimiter
from hod_ros.ros.guards.record import Record

Array = NDArray[np.float64]

HOLD, DAMPING, ZERO = 'hold', 'damping', 'zero'
MEANING = {HOLD: 'the motors hold their place', DAMPING: 'the motors are braked', ZERO: 'the motors get no torque'}
REFUSAL_LASTS = 1.0     # [s] for which a reference that may not be followed hinders a reset


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
        self.timeout, self.states = Record('reference timeout'), Record('motor_states', off='none came yet')
        self.effort, self.effort_rate = Record('torque limit'), Record('torque rate')
        self.limiter = RateLimiter(bounds.effort, bounds.effort_rate)
        self.guards = MotorGuards(
            model, bounds, start_tolerance=settings.start_tolerance, largest_error=settings.largest_error)
        self.course = MotorCourse(model, bounds, self.limiter, self.guards.limits.stopping_place)
        self.error = np.zeros(model.model.n)        # of the motors, on the joints' side
        self._model, self._law, self._bounds, self._settings = model, law, bounds, settings
        self._encoders = MotorEncoders(model, bounds)
        self._made_up: Array | None = None          # disturbances, as they were when encoders were last in no doubt
        self._in_doubt = False                      # whether encoders are
        self._moved = False                         # whether motors have been taken to be elsewhere since the last torques
        self._blind = False                         # whether the last torques were made without a state
        self._present = ''                          # what is wrong with what was measured last

    # What comes in and goes out

    def command(
            self, now: float, state: State, reference: Array | None, *, stiffness: Array | None = None,
            disturbances: Array | None = None) -> Array | None:
        """(motors,) torques for a state measured now; None before the first reference that may be followed.

        reference: rows (5, motors) of this time, None: there is none that is fresh. stiffness: (v,) that belongs to it. disturbances:
        (motors,) torques that are known to act beside the model, to be made up for.
        """
        course = self.course
        self.states.off = ''
        measured, state = state, self._encoders.take(now, state, anew=self.wanted is None or self._blind)
        carried = self._carried(now, state)
        self._law.at(self._model.of_joints(state.motor_positions))
        disturbances = self._known(disturbances, measured)
        if self.wanted is not None:
            self._judge(now, measured, state, carried)
        if reference is not None:
            course.stiffness = stiffness
        follows = reference is not None and self._may_follow(now, reference, carried, state)
        if self.wanted is None and not follows:
            return None
        if not follows and (self.doing == FOLLOWING or self._blind or self._moved):
            if self.doing == FOLLOWING:
                self.timeout.act('no fresh reference')
            course.hold(now, carried)
        self._blind = self._moved = False
        rows = course.advance(now, reference)
        self.error = np.zeros_like(self.error)
        if not follows and self._settings.on_timeout != HOLD:
            braked = self._settings.on_timeout == DAMPING
            return self._limited(self._law.brake(state.motor_velocities) if braked else np.zeros(len(rows[0])), now)
        errors = rows[:2] - [state.motor_positions, state.motor_velocities]
        self.error = self._model.of_joints(errors[0])
        torques = rows[3] + self._law.feedback(*errors)
        return self._limited(torques if disturbances is None else torques - disturbances, now)

    def blind(
            self, now: float, reason: str, *, guard: Record | None = None, disturbances: Array | None = None) -> Array | None:
        """(motors,) torques without a state that is good for feedback: the fault is latched, and by the model alone the motors come to
        rest and carry the arm. guard: whose fault it is, None: states stay away."""
        course = self.course
        self.states.off = reason
        if self.wanted is None:
            return None
        if not self._blind:
            self._fail(guard or self.states, reason)
            if self.doing == FOLLOWING:
                course.hold(now, course.ahead(now))
        self._blind = True
        self.error = np.zeros_like(self.error)
        disturbances = self._made_up if self._in_doubt else disturbances
        rows = course.advance(now, None)
        if self._settings.on_timeout != HOLD:
            return self._limited(np.zeros(len(rows[0])), now)
        return self._limited(rows[3] if disturbances is None else rows[3] - disturbances, now)

    def settled(self, now: float, disturbances: Array | None = None) -> Array:
        """(motors,) towards torques that may be held for ever; `limiter.behind` says whether these are not they yet."""
        if self._settings.on_timeout != HOLD or self.wanted is None:
            return self._limited(np.zeros(len(self._bounds.effort)), now)
        torques = self.course.torques_to_hold()
        return self._limited(torques if disturbances is None else torques - disturbances, now)

    def reset(self, now: float) -> tuple[bool, str]:
        """(whether there is no fault any more, a sentence)"""
        if self.fault.reason and self.states.off:
            return False, f'the cause is still there: {self.states.off}'
        if self.fault.reason and self._present:
            return False, f'the cause is still there: {self._present}'
        ended, text = self.fault.reset(now)
        if ended and self._encoders.jumped:
            self._encoders.believe()
            self._moved = True
        return ended, text

    # Guards

    def _judge(self, now, measured, state, carried):
        """What is measured, against limits; a fault where it exceeds them. state: the same, as far as motors can have moved."""
        record, self._present = self.guards.measured_fault(measured, self.error)
        if self._encoders.jump:
            if self._fail(self.states, self._encoders.jump):
                self.course.hold(now, carried)
        elif self._present and self._fail(record, self._present):
            self.course.hold(now, _measured(state))

    def _known(self, disturbances, measured):
        """What is to be made up for: what was seen last by encoders that were in no doubt."""
        self._in_doubt = self._encoders.jumped or self.guards.bent(measured)
        if not self._in_doubt:
            self._made_up = disturbances
        return self._made_up

    def _may_follow(self, now, reference, carried, state):
        """Whether the reference is followed; where it is the first or a jump, the way there begins."""
        guards, course = self.guards, self.course
        record, wrong = guards.reference_fault(reference, carried)
        if not wrong and self.wanted is None:
            wrong = guards.effort_fault(state.efforts)
        if self.fault.reason:
            if wrong:
                self.fault.hinder(wrong, now + REFUSAL_LASTS)
            return False
        if self.doing != FOLLOWING:
            if wrong:
                guards.start.act(wrong)
                return False
            course.begin(now, reference, carried, state)
        elif wrong:
            self._fail(record, wrong)
            course.hold(now, carried)
            return False
        else:
            jump = guards.jump_text(reference, course.expected(now))
            if jump:
                guards.jump.act(jump)
                course.blend(now, reference, carried)
        return True

    def _fail(self, record, reason):
        """Whether this is a new fault."""
        new = self.fault.latch(record.name, reason)
        if new:
            record.act(reason)
        return new

    def _carried(self, now, state):
        """Rows of where the motors are wanted to be now; of where they are, where nothing is wanted of their place."""
        lost = self.wanted is None or self._blind or self._moved or self.doing == RESTING and self._settings.on_timeout != HOLD
        return _measured(state) if lost else self.course.ahead(now)

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

    # What it says

    @property
    def doing(self) -> str:
        """IDLE, FOLLOWING or RESTING of motor_course.py."""
        return self.course.doing

    @property
    def wanted(self) -> Array | None:
        """Rows (5, motors) of the last torques."""
        return self.course.wanted

    @property
    def records(self) -> tuple[Record, ...]:
        return self.timeout, self.states, *self.guards.records, self.effort, self.effort_rate

    @property
    def meaning(self) -> str:
        """What it does, in words."""
        refused = self.guards.start
        if self.doing == IDLE and refused.count:
            return f'nothing: {refused.reason}'
        if self.doing == RESTING and self._blind:
            return 'carries the arm by the model alone' if self._settings.on_timeout == HOLD else MEANING[ZERO]
        if self.doing == RESTING:
            return MEANING[self._settings.on_timeout]
        return f'{self.doing}, coming from elsewhere' if self.course.changing else self.doing

    def _motor(self, m):
        return self._model.prepared.motor_names[m]


def _measured(state):
    """Rows of motors as they are measured."""
    rows = np.zeros((5, len(state.motor_positions)))
    rows[0], rows[1] = state.motor_positions, state.motor_velocities
    return rows
