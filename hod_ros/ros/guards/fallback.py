# SPDX-License-Identifier: Apache-2.0
"""What is commanded in place of setpoints, when they stop or a guard ends the stream."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.guards.bounds import Bounds
from hod_ros.ros.guards.holding import Holding
from hod_ros.ros.guards.holding import at_rest
from hod_ros.ros.guards.measured import Measured

GRAVITY, ZERO, STOP = 'gravity', 'zero', 'stop'
HOLDS, RESTS = 'a torque that holds where the robot is measured', 'the gravity torque of the last position'
BRAKES = 'a torque that brakes the motion which was planned last'
LATELY = 2.0            # joint_states_timeouts between the last setpoint and when the robot was measured last: it was as planned
FURTHEST = 0.2          # [s] over which the motion that was planned last is carried on: where it would be later, nobody knows
MEANING = {ZERO: 'zero', STOP: 'nothing'}


class Fallback:
    """stopping_place: MotionLimits'."""

    def __init__(self, model: RobotModel, bounds: Bounds, measured: Measured, bandwidth: float, stopping_place) -> None:
        self.measured = measured
        self._holding: Holding | None = None
        self._planned: Holding | None = None    # of the motion that was planned, while the robot is no longer measured
        self._began = 0.0                       # [s] of either
        self.meaning = ''               # what it commands, in words; '' while it does nothing
        self.use(model, bounds, bandwidth, stopping_place)

    def use(self, model: RobotModel, bounds: Bounds, bandwidth: float, stopping_place) -> None:
        """From now on. What is held or braked goes on from where it is."""
        self._model, self._bounds, self._bandwidth, self._stopping_place = model, bounds, bandwidth, stopping_place
        for holding in (self._holding, self._planned):
            if holding is not None:
                holding.use(model, bounds.effort, bounds.effort_rate, bandwidth)

    @property
    def holds(self) -> bool:
        """Whether it is to keep the robot where it is."""
        return self.meaning in (HOLDS, BRAKES, RESTS)

    def end(self) -> None:
        """Setpoints are commanded again."""
        self._holding = self._planned = None
        self.meaning = ''

    def efforts(self, how: str, last: NDArray[np.float64] | None, since: float, now: float) -> NDArray[np.float64] | None:
        """(n,) what to command now [s], None: nothing. last: q (rows, n) of the last setpoint commanded, at the time `since`."""
        if how != GRAVITY or last is None:
            self._holding = self._planned = None
            self.meaning = MEANING.get(how, '') if last is not None else ''
            return np.zeros(self._model.n) if how == ZERO and last is not None else None
        measured, begins = self.measured, not self.meaning
        moving = measured.moving(now)
        if moving is not None:
            if self._holding is None or measured.motion.since > self._began:
                self._holding, self._planned, self._began = self._held(moving.positions, moving.velocities, moving.bandwidth), None, now
            self.meaning = HOLDS
            return self._holding.efforts(moving.positions, moving.velocities, moving.bandwidth)
        self._holding = None
        ahead = now - since
        if begins and ahead <= FURTHEST and measured.known and abs(since - measured.time) <= LATELY * measured.timeout:
            self._planned = self._held(last[0] + ahead * last[1] + ahead * ahead / 2 * last[2], last[1] + ahead * last[2])
            self._began = now
        if self._planned is not None:
            self.meaning = BRAKES
            return self._planned.expected(now - self._began)
        return self.at_rest(last[0], since)

    def _held(self, positions, velocities, most=np.inf):
        bounds, bandwidth = self._bounds, min(self._bandwidth, most)
        return Holding(self._model, positions, velocities, bounds.effort, bounds.effort_rate, bandwidth, self._stopping_place)

    def at_rest(self, last: NDArray[np.float64], since: float) -> NDArray[np.float64]:
        """(n,) the torque that is safest to hold for ever: gravity's, at the position that is known best."""
        self.meaning, motion = RESTS, self.measured.motion
        return at_rest(self._model, motion.positions if motion.time >= since else last)
