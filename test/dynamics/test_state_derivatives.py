# SPDX-License-Identifier: Apache-2.0
"""Paper 001, section IV: derivatives by the state, against Pinocchio and exact differences, equation by equation."""

import mpmath
import numpy as np
import pytest
from closeness import close
from exact_differences import derivative_along
from high_precision import multiprecision
from joint_zoo import zoo
from random_trees import random_inertia
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from random_trees import urdf_of
from robots import FIVE
from robots import robot
from robots import robot_text
from urdf_peer import UrdfPeer
from urdf_peer import mirrored
from urdf_peer import pin

from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import RobotModel
from hod_ros import SingularityError
from hod_ros import body_wrenches
from hod_ros import coordinate_rates
from hod_ros import dynamics_matrices
from hod_ros import forward_dynamics
from hod_ros import forward_dynamics_derivatives
from hod_ros import inverse_dynamics_derivatives
from hod_ros import matrix_derivatives
from hod_ros.algebra import lie
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import FRAMES
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.kinematics.jacobians import state_jacobians
from hod_ros.model import screws
from hod_ros.model.joints import moved_coordinates


@pytest.mark.parametrize('joint_count', [2, 7, 30])
def test_derivatives_of_inverse_dynamics_agree_with_pinocchio(joint_count):
    rng = np.random.default_rng(joint_count)
    model = random_tree(rng, joint_count, armature=True)
    peer, q = UrdfPeer(model), random_motion(rng, model, 0)
    peer.model.armature = model.armature[peer.ours]
    ours = inverse_dynamics_derivatives(model, q)
    pin.computeRNEADerivatives(peer.model, peer.data, *peer.vectors(*q))
    close([ours.q], [peer.matrix(peer.data.dtau_dq)], 1e-11)
    close([ours.dq], [peer.matrix(peer.data.dtau_dv)], 1e-11)
    close([ours.ddq], [peer.matrix(mirrored(peer.data.M))], 1e-11)


@pytest.mark.parametrize('name', FIVE)
def test_derivatives_of_public_robots_agree_with_pinocchio(name):
    """Pinocchio moves mimic joints by themselves; coupling^T (its derivatives) coupling is the coupled robot's."""
    model = robot(name)
    peer = pin.buildModelFromXML(robot_text(name).decode())
    peer.armature = np.zeros(peer.nv)
    data = peer.createData()
    body = [model.joints.index(joint) for joint in list(peer.names)[1:]]
    coupling = np.zeros((peer.nv, model.n))
    coupling[np.arange(peer.nv), model.coordinate[body]] = model.multiplier[body]
    q = random_motion(np.random.default_rng(3), model, 0)
    x, v, a = q @ coupling.T
    x = pin.integrate(peer, pin.neutral(peer), x + model.offset[body])
    pin.computeRNEADerivatives(peer, data, x, v, a)
    ours = inverse_dynamics_derivatives(model, q)
    rotors = np.diag(model.armature)
    close([ours.q], [coupling.T @ data.dtau_dq @ coupling], 1e-11)
    close([ours.dq], [coupling.T @ data.dtau_dv @ coupling], 1e-11)
    close([ours.ddq - rotors], [coupling.T @ mirrored(data.M) @ coupling], 1e-11)


@pytest.mark.parametrize('joint_count', [2, 7, 30])
def test_derivatives_of_forward_dynamics_agree_with_pinocchio(joint_count):
    rng = np.random.default_rng(joint_count)
    model = random_tree(rng, joint_count)
    peer, q, Q = UrdfPeer(model), random_motion(rng, model, 0), rng.standard_normal(joint_count)
    pin.computeABADerivatives(peer.model, peer.data, *peer.vectors(q[0], q[1], Q))
    ours = forward_dynamics_derivatives(model, q[:2], Q)
    close([ours.q], [peer.matrix(peer.data.ddq_dq)], 1e-10)
    close([ours.dq], [peer.matrix(peer.data.ddq_dv)], 1e-10)
    close([ours.Q], [peer.matrix(mirrored(peer.data.Minv))], 1e-10)


