# SPDX-License-Identifier: Apache-2.0
"""Joints that the options lock elsewhere than a recording has them: its torques are those of another posture."""

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from hod_ros.command.robots import robot_options

if TYPE_CHECKING:
    from hod_ros.command.robots import Source

_NEAR = 0.05        # [rad] or [m]


def warn_of_recording(options: argparse.Namespace, source: 'Source', path: Path) -> None:
    """Judges the first samples of a recording, where any joints are locked."""
    if not _locks(options, source):
        return
    from hod_ros.errors import HodError
    from hod_ros.recordings.read_samples import pieces_of
    try:
        first = next((piece for piece in pieces_of(path, getattr(options, 'topic', None)) if len(piece)), None)
    except (HodError, OSError):         # whoever reads the joints of interest says what is wrong
        return
    if first is not None:
        warn_of_locked(options, source, first.joint_names, first.q[:, 0], path)


def warn_of_locked(options: argparse.Namespace, source: 'Source', joint_names: Sequence[str], positions: Any, path: Path) -> None:
    """positions: (samples, joints) of a file."""
    locks = _locks(options, source)
    for name, column in zip(joint_names, positions.T, strict=True):
        if name in locks and abs(column - locks[name]).max() > _NEAR:
            low, high = column.min(), column.max()
            where = f'from {low:.4g} to {high:.4g}' if high - low > _NEAR else f'at {column[0]:.4g}'
            warnings.warn(
                f'{str(path)!r} has joint {name!r} {where}, but it is locked at {locks[name]:g}: torques are those of that posture; '
                f'let it move, or give --lock {name}={column[0]:.6g}', stacklevel=2)


def _locks(options, source):
    """{joint: position} of the joints that the options lock."""
    chosen = robot_options(options)
    if not chosen['joints'] and not chosen['locked']:
        return {}
    from hod_ros.description.records import MOVING
    from hod_ros.description.urdf import read_urdf
    given = chosen['locked'] or {}
    joints = [joint.name for joint in read_urdf(source.text).joints if joint.kind in MOVING and joint.mimic is None]
    moving = chosen['joints'] or [name for name in joints if name not in given]
    return {name: given.get(name, 0.0) for name in joints if name not in moving}
