# SPDX-License-Identifier: Apache-2.0
"""Way points from messages, files and planners' results, whichever it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hod_ros.errors import InputError
from hod_ros.recordings import messages
from hod_ros.recordings import planners
from hod_ros.recordings import tables
from hod_ros.recordings.documents import read_document
from hod_ros.trajectories import arguments
from hod_ros.trajectories.waypoints import Waypoints


def read_waypoints(source: Any, *, step: float = 0.01, joint_names: Any = None) -> Waypoints:
    """Way points of a trajectory_msgs/JointTrajectory or a message that holds one, of a ruckig or toppra result, or of a file.

    source: a message, or a mapping with its fields; a ruckig Trajectory; a toppra path; or the path of a .csv, .npz, .yaml or .json file.
    Objects are told by what they hold: neither ROS nor the planners are imported. step: the time between the points taken from continuous
    results [s]. joint_names: for results that have none.

    Raises InputError where source is none of these, or what it holds is wrong, with the point and the joint.

        >>> w = read_waypoints({'joint_names': ['a'], 'points': [{'positions': [0.0], 'time_from_start': {'sec': 0, 'nanosec': 0}},
        ...                                                      {'positions': [1.0], 'time_from_start': {'sec': 2, 'nanosec': 0}}]})
        >>> w.trajectory(max_deviation=0.01).duration           # w = read_waypoints('plan.yaml') reads a file
        2.0
    """
    if isinstance(source, (str, os.PathLike)):
        return _read_file(Path(source))
    if messages.trajectory_in(source) is not None:
        return messages.waypoints(messages.trajectory_in(source))
    if planners.is_ruckig(source):
        return planners.of_ruckig(source, step, joint_names)
    if planners.is_toppra(source):
        return planners.of_toppra(source, step, joint_names)
    raise InputError(
        f'source is {arguments.shown(source)}; give a JointTrajectory or a message that holds one, a ruckig or toppra result, or the path '
        'of a .csv, .npz, .yaml or .json file')


def _read_file(path: Path) -> Waypoints:
    if path.suffix == '.csv':
        return tables.read_csv(path)
    if path.suffix == '.npz':
        return tables.read_npz(path)
    if path.suffix not in ('.yaml', '.yml', '.json'):
        raise InputError(f'the file {path.name!r} ends in none of .csv, .npz, .yaml, .yml, .json; name one that does')
    content = read_document(path)
    found = messages.trajectory_in(content)
    if found is None:
        kind = f'the keys {", ".join(map(str, list(content)[:8]))}' if isinstance(content, Mapping) else type(content).__name__
        raise InputError(
            f'the file {path.name!r} holds {kind}, but no joint_names and points; give a JointTrajectory as `ros2 topic echo` prints it')
    return messages.waypoints(found)
