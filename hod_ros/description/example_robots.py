# SPDX-License-Identifier: Apache-2.0
"""Robots that ship inside the package."""

from pathlib import Path

from hod_ros.checks import arguments
from hod_ros.errors import InputError

FOLDER = Path(__file__).resolve().parents[1] / 'robots'


def example_robot(name: str) -> str:
    """The text of a URDF that ships with hod_ros: 'panda' (Franka Emika's arm) or 'kuka_iiwa' (KUKA's LBR iiwa).

    Raises InputError where there is no such robot.

        >>> from hod_ros import RobotModel, example_robot
        >>> RobotModel.from_urdf(example_robot('panda')).n
        7
    """
    robots = {path.stem: path for path in FOLDER.glob('*.urdf')}
    if not arguments.one_of(name, robots):
        raise InputError(f'there is no example robot {arguments.shown(name)}; there are {arguments.listed(sorted(robots))}')
    return robots[name].read_text(encoding='utf-8')
