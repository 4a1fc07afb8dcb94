# SPDX-License-Identifier: Apache-2.0
"""Results of planners that are functions of time, sampled: ruckig's and toppra's, told by their methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from hod_ros.trajectories import arguments
from hod_ros.trajectories.waypoints import Waypoints


def is_ruckig(source: Any) -> bool:
    """Whether it is ruckig's Trajectory."""
    return callable(getattr(source, 'at_time', None)) and hasattr(source, 'duration')


def of_ruckig(source: Any, step: float, joint_names: Any) -> Waypoints:
    """Positions, velocities and accelerations, which ruckig's trajectories all have continuous."""
    times = _times(0.0, float(source.duration), step)
    rows = np.array([[np.ravel(row) for row in source.at_time(time)[:3]] for time in times])
    return Waypoints(_names(joint_names, rows.shape[2]), times, rows[:, 0], rows[:, 1], rows[:, 2])


def is_toppra(source: Any) -> bool:
    """Whether it is a path of toppra's: a function of (times, order) on a path_interval."""
    return callable(source) and hasattr(source, 'path_interval')


def of_toppra(source: Any, step: float, joint_names: Any) -> Waypoints:
    """Positions and velocities; toppra's accelerations jump, so they are left to the interpolation."""
    start, end = (float(value) for value in source.path_interval)
    times = _times(start, end, step)
    positions, velocities = (np.asarray(source(times, order), dtype=np.float64).reshape(len(times), -1) for order in (0, 1))
    return Waypoints(_names(joint_names, positions.shape[1]), times, positions, velocities)


def _times(start: float, end: float, step: float) -> Any:
    step = arguments.number_above_0(step, 'step', '[s]')
    return np.linspace(start, end, max(2, int(np.ceil((end - start) / step - 1e-9)) + 1))


def _names(joint_names: Any, n: int) -> tuple[str, ...]:
    given = arguments.joint_names_of(joint_names, n)
    return given if given is not None else tuple(f'joint{j + 1}' for j in range(n))
