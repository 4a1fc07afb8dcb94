# SPDX-License-Identifier: Apache-2.0
"""Gradients of the forces' time derivatives, against exact differences."""

import numpy as np
import pytest
from closeness import close
from exact_differences import derivative_along
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree

from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import ModelError
from hod_ros import body_wrenches
from hod_ros import dynamics_matrices
from hod_ros import force_gradient_product
from hod_ros import force_gradients
from hod_ros import inverse_dynamics_derivatives
from hod_ros.algebra import lie
from hod_ros.dynamics.force_gradients import force_derivatives
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import FRAMES


@pytest.mark.parametrize('j', range(5))
def test_gradients_are_those_of_the_recursion(j):
    rng = np.random.default_rng(j)
    model = random_tree(rng, 3, mimics=1, kinds=('revolute', 'prismatic', 'helical'), armature=True)
    q = random_motion(rng, model, 2)
    ours = force_gradients(model, q)
    assert ours.shape == (3, 5, 3, 3)
    columns = []
    for h in range(3):
        along = np.zeros((5, 3))
        along[j, h] = 1
        columns.append(derivative_along(lambda q: recursive.inverse_dynamics(model, q)[0], q, along))
    close(ours[:, j], np.stack(columns, axis=-1), 1e-11)


@pytest.mark.parametrize('frame', FRAMES)
def test_loads_are_functions_of_time_in_their_own_frames(frame):
    rng = np.random.default_rng(5)
    model = random_tree(rng, 3, shape='chain', kinds=('prismatic', 'helical', 'revolute'), mimics=1)
    model = model.replace(links=dict(model.links) | {'tool': (2, random_pose(rng))})
    q, w = random_motion(rng, model, 2), rng.standard_normal((3, 6))
    ours = force_gradients(model, q, wrenches={'tool': LinkWrench(w, frame)})
    exact = {'tool': LinkWrench(w.astype(object), frame)}
    for j in (0, 1, 2):
        for h in range(3):
            along = np.zeros((5, 3))
            along[j, h] = 1
            expected = derivative_along(
                lambda q: recursive.inverse_dynamics(model, q, body_wrenches(model, q, exact))[0], q, along)
            close(ours[:, j, :, h], expected, 1e-12)


def test_the_papers_matrix_2b_of_a_body_in_axes_at_rest_is_that_of_the_page():
    rng = np.random.default_rng(23)
    masses, r = rng.uniform(0.1, 1, 9), rng.standard_normal((9, 3))
    V, S = rng.standard_normal((2, 6))
    crosses = [lie.skew(p) for p in r]
    inertia = sum(m * np.block([[-x @ x, x], [-x, np.eye(3)]]) for m, x in zip(masses, crosses, strict=True))
    printed = -lie.ad(V).T @ inertia @ S - inertia @ lie.ad(V) @ S - lie.ad(S).T @ inertia @ V
    w, v, s = V[:3], V[3:], S[:3]
    h, P = masses @ r, np.einsum('i,ij,ik->jk', masses, r, r)
    h_dot = masses @ (v + np.cross(w, r))
    T = lie.skew(w) @ P + np.outer(v, h) - h @ v * np.eye(3)
    np.testing.assert_allclose(printed, -2 * np.concatenate([T @ s, np.cross(h_dot, s)]), atol=1e-13)


def test_order_zero_is_the_state_derivatives_and_the_highest_is_the_mass_matrix():
    rng = np.random.default_rng(6)
    model = random_tree(rng, 20, mimics=2)
    q = random_motion(rng, model, 3)
    ours, by = force_gradients(model, q), inverse_dynamics_derivatives(model, q)
    close(ours[0, :3], [by.q, by.dq, by.ddq])
    close([ours[k, k + 2] for k in range(4)], [dynamics_matrices(model, q[:2]).M[0]] * 4)
    assert not ours[0, 3:].any()


def test_quasi_velocities_are_refused():
    rng = np.random.default_rng(7)
    for model in (zoo(rng), random_tree(rng, 2, base='free')):
        with pytest.raises(ModelError, match='several axes or a free base'):
            force_gradients(model, np.zeros((3, model.n)))


@pytest.mark.parametrize('order', [0, 1, 2, 4])
@pytest.mark.parametrize('mimics', [0, 2])
def test_compiled_gradients_are_those_of_numpy_and_batches_their_samples(order, mimics):
    rng = np.random.default_rng(order)
    model = random_tree(rng, 8, kinds=('revolute', 'prismatic', 'helical'), mimics=mimics, armature=True)
    q = random_motion(rng, model, order, 9)
    batch = force_gradients(model, q)
    derivatives = inverse_dynamics_derivatives(model, q)
    v = rng.normal(size=(9, order + 1, model.n))
    products = force_gradient_product(model, q, v)
    for i, one in enumerate(q):
        by = force_derivatives(model, one)
        G = force_gradients(model, one)
        assert np.abs(batch[i] - G).max() <= 1e-13 * np.abs(G).max()
        for j in range(3):
            mine = getattr(derivatives, ('q', 'dq', 'ddq')[j])[i]
            assert np.abs(mine - by[j][0]).max() <= 1e-12 * np.abs(by[j][0]).max()
        assert np.abs(G[order, 0] - by[0][order]).max() <= 1e-12 * np.abs(G[order]).max()
        expected = sum(v[i, k] @ G[k] for k in range(order + 1))
        assert np.abs(products[i] - expected).max() <= 1e-12 * np.abs(expected).max()
    with pytest.raises(InputError, match='shape'):
        force_gradient_product(model, q, v[0])
