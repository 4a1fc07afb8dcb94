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
MEANING = {ZERO: 'zero', STOP: 'nothing'}


class Fallback:
    """within: function of positions, the nearest that are within their limits."""

    def __init__(self, model: RobotModel, bounds: Bounds, measured: Measured, bandwidth: float, within) -> None:
        self._model, self._bounds, self.measured = model, bounds, measured
        self.bandwidth = bandwidth
        self._within = within
        self._holding: Holding | None = None
        self.meaning = ''               # what it commands, in words; '' while it does nothing

    def end(self) -> None:
        """Setpoints are commanded again."""
        self._holding = None
        self.meaning = ''

    def efforts(self, how: str, last: NDArray[np.float64] | None, since: float, now: float) -> NDArray[np.float64] | None:
        """(n,) what to command now [s], None: nothing. last: positions (n,) of the last setpoint commanded, at the time `since`."""
        if how != GRAVITY or last is None:
            self._holding = None
            self.meaning = MEANING.get(how, '') if last is not None else ''
            return np.zeros(self._model.n) if how == ZERO and last is not None else None
        measured = self.measured
        if measured.moving_fresh(now):
            if self._holding is None:
                self._holding = Holding(
                    self._model, measured.positions, measured.velocities, self._bounds.effort, self._bounds.effort_rate, self.bandwidth,
                    self._within)
            self.meaning = HOLDS
            return self._holding.efforts(measured.positions, measured.velocities)
        self._holding = None
        return self.at_rest(last, since)

    def at_rest(self, last: NDArray[np.float64], since: float) -> NDArray[np.float64]:
        """(n,) the torque that is safest to hold for ever: gravity's, at the position that is known best."""
        self.meaning = RESTS
        return at_rest(self._model, self.measured.positions if self.measured.time >= since else last)
