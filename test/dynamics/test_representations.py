# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics in all recursive representations: the same torques, by ways of their own."""

import numpy as np
import pytest
from high_precision import multiprecision
from joint_zoo import zoo
from random_trees import random_inertia
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import FIVE
from robots import robot

from hod_ros.dynamics.formulations import body_fixed
from hod_ros.dynamics.formulations import hybrid
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.formulations import spatial
from hod_ros.dynamics.loads import FRAMES
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.dynamics.loads import body_wrenches
from hod_ros.errors import InputError


def spatial_with_gravity_wrenches(*arguments):
    return spatial.inverse_dynamics(*arguments, gravity='wrenches')


FORMULATIONS = [
    spatial.inverse_dynamics, spatial_with_gravity_wrenches, hybrid.inverse_dynamics, body_fixed.inverse_dynamics]
KINDS = ('revolute', 'prismatic', 'helical')


def agree(result, expected, tolerance=1e-11):
    for got, wanted in zip(result, expected, strict=True):
        assert got.shape == wanted.shape
        for row, (a, b) in enumerate(zip(got, wanted, strict=True)):
            error = np.abs(a - b).max()
            assert error <= tolerance * np.abs(b).max(), f'row {row} is off by {error / np.abs(b).max():.1e}'


def loads_of(rng, model, rows):
    links = rng.choice(list(model.links), 4)
    return [(link, LinkWrench(rng.standard_normal((rows, 6)), str(rng.choice(FRAMES)))) for link in links]


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize(('joints', 'order', 'mimics'), [
    (1, 0, 0), (2, 6, 0), (5, 1, 2), (7, 2, 0), (9, 3, 3), (12, 4, 0), (20, 5, 4), (30, 6, 0)])
def test_agrees_with_the_recursive_form_on_random_trees_with_loads(formulation, joints, order, mimics):
    rng = np.random.default_rng([joints, order])
    model = random_tree(rng, joints, kinds=KINDS, mimics=mimics, armature=True, gravity=(0.5, -1.0, -9.0))
    q = random_motion(rng, model, order)
    external = body_wrenches(model, q, loads_of(rng, model, order + 1))
    agree(formulation(model, q, external), recursive.inverse_dynamics(model, q, external))


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('order', [0, 2, 5])
def test_agrees_on_robots_with_a_free_base(formulation, order):
    rng = np.random.default_rng(order)
    model = random_tree(rng, 10, kinds=KINDS, base='free')
    q = random_motion(rng, model, order)
    base = random_pose(rng), rng.standard_normal((order + 2, 6))
    external = body_wrenches(model, q, loads_of(rng, model, order + 1), base)
    agree(formulation(model, q, external, base), recursive.inverse_dynamics(model, q, external, base))


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('order', [0, 2, 4])
def test_agrees_on_joints_of_several_axes(formulation, order):
    rng = np.random.default_rng(order)
    model = zoo(rng)
    q = random_motion(rng, model, order)
    external = body_wrenches(model, q, loads_of(rng, model, order + 1))
    agree(formulation(model, q, external), recursive.inverse_dynamics(model, q, external))


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', FIVE)
def test_agrees_on_public_robots(formulation, name):
    model = robot(name)
    rng = np.random.default_rng(len(name))
    q = random_motion(rng, model, 2)
    external = body_wrenches(model, q, loads_of(rng, model, 3))
    agree(formulation(model, q, external), recursive.inverse_dynamics(model, q, external))


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_multiprecision_numbers_pass_through(formulation):
    rng = np.random.default_rng(3)
    model = random_tree(rng, 4)
    q = random_motion(rng, model, 1)
    Q, W = formulation(model, multiprecision(q))
    assert Q.dtype == object
    agree((Q.astype(float), W.astype(float)), formulation(model, q))


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_symbols_pass_through(formulation):
    sympy = pytest.importorskip('sympy')
    model = random_tree(np.random.default_rng(3), 1, axes='z').replace(B=np.eye(4)[None], gravity=(0, -9.81, 0))
    q = np.array(sympy.symbols('q dq ddq'), object)[:, None]
    values = dict(zip(q[:, 0], (0.3, -0.7, 1.1), strict=True))
    Q, W = formulation(model, q)
    at = [np.array(sympy.lambdify(list(values), part.tolist())(*values.values())) for part in (Q, W)]
    agree(at, formulation(model, np.array(list(values.values()))[:, None]))


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_wrong_shapes_and_numbers_are_refused(formulation):
    model = random_tree(np.random.default_rng(3), 4)
    good = np.zeros((4, 4))
    with pytest.raises(InputError, match=r'\(2, 4\)'):
        formulation(model, good[:2])
    with pytest.raises(InputError, match='nan'):
        formulation(model, np.full((4, 4), np.nan))
    with pytest.raises(InputError, match=r'external has the shape \(1, 6\).*\(2, 5, 6\)'):
        formulation(model, good, np.zeros((1, 6)))
    with pytest.raises(InputError, match='base'):
        formulation(model, good, None, (np.eye(3), np.zeros((3, 6))))


def test_spatial_refuses_an_unknown_way_of_gravity():
    model = random_tree(np.random.default_rng(3), 2)
    with pytest.raises(InputError, match="'magic'.*'acceleration'.*'wrenches'"):
        spatial.inverse_dynamics(model, np.zeros((3, 2)), gravity='magic')


def test_the_hybrid_twist_is_the_velocity_of_the_origin_in_world_axes():
    from hod_ros.kinematics.forward import forward_kinematics
    rng = np.random.default_rng(4)
    model = zoo(rng, base_inertia=random_inertia(rng))
    q = random_motion(rng, model, 2)
    motion = hybrid.hybrid_motion(model, q)
    for i, link in enumerate(model.bodies):
        C, placement = motion.C[i], model.links[link][1]
        tool = forward_kinematics(model, q, link, 'world_aligned')
        assert np.abs(C @ placement - tool.pose).max() < 1e-13
        assert np.abs(motion.V[:, i, :3] - tool.twists[:, :3]).max() < 1e-11 * np.abs(tool.twists).max()
