# SPDX-License-Identifier: Apache-2.0
"""Public robots for tests: those of PyPI's example-robot-data, and our own Panda."""

import importlib.metadata
from functools import cache
from pathlib import Path

import pytest

from hod_ros import RobotModel

PANDA = Path(__file__).parents[2] / 'config' / 'robots' / 'panda.urdf'
REFUSED = ('ur3',)
FIVE = ('ur5_robot', 'baxter', 'talos_full_v2', 'anymal_c_simple_description/anymal', 'tiago_dual')


@cache
def public_robots():
    """{name: path} of all URDF files of example-robot-data, in alphabetical order; empty where it is not installed."""
    try:
        files = importlib.metadata.distribution('example-robot-data').files or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    paths = sorted(Path(file.locate()).resolve() for file in files if file.suffix == '.urdf')
    stems = [path.stem for path in paths]
    return {_unique_name(path, stems): path for path in paths}


def robot_path(name):
    """URDF file of a public robot, or of 'our_panda'; skips the test where the package is absent."""
    if name == 'our_panda':
        return PANDA
    if not public_robots():
        pytest.skip('the PyPI package example-robot-data is not installed')
    return public_robots()[name]


def robot_text(name):
    """Bytes of that file."""
    return robot_path(name).read_bytes()


def robot(name, **options):
    """Model of a public robot by name; options as RobotModel.from_urdf's."""
    return RobotModel.from_urdf(robot_text(name), **options)


def _unique_name(path, stems):
    return path.stem if stems.count(path.stem) == 1 else f'{path.parents[1].name}/{path.stem}'
