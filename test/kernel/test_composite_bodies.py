# SPDX-License-Identifier: Apache-2.0
"""M, C, g, gradients and forward dynamics from composite bodies in the kernel, against the numpy reference, in batches and far away."""

from math import comb

import numpy as np
import pytest
from closeness import close as assert_close
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import PANDA

from hod_ros import LinkWrench
from hod_ros import PreparedLoads
from hod_ros import RobotModel
from hod_ros import dynamics_matrices
from hod_ros import force_gradient_product
from hod_ros import force_gradients
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros import inverse_dynamics_derivatives
from hod_ros.dynamics import loads
from hod_ros.dynamics.force_gradients import force_derivatives
from hod_ros.dynamics.loads import FRAMES
from hod_ros.dynamics.matrices import matrices_from_jacobians
from hod_ros.kernel import compiled

ALL_KINDS = ('revolute', 'prismatic', 'helical')

pytestmark = pytest.mark.skipif(not compiled.available, reason='the package was built without a compiler')


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('order', [0, 1, 2, 5])
def test_random_trees_agree_with_the_numpy_reference(instruction_set, order, seed):
    rng = np.random.default_rng([order, seed])
    model = random_tree(rng, int(rng.integers(2, 12)), kinds=ALL_KINDS, mimics=seed % 3, armature=True)
    q = random_motion(rng, model, order)
    reference = matrices_from_jacobians(model, q[:-1])
    found = dynamics_matrices(model, q[:-1])
    for name in ('M', 'C', 'g'):
        assert_close(getattr(found, name), getattr(reference, name), 1e-12)
    by, G = force_derivatives(model, q), force_gradients(model, q)
    for k in range(order + 1):
        for j in range(order + 3):
            expected = sum(comb(k, j - i) * by[i][k - j + i] for i in range(3) if 0 <= j - i <= k) + np.zeros((model.n, model.n))
            np.testing.assert_allclose(G[k, j], expected, rtol=0, atol=1e-12 * np.abs(G[k]).max())
    d = inverse_dynamics_derivatives(model, q)
    for found, expected in zip((d.q, d.dq, d.ddq), by, strict=True):
        np.testing.assert_allclose(found, expected[0], rtol=0, atol=1e-12 * np.abs(expected[0]).max())


@pytest.mark.parametrize('samples', [1, 3, 8, 21])
def test_a_batch_is_its_samples(instruction_set, samples):
    rng = np.random.default_rng(samples)
    model = random_tree(rng, 9, kinds=ALL_KINDS, mimics=2, armature=True)
    q = np.array([random_motion(rng, model, 2) for _ in range(samples)])
    v = rng.normal(size=(samples, 3, model.n))
    many = dynamics_matrices(model, q[:, :4])
    for i, one in enumerate(q):
        single = dynamics_matrices(model, one[:4])
        for name in ('M', 'C', 'g'):
            assert_close(getattr(many, name)[i], getattr(single, name), 1e-12)
        assert_close(force_gradients(model, q)[i], force_gradients(model, one), 1e-12)
        assert_close(force_gradient_product(model, q, v)[i], force_gradient_product(model, one, v[i]), 1e-12)
        assert_close(inverse_dynamics_derivatives(model, q).dq[i], inverse_dynamics_derivatives(model, one).dq, 1e-12)
        Q = inverse_dynamics(model, one)
        assert_close(inverse_dynamics(model, np.concatenate([one[:2], forward_dynamics(model, one[:2], Q)])), Q, 1e-10)
    Q = inverse_dynamics(model, q)
    assert_close(inverse_dynamics(model, np.concatenate([q[:, :2], forward_dynamics(model, q[:, :2], Q)], axis=1)), Q, 1e-10)


def test_the_product_is_the_contraction_of_the_gradients(instruction_set):
    rng = np.random.default_rng(5)
    model = random_tree(rng, 10, kinds=ALL_KINDS)
    for order in (0, 1, 2, 4):
        q, v = random_motion(rng, model, order), rng.normal(size=(order + 1, model.n))
        assert_close(force_gradient_product(model, q, v), np.einsum('ki,kjih->jh', v, force_gradients(model, q)), 1e-12)


