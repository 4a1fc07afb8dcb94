# SPDX-License-Identifier: Apache-2.0
"""How far a robot that follows a trajectory may be measured from it, on the way and at the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.parameters.table import GOAL
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused


@dataclass(frozen=True)
class Tolerances:
    """path, path_velocity, goal, stopped: (n,) inf for any; goal_time [s], 0: as long as it takes. unjudged: what only a controller that
    knows more than joint_states could judge."""

    joint_names: tuple[str, ...]
    path: NDArray[np.float64]
    path_velocity: NDArray[np.float64]
    goal: NDArray[np.float64]
    stopped: NDArray[np.float64]
    goal_time: float
    unjudged: str = ''

    @classmethod
    def of(cls, joint_names: tuple[str, ...], parameters: Parameters) -> Tolerances:
        """Of the parameters constraints.*."""
        path, goal = (parameters.members(f'constraints.<joint>.{name}') for name in ('trajectory', 'goal'))
        return cls(
            joint_names, np.array([path.get(name) or np.inf for name in joint_names]), np.full(len(joint_names), np.inf),
            np.array([goal.get(name, GOAL) or np.inf for name in joint_names]),
            np.full(len(joint_names), parameters['constraints.stopped_velocity_tolerance'] or np.inf),
            parameters['constraints.goal_time'])

    def with_goals_own(self, path: Iterable[Any], goal: Iterable[Any], goal_time: float) -> Tolerances:
        """path, goal: control_msgs/JointTolerance of a goal: 0 leaves the default, a negative number means any."""
        paths, speeds, goals, stopped = (array.copy() for array in (self.path, self.path_velocity, self.goal, self.stopped))
        unjudged = ''
        for entries, positions, velocities in ((path, paths, speeds), (goal, goals, stopped)):
            for entry in entries:
                if entry.name not in self.joint_names:
                    raise Refused(Outcome.INVALID_JOINTS, (
                        f'a tolerance is for joint {entry.name!r}; the joints are {", ".join(self.joint_names)}'))
                joint = self.joint_names.index(entry.name)
                for value in (entry.position, entry.velocity, entry.acceleration):
                    if not np.isfinite(value):
                        raise Refused(Outcome.INVALID_GOAL, f'a tolerance of joint {entry.name!r} is {value}; give a finite number')
                if entry.acceleration > 0:
                    unjudged = f'a tolerance of joint {entry.name!r} is for its acceleration, which joint_states do not measure; give 0'
                for array, value in ((positions, entry.position), (velocities, entry.velocity)):
                    if value:
                        array[joint] = value if value > 0 else np.inf
        time = self.goal_time if goal_time == 0 else 0.0 if goal_time < 0 else goal_time
        return replace(self, path=paths, path_velocity=speeds, goal=goals, stopped=stopped, goal_time=time, unjudged=unjudged)

    def path_fault(self, error: NDArray[np.float64], velocity_error: NDArray[np.float64] | None) -> str:
        """What errors (n,) exceed on the way, or ''. velocity_error: None where velocities are not measured."""
        fault = self._fault(error, self.path, 'from the trajectory; its path tolerance')
        if fault or not np.isfinite(self.path_velocity).any():
            return fault
        if velocity_error is None:
            return 'joint_states have no velocities, by which the path tolerance of velocity is judged'
        return self._fault(velocity_error, self.path_velocity, 'from the velocity of the trajectory; its path tolerance of velocity')

    def goal_fault(self, error: NDArray[np.float64], velocities: NDArray[np.float64] | None) -> str:
        """Why the robot has not arrived, or ''."""
        fault = self._fault(error, self.goal, 'from the last point; its goal tolerance')
        if fault or velocities is None:
            return fault
        return self._fault(velocities, self.stopped, 'in motion; its stopped velocity tolerance')

    def _fault(self, values, limits, what):
        beyond = np.abs(values) > limits
        if not beyond.any():
            return ''
        joint = int(np.argmax(np.abs(values) / limits))
        return f'joint {self.joint_names[joint]!r} is {abs(values[joint]):.4g} {what} is {limits[joint]:.4g}'