def test_free_base_derivatives_agree_with_pinocchio_along_the_bases_own_axes():
    rng = np.random.default_rng(5)
    model = random_tree(rng, 5, base='free')
    q, pose, twists = random_motion(rng, model, 0), random_pose(rng), rng.standard_normal((2, 6))
    fixed = UrdfPeer(model)
    peer = pin.buildModelFromXML(urdf_of(model), pin.JointModelFreeFlyer())
    data = peer.createData()
    swap = np.roll(np.arange(6), 3)
    x = np.concatenate([pin.SE3ToXYZQUAT(pin.SE3(pose)), q[0][fixed.ours]])
    v, a = (np.concatenate([twists[k][swap], q[k + 1][fixed.ours]]) for k in (0, 1))
    pin.computeRNEADerivatives(peer, data, x, v, a)
    at = np.concatenate([6 + fixed.its, swap])
    ours = inverse_dynamics_derivatives(model, q, base=(pose, twists))
    close([ours.q], [data.dtau_dq[np.ix_(at, at)]], 1e-11)
    close([ours.dq], [data.dtau_dv[np.ix_(at, at)]], 1e-11)


def spherical_arm(rng):
    kinds = [screws.spherical(), screws.revolute(rng.standard_normal(3)), screws.spherical()]
    return RobotModel.from_screws(
        kinds, [random_pose(rng) for _ in kinds], [random_inertia(rng) for _ in kinds], representation='body')


def test_spherical_joints_derivatives_agree_with_pinocchio():
    rng = np.random.default_rng(6)
    model = spherical_arm(rng)
    q = random_motion(rng, model, 0)
    peer = pin.Model()
    peer.gravity.linear = model.gravity
    for i in range(3):
        joint = pin.JointModelRevoluteUnaligned(model.X[3, :3]) if i == 1 else pin.JointModelSpherical()
        index = peer.addJoint(i, joint, pin.SE3(model.B[i]), f'j{i}')
        M = model.M[i]
        c = np.array([M[2, 4], M[0, 5], M[1, 3]]) / M[3, 3]
        peer.appendBodyToJoint(
            index, pin.Inertia(M[3, 3], c, M[:3, :3] + M[3, 3] * pin.skew(c) @ pin.skew(c)), pin.SE3.Identity())
    data = peer.createData()
    x = np.concatenate([
        pin.Quaternion(pin.exp3(q[0, :3])).coeffs(), q[0, 3:4], pin.Quaternion(pin.exp3(q[0, 4:])).coeffs()])
    pin.computeRNEADerivatives(peer, data, x, q[1], q[2])
    ours = inverse_dynamics_derivatives(model, q)
    close([ours.q], [data.dtau_dq], 1e-11)
    close([ours.dq], [data.dtau_dv], 1e-11)


@pytest.mark.parametrize('frame', FRAMES)
def test_free_base_with_loads_inverts_between_forces_and_accelerations(frame):
    rng = np.random.default_rng(17)
    model = random_tree(rng, 4, base='free')
    q, Q = random_motion(rng, model, 0)[:2], rng.standard_normal(4)
    pose, twist = random_pose(rng), rng.standard_normal(6)
    wrenches = {'link3': LinkWrench(rng.standard_normal((1, 6)), frame)}
    driving = rng.standard_normal(6)
    ours = forward_dynamics_derivatives(model, q, Q, wrenches=wrenches, base=(pose, twist), base_wrench=driving)

    def accelerations(x, rates, forces):
        """At coordinates that moved by x: the base's by exp along its own axes."""
        moved = (pose @ lie.exp_twist(x[4:]), rates[4:])
        out = forward_dynamics(model, np.stack([q[0] + x[:4], rates[:4]]), forces[None, :4], wrenches=wrenches,
                               base=moved, base_wrench=forces[None, 4:])
        return np.concatenate([out[0][0], out[1][0]])

    start = [np.zeros(10), np.concatenate([q[1], twist]), np.concatenate([Q, driving])]
    step = 1e-5
    for k, name in enumerate(('q', 'dq', 'Q')):
        columns = []
        for h in range(10):
            sides = []
            for sign in (1, -1):
                at = [part.copy() for part in start]
                at[k][h] += sign * step
                sides.append(accelerations(*at))
            columns.append((sides[0] - sides[1]) / (2 * step))
        close([getattr(ours, name)], [np.stack(columns, axis=1)], 1e-7)


def robots():
    rng = np.random.default_rng(7)
    yield random_tree(rng, 6, mimics=2, kinds=('revolute', 'prismatic', 'helical'), armature=True)
    yield zoo(rng)


