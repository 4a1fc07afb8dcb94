# SPDX-License-Identifier: Apache-2.0
"""What is wanted of the motors: the course that they are on, references or a place to rest, and the ways between courses.

Whatever the change, what is wanted goes on from where it is: the difference to its new course fades (Ramp), and the dynamics of that fading
are a part of the torques. Rows of motors are theta, theta', theta'', tau, tau' (5, motors), on their own side.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import HodError
from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.guards.motor_bounds import MotorBounds
from hod_ros.ros.guards.ramp import Ramp
from hod_ros.ros.guards.ramp import fading_time
from hod_ros.ros.guards.ramp import stopping_distance
from hod_ros.ros.guards.ramp import stopping_time
from hod_ros.ros.guards.rate_limiter import RateLimiter

Array = NDArray[np.float64]

IDLE, FOLLOWING, RESTING = 'nothing: no reference came yet', 'follows references', 'holds'
SHARE = 0.5             # of torque and torque-rate limits, that ramps and stops make use of
SPEED = 0.35            # of velocity limits, that ramps make use of, for motions go on meanwhile
VELOCITY = 1.0          # [rad/s] or [m/s] of ramps of joints without a velocity limit
NEAR, SLOW = 1e-3, 0.02                 # [rad], [rad/s]: a reference by so much from where the motors are is where they are
AT_REST = 0.02          # [rad/s]
FURTHEST = 0.1          # [s] over which rows are carried on


class MotorCourse:
    """limiter: it knows the torques that the motors have. stopping_place: MotionLimits'."""

    def __init__(
            self, model: MotorModel, bounds: MotorBounds, limiter: RateLimiter, stopping_place: Callable[[Array, Array], Array]) -> None:
        self.doing = IDLE
        self.wanted: Array | None = None            # rows of the last torques
        self.stiffness: Array | None = None         # (v,) that belongs to the last reference
        self._model, self._bounds, self._limiter, self._stopping_place = model, bounds, limiter, stopping_place
        self._reference: Array | None = None        # rows of the last one that was followed
        self._rest: Array | None = None             # rows of the place to hold
        self._ramp: Ramp | None = None
        self._now = -np.inf

    # Changes of the course

    def begin(self, now: float, reference: Array, carried: Array, state: State) -> None:
        """To references after rest, from the rows `carried`."""
        if self.wanted is None:
            x = self._model.of_joints(state.motor_positions)
            self._limiter.start_from(state.efforts if state.efforts is not None and state.efforts.any() else self._carrying(x))
        offset = self._model.of_joints(carried[:2] - reference[:2])
        self.doing, self._ramp = FOLLOWING, None
        if (np.abs(offset[0]) > NEAR).any() or (np.abs(offset[1]) > SLOW).any():
            self.blend(now, reference, carried)

    def blend(self, now: float, course: Array, carried: Array) -> None:
        """From what is wanted now, rows `carried`, to the rows of another course."""
        offset = self._offset(course, carried)
        self._ramp = Ramp(offset, now, self._fading(offset, self._model.of_joints(carried[0])))

    def hold(self, now: float, carried: Array) -> None:
        """Comes to rest from the rows `carried`, and stays there."""
        model, bounds = self._model, self._bounds
        x = model.of_joints(carried[0])
        duration = stopping_time(
            carried[1], carried[2], inertia=model.inertia(x), effort=self._headroom(x), effort_rate=SHARE * bounds.effort_rate)
        free = x + model.of_joints(stopping_distance(carried[1], carried[2], duration))
        place = self._stopping_place(free, x)
        self._rest, self.doing = self._resting(place, carried), RESTING
        offset = self._offset(self._rest, carried)
        if (place != free).any():           # it has to come back
            duration = max(duration, self._fading(offset, x))
        self._ramp = Ramp(offset, now, duration)

    # Where it leads

    def advance(self, now: float, reference: Array | None) -> Array:
        """Rows that are wanted of the motors now."""
        if self.doing == FOLLOWING:
            self._reference = course = reference
        else:
            course = self._rest
        if self._ramp is not None and self._ramp.over(now):
            self._ramp = None
        self._now = now
        self.wanted = course if self._ramp is None else course + self._model.added(course, self._ramp.at(now))
        return self.wanted

    def ahead(self, now: float) -> Array:
        """Rows that were wanted last, as they lead on."""
        return _ahead(self.wanted, now - self._now)

    def expected(self, now: float) -> Array:
        """Rows of the last reference that was followed, as they lead on."""
        return _ahead(self._reference, now - self._now)

    def torques_to_hold(self) -> Array:
        """(motors,) that may be held for ever."""
        return self._rest[3] if self.doing == RESTING else self._carrying(self._model.of_joints(self.wanted[0]))

    @property
    def changing(self) -> bool:
        """Whether it is still on its way from another course."""
        return self._ramp is not None

    @property
    def moving(self) -> bool:
        """Whether what is wanted of the motors is not yet at rest."""
        return self.wanted is not None and bool((np.abs(self._model.of_joints(self.wanted[1])) > AT_REST).any())

    # The ways

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

    def _headroom(self, x):
        return SHARE * np.maximum(self._bounds.effort - np.abs(self._carrying(x)), 0.1 * self._bounds.effort)

    def _resting(self, x, carried):
        try:
            return self._model.at_rest(x, self.stiffness)
        except HodError:            # springs that can't: what the motors have is the best that is known
            rows = np.zeros_like(carried)
            rows[0], rows[3] = self._model.of_motors(x), self._limiter.last
            return rows

    def _carrying(self, x):
        """(motors,) what carries the arm at rest."""
        try:
            return self._model.at_rest(x, self.stiffness)[3]
        except HodError:
            return np.zeros(len(self._bounds.effort))


def _ahead(rows, elapsed):
    """Rows as they are `elapsed` [s] later, by their own derivatives."""
    elapsed = min(max(elapsed, 0.0), FURTHEST)
    ahead = rows.copy()
    ahead[0] += elapsed * (rows[1] + 0.5 * elapsed * rows[2])
    ahead[1] += elapsed * rows[2]
    ahead[3] += elapsed * rows[4]
    return ahead
