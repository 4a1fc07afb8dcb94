# SPDX-License-Identifier: Apache-2.0
"""trajectory_msgs/JointTrajectory, or mappings with the same fields, to way points and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments
from hod_ros.trajectories.waypoints import Waypoints

# Where messages keep it: goals of FollowJointTrajectory, moveit_msgs' RobotTrajectory and DisplayTrajectory, results of MoveGroup.
_HOLDERS = ('trajectory', 'joint_trajectory', 'goal', 'result', 'planned_trajectory', 'solution')
_DEEPEST = 4


def trajectory_in(source: Any, depth: int = 0) -> Any:
    """The JointTrajectory that a message or mapping is or holds; None where there is none."""
    if field(source, 'joint_names') is not None and field(source, 'points') is not None:
        return source
    if isinstance(source, (list, tuple)):
        if len(source) == 1 and depth < _DEEPEST:
            return trajectory_in(source[0], depth + 1)
        return None
    for name in _HOLDERS:
        inner = field(source, name)
        if inner is not None and not callable(inner) and depth < _DEEPEST:
            found = trajectory_in(inner, depth + 1)
            if found is not None:
                return found
    return None


def field(source: Any, name: str) -> Any:
    """A field of a message or a mapping, None where there is none."""
    if isinstance(source, Mapping):
        return source.get(name)
    return getattr(source, name, None)


def waypoints(message: Any) -> Waypoints:
    """The points of a JointTrajectory; InputError names the point that is at fault."""
    names = arguments.names(list(field(message, 'joint_names')), 'joint_names')
    points = list(field(message, 'points'))
    if not names or not points:
        raise InputError(f'the trajectory holds {len(points)} points of {len(names)} joints; give one or more of either')
    times = [_seconds(field(point, 'time_from_start'), i) for i, point in enumerate(points)]
    columns = {
        what: _rows(points, 'effort' if what == 'efforts' else what, len(names))
        for what in ('positions', 'velocities', 'accelerations', 'efforts')}
    if columns['positions'] is None or np.isnan(columns['positions']).any():
        at = 0 if columns['positions'] is None else int(np.argwhere(np.isnan(columns['positions']))[0][0])
        raise InputError(f'point {at} has no positions for some joint; give {len(names)} positions at each point')
    return Waypoints(names, None if len(points) > 1 and not any(times) else np.array(times), **columns)


def _rows(points: list[Any], name: str, n: int) -> Any:
    """(points, n), NaN where a point has none; None where no point has any."""
    out = np.full((len(points), n), np.nan)
    given = False
    for i, point in enumerate(points):
        value = field(point, name)
        if value is None or len(value) == 0:
            continue
        value = arguments.floats([_number(x) for x in value], f'{name} of point {i}')
        if value.shape != (n,):
            raise InputError(f'point {i} has {value.size} {name} for {n} joints; give {n}, or none')
        out[i], given = value, True
    return out if given else None


def _number(value: Any) -> Any:
    """A number that YAML takes for a text, such as 1e-05."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _seconds(duration: Any, point: int) -> float:
    if duration is None:
        return 0.0
    sec, nanosec = field(duration, 'sec'), field(duration, 'nanosec')
    if sec is None or nanosec is None:
        try:
            return arguments.finite_number(duration, f'time_from_start of point {point}', '[s], or sec and nanosec')
        except TypeError:
            raise InputError(f'time_from_start of point {point} has no sec and nanosec') from None
    what = f'of time_from_start of point {point}'
    return (arguments.finite_number(_number(sec), f'sec {what}', '[s]')
            + 1e-9 * arguments.finite_number(_number(nanosec), f'nanosec {what}', '[ns]'))
