# SPDX-License-Identifier: Apache-2.0
"""Way points as planners give them: positions by joint name, times, and whichever derivatives there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments
from hod_ros.trajectories.trajectory import Trajectory

_OPTIONAL = ('velocities', 'accelerations', 'efforts')


@dataclass(frozen=True, eq=False)
class Waypoints:
    """Points of a motion, each (points, n) array with a row for each point and a column for each name; NaN where not given.

    times: (points,) [s], or None where there are none. velocities, accelerations, efforts: None where there are none at all.

    Raises InputError where names, times and points do not match, with the point and the joint.

        >>> w = Waypoints(['a', 'b'], [0, 1, 2], [[0, 0], [1, 0.5], [1, 1]])
        >>> w.trajectory(max_deviation=0.01).end
        2.0
    """

    joint_names: tuple[str, ...]
    times: NDArray[np.float64] | None
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None
    accelerations: NDArray[np.float64] | None = None
    efforts: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        names = arguments.names(self.joint_names, 'joint_names')
        positions = arguments.floats(self.positions, 'positions')
        if positions.ndim != 2 or positions.shape[1] != len(names) or not len(names):
            raise InputError(
                f'positions has the shape {positions.shape}; give a row for each point and a column for each of {len(names)} names')
        checked: dict[str, Any] = {'joint_names': names, 'positions': positions}
        if self.times is not None:
            checked['times'] = arguments.times_of(self.times, 'times')
            if len(checked['times']) != len(positions):
                raise InputError(
                    f'times holds {len(checked["times"])} numbers and positions {len(positions)} rows; give one time for each point')
        for what in _OPTIONAL:
            if getattr(self, what) is not None:
                checked[what] = arguments.floats(getattr(self, what), what)
                if checked[what].shape != positions.shape:
                    raise InputError(f'{what} has the shape {checked[what].shape}, but positions has {positions.shape}; give as many')
        for name, value in checked.items():
            if isinstance(value, np.ndarray):
                value = value.copy()
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def trajectory(self, **options: Any) -> Trajectory:
        """Trajectory.interpolate of these points; options: its own, such as smoothness, max_deviation, position_limits, chunk_rate."""
        return Trajectory.interpolate(
            self.times, self.positions, self.velocities, self.accelerations, joint_names=self.joint_names, **options)

    def of_joints(self, joint_names: Sequence[str]) -> Waypoints:
        """The points of some of the joints, in this order."""
        wanted = arguments.names(joint_names, 'joint_names')
        missing = [name for name in wanted if name not in self.joint_names]
        if missing:
            raise InputError(
                f'joint {missing[0]!r} is not among those of the points: {arguments.some(self.joint_names)}; name joints that are')
        return self._columns([self.joint_names.index(name) for name in wanted], wanted)

    def starting_from(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> Waypoints:
        """These points after the present state of the joints, which comes at time 0; they must be later than that."""
        now = arguments.finite_array(arguments.floats(positions, 'positions'), (len(self.joint_names),), 'positions', 'one for each joint')
        if self.times is None or (len(self.times) and self.times[0] <= 0):
            raise InputError('the points have no times, or start at 0 s or before: their first point is the start already')
        first = np.full((1, len(now)), np.nan)
        values = {what: np.concatenate([first, getattr(self, what)]) for what in _OPTIONAL if getattr(self, what) is not None}
        if velocities is not None:
            speed = arguments.finite_array(arguments.floats(velocities, 'velocities'), now.shape, 'velocities', 'one for each joint')
            rest = values.get('velocities', np.full((len(self.times) + 1, len(now)), np.nan))
            values['velocities'] = np.concatenate([speed[None], rest[1:]])
        return Waypoints(self.joint_names, np.concatenate([[0.0], self.times]), np.concatenate([now[None], self.positions]), **values)

    def wrapped_near(self, positions: ArrayLike, continuous: Sequence[str]) -> Waypoints:
        """The same motion, each continuous joint shifted by one multiple of 2 pi: its first point comes within half a turn of where it is.

        positions: (n,) where the joints are [rad]. continuous: names of the joints that turn without end.
        """
        now = arguments.finite_array(arguments.floats(positions, 'positions'), (len(self.joint_names),), 'positions', 'one for each joint')
        turning = arguments.names(continuous, 'continuous')
        unknown = [name for name in turning if name not in self.joint_names]
        if unknown:
            raise InputError(
                f'continuous names {unknown[0]!r}, but the points are of {arguments.some(self.joint_names)}; name joints of theirs')
        if not len(self.positions):
            return self
        turns = np.round((now - self.positions[0]) / (2 * np.pi))
        turns[[name not in turning for name in self.joint_names]] = 0.0
        return replace(self, positions=self.positions + 2 * np.pi * turns)

    def _columns(self, columns: list[int], names: tuple[str, ...]) -> Waypoints:
        values = {what: getattr(self, what)[:, columns] for what in _OPTIONAL if getattr(self, what) is not None}
        return Waypoints(names, self.times, self.positions[:, columns], **values)

    def __len__(self) -> int:
        return len(self.positions)
