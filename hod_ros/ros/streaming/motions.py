# SPDX-License-Identifier: Apache-2.0
"""What the stream of the node's own is made of: who asked, what runs, what is being computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from typing import Protocol

from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.streaming.cursor import Cursor
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.plans import ROWS
from hod_ros.ros.streaming.plans import PlanningRobot
from hod_ros.ros.streaming.tolerances import Tolerances
from hod_ros.trajectories.trajectory import Trajectory

NEWER, TOOK_OVER = 'a newer trajectory came before this one could begin', 'a newer trajectory took over'


class Goal(Protocol):
    """Whoever sent a trajectory. tolerances: None where nothing is judged by measurement."""

    tolerances: Tolerances | None

    def finish(self, outcome: Outcome, text: str, canceled: bool = False) -> None:
        """Once: how it ended; text: why."""

    def feed_back(self, desired: Any, measured: Measured) -> None:
        """desired: (rows, n) now."""


@dataclass
class Request:
    """start: [s] on the stream's clock, when the trajectory's time 0 is; None: now."""

    message: bytes
    start: float | None
    goal: Goal
    tries: int = 0
    waited: bool = False                # for the process that computes


@dataclass
class Motion:
    """origin: [s] on the stream's clock, when the trajectory's time 0 is."""

    trajectory: Trajectory
    origin: float
    rows: int
    commanded: bool
    request: Request | None             # None: nobody waits for its end any more
    ending: tuple[Outcome, str, bool] | None = None     # with which the goal ends when the motion stands, where it is being stopped

    def __post_init__(self):
        self.cursor = Cursor(self.trajectory, max(self.rows, ROWS))

    @property
    def end(self) -> float:
        return self.origin + self.trajectory.end

    def at(self, time: float):
        """(rows, n)"""
        return self.cursor.at(time - self.origin)

    def finish(self, outcome: Outcome, text: str, canceled: bool = False) -> None:
        request, self.request = self.request, None
        if request is not None:
            request.goal.finish(outcome, text, canceled)


@dataclass
class Planned:
    """A motion that is being computed. before: the current one, as long as which this may take over. takeover: [s]; None: at once.
    robot: as long as which it is judged as it is."""

    request: Request
    before: Motion | None
    takeover: float | None
    commanded: bool
    robot: PlanningRobot