def test_derivatives_of_matrices_combine_to_those_of_the_forces():
    rng = np.random.default_rng(8)
    for model in robots():
        q = random_motion(rng, model, 0)
        D, by = dynamics_matrices(model, q), matrix_derivatives(model, q)
        forces = inverse_dynamics_derivatives(model, q)
        close([forces.q], [np.einsum('ijh,j->ih', by.M_q, q[2]) + np.einsum('ijh,j->ih', by.C_q, q[1]) + by.g_q], 1e-12)
        close([forces.dq], [D.C[0] + np.einsum('ijh,j->ih', by.C_dq, q[1])], 1e-12)
        close([forces.ddq], [D.M[0]])
        # the chain rule: M' = sum_h dM/dq_h q_h', and so on
        close([D.M[1]], [by.M_q @ q[1]])
        close([D.C[1]], [by.C_q @ q[1] + by.C_dq @ q[2]])
        close([D.g[1]], [by.g_q @ q[1]])


@pytest.mark.parametrize('h', range(4))
def test_equation_24_derivatives_of_matrices_are_those_of_the_matrices_themselves(h):
    rng = np.random.default_rng(9)
    model = random_tree(rng, 4, mimics=1)
    q = random_motion(rng, model, 0)[:2]
    by = matrix_derivatives(model, q)
    along = np.zeros((2, 2, 4))
    along[0, 0, h] = along[1, 1, h] = 1

    def of(name, direction):
        return derivative_along(lambda q: getattr(dynamics_matrices(model, q), name)[0], q, direction)

    close([by.M_q[..., h]], [of('M', along[0])], 1e-11)         # (24a)
    close([by.C_q[..., h]], [of('C', along[0])], 1e-11)         # (24b)
    close([by.C_dq[..., h]], [of('C', along[1])], 1e-11)        # (24c)
    close([by.g_q[..., h]], [of('g', along[0])], 1e-11)         # (24d)


def test_equation_24_as_sums_over_bodies():
    rng = np.random.default_rng(10)
    for model in robots():
        q = random_motion(rng, model, 0)
        by, k = matrix_derivatives(model, q), jacobians(model, q)
        dk = state_jacobians(model, k)
        gamma_0 = np.concatenate([np.zeros(3), -model.gravity])
        for h in range(model.n):
            M_q, C_q, C_dq, g_q = 0, 0, 0, 0
            for i, L in enumerate(model.M):
                J, J_dot, V, U = k.J[0, i], k.J[1, i], k.V[0, i], k.U[0, i]
                dJ, dJ_dot = dk.J[i, h], dk.J_dot[i, h]
                psi = L @ lie.ad(V) - lie.ad(V).T @ L
                turned = lie.ad(dJ @ q[1])
                column = lie.ad(J[:, h])
                M_q = M_q + dJ.T @ L @ J + J.T @ L @ dJ
                C_q = C_q + dJ.T @ (psi @ J + L @ J_dot) + J.T @ L @ dJ_dot
                C_q = C_q + J.T @ ((L @ turned - turned.T @ L) @ J + psi @ dJ)
                C_dq = C_dq + J.T @ ((L @ column - column.T @ L) @ J + L @ dJ)
                g_q = g_q + (dJ.T @ L - J.T @ L @ column) @ U @ gamma_0
            close([by.M_q[..., h], by.C_q[..., h], by.C_dq[..., h]], [M_q, C_q, C_dq])
            close([by.g_q[:, h]], [g_q])


