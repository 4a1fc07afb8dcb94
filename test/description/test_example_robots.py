# SPDX-License-Identifier: Apache-2.0
"""Robots that ship inside the package."""

from pathlib import Path

import pytest

import hod_ros
from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import example_robot

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize('name', ['panda', 'kuka_iiwa'])
def test_a_robot_ships_inside_the_package_and_stands_where_ros_users_look(name):
    text = example_robot(name)
    assert RobotModel.from_urdf(text).n == 7
    assert (Path(hod_ros.__file__).parent / 'robots' / f'{name}.urdf').read_text() == text
    assert (ROOT / 'config' / 'robots' / f'{name}.urdf').read_text() == text


@pytest.mark.parametrize('name', ['ur5', '../robots/panda', '', None, ['panda']])
def test_an_unknown_robot_is_refused_with_those_that_there_are(name):
    with pytest.raises(InputError, match="there are 'kuka_iiwa', 'panda'"):
        example_robot(name)
