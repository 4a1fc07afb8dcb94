# SPDX-License-Identifier: Apache-2.0
"""Way points to files, as read_waypoints reads them: CSV, NPZ, and a JointTrajectory in YAML or JSON."""

from __future__ import annotations

import csv
import json
from typing import IO
from typing import Any

import numpy as np

from hod_ros.errors import InputError
from hod_ros.trajectories.waypoints import Waypoints

KINDS = ('.csv', '.npz', '.yaml', '.json')
TABLES = KINDS[:2]
_COLUMNS = {
    'positions': '', 'velocities': '.velocity', 'accelerations': '.acceleration', 'jerks': '.jerk', 'snaps': '.snap', 'efforts': '.effort'}


def write_waypoints(file: IO[bytes], waypoints: Waypoints, kind: str, higher: Any = None) -> None:
    """Writes the points to an open file; kind: one of KINDS. higher: (2, points, n) jerks and snaps, for those of TABLES."""
    if kind not in KINDS:
        raise InputError(f'points are written as {", ".join(KINDS)}, not as {kind!r}; name a file that ends in one of them')
    if waypoints.times is None:
        raise InputError('the points have no times, but are to be written as a motion; give times')
    if higher is not None and kind not in TABLES:
        raise InputError(f'a JointTrajectory has no place for jerks and snaps, which {kind!r} is to hold; write {" or ".join(TABLES)}')
    given = {name: getattr(waypoints, name) for name in _COLUMNS if getattr(waypoints, name, None) is not None}
    if higher is not None:
        given |= {'jerks': higher[0], 'snaps': higher[1]}
    if kind == '.npz':
        np.savez(file, joint_names=np.array(waypoints.joint_names), times=waypoints.times, **given)
    elif kind == '.csv':
        file.write(_csv(waypoints, given).encode())
    else:
        file.write((json.dumps(_message(waypoints, given), indent=1) if kind == '.json' else _yaml(waypoints, given)).encode())


def _csv(waypoints: Waypoints, given: dict[str, Any]) -> str:
    from io import StringIO
    text = StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow(['time', *(f'{joint}{_COLUMNS[name]}' for name in given for joint in waypoints.joint_names)])
    table = np.concatenate([waypoints.times[:, None], *given.values()], axis=1)
    writer.writerows([['' if np.isnan(x) else repr(float(x)) for x in row] for row in table])
    return text.getvalue()


def _message(waypoints: Waypoints, given: dict[str, Any]) -> dict[str, Any]:
    fields = {name: 'effort' if name == 'efforts' else name for name in given}
    return {'joint_names': list(waypoints.joint_names), 'points': [
        {**{fields[name]: rows[i].tolist() for name, rows in given.items()}, 'time_from_start': _duration(time)}
        for i, time in enumerate(waypoints.times)]}


def _yaml(waypoints: Waypoints, given: dict[str, Any]) -> str:
    """As `ros2 topic pub` takes it; flow sequences, a line each."""
    message = _message(waypoints, given)
    lines = [f'joint_names: {json.dumps(message["joint_names"])}', 'points:']
    for point in message['points']:
        lines += [f'{"- " if i == 0 else "  "}{name}: {json.dumps(value)}' for i, (name, value) in enumerate(point.items())]
    return '\n'.join(lines) + '\n'


def _duration(time: float) -> dict[str, int]:
    nanoseconds = round(time * 1e9)
    return {'sec': nanoseconds // 10**9, 'nanosec': nanoseconds % 10**9}
