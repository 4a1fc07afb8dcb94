# SPDX-License-Identifier: Apache-2.0
"""Centre of mass and total momentum, against Pinocchio, the laws of momentum and exact differences."""

from math import comb

import numpy as np
import pytest
from closeness import close
from exact_differences import time_derivatives
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from urdf_peer import UrdfPeer
from urdf_peer import pin

from hod_ros import InputError
from hod_ros import ModelError
from hod_ros import centre_of_mass
from hod_ros import centre_of_mass_jacobian
from hod_ros import dynamics_matrices
from hod_ros import momentum_matrix
from hod_ros import total_mass
from hod_ros import total_momentum
from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.dynamics.formulations import recursive
from hod_ros.kinematics.jacobians import jacobians


@pytest.mark.parametrize('joint_count', [2, 9, 30])
def test_centre_of_mass_and_centroidal_momentum_agree_with_pinocchio(joint_count):
    rng = np.random.default_rng(joint_count)
    model = random_tree(rng, joint_count)
    peer, q = UrdfPeer(model), random_motion(rng, model, 0)
    x = peer.vectors(*q)
    pin.centerOfMass(peer.model, peer.data, *x)
    close(centre_of_mass(model, q), [peer.data.com[0], peer.data.vcom[0], peer.data.acom[0]], 1e-11)
    J = pin.jacobianCenterOfMass(peer.model, peer.data, x[0])[:, peer.its]
    close(centre_of_mass_jacobian(model, q[:1]), [J], 1e-11)
    pin.computeCentroidalMomentumTimeVariation(peer.model, peer.data, *x)
    expected = [np.concatenate([h.angular, h.linear]) for h in (peer.data.hg, peer.data.dhg)]
    close(total_momentum(model, q, about='com'), expected, 1e-11)
    assert total_mass(model) == pytest.approx(peer.data.mass[0])


def robots():
    rng = np.random.default_rng(1)
    yield random_tree(rng, 5, mimics=1), None
    yield zoo(rng), None
    yield random_tree(rng, 5, base='free'), (random_pose(rng), rng.standard_normal((6, 6)))


def test_equation_7_weight_of_the_whole_robot_acts_at_its_centre_of_mass():
    rng = np.random.default_rng(2)
    for model, base in robots():
        q = random_motion(rng, model, 2)
        J, m = centre_of_mass_jacobian(model, q, base=base), total_mass(model)
        k = jacobians(model, q, base)
        bodies = [*model.M, model.M_base if base is not None else np.zeros((6, 6))]
        P = [k.U[0, i][:, 3:] for i in range(len(bodies))]
        close([J[0]], [sum(P[i].T @ bodies[i] @ k.J[0, i] for i in range(len(bodies))) / m])         # (7)
        gravity = dynamics_matrices(model, q, base=base).g
        close(-m * model.gravity @ J[:-1], gravity, 1e-11)


def test_velocity_of_the_centre_of_mass_is_its_jacobian_times_rates_with_all_derivatives():
    rng = np.random.default_rng(3)
    for model, base in robots():
        q = random_motion(rng, model, 3)
        rates = q[1:] if base is None else np.concatenate([q[1:], base[1][:len(q) - 1]], axis=1)
        p = centre_of_mass(model, q, base=base)
        close(p[1:], product(centre_of_mass_jacobian(model, q, base=base), rates, apply), 1e-11)
        linear = total_momentum(model, q, base=base)[:, 3:]
        close(linear, total_mass(model) * p[1:], 1e-11)


@pytest.mark.parametrize('about', ['world', 'com'])
def test_time_derivatives_of_momentum_are_those_of_momentum_itself(about):
    rng = np.random.default_rng(4)
    model = random_tree(rng, 3, mimics=1)
    q = random_motion(rng, model, 3)
    expected = time_derivatives(lambda q: total_momentum(model, q[:2], about=about)[0], q, 5)
    close(total_momentum(model, q, about=about), expected, 1e-11)
    position = time_derivatives(lambda q: centre_of_mass(model, q[:1])[0], q, 5)
    close(centre_of_mass(model, q)[:5], position, 1e-11)
    matrix = time_derivatives(lambda q: momentum_matrix(model, q[:1])[0], q, 4)
    close(momentum_matrix(model, q)[:4], matrix, 1e-11)


@pytest.mark.parametrize('kinds', [('prismatic',), ('revolute', 'prismatic'), ('revolute', 'prismatic', 'helical')])
@pytest.mark.parametrize('shape', ['chain', 'tree', 'star'])
@pytest.mark.parametrize('base', ['fixed', 'free'])
def test_momentum_matrix_times_velocities_is_the_momentum_of_robots_that_begin_with_sliding_joints_too(kinds, shape, base):
    rng = np.random.default_rng(8)
    for n in (1, 2, 3, 5, 8):
        model = random_tree(rng, n, shape=shape, kinds=kinds, base=base)
        q = random_motion(rng, model, 0)
        motion = None if base == 'fixed' else (random_pose(rng), rng.standard_normal((2, 6)))
        rates = q[1] if motion is None else np.concatenate([q[1], motion[1][0]])
        expected = total_momentum(model, q[:2], base=motion)[0]
        close(momentum_matrix(model, q[:1], base=motion)[0] @ rates, expected, 1e-12)
        batch = np.tile(q[:1], (11, 1, 1)) if motion is None else None
        if batch is not None:
            close(momentum_matrix(model, batch)[10, 0] @ rates, expected, 1e-12)


@pytest.mark.parametrize('order', [0, 3])
def test_rate_of_momentum_is_the_wrench_of_base_and_weight_with_all_derivatives(order):
    """Dynamic balancing: a robot whose momentum is constant leaves its base at rest."""
    rng = np.random.default_rng(5)
    for model, _ in list(robots())[:2]:
        model = model.replace(M_base=np.zeros((6, 6)))
        q = random_motion(rng, model, order)
        rate = total_momentum(model, q)[1:]
        W = recursive.inverse_dynamics(model, q)[1]
        force = total_mass(model) * model.gravity
        p = centre_of_mass(model, q)[:order + 1]
        weight = np.concatenate([np.cross(p, force), np.zeros_like(p)], axis=1)
        weight[0, 3:] = force
        close(rate, W + weight, 1e-11)


def test_free_base_momentum_changes_by_the_wrench_on_the_base():
    rng = np.random.default_rng(6)
    model = random_tree(rng, 4, base='free', gravity=(0, 0, 0))
    q = random_motion(rng, model, 2)
    base = random_pose(rng), rng.standard_normal((4, 6))
    W = recursive.inverse_dynamics(model, q, None, base)[1]
    # Ad^-T carries the wrench to the world frame; its derivative is -Ad^-T ad_V^T
    carried = [lie.Ad(lie.inverse(base[0])).T]
    ad_Vt = np.swapaxes(lie.ad(base[1]), -1, -2)
    for k in range(2):
        carried.append(-sum(comb(k, j) * carried[k - j] @ ad_Vt[j] for j in range(k + 1)))
    close(total_momentum(model, q, base=base)[1:], product(carried, W, apply), 1e-11)


def test_wrong_arguments_are_refused():
    model = random_tree(np.random.default_rng(0), 2)
    with pytest.raises(InputError, match="'world' or 'com'"):
        total_momentum(model, np.zeros((2, 2)), about='base')
    with pytest.raises(InputError, match='2 rows or more'):
        total_momentum(model, np.zeros((1, 2)))
    with pytest.raises(ModelError, match='mass of 0'):
        centre_of_mass(model.replace(M=np.zeros((2, 6, 6))), np.zeros((1, 2)))
