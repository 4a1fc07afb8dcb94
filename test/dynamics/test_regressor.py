# SPDX-License-Identifier: Apache-2.0
"""Linearity in the inertial parameters (001, section III): regressors against the forces, Pinocchio, differences."""

import numpy as np
import pytest
from closeness import close
from exact_differences import time_derivatives
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from random_trees import random_urdf
from robots import FIVE
from robots import robot

from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import dynamics_matrices
from hod_ros import inertial_parameters
from hod_ros import parameter_derivatives
from hod_ros import parameter_names
from hod_ros import regressor
from hod_ros import slotine_li_regressor
from hod_ros import with_inertial_parameters
from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.regressor import momentum_regressor
from hod_ros.dynamics.regressor import parameter_bodies
from hod_ros.dynamics.regressor import tensor_regressor
from hod_ros.kinematics.jacobians import jacobians


def robots():
    rng = np.random.default_rng(1)
    yield random_tree(rng, 1)
    yield random_tree(rng, 8, mimics=3, kinds=('revolute', 'prismatic', 'helical'), armature=True)
    yield random_tree(rng, 30)
    yield zoo(rng)


@pytest.mark.parametrize('order', [0, 2, 6])
def test_regressor_times_parameters_is_the_forces_with_all_derivatives(order):
    rng = np.random.default_rng(order)
    for model in robots():
        q = random_motion(rng, model, order)
        Y, pi = regressor(model, q), inertial_parameters(model)
        assert Y.shape == (order + 1, model.n, len(pi)) and len(parameter_names(model)) == len(pi)
        close(Y @ pi, recursive.inverse_dynamics(model, q)[0], 1e-11)


@pytest.mark.parametrize('name', FIVE)
def test_regressor_of_public_robots(name):
    model = robot(name)
    q = random_motion(np.random.default_rng(0), model, 2)
    pi = inertial_parameters(model)
    assert pi.shape == (10 * len(model.bodies),)
    close(regressor(model, q) @ pi, recursive.inverse_dynamics(model, q)[0], 1e-11)


def test_free_base_has_ten_parameters_more_and_six_equations():
    rng = np.random.default_rng(2)
    model = random_tree(rng, 4, mimics=1, base='free', armature=True)
    q, base = random_motion(rng, model, 2), (random_pose(rng), rng.standard_normal((4, 6)))
    Y = regressor(model, q, base=base)
    pi = inertial_parameters(model)
    assert Y.shape == (3, 10, 10 * 6 + 4)
    close(Y @ pi, np.concatenate(recursive.inverse_dynamics(model, q, None, base), axis=1), 1e-11)
    assert parameter_names(model)[50] == 'base/m'
    close([with_inertial_parameters(model, pi).M_base], [model.M_base])


def test_regressor_agrees_with_pinocchio_up_to_its_order_of_the_tensor():
    from urdf_peer import UrdfPeer
    from urdf_peer import pin
    rng = np.random.default_rng(3)
    model = random_tree(rng, 7)
    q, peer = random_motion(rng, model, 0), UrdfPeer(model)
    theirs = pin.computeJointTorqueRegressor(peer.model, peer.data, *peer.vectors(*q)).reshape(7, 7, 10)
    # theirs: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    theirs = theirs[np.ix_(peer.its, peer.its, [0, 1, 2, 3, 4, 6, 9, 5, 7, 8])]
    close([regressor(model, q)[0]], [theirs.reshape(7, 70)], 1e-11)
    its = np.concatenate([inertia.toDynamicParameters()[[0, 1, 2, 3, 4, 6, 9, 5, 7, 8]]
                          for inertia in [peer.model.inertias[int(k) + 1] for k in peer.its]])
    close([inertial_parameters(model)], [its], 1e-11)