@pytest.mark.parametrize('frame', FRAMES)
def test_gradients_under_loads_agree_with_numpy_in_batches_too(frame, instruction_set):
    rng = np.random.default_rng(8)
    for order, kinds in ((0, ALL_KINDS), (1, ('prismatic',)), (2, ALL_KINDS), (4, ('revolute',))):
        model = random_tree(rng, 8, kinds=kinds, mimics=2, armature=True)
        model = model.replace(links=dict(model.links) | {'tool': (5, random_pose(rng))})
        q, v = random_motion(rng, model, order, 9), rng.normal(size=(9, order + 1, model.n))
        links = [('tool', frame), ('base', frame), (model.bodies[-1], frame), ('tool', 'link')]
        values = rng.normal(size=(9, order + 1, 4, 6))
        own = [(link, LinkWrench(values[:, :, i], frame)) for i, (link, frame) in enumerate(links)]
        prepared = PreparedLoads(model, links)
        assert_close(prepared.force_gradients(q, values), force_gradients(model, q, wrenches=own), 1e-12)
        assert_close(prepared.force_gradient_product(q, v, values), force_gradient_product(model, q, v, wrenches=own), 1e-12)
        assert model._compiled.force_gradients(q, values, loads.places(model, links)) is not None
        shared = [('link1', LinkWrench(values[0, :, 0], frame))]          # one for all samples
        wrenches = shared + own
        G = force_gradients(model, q, wrenches=wrenches, threads=2)
        g = force_gradient_product(model, q, v, wrenches=wrenches)
        for i in (0, 7, 8):
            own = loads.of_sample(wrenches, i)
            by, one = force_derivatives(model, q[i], own), force_gradients(model, q[i], wrenches=own)
            assert_close(G[i], one, 1e-12)
            for k in range(order + 1):
                for j in range(3):
                    expected = sum(comb(k, j - s) * by[s][k - j + s] for s in range(3) if 0 <= j - s <= k)
                    np.testing.assert_allclose(one[k, j], expected, rtol=0, atol=1e-12 * np.abs(one[k]).max())
            for found in (g[i], force_gradient_product(model, q[i], v[i], wrenches=own)):
                assert_close(found, np.einsum('ki,kjih->jh', v[i], one), 1e-12)


def test_arrays_of_any_layout_and_kind_take_the_fast_way():
    model = RobotModel.from_urdf(PANDA.read_text())
    q = np.random.default_rng(2).integers(-2, 3, (4, 7)).astype(float)
    expected = dynamics_matrices(model, q).C
    for other in (np.asfortranarray(q), q.astype(np.float32), q.astype(int), q.tolist(), np.repeat(q, 2, axis=1)[:, ::2]):
        assert model._compiled.matrices(other) is not None
        assert np.array_equal(dynamics_matrices(model, other).C, expected)


def displaced(distance):
    text = PANDA.read_text()
    fixed = ('<link name="far"/><joint name="away" type="fixed"><parent link="far"/><child link="panda_link0"/>'
             f'<origin xyz="{distance} {-distance} {0.5 * distance}" rpy="0 0 0"/></joint>')
    return RobotModel.from_urdf(text.replace('</robot>', fixed + '</robot>'))


@pytest.mark.parametrize('distance', [1e3, 5e6])
def test_no_digits_are_lost_far_from_the_worlds_origin(distance):
    near, far = RobotModel.from_urdf(PANDA.read_text()), displaced(distance)
    q = np.random.default_rng(3).uniform(-1, 1, (5, 7))
    for name in ('M', 'C', 'g'):
        assert_close(getattr(dynamics_matrices(far, q[:4]), name), getattr(dynamics_matrices(near, q[:4]), name), 1e-12)
    assert_close(force_gradients(far, q), force_gradients(near, q), 1e-12)
    Q = inverse_dynamics(near, q)
    assert_close(forward_dynamics(far, q[:2], Q), forward_dynamics(near, q[:2], Q), 1e-12)
