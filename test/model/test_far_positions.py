# SPDX-License-Identifier: Apache-2.0
"""Positions in degrees or millimetres are told with the joint's name, wherever whole motions are handed in; near misses are not."""

import warnings

import numpy as np
import pytest

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros import time_optimal
from hod_ros import time_scale
from hod_ros.model.far_positions import far_positions

DEGREES = np.array([10.0, -30, 0, -120, 0, 90, 45])


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(example_robot('panda'))


def test_degrees_name_the_first_joint_its_limits_and_the_others(panda):
    sentence = far_positions(panda, DEGREES)
    assert sentence.startswith("joint 'panda_joint1' at 10 lies far beyond its limits from -2.89") and 'are these degrees?' in sentence
    assert "'panda_joint2', 'panda_joint4', 'panda_joint6' and 1 more" in sentence


def test_radians_a_little_beyond_the_limits_are_not_judged(panda):
    assert far_positions(panda, np.radians(DEGREES)) == ''
    lower, upper = panda.position_limits.T
    assert far_positions(panda, [upper + 0.99 * (upper - lower), lower - 0.99 * (upper - lower)]) == ''


def test_sliding_joints_are_asked_for_millimetres_and_joints_without_room_are_left_alone(panda):
    slide = RobotModel.from_screws(
        [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]], [np.eye(4)] * 2, [np.eye(6)] * 2, joint_names=['x', 'y'])
    object.__setattr__(slide, 'position_limits', np.array([[0, 0.04], [0, 0]]))
    assert 'are these millimetres?' in far_positions(slide, [[0.0, 0.0], [20.0, 5.0]])
    assert far_positions(slide, [0.02, 5.0]) == ''


def test_long_batches_warn_short_ones_and_radians_do_not(panda):
    q = np.zeros((1000, 3, 7))
    q[:, 0] = np.radians(DEGREES)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        inverse_dynamics(panda, q)
        inverse_dynamics(panda, np.stack([DEGREES, DEGREES, DEGREES]))
    q[:, 0] = DEGREES
    with pytest.warns(UserWarning, match="joint 'panda_joint1' at 10 lies far beyond") as told:
        inverse_dynamics(panda, q)
    assert told[0].filename == __file__


def test_trajectories_in_degrees_are_told_by_all_who_judge_them(panda):
    t = Trajectory.interpolate([0, 2], [np.zeros(7), DEGREES])
    with pytest.warns(UserWarning, match='are these degrees') as told:
        result = evaluate_trajectory(panda, t)
    assert told[0].filename == __file__ and 'are these degrees?' in result.message
    with pytest.warns(UserWarning, match='are these degrees'):
        time_scale(panda, t, Limits(velocity=2.0))
    with pytest.warns(UserWarning, match='are these degrees'):
        time_optimal(panda, t, Limits(velocity=2.0, acceleration=20.0))
