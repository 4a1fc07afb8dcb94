# SPDX-License-Identifier: Apache-2.0
"""A robot and parameters are taken whole or not at all: what limits and description contradict each other about is refused beforehand."""

import numpy as np
import pytest
from ros_harness import arm_urdf
from setpoint_path import ELASTIC
from setpoint_path import Path

from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.setpoints import path as path_module

NOWHERE = "joint 'joint1' may be from 4 to 3, which is nowhere; give limits.joint1.lower below limits.joint1.upper"


@pytest.fixture(params=[{}, {'limits.use_description': True}, ELASTIC], ids=['plain', 'description', 'elastic'])
def path(monkeypatch, request):
    path = Path(monkeypatch, **{'limits.joint1.lower': -2.0, **request.param})
    yield path
    path.close()


def in_use(path):
    return path.path._robot, path.path._computation, path.path.motors, path.path.measured


def test_limits_are_judged_with_the_descriptions_before_they_are_set(path):
    with pytest.raises(InputError, match=NOWHERE):
        path.path.check(path.path._robot, {'limits.joint1.lower': 4.0})
    path.path.check(path.path._robot, {'limits.joint1.lower': 2.0})


def test_limits_that_can_not_be_leave_all_as_it_was(path):
    before = in_use(path)
    path.parameters._values['limits.joint1.lower'] = 4.0
    other = path.robot(arm_urdf(3, mass=3.0))
    with pytest.raises(HodError, match=NOWHERE):
        path.path.use(other)
    assert in_use(path) == before
    path.send(np.zeros(3))
    assert len(path.feedforward) == 1


def test_drives_that_can_not_be_answered_leave_all_as_it_was(monkeypatch):
    path = Path(monkeypatch, **ELASTIC)
    before = in_use(path)

    def fails(*arguments):
        raise RuntimeError('no memory')
    monkeypatch.setattr(path_module, 'MotorFeedforwards', fails)
    with pytest.raises(RuntimeError, match='no memory'):
        path.path.use(path.robot(arm_urdf(3, mass=3.0)))
    assert in_use(path) == before
    path.close()


def test_a_path_checks_without_changing_anything(path):
    before, limits = in_use(path), path.path.limits._motion
    path.path.check(path.robot(arm_urdf(3, mass=3.0)), {'limits.joint1.lower': 1.0})
    assert in_use(path) == before and path.path.limits._motion is limits
