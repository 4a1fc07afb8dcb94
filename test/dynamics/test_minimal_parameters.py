# SPDX-License-Identifier: Apache-2.0
"""The minimal set of inertial parameters: its size against the literature, and that it keeps every force."""

import numpy as np
import pytest
from closeness import close
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import robot

from hod_ros import RobotModel
from hod_ros import inertial_parameters
from hod_ros import minimal_parameters
from hod_ros import regressor
from hod_ros import with_inertial_parameters
from hod_ros.dynamics.formulations import recursive


def test_panda_has_the_43_coefficients_of_gaz_2019():
    arm = robot('panda', joints=[f'panda_joint{k}' for k in range(1, 8)])
    assert len(minimal_parameters(arm).columns) == 43


def test_ur5_has_36():
    assert len(minimal_parameters(robot('ur5_robot')).columns) == 36


def test_planar_2r_arm_by_hand():
    """Two vertical axes at a distance: Izz1 + distance^2 m2, mx2, my2, Izz2; weight along the axes tells nothing."""
    z, distance = (0, 0, 1, 0, 0, 0), 0.7
    second = np.eye(4)
    second[0, 3] = distance
    model = RobotModel.from_screws(
        [z, z], [np.eye(4), second], [np.eye(6), np.eye(6)], representation='body', joint_names=('a', 'b'))
    found = minimal_parameters(model)
    assert found.names == ('a/Izz', 'b/mx', 'b/my', 'b/Izz')
    expected = np.zeros((4, 20))
    expected[0, [6, 10]] = 1, distance**2
    expected[1, 11] = expected[2, 12] = expected[3, 16] = 1
    close([found.grouping], [expected], 1e-11)
    assert set(found.unidentifiable) >= {'a/m', 'a/Ixx', 'b/mz', 'b/Ixx'}


def robots():
    rng = np.random.default_rng(1)
    yield random_tree(rng, 7)
    yield random_tree(rng, 6, mimics=2, kinds=('revolute', 'prismatic', 'helical'), armature=True)
    yield zoo(rng, ('revolute', 'spherical', 'prismatic'))


def test_minimal_regressor_gives_every_force_with_derivatives():
    rng = np.random.default_rng(2)
    for model in robots():
        found, q = minimal_parameters(model), random_motion(rng, model, 3)
        Y, pi = regressor(model, q), inertial_parameters(model)
        close(found.regressor(Y) @ found.parameters(pi), recursive.inverse_dynamics(model, q)[0], 1e-10)
        close([found.grouping[:, found.columns]], [np.eye(len(found.columns))])


def test_minimal_regressor_has_full_rank_and_no_smaller_set_will_do():
    rng = np.random.default_rng(3)
    for model in robots():
        found = minimal_parameters(model)
        Y = np.concatenate([regressor(model, random_motion(rng, model, 0, scale=2.0))[0] for _ in range(120)])
        Y = Y / np.maximum(np.linalg.norm(Y, axis=0), 1e-12)
        values = np.linalg.svd(Y, compute_uv=False)
        size = len(found.columns)
        assert values[size - 1] > 1e-7 * values[0]
        assert size == len(values) or values[size] < 1e-11 * values[0]


def test_parameters_changed_within_the_groups_leave_every_force_as_it_was():
    rng = np.random.default_rng(4)
    model = random_tree(rng, 5)
    found, pi = minimal_parameters(model), inertial_parameters(model)
    _, _, rows = np.linalg.svd(found.grouping)
    silent = rows[len(found.columns):].T @ rng.standard_normal(len(pi) - len(found.columns))
    other = with_inertial_parameters(model, pi + silent)
    q = random_motion(rng, model, 2)
    close(recursive.inverse_dynamics(other, q)[0], recursive.inverse_dynamics(model, q)[0], 1e-10)
    assert np.abs(silent).max() > 0.1


def test_wrench_on_a_free_base_tells_more_than_the_joints():
    rng = np.random.default_rng(5)
    model = random_tree(rng, 3)
    free = model.replace(base='free')
    fixed_size, found = len(minimal_parameters(model).columns), minimal_parameters(free)
    assert len(found.columns) >= fixed_size + 10
    q, base = random_motion(rng, free, 1), (random_pose(rng), rng.standard_normal((3, 6)))
    Y, pi = regressor(free, q, base=base), inertial_parameters(free)
    close(found.regressor(Y) @ found.parameters(pi), Y @ pi, 1e-10)


@pytest.mark.parametrize('seed', [1, 2])
def test_the_random_states_do_not_matter(seed):
    model = random_tree(np.random.default_rng(6), 6)
    first, second = minimal_parameters(model), minimal_parameters(model, seed=seed)
    assert first.names == second.names
    close([first.grouping], [second.grouping], 1e-9)


def test_bodies_that_mimic_at_odd_rates_are_told_apart_beyond_one_turn():
    text = '<robot name="r"><link name="l0"/>'
    for i, rate in enumerate((None, None, 0.37, -0.61, 0.23, 0.83), 1):
        mimic = '' if rate is None else f'<mimic joint="j{1 + i % 2}" multiplier="{rate}"/>'
        text += (f'<link name="l{i}"><inertial><origin xyz="0.1 0.{i} 0.2"/><mass value="1.{i}"/><inertia ixx="0.{i}" iyy="0.4" izz="0.3" '
                 f'ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link><joint name="j{i}" type="continuous"><parent link="l{i - 1}"/>'
                 f'<child link="l{i}"/><origin xyz="0.2 0.1 0.3" rpy="0.{i} 0.4 0.2"/><axis xyz="{i % 2} {1 - i % 2} 0"/>{mimic}</joint>')
    model = RobotModel.from_urdf(text + '</robot>')
    minimal, pi = minimal_parameters(model), inertial_parameters(model)
    rng = np.random.default_rng(5)
    Y = np.concatenate([regressor(model, rng.uniform(-6, 6, (3, model.n)))[0] for _ in range(100)])
    np.testing.assert_allclose(minimal.regressor(Y) @ minimal.parameters(pi), Y @ pi, atol=1e-9 * np.abs(Y @ pi).max())