def test_parameters_of_a_urdf_with_fixed_links_are_pinocchios():
    from urdf_peer import pin
    text = random_urdf(np.random.default_rng(16), 6)
    model, peer = RobotModel.from_urdf(text), pin.buildModelFromXML(text)
    order = [list(peer.names).index(joint) for joint in model.joint_names]
    expected = [peer.inertias[k].toDynamicParameters()[[0, 1, 2, 3, 4, 6, 9, 5, 7, 8]] for k in order]
    close([inertial_parameters(model)], [np.concatenate(expected)], 1e-11)


def test_parameters_are_those_about_the_joint_frame_in_the_order_of_001():
    rng = np.random.default_rng(4)
    model = random_tree(rng, 3)
    pi = inertial_parameters(model).reshape(3, 10)
    for i in range(3):
        tensor = [model.tensors[i][at] for at in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        close([pi[i]], [[model.masses[i], *model.first_moments[i], *tensor]])                           # (9)
    assert parameter_names(model)[:10] == tuple(
        f'joint1/{name}' for name in ('m', 'mx', 'my', 'mz', 'Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz'))


def test_mimic_joints_bodies_come_after_those_of_the_joints():
    rng = np.random.default_rng(5)
    model = random_tree(rng, 4, mimics=3)
    names = [model.joints[i] for i in parameter_bodies(model)]
    assert tuple(names[:4]) == model.joint_names
    mimics = [joint for joint in model.joints if joint not in model.joint_names]
    assert names[4:] == mimics


def test_joint_order_of_the_caller_orders_the_blocks():
    model = robot('ur5_robot')
    turned = robot('ur5_robot', joints=list(model.joint_names[::-1]))
    expected = inertial_parameters(model).reshape(-1, 10)[::-1]
    close([inertial_parameters(turned)], [expected.ravel()])


def test_equations_8_to_12_momentum_is_linear_in_the_parameters():
    rng = np.random.default_rng(6)
    model = random_tree(rng, 1)
    pi, twist = inertial_parameters(model), rng.standard_normal(6)
    w, v = twist[:3], twist[3:]
    A = momentum_regressor(twist)
    close([A @ pi], [model.M[0] @ twist])                                                               # (8)
    close([A[3:]], [np.concatenate([v[:, None], lie.skew(w), np.zeros((3, 6))], axis=1)])               # (10)
    close([A[:3]], [np.concatenate([np.zeros((3, 1)), -lie.skew(v), tensor_regressor(w)], axis=1)])     # (11)
    a = w
    close([tensor_regressor(a)], [[                                                                     # (12)
        [a[0], 0, 0, a[1], a[2], 0], [0, a[1], 0, a[0], 0, a[2]], [0, 0, a[2], 0, a[0], a[1]]]])


def test_equation_13_derivatives_of_matrices_by_parameters():
    """M, C, g are linear in the parameters: those of a unit parameter are their derivatives by it."""
    rng = np.random.default_rng(7)
    model = random_tree(rng, 3)
    q = random_motion(rng, model, 0)
    k = jacobians(model, q)
    gamma_0 = np.concatenate([np.zeros(3), -model.gravity])
    for parameter in range(30):
        body, h = divmod(parameter, 10)
        D = dynamics_matrices(with_inertial_parameters(model, np.eye(30)[parameter]), q[:2])
        J, J_dot, adj = k.J[0, body], k.J[1, body], lie.ad(k.V[0, body])
        for j in range(3):
            A = momentum_regressor(J[:, j])
            close([D.M[0][:, j]], [J.T @ A[:, h]])                                                      # (13a)
            B = momentum_regressor(adj @ J[:, j] + J_dot[:, j])
            close([D.C[0][:, j]], [J.T @ (B[:, h] - adj.T @ A[:, h])])                                  # (13b)
        close([D.g[0]], [J.T @ momentum_regressor(k.U[0, body] @ gamma_0)[:, h]])                       # (13c)


@pytest.mark.parametrize('model', robots(), ids=lambda model: model.name)
def test_equation_13_with_time_derivatives_is_what_a_step_of_each_parameter_changes(model):
    """Linear in the parameters, the matrices change by the derivative itself: no step is too large."""
    q = random_motion(np.random.default_rng(17), model, 1)
    d, pi = parameter_derivatives(model, q), inertial_parameters(model)
    D = dynamics_matrices(model, q)
    for parameter in np.random.default_rng(18).permutation(len(pi))[:12]:
        pi_changed = pi.copy()
        pi_changed[parameter] += 1
        changed = dynamics_matrices(with_inertial_parameters(model, pi_changed), q)
        scale = max(np.abs(matrix).max() for matrix in (changed.M, changed.C, changed.g))
        for ours, after, before in ((d.M_pi, changed.M, D.M), (d.C_pi, changed.C, D.C), (d.g_pi, changed.g, D.g)):
            assert np.abs(ours[..., parameter] - (after - before)).max() < 1e-11 * scale
    Y = product(d.M_pi.transpose(0, 3, 1, 2), q[2:, None], apply, 2) + product(d.C_pi.transpose(0, 3, 1, 2), q[1:, None], apply, 2)
    close([Y.transpose(0, 2, 1) + d.g_pi[:2]], [regressor(model, q)])


def test_equation_13_of_a_free_base():
    rng = np.random.default_rng(19)
    model = random_tree(rng, 4, base='free')
    q, base = random_motion(rng, model, 0)[:2], (random_pose(rng), rng.standard_normal((1, 6)))
    d, pi, D = parameter_derivatives(model, q, base=base), inertial_parameters(model), dynamics_matrices(model, q, base=base)
    close([d.M_pi @ pi, d.C_pi @ pi], [D.M, D.C])
    close([d.g_pi @ pi], [D.g])


def test_equation_14_columns_of_the_mass_matrix_as_sums_over_bodies():
    rng = np.random.default_rng(8)
    model = random_tree(rng, 4)
    q = random_motion(rng, model, 0)
    J, pi = jacobians(model, q).J[0], inertial_parameters(model).reshape(-1, 10)
    M = dynamics_matrices(model, q).M[0]
    for j in range(4):
        close([M[:, j]], [sum(J[i].T @ model.M[i] @ J[i][:, j] for i in range(4))])
        close([M[:, j]], [sum(J[i].T @ momentum_regressor(J[i][:, j]) @ pi[i] for i in range(4))])


@pytest.mark.parametrize('order', [0, 3])
def test_equations_15_and_16_slotine_li_regressor_with_all_derivatives(order):
    rng = np.random.default_rng(9)
    for model in robots():
        q, reference = random_motion(rng, model, order)[:-1], rng.standard_normal((order + 2, model.n))
        D = dynamics_matrices(model, q)
        expected = product(D.M, reference[1:], apply) + product(D.C, reference[:-1], apply) + D.g
        close(slotine_li_regressor(model, q, reference) @ inertial_parameters(model), expected, 1e-11)


def test_slotine_li_regressor_of_a_free_base():
    rng = np.random.default_rng(15)
    model = random_tree(rng, 4, base='free', armature=True)
    q, base = random_motion(rng, model, 2)[:-1], (random_pose(rng), rng.standard_normal((3, 6)))
    reference = rng.standard_normal((4, 10))
    D = dynamics_matrices(model, q, base=base)
    expected = product(D.M, reference[1:], apply) + product(D.C, reference[:-1], apply) + D.g
    Y = slotine_li_regressor(model, q, reference, base=base)
    close(Y @ inertial_parameters(model), expected, 1e-11)


def test_equation_16_block_by_block():
    rng = np.random.default_rng(10)
    model = random_tree(rng, 4)
    q, reference = random_motion(rng, model, 0), rng.standard_normal((2, 4))
    Y, k = slotine_li_regressor(model, q, reference)[0], jacobians(model, q)
    for i in range(4):
        J, J_dot, adj = k.J[0, i], k.J[1, i], lie.ad(k.V[0, i])
        alpha = J @ reference[1] + adj @ J @ reference[0] + J_dot @ reference[0] + k.gamma[0, i]
        expected = J.T @ (momentum_regressor(alpha) - adj.T @ momentum_regressor(J @ reference[0]))
        close([Y[:, 10 * i:10 * i + 10]], [expected])


def test_slotine_li_regressor_of_the_motion_itself_is_the_regressor():
    rng = np.random.default_rng(11)
    for model in robots():
        q = random_motion(rng, model, 2)
        close(slotine_li_regressor(model, q, q[1:]), regressor(model, q), 1e-12)


def test_time_derivatives_are_those_of_the_regressor_itself():
    rng = np.random.default_rng(12)
    model = random_tree(rng, 2, mimics=1)
    q = random_motion(rng, model, 3)
    expected = time_derivatives(lambda q: regressor(model, q[:3])[0], q, 4)
    close(regressor(model, q), expected, 1e-11)


def test_model_from_changed_parameters():
    rng = np.random.default_rng(13)
    for model in robots():
        pi = inertial_parameters(model)
        same = with_inertial_parameters(model, pi)
        close([same.M.ravel(), same.M_base.ravel()][:1], [model.M.ravel()])
        changed = pi * rng.uniform(0.5, 2, pi.shape)
        other = with_inertial_parameters(model, changed)
        close([inertial_parameters(other)], [changed])
        q = random_motion(rng, model, 1)
        close(recursive.inverse_dynamics(other, q)[0], regressor(model, q) @ changed, 1e-11)


def test_rotor_inertias_follow_the_bodies_where_there_are_any():
    rng = np.random.default_rng(14)
    model = random_tree(rng, 3).replace(armature=[0.0, 0.3, 0.2])
    assert parameter_names(model)[30:] == ('joint2/armature', 'joint3/armature')
    close([inertial_parameters(model)[30:]], [[0.3, 0.2]])
    q = random_motion(rng, model, 1)
    close(regressor(model, q)[1][:, 30:], [[0, 0], [q[3, 1], 0], [0, q[3, 2]]])


def test_wrong_arguments_are_refused():
    model = random_tree(np.random.default_rng(0), 2, kinds=('revolute',))
    with pytest.raises(InputError, match='3 rows or more of 2 columns'):
        regressor(model, np.zeros((2, 2)))
    with pytest.raises(InputError, match='regressor is too large'):
        regressor(model, np.full((4, 2), 1e200))
    with pytest.raises(InputError, match='reference has the shape'):
        slotine_li_regressor(model, np.zeros((2, 2)), np.zeros((1, 2)))
    with pytest.raises(InputError, match='parameters has the shape'):
        with_inertial_parameters(model, np.zeros(19))
    with pytest.raises(InputError, match='joint1/my'):
        with_inertial_parameters(model, np.where(np.arange(20) == 2, np.nan, 1.0))


@pytest.mark.parametrize('base', ['fixed', 'free'])
def test_a_batch_of_regressors_is_that_of_its_samples(base):
    rng = np.random.default_rng(21)
    model = random_tree(rng, 4, base=base)
    q = rng.standard_normal((3, 5, 4))
    moving = {} if base == 'fixed' else {'base': (np.eye(4), rng.standard_normal((3, 4, 6)))}
    together = regressor(model, q, **moving)
    assert together.shape == (3, 3, 4 + 6 * (base == 'free'), len(inertial_parameters(model)))
    for i in range(3):
        alone = {} if base == 'fixed' else {'base': (np.eye(4), moving['base'][1][i])}
        close(together[i], regressor(model, q[i], **alone), 1e-13)
    if base == 'fixed':
        assert regressor(model, q[:0]).shape == (0, *together.shape[1:])
