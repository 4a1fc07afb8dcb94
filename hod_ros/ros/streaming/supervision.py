# SPDX-License-Identifier: Apache-2.0
"""Goals are judged by measurement: on their way by path tolerances, at their end by goal tolerances."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.setpoints.path import SetpointPath
from hod_ros.ros.streaming.motions import Motion
from hod_ros.ros.streaming.outcomes import Outcome

LOOK = 0.01             # [s] between two looks at joint_states
FEEDBACK = 0.05         # [s]


class Supervision:

    def __init__(self, path: SetpointPath, refresh: Callable[[Measured], None]) -> None:
        self._path, self._refresh = path, refresh
        self._looked = self._fed = -inf

    def watch(self, motion: Motion, q: NDArray[np.float64], now: float) -> tuple[Outcome, str] | None:
        """Why a motion that is at q (rows, n) has to stop on its way. One that has come to its end is finished where that is due."""
        goal, over = motion.request.goal, now >= motion.end
        if goal.tolerances is None or motion.ending is not None:
            if over:
                motion.finish(*(motion.ending or (Outcome.SUCCESSFUL, '')))
            return None
        if not LOOK <= now - self._looked:
            return None
        self._looked = now
        measured, steady = self._path.measured, self._path.steady()
        self._refresh(measured)
        if not measured.fresh(steady):
            verdict = Outcome.INVALID_GOAL, f'{measured.age_text(steady)}: without measurement nothing is judged'
            if not over:
                return verdict
            motion.finish(*verdict)
            return None
        if now - self._fed >= FEEDBACK:
            self._fed = now
            goal.feed_back(q, measured)
        error, moving = measured.positions - q[0], measured.moving_fresh(steady)
        if not over:
            fault = goal.tolerances.path_fault(error, measured.velocities - q[1] if moving else None)
            return (Outcome.PATH_TOLERANCE_VIOLATED, fault) if fault else None
        fault = goal.tolerances.goal_fault(error, measured.velocities if moving else None)
        if not fault:
            motion.finish(Outcome.SUCCESSFUL, '')
        elif goal.tolerances.goal_time and now - motion.end > goal.tolerances.goal_time:
            motion.finish(Outcome.GOAL_TOLERANCE_VIOLATED, f'{fault}, {goal.tolerances.goal_time:g} s after the end')
        return None
