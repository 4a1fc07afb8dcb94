# SPDX-License-Identifier: Apache-2.0
"""Paper 001: M, C, g, their time derivatives and the iterative algorithm, against Pinocchio, recursion, differences."""

import mpmath
import numpy as np
import pytest
from closeness import close
from exact_differences import time_derivatives
from high_precision import multiprecision
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import robot
from urdf_peer import UrdfPeer
from urdf_peer import mirrored
from urdf_peer import pin

from hod_ros import InputError
from hod_ros import dynamics_matrices
from hod_ros import inverse_dynamics
from hod_ros import net_wrenches
from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.matrices import body_inertias
from hod_ros.dynamics.matrices import coriolis_blocks
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import joints

pytestmark = pytest.mark.telling


def models():
    rng = np.random.default_rng(8)
    yield random_tree(rng, 1, armature=True)
    yield random_tree(rng, 8, mimics=3, kinds=('revolute', 'prismatic', 'helical'), armature=True)
    yield random_tree(rng, 30, mimics=2)
    yield zoo(rng)


def random_base(rng, rows):
    return random_pose(rng), rng.standard_normal((rows, 6))


@pytest.mark.parametrize('joint_count', [2, 7, 30])
def test_matrices_agree_with_pinocchio(joint_count):
    rng = np.random.default_rng(joint_count)
    model = random_tree(rng, joint_count)
    peer, q = UrdfPeer(model), random_motion(rng, model, 0)
    D = dynamics_matrices(model, q[:2])
    x, v = peer.vectors(q[0], q[1])
    close([D.M[0]], [peer.matrix(mirrored(pin.crba(peer.model, peer.data, x)))], 1e-11)
    close([D.g[0]], [peer.vector(pin.computeGeneralizedGravity(peer.model, peer.data, x))], 1e-11)
    close([D.C[0] @ q[1]], [peer.vector(pin.computeCoriolisMatrix(peer.model, peer.data, x, v) @ v)], 1e-11)


@pytest.mark.parametrize('order', [0, 2, 6])
def test_equation_5_and_its_time_derivatives_give_the_forces(order):
    rng = np.random.default_rng(order)
    for model in models():
        q = random_motion(rng, model, order)
        D = dynamics_matrices(model, q[:-1])
        Q = product(D.M, q[2:], apply) + product(D.C, q[1:-1], apply) + D.g
        close(Q, recursive.inverse_dynamics(model, q)[0], 1e-11)


def test_free_base_adds_its_six_rates_after_the_joints():
    rng = np.random.default_rng(4)
    model = random_tree(rng, 6, base='free', armature=True)
    q, base = random_motion(rng, model, 3), random_base(rng, 5)
    D = dynamics_matrices(model, q[:-1], base=base)
    rates = np.concatenate([q[1:], base[1]], axis=1)
    Q = product(D.M, rates[1:], apply) + product(D.C, rates[:-1], apply) + D.g
    close(Q, np.concatenate(recursive.inverse_dynamics(model, q, None, base), axis=1), 1e-11)
    close(D.M[1:], D.C[:-1] + np.swapaxes(D.C[:-1], -1, -2))


def test_remark_5_mass_matrix_rate_less_twice_coriolis_is_skew_with_all_derivatives():
    rng = np.random.default_rng(5)
    for model in models():
        D = dynamics_matrices(model, random_motion(rng, model, 3))
        skew = D.M[1:] - 2 * D.C[:-1]
        size = np.abs(D.M[1:]).max((1, 2))[:, None, None] + 1e-300
        assert np.abs((skew + np.swapaxes(skew, -1, -2)) / size).max() < 1e-12
        close(D.M, np.swapaxes(D.M, -1, -2))
        assert np.linalg.eigvalsh(D.M[0]).min() > 0


@pytest.mark.parametrize('quantity', ['M', 'C', 'g'])
def test_time_derivatives_are_those_of_the_matrices_themselves(quantity):
    rng = np.random.default_rng(6)
    model = random_tree(rng, 3, mimics=1)
    q = random_motion(rng, model, 2)
    expected = time_derivatives(lambda q: getattr(dynamics_matrices(model, q[:2]), quantity)[0], q, 4)
    close(getattr(dynamics_matrices(model, q), quantity), expected, 1e-11)


class Bodies:
    """Each body's matrices under 001's symbols, from one evaluation."""

    def __init__(self, model, q):
        self.model, self.q = model, q
        k = self.kinematics = jacobians(model, q)
        self.J, self.V, self.U, self.gamma = k.J[:, :-1], k.V[:, :-1], k.U[:, :-1], k.gamma[:, :-1]
        self.Lambda = model.M
        self.Ad, self.ad_xi, self.Xi = k.Ad, k.ad_xi, k.Xi
        self.adj = lie.ad(self.V)
        self.Psi = coriolis_blocks(self.Lambda, self.V)
        self.gamma_0 = np.concatenate([np.zeros(3), -model.gravity])


