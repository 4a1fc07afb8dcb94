# SPDX-License-Identifier: Apache-2.0
"""Rotor inertias in another unit are doubted by what the robot's joints move, as those of motors are."""

import numpy as np
import pytest
from random_trees import random_tree
from small_urdfs import arm

from hod_ros import RobotModel
from hod_ros import dynamics_matrices
from hod_ros import link_inertia
from hod_ros.model import screws
from hod_ros.model.rotors import MOST


def test_an_armature_in_another_unit_is_doubted_with_its_joint():
    warning, = RobotModel.from_urdf(arm(), armature={'swing': 2000.0}).warnings
    assert warning.startswith("armature['swing'] is 2000 [kg m^2], where the joints of ") and 'in another unit?' in warning
    assert RobotModel.from_urdf(arm(), armature={'swing': 0.1}).warnings == ()


@pytest.mark.parametrize('seed', range(3))
def test_the_bound_is_of_what_joints_of_the_same_kind_move(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 6, kinds=('revolute', 'helical'))
    parts = dict(parent=model.parent, representation='body', joint_names=model.joint_names)
    largest = np.diag(dynamics_matrices(model, np.zeros((2, 6))).M[0]).max()
    for factor, doubted in ((0.99, 0), (1.01, 1)):
        rotors = np.full(6, 0.1) + np.eye(6)[2] * (factor * MOST * largest - 0.1)
        loaded = RobotModel.from_screws(model.X, model.B, model.M, armature=rotors, **parts)
        assert sum('armature' in warning for warning in loaded.warnings) == doubted


def test_rails_are_compared_with_rails():
    chain = [screws.prismatic([1, 0, 0]), screws.revolute([0, 1, 0])]
    links = [link_inertia(100.0, (0, 0, 0)), link_inertia(1.0, (0, 0, 0.1))]
    model = RobotModel.from_screws(chain, np.tile(np.eye(4), (2, 1, 1)), links, armature=[500.0, 0.05])
    assert model.warnings == ()
    warning, = RobotModel.from_screws(chain, np.tile(np.eye(4), (2, 1, 1)), links, armature=[500.0, 500.0]).warnings
    assert warning.startswith("armature['joint2']")
    warning, = RobotModel.from_screws(chain, np.tile(np.eye(4), (2, 1, 1)), links, armature=[5000.0, 0.0]).warnings
    assert "armature['joint1'] is 5000 [kg]" in warning
