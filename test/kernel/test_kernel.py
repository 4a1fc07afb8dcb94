# SPDX-License-Identifier: Apache-2.0
"""The compiled spatial recursion, matrices and forward dynamics against their numpy counterparts."""

import numpy as np
import pytest
from closeness import close
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from random_trees import random_motion
from random_trees import random_tree

from hod_ros import SingularityError
from hod_ros import dynamics_matrices
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.formulations import spatial
from hod_ros.dynamics.matrices import matrices_from_jacobians
from hod_ros.kernel import compiled

pytestmark = pytest.mark.skipif(not compiled.available, reason='the package was built without a C compiler')
KINDS = ('revolute', 'prismatic', 'helical')
SEEDS = given(st.integers(0, 2**32 - 1), st.integers(2, 15), st.integers(0, 5), st.integers(0, 2))
SOME = settings(max_examples=25, deadline=None)


def robot_and_motion(seed, joints, order, mimics):
    rng = np.random.default_rng(seed)
    model = random_tree(rng, joints, kinds=KINDS, mimics=mimics, armature=bool(seed % 2))
    return model, random_motion(rng, model, order)


@SOME
@SEEDS
def test_the_spatial_recursion_agrees_with_numpy(seed, joints, order, mimics):
    model, q = robot_and_motion(seed, joints, order, mimics)
    close(model._compiled.spatial_inverse_dynamics(q), spatial.inverse_dynamics(model, q)[0], 1e-11)
    close(inverse_dynamics(model, q, formulation='spatial'), inverse_dynamics(model, q), 1e-11)


@SOME
@SEEDS
def test_matrices_and_their_derivatives_agree_with_numpy(seed, joints, order, mimics):
    model, q = robot_and_motion(seed, joints, order, mimics)
    compiled, expected = dynamics_matrices(model, q[:-1]), matrices_from_jacobians(model, q[:-1])
    size = np.abs(expected.M[0]).max()              # C is of M's size at unit rates, and may vanish altogether
    for name in ('M', 'C', 'g'):
        for row, wanted in zip(getattr(compiled, name), getattr(expected, name), strict=True):
            assert np.abs(row - wanted).max() <= 1e-12 * max(size, np.abs(wanted).max()), name


@SOME
@SEEDS
def test_inverse_dynamics_undoes_forward_dynamics(seed, joints, order, mimics):
    model, q = robot_and_motion(seed, joints, order, mimics)
    Q = recursive.inverse_dynamics(model, q)[0]
    rows = forward_dynamics(model, q[:2], Q)
    assert np.array_equal(rows, model._compiled.forward_dynamics(q[:2].copy(), Q))
    close(recursive.inverse_dynamics(model, np.concatenate([q[:2], rows]))[0], Q)


def test_forward_dynamics_of_30_joints_at_order_4_is_exact_to_1e_12():
    rng = np.random.default_rng(30)
    for shape in ('tree', 'chain'):
        model = random_tree(rng, 30, shape=shape)
        q = random_motion(rng, model, 4)
        Q = inverse_dynamics(model, q)
        close(inverse_dynamics(model, np.concatenate([q[:2], forward_dynamics(model, q[:2], Q)])), Q, 1e-12)


def test_every_instruction_set_gives_the_same_matrices():
    model, q = robot_and_motion(7, 9, 3, 1)
    expected = matrices_from_jacobians(model, q)
    chosen = compiled.instruction_set()
    try:
        for name in compiled.instruction_sets():
            compiled.use_instruction_set(name)
            close(dynamics_matrices(model, q).C, expected.C)
            close(inverse_dynamics(model, q, formulation='spatial'), inverse_dynamics(model, q))
    finally:
        compiled.use_instruction_set(chosen)
    with pytest.raises(ValueError, match='instruction set'):
        compiled.use_instruction_set('abacus')


def test_a_joint_without_inertia_has_no_forward_dynamics():
    model, q = robot_and_motion(8, 5, 0, 0)
    M = model.M.copy()
    leaf = max(set(range(5)) - set(model.parent.tolist()))
    M[leaf] = 0
    with pytest.raises(SingularityError, match=model.joint_names[leaf]):
        forward_dynamics(model.replace(M=M, armature=None), q[:2], np.zeros((1, 5)))