def test_equations_17_to_23_adjoint_matrices_by_state():
    rng = np.random.default_rng(11)
    W = np.concatenate([lie.ad(np.eye(6))[:, :, j].T for j in range(6)], axis=1)        # W blkdiag(v) = ad(v)

    def blkdiag(v):
        return np.kron(np.eye(6), v[:, None])

    v = rng.standard_normal(6)
    close([W @ blkdiag(v)], [lie.ad(v)])                                                # (17)
    model = random_tree(rng, 3)
    q = random_motion(rng, model, 0)
    k = jacobians(model, q)
    dk = state_jacobians(model, k)
    for i in range(3):
        J, V, U = k.J[0, i], k.V[0, i], k.U[0, i]
        close([k.U[1, i]], [-lie.ad(V) @ U])                                            # (21)
        close([lie.ad(V)], [sum(W @ blkdiag(J[:, h]) * q[1, h] for h in range(3))])     # (22)
        for h in range(3):
            along = np.zeros((2, 2, 3))
            along[0, 0, h] = along[1, 1, h] = 1
            U_h = derivative_along(lambda q, i=i: jacobians(model, q[:1]).U[0, i], q[:2], along[0])
            close([U_h], [-lie.ad(J[:, h]) @ U])                                        # (18)
            close([U_h], [-W @ blkdiag(J[:, h]) @ U])                                   # (23)
            adj_by = [derivative_along(lambda q, i=i: lie.ad(jacobians(model, q).V[0, i]), q[:2], d) for d in along]
            close([adj_by[0]], [lie.ad(dk.J[i, h] @ q[1])])                             # (20)
            close([adj_by[1]], [lie.ad(J[:, h])])                                       # (19)


def test_equations_30_to_32_jacobians_by_state():
    rng = np.random.default_rng(12)
    model = random_tree(rng, 4, mimics=1)
    q = random_motion(rng, model, 0)[:2]
    k = jacobians(model, q)
    dk = state_jacobians(model, k)
    for h in range(4):
        along = np.zeros((2, 2, 4))
        along[0, 0, h] = along[1, 1, h] = 1
        J_q, J_dot_q = (derivative_along(lambda q, r=r: jacobians(model, q).J[r], q, along[0]) for r in (0, 1))
        J_dot_dq = derivative_along(lambda q: jacobians(model, q).J[1], q, along[1])
        close([dk.J[:, h]], [J_q])
        close([dk.J_dot[:, h]], [J_dot_q])
        close([J_dot_dq], [dk.J[:, h]])                                                                 # (30)
        for i, p in enumerate(model.parent):
            Ad, adj_Xi, adj = k.Ad[0, i], lie.ad(k.Xi[i][:, h]), k.ad_xi[0, i]
            close([dk.J[i, h]], [Ad @ dk.J[p, h] - adj_Xi @ Ad @ k.J[0, p]])                            # (31)
            close([dk.J_dot[i, h]], [
                Ad @ dk.J_dot[p, h] - adj_Xi @ Ad @ k.J[1, p] - adj @ dk.J[i, h]])                      # (32)


def test_equation_33_quasi_velocities_of_a_spherical_joint():
    """The derivative by canonical coordinates x, times Gamma with x' = Gamma w, is that along the joint's axes."""
    rng = np.random.default_rng(13)
    model = spherical_arm(rng)
    q = random_motion(rng, model, 0)
    x = q[0, :3]
    angle, E = np.linalg.norm(x), lie.skew(x)
    right = np.eye(3) - (1 - np.cos(angle)) / angle**2 * E + (angle - np.sin(angle)) / angle**3 * E @ E
    Gamma = np.linalg.inv(right)
    close([coordinate_rates(model, q[0])[:3, :3]], [Gamma])
    by_x = np.stack([
        derivative_along(lambda q: jacobians(model, q).J[0], q[:1], np.eye(1, model.n, j)) for j in range(3)], axis=1)
    expected = np.einsum('kjin,jh->khin', by_x, Gamma)
    by_axes = state_jacobians(model, jacobians(model, q)).J[:, :3]
    close([by_axes], [expected])
    J_dot_by_rates = np.stack([
        derivative_along(lambda q: jacobians(model, q).J[1], q[:2], np.eye(2 * model.n)[model.n + h].reshape(2, -1))
        for h in range(3)], axis=1)
    close([J_dot_by_rates], [expected])


def test_coordinate_rates_of_every_kind_of_joint_move_the_poses_as_the_rates_say():
    """With w held, poses after a short time are those of the coordinates q + Gamma w t."""
    rng = np.random.default_rng(20)
    model = zoo(rng)
    q, w, step = rng.uniform(-1, 1, model.n), rng.uniform(-1, 1, model.n), 1e-6
    ahead, behind = (moved_coordinates(model, q, sign * step * w) for sign in (1, -1))
    expected = (ahead - behind) / (2 * step)
    assert np.abs(coordinate_rates(model, q) @ w - expected).max() < 1e-8 * np.abs(expected).max()
    assert np.abs(expected - w).max() > 0.01


