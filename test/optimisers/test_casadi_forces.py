# SPDX-License-Identifier: Apache-2.0
"""CasADi's function of the forces: values, Jacobian and its pattern, for one sample and many."""

import gc

import numpy as np
import pytest
from random_trees import random_tree

from hod_ros import InputError
from hod_ros import ModelError
from hod_ros import force_gradients
from hod_ros import inverse_dynamics

casadi = pytest.importorskip('casadi', reason='casadi is not installed: pip install casadi')

from hod_ros.casadi import forces  # noqa: E402

MODELS = [
    random_tree(np.random.default_rng(1), 1), random_tree(np.random.default_rng(2), 7, mimics=2, armature=True),
    random_tree(np.random.default_rng(3), 12, shape='star')]


@pytest.mark.parametrize('model', MODELS, ids=lambda model: f'{model.n} joints')
@pytest.mark.parametrize('order', [0, 1, 3])
def test_values_and_jacobian_are_the_librarys(model, order):
    samples = 3
    q = np.random.default_rng(4).uniform(-1, 1, (samples, order + 3, model.n))
    f = forces(model, order, samples)
    columns = q.reshape(-1, model.n).T
    Q = np.array(f(columns)).T.reshape(samples, order + 1, model.n)
    np.testing.assert_array_equal(Q, inverse_dynamics(model, q))
    x = casadi.MX.sym('x', *columns.shape)
    J = casadi.Function('J', [x], [casadi.jacobian(f(x), x)])(columns)
    G = force_gradients(model, q)
    n, rows = model.n, order + 3
    expected = np.zeros((samples * (order + 1) * n, samples * rows * n))
    for s in range(samples):
        block = G[s].transpose(0, 2, 1, 3).reshape((order + 1) * n, rows * n)
        expected[s * len(block):(s + 1) * len(block), s * rows * n:(s + 1) * rows * n] = block
    np.testing.assert_array_equal(np.array(J), expected)
    assert np.count_nonzero(expected) <= J.nnz() <= (model.n * rows * (order + 1) * model.n) * samples


def test_pattern_of_a_star_is_a_band_of_diagonals():
    star = MODELS[2]
    f = forces(star, 1)
    x = casadi.MX.sym('x', 12, 4)
    assert casadi.jacobian(f(x), x).nnz() == 12 * (3 + 4)


def test_reverse_and_forward_derivatives_follow_from_it_and_the_jacobian_lives_as_long_as_the_function():
    model = MODELS[1]
    f = forces(model, 1)
    x, v = casadi.MX.sym('x', 7, 4), np.random.default_rng(5).standard_normal((7, 2))
    gradient = casadi.Function('g', [x], [casadi.gradient(casadi.dot(v, f(x)), x)])
    gc.collect()
    q = np.random.default_rng(6).uniform(-1, 1, (4, 7))
    expected = np.einsum('ki,kjih->jh', v.T, force_gradients(model, q))
    np.testing.assert_allclose(np.array(gradient(q.T)).T, expected, rtol=1e-12, atol=1e-12)


def test_what_is_not_finite_ends_the_evaluation_with_our_sentence():
    f = forces(MODELS[0], 1)
    with pytest.raises(RuntimeError, match="q is nan|row 0 of .* is nan|nan"):
        f(np.full((1, 4), np.nan))


def test_wrong_arguments_are_refused():
    with pytest.raises(InputError, match='order is -1'):
        forces(MODELS[0], -1)
    with pytest.raises(InputError, match='samples is 0'):
        forces(MODELS[0], 1, 0)
    with pytest.raises(ModelError, match='free base'):
        forces(random_tree(np.random.default_rng(0), 2, base='free'))
    with pytest.raises(InputError, match='not a RobotModel'):
        forces(None)
