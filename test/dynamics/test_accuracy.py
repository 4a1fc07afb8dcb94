# SPDX-License-Identifier: Apache-2.0
"""The compiled recursion against an independent formulation in fifty digits: error max|dQ^(k)| / max|Q^(k)|, row by row."""

import numpy as np
import pytest
from mp_reference import reference
from random_trees import random_motion
from random_trees import random_tree
from robots import FIVE
from robots import robot

from hod_ros import inverse_dynamics
from hod_ros.dynamics.formulations import recursive

ALL_KINDS = ('revolute', 'prismatic', 'helical')


def worst_row(Q, expected):
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip(Q, expected, strict=True))


@pytest.mark.parametrize('joints, shape', [
    (1, 'tree'), (2, 'chain'), (7, 'chain'), (13, 'star'), (30, 'tree'), (60, 'tree'), (60, 'chain')])
def test_random_trees_are_exact_to_1e_13_up_to_order_8(joints, shape):
    rng = np.random.default_rng([joints, len(shape)])
    model = random_tree(rng, joints, shape=shape, kinds=ALL_KINDS, armature=True)
    q = random_motion(rng, model, 8, scale=2.0)
    assert worst_row(inverse_dynamics(model, q), reference(model, q)) < 1e-13


@pytest.mark.parametrize('joints, shape', [(3, 'tree'), (7, 'chain'), (25, 'tree')])
def test_random_trees_are_exact_to_1e_12_at_order_20(joints, shape):
    rng = np.random.default_rng([20, joints])
    model = random_tree(rng, joints, shape=shape, kinds=ALL_KINDS)
    q = random_motion(rng, model, 20, scale=1.5)
    assert worst_row(inverse_dynamics(model, q, order=20), reference(model, q)) < 1e-12


@pytest.mark.parametrize('name', ['our_panda', *FIVE])
def test_public_robots_are_exact_to_1e_13_up_to_order_8(name):
    model = robot(name)
    q = random_motion(np.random.default_rng(8), model, 8)
    assert worst_row(inverse_dynamics(model, q), reference(model, q)) < 1e-13


def test_mimic_joints_follow_their_master_in_the_reference_too():
    rng = np.random.default_rng(5)
    model = random_tree(rng, 6, mimics=3)
    q = random_motion(rng, model, 6)
    assert worst_row(inverse_dynamics(model, q), reference(model, q)) < 1e-13


def test_the_numpy_recursion_is_exact_too():
    rng = np.random.default_rng(6)
    model = random_tree(rng, 8, kinds=ALL_KINDS, armature=True)
    q = random_motion(rng, model, 8)
    assert worst_row(recursive.inverse_dynamics(model, q)[0], reference(model, q)) < 1e-13


def test_angles_of_many_turns_lose_no_accuracy():
    rng = np.random.default_rng(7)
    model = random_tree(rng, 5)
    q = random_motion(rng, model, 4)
    for turns in (1e2, 1e5, 3e6, 1e9, 1e15):
        q[0] = turns * rng.uniform(-1, 1, model.n)
        assert worst_row(inverse_dynamics(model, q), reference(model, q)) < 1e-13