@pytest.fixture(scope='module', params=['screws', 'axes'])
def bodies(request):
    rng = np.random.default_rng(7)
    model = random_tree(rng, 6, mimics=1) if request.param == 'screws' else zoo(rng)
    return Bodies(model, random_motion(rng, model, 2))


def test_equations_1_to_3_newton_euler_of_a_body():
    """The spatial momentum's rate is the wrench that (2) and (3) give, carried to the world frame."""
    rng = np.random.default_rng(9)
    model = random_tree(rng, 2)
    q = random_motion(rng, model, 1)

    def momentum(q):
        k = jacobians(model, q[:2])
        return (np.swapaxes(k.U[0, 1], 0, 1) @ (model.M[1] @ k.V[0, 1])).reshape(-1)

    b = Bodies(model, q)
    V, V_dot, M, adj = b.V[0, 1], b.V[1, 1], model.M[1], b.adj[0, 1]
    f = M @ V_dot - adj.T @ M @ V                                                       # (2)
    close([f], [M @ V_dot + b.Psi[0, 1] @ V])                                           # (3)
    close([b.U[0, 1].T @ f], [time_derivatives(momentum, q, 2)[1]])                     # (1)
    close([b.U[1, 1]], [-adj @ b.U[0, 1]])
    close([net_wrenches(model, q)[0, 1]], [f])


def test_net_wrenches_are_what_bodies_pass_on_less_their_weight():
    """J^T f, summed over the bodies and differentiated, is Q without gravity; a free base's are the rates of its momentum too."""
    rng = np.random.default_rng(22)
    for base in ('fixed', 'free'):
        model = random_tree(rng, 5, base=base, gravity=(0, 0, 0), mimics=1)
        q, pose = random_motion(rng, model, 2), (random_pose(rng), rng.standard_normal((4, 6)))
        given = {'base': pose} if base == 'free' else {}
        Q = inverse_dynamics(model, q, **given)
        k = jacobians(model, q, pose if base == 'free' else None)
        projected = product(np.swapaxes(k.J, -1, -2), net_wrenches(model, q, **given), apply).sum(axis=1)
        close([projected[:, :model.n]], [Q[0] if base == 'free' else Q])
        if base == 'free':
            close([projected[:, model.n:]], [Q[1]])


def test_equation_4_projection_of_all_bodies(bodies):
    b = bodies
    J, J_dot = b.J[0].reshape(-1, b.model.n), b.J[1].reshape(-1, b.model.n)
    blocks = [np.zeros((6 * len(b.Lambda),) * 2) for _ in range(2)]
    for i in range(len(b.Lambda)):
        at = slice(6 * i, 6 * i + 6)
        blocks[0][at, at], blocks[1][at, at] = b.Lambda[i], b.Psi[0, i]
    Lambda, Psi = blocks
    tau = J.T @ (Lambda @ J @ b.q[2] + (Psi @ J + Lambda @ J_dot) @ b.q[1]) + J.T @ Lambda @ b.gamma[0].ravel()
    close([tau], [recursive.inverse_dynamics(b.model, b.q)[0][0]])


def test_equation_6_matrices_as_sums_over_bodies(bodies):
    b = bodies
    D = dynamics_matrices(b.model, b.q)
    J, J_dot = b.J[0], b.J[1]
    each = range(len(b.Lambda))
    M = sum(J[k].T @ b.Lambda[k] @ J[k] for k in each)
    C = sum(
        J[k].T @ ((b.Lambda[k] @ b.adj[0, k] - b.adj[0, k].T @ b.Lambda[k]) @ J[k] + b.Lambda[k] @ J_dot[k])
        for k in each)
    g = sum(J[k].T @ b.Lambda[k] @ b.U[0, k] @ b.gamma_0 for k in each)
    close([D.M[0] - np.diag(b.model.armature), D.C[0]], [M, C])
    close([D.g[0]], [g])


