# SPDX-License-Identifier: Apache-2.0
"""Joints of several axes and free bases (001, VI), against Pinocchio and the balance of momentum."""

import numpy as np
import pytest
from joint_zoo import columns_of
from joint_zoo import joint_motion
from joint_zoo import polynomial
from joint_zoo import time_derivatives
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import robot_text

from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros import link_inertia
from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import transpose
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.inverse_dynamics import FORMULATIONS
from hod_ros.model import screws
from hod_ros.model.free_base import on_free_joint

pin = pytest.importorskip('pinocchio')
PEERS = ('free', 'revolute', 'spherical', 'prismatic', 'spherical', 'revolute')


class PinocchioPeer:
    """The same robot in Pinocchio; its free joint orders twists (linear, angular)."""

    def __init__(self, model, kinds):
        self.ours, self.kinds = model, kinds
        self.model = pin.Model()
        self.model.gravity.linear = model.gravity
        for i, kind in enumerate(kinds):
            X = model.X[columns_of(model, i)[0]]
            joint = {
                'free': pin.JointModelFreeFlyer, 'spherical': pin.JointModelSpherical,
                'revolute': lambda X=X: pin.JointModelRevoluteUnaligned(X[:3]),
                'prismatic': lambda X=X: pin.JointModelPrismaticUnaligned(X[3:]),
            }[kind]()
            index = self.model.addJoint(int(model.parent[i]) + 1, joint, pin.SE3(model.B[i]), f'j{i}')
            M = model.M[i]
            c = np.array([M[2, 4], M[0, 5], M[1, 3]]) / M[3, 3]
            about_com = M[:3, :3] + M[3, 3] * pin.skew(c) @ pin.skew(c)
            self.model.appendBodyToJoint(index, pin.Inertia(M[3, 3], c, about_com), pin.SE3.Identity())
        self.data = self.model.createData()

    def forces(self, q, t):
        """Q at time t of the motion whose derivatives at 0 are q."""
        position = []
        for i, kind in enumerate(self.kinds):
            if kind in ('revolute', 'prismatic'):
                position.append(polynomial(q, t)[columns_of(self.ours, i)])
                continue
            C = pin.SE3(joint_motion(self.ours, q, i, t))
            position.append(pin.SE3ToXYZQUAT(C) if kind == 'free' else pin.Quaternion(C.rotation).coeffs())
        rates, accelerations = polynomial(q[1:], t), polynomial(q[2:], t)
        tau = pin.rnea(self.model, self.data, np.concatenate(position), self._swap(rates), self._swap(accelerations))
        return self._swap(tau.copy())

    def _swap(self, vector):
        out = np.array(vector)
        for i, kind in enumerate(self.kinds):
            if kind == 'free':
                columns = columns_of(self.ours, i)
                out[columns] = vector[np.roll(columns, 3)]
        return out


def test_spherical_and_free_joints_agree_with_pinocchio_and_its_time_derivatives():
    rng = np.random.default_rng(3)
    model = zoo(rng, PEERS)
    q = random_motion(rng, model, 3)
    Q, _ = recursive.inverse_dynamics(model, q)
    peer = PinocchioPeer(model, PEERS)
    expected = time_derivatives(lambda t: peer.forces(q, t), 4)
    for k, tolerance in enumerate((1e-13, 1e-11, 1e-10, 1e-8)):
        assert np.abs(Q[k] - expected[k]).max() < tolerance * np.abs(expected[k]).max()


def test_joint_names_number_the_axes_of_a_joint():
    model = RobotModel.from_screws([screws.spherical(), screws.revolute((0, 0, 1))], [np.eye(4)] * 2,
                                   [link_inertia(1.0)] * 2, joint_names=['shoulder', 'elbow'])
    assert model.joint_names == ('shoulder/1', 'shoulder/2', 'shoulder/3', 'elbow')


def test_cylindrical_joint_is_a_revolute_and_a_prismatic_one():
    rng = np.random.default_rng(4)
    e, A, M = rng.standard_normal(3), random_pose(rng), link_inertia(2.0, (0.1, 0.2, 0.3), 0.02 * np.eye(3))
    y = A[:3, 3]
    one = RobotModel.from_screws([screws.cylindrical(e, y)], [A], [M])
    two = RobotModel.from_screws([screws.revolute(e, y), screws.prismatic(e)], [A, A], [None, M])
    q = random_motion(rng, one, 3)
    ours, theirs = recursive.inverse_dynamics(one, q)[0], recursive.inverse_dynamics(two, q)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-12 * np.abs(theirs).max())