def test_a_ball_joint_turned_once_has_no_coordinate_rates():
    model = spherical_arm(np.random.default_rng(13))
    with pytest.raises(SingularityError, match='have no rates at .* multiple of 2 pi'):
        coordinate_rates(model, np.array([2 * np.pi, 0, 0, *np.zeros(model.n - 3)]))


@pytest.mark.parametrize('frame', FRAMES)
def test_loads_are_held_in_their_own_frames(frame):
    rng = np.random.default_rng(14)
    model = random_tree(rng, 5, shape='chain', kinds=('revolute',))
    model = model.replace(links=dict(model.links) | {'tool': (4, random_pose(rng))})
    q, w = random_motion(rng, model, 0), rng.standard_normal((1, 6))
    wrenches = {'tool': LinkWrench(w, frame), 'link3': w}

    def forces(q):
        exact = {name: LinkWrench(load.values.astype(object), load.frame) if isinstance(load, LinkWrench) else load
                 for name, load in wrenches.items()}
        return recursive.inverse_dynamics(model, q, body_wrenches(model, q, exact))[0][0]

    ours = inverse_dynamics_derivatives(model, q, wrenches=wrenches)
    for name, row in (('q', 0), ('dq', 1), ('ddq', 2)):
        for h in range(5):
            along = np.zeros((3, 5))
            along[row, h] = 1
            close([getattr(ours, name)[:, h]], [derivative_along(forces, q, along)], 1e-11)


def test_derivatives_of_forward_dynamics_with_loads_rotors_and_mimics():
    rng = np.random.default_rng(15)
    model = random_tree(rng, 4, mimics=1, armature=True)
    q, Q = random_motion(rng, model, 0)[:2], rng.standard_normal(4)
    wrenches = {model.bodies[-1]: rng.standard_normal((1, 6))}
    ours = forward_dynamics_derivatives(model, q, Q, wrenches=wrenches)
    step = 1e-5

    def accelerations(row, h, sign):
        state = np.stack([*q, Q])
        state[row, h] += sign * step
        return forward_dynamics(model, state[:2], state[2:], wrenches=wrenches)[0]

    for name, row in (('q', 0), ('dq', 1), ('Q', 2)):
        columns = [(accelerations(row, h, 1) - accelerations(row, h, -1)) / (2 * step) for h in range(4)]
        close([getattr(ours, name)], [np.stack(columns, axis=1)], 1e-8)


def test_multiprecision_numbers_pass_through():
    rng = np.random.default_rng(16)
    model = random_tree(rng, 3)
    q, Q = random_motion(rng, model, 0), rng.standard_normal(3)
    ours = forward_dynamics_derivatives(model, multiprecision(q[:2]), Q)
    assert isinstance(ours.q[0, 0], mpmath.mpf)
    close([ours.q.astype(float)], [forward_dynamics_derivatives(model, q[:2], Q).q])


def test_wrong_arguments_are_refused():
    model = random_tree(np.random.default_rng(0), 2)
    with pytest.raises(InputError, match='3 rows or more'):
        inverse_dynamics_derivatives(model, np.zeros((2, 2)))
    with pytest.raises(InputError, match='a derivative of Q is too large for a floating point number'):
        inverse_dynamics_derivatives(robot('our_panda'), np.full((3, 7), 1e200))
    with pytest.raises(InputError, match='a derivative of the matrices is too large for a floating point number'):
        matrix_derivatives(robot('our_panda'), np.full((2, 7), 1e308))
    with pytest.raises(InputError, match='Q has the shape'):
        forward_dynamics_derivatives(model, np.zeros((2, 2)), np.zeros(3))
    with pytest.raises(InputError, match="no link 'hand'"):
        inverse_dynamics_derivatives(model, np.zeros((3, 2)), wrenches={'hand': np.zeros((1, 6))})
    with pytest.raises(InputError, match='is fixed; make the model'):
        inverse_dynamics_derivatives(model, np.zeros((3, 2)), base=(np.eye(4), np.zeros((2, 6))))
    with pytest.raises(InputError, match='has a free base: give base'):
        matrix_derivatives(model.replace(base='free'), np.zeros((2, 2)))
    with pytest.raises(SingularityError, match='moves no inertia'):
        forward_dynamics_derivatives(model.replace(M=np.zeros((2, 6, 6))), np.zeros((2, 2)), np.zeros(2))
