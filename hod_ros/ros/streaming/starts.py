# SPDX-License-Identifier: Apache-2.0
"""Where a motion begins: from the one that runs, or from where the robot rests; and whether it may."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.setpoints.path import SetpointPath
from hod_ros.ros.streaming.motions import Motion
from hod_ros.ros.streaming.motions import Request
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.plans import ROWS

FARTHEST = 3600.0       # [s] in the future that a trajectory may begin
MOVING = 0.1            # [rad/s] or [m/s] measured: nothing starts at rest from there


class Starts:
    """start_tolerance: [rad] or [m] from where the robot is measured, of motions that are judged by measurement."""

    def __init__(self, path: SetpointPath, refresh: Callable[[Measured], None], logger: RcutilsLogger) -> None:
        self._path, self._refresh, self._logger = path, refresh, logger
        self.start_tolerance = np.inf

    def unmeasured(self) -> str:
        """Why nothing can be judged by measurement now, or ''."""
        measured, steady = self._path.measured, self._path.steady()
        self._refresh(measured)
        if measured.fresh(steady):
            return ''
        return f'start and success are judged by joint_states, and {measured.age_text(steady)}: let them be published'

    def base(self, request: Request, current: Motion | None, now: float) -> Motion | None:
        """The motion to begin from; None: the robot rests. Refused where the request can't begin."""
        if request.start is not None and request.start - now > FARTHEST:
            raise Refused(Outcome.INVALID_GOAL, (
                f'its stamp is {request.start - now:.6g} s in the future; nothing waits longer than {FARTHEST:g} s'))
        unmeasured = self.unmeasured()
        if unmeasured and request.goal.tolerances is not None:
            raise Refused(Outcome.INVALID_GOAL, unmeasured)
        if current is not None and not unmeasured and not current.commanded and now > current.end:
            return None         # what stands there never came to the robot
        return current

    def state(
            self, request: Request, base: Motion | None, takeover: float | None, now: float) -> tuple[NDArray[np.float64] | None, bool]:
        """((ROWS, n) to begin with, None: not known; whether it is commanded). Refused where the robot is not fit for it."""
        path = self._path
        measured, steady = path.measured, path.steady()
        fresh = measured.fresh(steady)
        commanded = base.commanded if base is not None else fresh
        hindrance = path.stream_hindrance(commanded)
        if hindrance:
            raise Refused(Outcome.INVALID_GOAL, hindrance)
        if base is not None:
            if request.goal.tolerances is not None:
                self._check_start(measured.positions, base.at(now)[0])
            return base.at(takeover)[:ROWS], commanded
        if not fresh:
            self._logger.warning(
                f'a trajectory is streamed as feedforward only, and not on ~/commands, because {measured.age_text(steady)}')
        return self._at_rest(measured if fresh else None), commanded

    def _check_start(self, measured, desired):
        distance = np.abs(measured - desired)
        joint = int(np.argmax(distance))
        if distance[joint] > self.start_tolerance:
            raise Refused(Outcome.INVALID_GOAL, (
                f'joint {self._path.joint_names[joint]!r} is measured at {measured[joint]:.4g}, but is to be at {desired[joint]:.4g} now; '
                f'nothing begins further than start_tolerance = {self.start_tolerance:g} from where the robot is'))

    def _at_rest(self, measured):
        """(ROWS, n), None: not known."""
        if measured is None:
            positions = self._path.last_position
        else:
            positions = measured.positions
            speed = np.abs(measured.velocities) if measured.moving_fresh(self._path.steady()) else np.zeros(len(positions))
            joint = int(np.argmax(speed))
            if speed[joint] > MOVING:
                raise Refused(Outcome.INVALID_GOAL, (
                    f'joint {self._path.joint_names[joint]!r} is measured to move with {speed[joint]:.3g}; a trajectory starts from rest'))
        if positions is None:
            return None
        state = np.zeros((ROWS, len(positions)))
        state[0] = positions
        return state