def test_equation_25_first_time_derivatives_as_sums_over_bodies(bodies):
    b = bodies
    D = dynamics_matrices(b.model, b.q)
    J, J_dot, J_ddot = b.J[:3]
    each = range(len(b.Lambda))
    M = sum(J_dot[k].T @ b.Lambda[k] @ J[k] + J[k].T @ b.Lambda[k] @ J_dot[k] for k in each)
    C = sum(
        J_dot[k].T @ (b.Psi[0, k] @ J[k] + b.Lambda[k] @ J_dot[k]) + J[k].T @ b.Lambda[k] @ J_ddot[k]
        + J[k].T @ ((b.Lambda[k] @ b.adj[1, k] - b.adj[1, k].T @ b.Lambda[k]) @ J[k] + b.Psi[0, k] @ J_dot[k])
        for k in each)
    g = sum(
        (J_dot[k].T @ b.Lambda[k] - J[k].T @ b.Lambda[k] @ b.adj[0, k]) @ b.U[0, k] @ b.gamma_0 for k in each)
    close([D.M[1], D.C[1]], [M, C])
    close([D.g[1]], [g])


def test_equations_26_to_29_iterative_algorithm(bodies):
    b = bodies
    J, V = b.kinematics.J, b.kinematics.V
    xi = joints.joint_twists(b.model, b.q)
    for k, p in enumerate(b.model.parent):
        Ad, adj_p = b.Ad[0, k], lie.ad(xi[:, k])
        close([V[0, k]], [Ad @ V[0, p] + xi[0, k]])                                     # (26)
        close([xi[0, k]], [b.Xi[k] @ b.q[1]])
        close([J[0, k]], [Ad @ J[0, p] + b.Xi[k]])                                      # (27)
        close([J[1, k]], [Ad @ J[1, p] - adj_p[0] @ Ad @ J[0, p]])                      # (28)
        # (29), its last term with Ad J_p differentiated: adj (Ad J_p)' = adj J_k'
        close([J[2, k]], [
            Ad @ J[2, p] - adj_p[0] @ Ad @ J[1, p] - adj_p[1] @ Ad @ J[0, p] - adj_p[0] @ J[1, k]])


def test_higher_derivatives_of_jacobians_are_those_of_the_jacobians_themselves():
    rng = np.random.default_rng(10)
    model = random_tree(rng, 4, mimics=1)
    q = random_motion(rng, model, 2)
    close(jacobians(model, q).J, time_derivatives(lambda q: jacobians(model, q[:1]).J[0], q, 5), 1e-11)


def test_matrices_take_multiprecision_numbers():
    rng = np.random.default_rng(11)
    model = random_tree(rng, 3)
    q = random_motion(rng, model, 0)
    exact = dynamics_matrices(model, multiprecision(q))
    assert isinstance(exact.M[0, 0, 0], mpmath.mpf)
    close(exact.C.astype(float), dynamics_matrices(model, q).C)


def test_rotor_inertia_stands_on_the_mass_matrix_diagonal_only():
    rng = np.random.default_rng(12)
    model = random_tree(rng, 4, armature=True)
    q = random_motion(rng, model, 0)
    bare, full = dynamics_matrices(model.replace(armature=None), q), dynamics_matrices(model, q)
    close([full.M[0]], [bare.M[0] + np.diag(model.armature)])
    assert np.array_equal(full.M[1], bare.M[1])
    assert np.array_equal(full.C, bare.C)


def test_a_robot_without_moving_joints_has_empty_matrices():
    model = robot('quadrotor_base')
    D = dynamics_matrices(model, np.zeros((3, 0)))
    assert D.M.shape == (2, 0, 0) and D.g.shape == (2, 0)
    free = robot('quadrotor_base', base='free')
    D = dynamics_matrices(free, np.zeros((2, 0)), base=(np.eye(4), np.zeros((1, 6))))
    close([D.M[0]], [free.M_base])
    with pytest.raises(InputError, match='has a free base'):
        dynamics_matrices(free, np.zeros((2, 0)))


def test_bad_motions_are_refused():
    model = random_tree(np.random.default_rng(0), 2)
    with pytest.raises(InputError, match=r'q has the shape \(1, 2\), but needs 2 rows'):
        dynamics_matrices(model, np.zeros((1, 2)))
    with pytest.raises(InputError, match="q is inf in row 1 of 'joint2'"):
        dynamics_matrices(model, [[0, 0], [0, np.inf]])
    with pytest.raises(InputError, match='q holds None, which is no real number'):
        dynamics_matrices(model, [[0, 0], [0, None]])
    with pytest.raises(InputError, match='not an array of numbers but of complex128'):
        dynamics_matrices(model, [[0, 0], [0, 1j]])
    with pytest.raises(InputError, match='rows of equal length'):
        dynamics_matrices(model, [[0, 0], [0]])
    with pytest.raises(InputError, match='dynamic matrix is too large'):
        dynamics_matrices(robot('our_panda'), np.full((4, 7), 1e200))
    assert body_inertias(model).shape == (3, 6, 6)