def test_planar_joint_is_two_prismatic_and_a_revolute_one_in_still_axes():
    """Quasi-velocities are along axes that turn with the body; at zero angle and rate of turning both descriptions move
    alike."""
    rng = np.random.default_rng(5)
    M = link_inertia(2.0, (0.1, 0.2, 0.3), 0.02 * np.eye(3))
    one = RobotModel.from_screws([screws.planar((1, 0, 0), (0, 1, 0))], [np.eye(4)], [M])
    two = RobotModel.from_screws([screws.prismatic((1, 0, 0)), screws.prismatic((0, 1, 0)), screws.revolute((0, 0, 1))],
                                 [np.eye(4)] * 3, [None, None, M])
    q = random_motion(rng, one, 0)
    q[:2, 2] = 0
    np.testing.assert_allclose(recursive.inverse_dynamics(one, q)[0], recursive.inverse_dynamics(two, q)[0], atol=1e-12)


def test_a_tumbling_ball_far_from_its_frame_keeps_its_digits_at_tiny_angles():
    """A free joint that moved a metre and turned by 1e-6 rad: the displacement must not suffer from the small angle."""
    for angle in (0.0, 1e-9, 1e-7, 1e-5, 1e-3):
        xi = np.array([angle, 0, 0, 0, 1.0, 0])
        expected = [0.0, 1 - angle**2 / 6, angle / 2 - angle**3 / 24]
        np.testing.assert_allclose(lie.exp_twist(xi)[:3, 3], expected, rtol=1e-11, atol=1e-16)


def free_tree(rng, joints=5):
    return random_tree(rng, joints, base='free')


def test_free_base_is_a_joint_of_six_axes():
    rng = np.random.default_rng(6)
    model = free_tree(rng)
    order = 3
    q, pose, twists = random_motion(rng, model, order), random_pose(rng), rng.standard_normal((order + 2, 6))
    Q, W = recursive.inverse_dynamics(model, q, base=(pose, twists))
    base_rows = np.concatenate([np.zeros((1, 6)), twists])
    together, on_ground = recursive.inverse_dynamics(on_free_joint(model, pose), np.concatenate([base_rows, q], axis=1))
    np.testing.assert_allclose(together, np.concatenate([W, Q], axis=1), atol=1e-12 * np.abs(W).max())
    np.testing.assert_allclose(on_ground[0], lie.Ad(lie.inverse(pose)).T @ W[0], atol=1e-12 * np.abs(W).max())


def test_base_wrench_and_weight_change_the_total_momentum():
    """In the world frame: momentum' = the base's wrench + the weight, and so for all time derivatives."""
    rng = np.random.default_rng(7)
    model = free_tree(rng)
    order = 3
    q, pose, twists = random_motion(rng, model, order), random_pose(rng), rng.standard_normal((order + 2, 6))
    _, W = recursive.inverse_dynamics(model, q, base=(pose, twists))
    driven = spatial_derivatives(lambda k: W[k], pose, twists, order + 1)
    momentum_rates = spatial_momentum(model, q, pose, twists, order + 2)[1:]
    weight = spatial_weight(model, q, pose, twists, order + 1)
    np.testing.assert_allclose(driven + weight, momentum_rates, atol=1e-11 * np.abs(momentum_rates).max())


def spatial_momentum(model, q, pose, twists, rows):
    """(rows, 6) total momentum in the world frame with time derivatives."""
    motion = recursive.body_motion(model, q, (pose, twists))
    M = np.concatenate([model.M, model.M_base[None]])
    momentum = apply(M, motion.V)
    return sum(spatial_derivatives(lambda k, i=i: momentum[k, i], C, motion.V[:, i], rows)
               for i, C in enumerate(world_poses(model, q, pose)))


def spatial_weight(model, q, pose, twists, rows):
    motion = recursive.body_motion(model, q, (pose, twists))
    weight = -apply(np.concatenate([model.M, model.M_base[None]]), motion.G)
    return sum(spatial_derivatives(lambda k, i=i: weight[k, i], C, motion.V[:, i], rows)
               for i, C in enumerate(world_poses(model, q, pose)))


def world_poses(model, q, pose):
    """Of all bodies, the base's last."""
    from hod_ros.model.joints import relative_poses
    poses = [None] * len(model.bodies) + [pose]
    for i, C in enumerate(relative_poses(model, q)):
        poses[i] = poses[model.parent[i]] @ C
    return poses


def spatial_derivatives(wrench, C, V, rows):
    """Derivatives in the world frame of a body-fixed co-screw whose derivatives are wrench(0), wrench(1), ...; 003
    (35)."""
    f = np.stack([wrench(k) for k in range(rows)])
    ad_Vt = transpose(lie.ad(V))
    to_world = lie.Ad(lie.inverse(C)).T
    out = []
    for left in range(rows, 0, -1):
        out.append(to_world @ f[0])
        f = np.stack([f[k + 1] - nth(ad_Vt, f, k, apply) for k in range(left - 1)]) if left > 1 else f
    return np.stack(out)


