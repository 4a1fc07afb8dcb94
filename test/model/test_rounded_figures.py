# SPDX-License-Identifier: Apache-2.0
"""Rotations and directions that were rounded to five digits or more are made exact; what is further off is refused."""

import numpy as np
import pytest
from random_trees import random_tree

from hod_ros import InputError
from hod_ros import ModelError
from hod_ros import RobotModel
from hod_ros import forward_kinematics
from hod_ros import inverse_dynamics
from hod_ros import solve_pose
from hod_ros.algebra import lie
from hod_ros.model import screws

TURN = lie.exp_twist(np.array([0.3, -0.7, 0.5, 0.1, 0.2, 0.3]))


def rounded(array, digits):
    return np.round(array, digits)


def chain(digits):
    e = np.array([1.0, 1, 1]) / np.sqrt(3)
    inertia = screws.link_inertia(1.0, (0.1, 0.2, 0.3), 0.01 * np.eye(3))
    Y = np.stack([screws.revolute(e), screws.revolute(e, (1, 0, 0))])
    return RobotModel.from_screws(rounded(Y, digits), rounded(np.stack([TURN, TURN @ TURN]), digits), [inertia] * 2)


@pytest.mark.parametrize('digits', [5, 6, 7])
def test_rounded_poses_and_screws_become_exact_and_formulations_agree(digits):
    model = chain(digits)
    R = model.B[:, :3, :3]
    np.testing.assert_allclose(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(model.X[:, :3], axis=-1), 1, atol=1e-14)
    q = np.random.default_rng(0).normal(size=(5, 2))
    Q = inverse_dynamics(model, q)
    for formulation in ('closed_form', 'spatial', 'body_fixed', 'hybrid'):
        np.testing.assert_allclose(inverse_dynamics(model, q, formulation=formulation), Q, atol=1e-12 * np.abs(Q).max())
    assert np.abs(Q - inverse_dynamics(chain(15), q)).max() < 100 * 10.0**-digits * np.abs(Q).max()


def test_what_is_exact_but_for_rounding_errors_is_left_as_it_is():
    model = random_tree(np.random.default_rng(0), 5)
    again = model.replace(B=model.B.copy(), X=model.X.copy())
    np.testing.assert_array_equal(again.B, model.B)
    np.testing.assert_array_equal(again.X, model.X)


@pytest.mark.parametrize('digits', [5, 7])
def test_fields_and_places_of_links_and_of_the_base_are_made_exact_too(digits):
    model = random_tree(np.random.default_rng(1), 5)
    exact = model.replace(B=rounded(model.B, digits), X=rounded(model.X, digits), links={
        link: (body, rounded(pose, digits)) for link, (body, pose) in model.links.items()})
    for R in (*exact.B[:, :3, :3], *(pose[:3, :3] for _, pose in exact.links.values())):
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    with pytest.raises(ValueError):
        exact.B[...] = 0
    free = model.replace(base='free')
    link = free.bodies[-1]
    base = rounded(TURN, digits), np.zeros((0, 6))
    R = forward_kinematics(free, np.zeros((1, free.n)), link, base=base).pose[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-13)


def test_a_goal_of_five_digits_is_reached():
    model = chain(15)
    goal = forward_kinematics(model, np.array([[0.4, -0.3]]), 'link2').pose
    solution = solve_pose(model, 'link2', rounded(goal, 5), np.array([0.3, -0.2]), required=False)
    assert solution.residual < 1e-4


@pytest.mark.parametrize('digits', [2, 3])
def test_what_is_further_off_is_refused_with_the_figure(digits):
    with pytest.raises(ModelError, match='which is no pose'):
        RobotModel.from_screws([screws.revolute((0, 0, 1))], [rounded(TURN, digits)], [screws.link_inertia(1.0, (0.1, 0, 0))])
    with pytest.raises(ModelError, match=r'whose direction has the length 0\.9[89]'):
        RobotModel.from_screws(
            [np.append(rounded(np.ones(3) / np.sqrt(3), digits) - 10.0**-digits, [0, 0, 0])], [np.eye(4)],
            [screws.link_inertia(1.0, (0.1, 0, 0))])
    with pytest.raises(InputError, match='the pose of base is .* no pose'):
        free = random_tree(np.random.default_rng(1), 5, base='free')
        inverse_dynamics(free, np.zeros((3, 5)), base=(rounded(TURN, digits), np.zeros((2, 6))))
