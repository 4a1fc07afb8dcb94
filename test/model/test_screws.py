# SPDX-License-Identifier: Apache-2.0
"""Joint screws, their exponentials and link inertias: 002 (5)-(14), (18), (31)."""

import mpmath
import numpy as np
import pytest
from random_trees import random_pose
from random_trees import random_rotation

from hod_ros import ModelError
from hod_ros import RobotModel
from hod_ros import link_inertia
from hod_ros.algebra import lie
from hod_ros.model import screws

RNG = np.random.default_rng(1)
E = np.array([0.36, 0.48, 0.8])
Y = np.array([0.3, -0.7, 0.2])
KINDS = {'revolute': screws.revolute(E, Y), 'prismatic': screws.prismatic(E), 'helical': screws.helical(E, Y, 0.3)}


def hat(X):
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = lie.skew(X[:3]), X[3:]
    return out


def matrix_exponential(A):
    with mpmath.workdps(30):
        return np.array(mpmath.expm(mpmath.matrix(A.tolist()), method='taylor').tolist(), float)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('q', [0.0, 1e-9, 0.4, -2.5, 7.0])
def test_002_10_to_14_exponential_of_a_screw_is_the_matrix_exponential(kind, q):
    X = KINDS[kind]
    np.testing.assert_allclose(lie.exp(X, q), matrix_exponential(hat(X * q)), atol=1e-14)
    np.testing.assert_allclose(lie.exp_twist(X * q), matrix_exponential(hat(X * q)), atol=1e-14)


def test_002_14_rotation_is_that_of_euler_and_rodrigues():
    angle = 0.9
    rodrigues = np.eye(3) + np.sin(angle) * lie.skew(E) + (1 - np.cos(angle)) * lie.skew(E) @ lie.skew(E)
    np.testing.assert_allclose(lie.exp(KINDS['revolute'], angle)[:3, :3], rodrigues, atol=1e-15)


def test_002_6_7_points_on_a_revolute_axis_stay_and_those_of_a_helical_one_advance_by_the_pitch():
    for q in (0.5, -2.0):
        np.testing.assert_allclose(lie.exp(KINDS['revolute'], q) @ [*Y, 1], [*Y, 1], atol=1e-15)
        np.testing.assert_allclose(lie.exp(KINDS['helical'], q) @ [*Y, 1], [*(Y + 0.3 * q * E), 1], atol=1e-15)
        np.testing.assert_allclose(lie.exp(KINDS['prismatic'], q) @ [*Y, 1], [*(Y + q * E), 1], atol=1e-15)


def test_002_18_adjoint_moves_screws_as_poses_move_axes():
    C = random_pose(RNG)
    moved = screws.helical(C[:3, :3] @ E, C[:3, :3] @ Y + C[:3, 3], 0.3)
    np.testing.assert_allclose(lie.Ad(C) @ KINDS['helical'], moved, atol=1e-15)


def test_002_31_inertia_is_that_of_the_points_the_body_is_made_of():
    points, masses = RNG.uniform(-1, 1, (8, 3)), RNG.uniform(0.1, 1, 8)
    mass, com = masses.sum(), masses @ points / masses.sum()
    arms = points - com
    about_com = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    M, V = link_inertia(mass, com, about_com), RNG.standard_normal(6)
    energy = sum(m * np.sum((V[3:] + np.cross(V[:3], r)) ** 2) for m, r in zip(masses, points, strict=True)) / 2
    np.testing.assert_allclose(V @ M @ V / 2, energy, rtol=1e-13)
    one_by_one = sum(link_inertia(m, r) for m, r in zip(masses, points, strict=True))
    np.testing.assert_allclose(M, one_by_one, atol=1e-14)


def test_002_31_steiner_with_a_turned_frame_at_the_centre_of_mass():
    R, com, tensor = random_rotation(RNG), np.array([0.1, 0.2, -0.3]), np.diag([0.03, 0.04, 0.05])
    in_turned_frame = link_inertia(2.0, (0, 0, 0), tensor)
    to_link = lie.Ad(lie.inverse(lie.pose(R, com)))
    M = link_inertia(2.0, com, R @ tensor @ R.T)
    np.testing.assert_allclose(to_link.T @ in_turned_frame @ to_link, M, atol=1e-15)


@pytest.mark.parametrize('make, said', [
    (lambda: screws.revolute((0, 0, 0)), 'has no direction'),
    (lambda: screws.revolute((0, 1)), r'axis e has the shape \(2,\)'),
    (lambda: screws.revolute((0, 0, 1), (0, np.inf, 0)), 'point y is'),
    (lambda: link_inertia(1.0, (0, 0, 0), (1, 2, 3)), r'tensor has the shape \(3,\)'),
    (lambda: screws.revolute('xyz'), 'axis e has the shape'),
    (lambda: screws.revolute(('x', 'y', 'z')), 'axis e is .*real numbers'),
    (lambda: screws.helical((0, 0, 1), (0, 0, 0), np.inf), 'pitch h is inf'),
    (lambda: link_inertia(1.0, (0, 0, 1j)), 'com is .*real numbers'),
    (lambda: link_inertia(np.nan), 'mass is nan'),
    (lambda: link_inertia(1.0, tensor=np.eye(3) * 1j), 'tensor is (.|\n)*real numbers'),
    (lambda: RobotModel.from_screws([screws.revolute((0, 0, 1))], [np.eye(4)], [1j * link_inertia(1.0)]), 'real numbers'),
    (lambda: link_inertia(1.0, about='origin'), "about is 'origin'"),
])
def test_vectors_that_make_no_screw_are_refused(make, said):
    with pytest.raises(ModelError, match=said):
        make()