@pytest.mark.parametrize('screw_set, culprit', [
    ([[0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], 'universal'),
    ([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0]], 'depend on each other'),
    ([[0, 0, 2, 0, 0, 0]], 'length 2'),
    ([[0, 0, np.nan, 0, 0, 0]], 'finite'),
    ([[0, 0, 1, 0, 0]], 'shape'),
])
def test_screws_that_make_no_joint_are_refused_by_name(screw_set, culprit):
    with pytest.raises(ValueError, match=f"'wrist'.*{culprit}"):
        RobotModel.from_screws([screw_set], [np.eye(4)], [link_inertia(1.0, (0.1, 0, 0))], joint_names=['wrist'])


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_every_formulation_knows_joints_of_several_axes(formulation):
    rng = np.random.default_rng(8)
    model = zoo(rng)
    q = random_motion(rng, model, 2)
    expected, _ = recursive.inverse_dynamics(model, q)
    Q = inverse_dynamics(model, q, formulation=formulation)
    for k in range(3):
        np.testing.assert_allclose(Q[k], expected[k], atol=1e-11 * np.abs(expected[k]).max())


def test_a_legged_robot_on_a_free_base_agrees_with_pinocchio_and_its_time_derivatives():
    rng = np.random.default_rng(9)
    text = robot_text('anymal_c_simple_description/anymal')
    model = RobotModel.from_urdf(text, base='free')
    order = 2
    q, pose, twists = random_motion(rng, model, order), random_pose(rng), rng.standard_normal((order + 2, 6))
    Q, W = inverse_dynamics(model, q, base=(pose, twists))

    peer = pin.buildModelFromXML(text.decode(), pin.JointModelFreeFlyer())
    data, grounded = peer.createData(), on_free_joint(model, pose)
    together = np.concatenate([np.concatenate([np.zeros((1, 6)), twists]), q], axis=1)
    joints = [peer.joints[peer.getJointId(name)] for name in model.joint_names]
    turning = [joint.nq == 2 for joint in joints]      # continuous joints: cosine and sine

    def forces(t):
        rows = [polynomial(together[k:], t) for k in range(3)]
        position = pin.neutral(peer)
        position[:7] = pin.SE3ToXYZQUAT(pin.SE3(pose @ joint_motion(grounded, together, 0, t)))
        for joint, angle, circle in zip(joints, rows[0][6:], turning, strict=True):
            position[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(angle), np.sin(angle)] if circle else [angle]
        tau = pin.rnea(peer, data, position, in_peers_order(rows[1]), in_peers_order(rows[2]))
        return np.concatenate([tau[3:6], tau[:3], [tau[joint.idx_v] for joint in joints]])

    def in_peers_order(row):
        out = np.zeros(peer.nv)
        out[:6] = np.roll(row[:6], 3)
        for joint, value in zip(joints, row[6:], strict=True):
            out[joint.idx_v] = value
        return out

    expected = time_derivatives(forces, order + 1)
    for k, tolerance in enumerate((1e-12, 1e-10, 1e-9)):
        ours = np.concatenate([W[k], Q[k]])
        np.testing.assert_allclose(ours, expected[k], atol=tolerance * np.abs(expected[k]).max())


def test_001_26_27_twists_are_the_parents_and_constant_screws_times_the_rates_and_move_the_poses():
    rng = np.random.default_rng(10)
    model = zoo(rng)
    q = random_motion(rng, model, 2)
    motion = recursive.body_motion(model, q)
    V, Ad = motion.V[0], motion.Ad[0]
    for k, parent in enumerate(model.parent):
        Xi = model.X[columns_of(model, k)].T                            # the same at every q
        np.testing.assert_allclose(V[k], Ad[k] @ V[parent] + Xi @ q[1, columns_of(model, k)], atol=1e-12)

    def poses(t):
        C = [None] * len(model.bodies) + [np.eye(4)]
        for k, parent in enumerate(model.parent):
            C[k] = C[parent] @ model.B[k] @ joint_motion(model, q, k, t)
        return np.ravel(C)

    C, rate = time_derivatives(poses, 2).reshape(2, -1, 4, 4)
    for k in range(len(model.bodies)):
        body_velocity = lie.inverse(C[k]) @ rate[k]
        np.testing.assert_allclose(body_velocity[:3, :3], lie.skew(V[k, :3]), atol=1e-10)
        np.testing.assert_allclose(body_velocity[:3, 3], V[k, 3:], atol=1e-10)
