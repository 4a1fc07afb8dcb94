# SPDX-License-Identifier: Apache-2.0
"""Paper 003, equation by equation: what the library returns, put into the equation as it is printed (slips put right).

The robot is a random tree with revolute, prismatic and helical joints; where the paper writes i - 1 it has the
parent, where it sums over j >= i all bodies that body i carries.
"""

import numpy as np
import pytest
from high_precision import derivatives
from high_precision import taylor
from random_trees import random_inertia
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from random_trees import skew

from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import combined_kinematics
from hod_ros import motor_feedforward
from hod_ros.algebra import lie
from hod_ros.algebra import moving_frames
from hod_ros.algebra.lie import Ad
from hod_ros.algebra.lie import ad
from hod_ros.dynamics.formulations import closed_form
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.formulations import spatial
from hod_ros.kinematics.forward import jacobian
from hod_ros.kinematics.inverse import inverse_kinematics
from hod_ros.model import screws

KINDS = ('revolute', 'prismatic', 'helical')
TOLERANCE = 1e-12


def close(value, expected, tolerance=TOLERANCE):
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    assert value.shape == expected.shape
    assert np.abs(value - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-3)


class Case:
    """One robot in one motion, with all quantities of the spatial representation."""

    def __init__(self, seed=3, joints=7, shape='tree'):
        rng = np.random.default_rng(seed)
        self.model = random_tree(rng, joints, shape=shape, kinds=KINDS)
        self.q = random_motion(rng, self.model, 2)
        self.N = len(self.model.bodies)
        self.parent = self.model.parent
        self.motion = spatial.spatial_motion(self.model, self.q)
        self.C, self.S, self.V = self.motion.C, self.motion.S, self.motion.V
        self.ad_V = ad(self.V)
        self.M = spatial.mass_matrices(self.model, self.C)
        self.Pi = spatial.momentum_screws(self.M, self.V)
        self.G = spatial.weightless_acceleration(self.model)
        self.gravity = spatial.gravity_wrenches(self.M, self.V, self.G, 3)
        self.external = rng.standard_normal((3, self.N + 1, 6))
        self.applied = -spatial.spatial_wrenches(self.C, self.V, self.external)

    def chain(self, i):
        out = []
        while i >= 0:
            out.append(i)
            i = self.parent[i]
        return out[::-1]

    def carried(self, i):
        return [j for j in range(self.N) if i in self.chain(j)]


@pytest.fixture(scope='module')
def case():
    return Case()


def test_1_equations_of_motion(case):
    kinematics = closed_form.system_kinematics(case.model, case.q[:-1])
    eom = closed_form.equations_of_motion(case.model, kinematics, case.external)
    n, q = case.model.n, case.q
    Q = eom.M[0, :n, :n] @ q[2] + eom.C[0, :n, :n] @ q[1] + eom.Q_grav[0, :n] - eom.Q_ext[0, :n]
    close(spatial.inverse_dynamics(case.model, q, case.external)[0][0], Q)


def test_2_3_elastic_joints(case):
    rng = np.random.default_rng(7)
    K, B = rng.uniform(1e3, 5e3, case.N), rng.uniform(0.1, 0.5, case.N)
    drives = {name: SeriesElastic(stiffness=k, motor_inertia=b)
              for name, k, b in zip(case.model.joint_names, K, B, strict=True)}
    motors = motor_feedforward(case.model, drives, case.q)
    kinematics = closed_form.system_kinematics(case.model, case.q[:-1])
    eom = closed_form.equations_of_motion(case.model, kinematics)
    n, q = case.model.n, case.q
    Q = eom.M[0, :n, :n] @ q[2] + eom.C[0, :n, :n] @ q[1] + eom.Q_grav[0, :n]
    close(K * (motors.positions - q[0]), Q)                                                                 # (2)
    close(B * motors.accelerations + K * (motors.positions - q[0]), motors.efforts)                         # (3)
    theta = derivatives(lambda t: motor_positions(case.model, K, taylor(q, t)), 3)
    close([motors.positions, motors.velocities, motors.accelerations], theta)


def motor_positions(model, K, q):
    return q[0] + recursive.inverse_dynamics(model, q[:3])[0][0] / K


def test_4_product_of_exponentials(case):
    A, Y = spatial.zero_reference(case.model)
    motion = recursive.body_motion(case.model, case.q)
    for i in range(case.N):
        f = np.eye(4)
        for j in case.chain(i):
            f = f @ lie.exp(Y[j], np.array(case.q[0, j]))
        close(case.C[i], f @ A[i])
        up = np.eye(4) if case.parent[i] < 0 else case.C[case.parent[i]]
        close(case.C[i], up @ motion.C_rel[i])


def test_4_screw_coordinates_of_the_three_kinds_of_joint():
    e, y, h = np.array([0.6, 0.0, 0.8]), np.array([0.3, -0.2, 0.5]), 0.7
    Y = [screws.revolute(e, y), screws.prismatic(e), screws.helical(e, y, h)]
    expected = [np.r_[e, np.cross(y, e)], np.r_[0, 0, 0, e], np.r_[e, np.cross(y, e) + h * e]]
    close(Y, expected)
    A = [random_pose(np.random.default_rng(k)) for k in range(3)]
    model = RobotModel.from_screws(Y, A, [random_inertia(np.random.default_rng(5))] * 3)
    close(spatial.zero_reference(model)[1], expected)


def test_5_denavit_hartenberg_reference():
    rng = np.random.default_rng(2)
    a, alpha, d, theta = rng.uniform(-1, 1, (4, 5))
    model = RobotModel.from_dh(a, alpha, d, theta, [random_inertia(rng)] * 5, convention='denavit-hartenberg')
    A = np.eye(4)
    for i in range(5):
        A = A @ rot_z(theta[i]) @ translation(0, 0, d[i]) @ translation(a[i], 0, 0) @ rot_x(alpha[i])
        body, placement = model.links[f'link{i + 1}']
        close(spatial.zero_reference(model)[0][body] @ placement, A)


def rot_z(angle):
    C = np.eye(4)
    C[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return C


def rot_x(angle):
    C = np.eye(4)
    C[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return C


def translation(x, y, z):
    C = np.eye(4)
    C[:3, 3] = x, y, z
    return C


def test_6_twists(case):
    for i, p in enumerate(case.parent):
        close(case.V[0, i], case.V[0, p] + case.S[0, i] * case.q[1, i])
    assert not case.V[:, -1].any()


def test_7_joint_screws(case):
    A, Y = spatial.zero_reference(case.model)
    for j in range(case.N):
        f = case.C[j] @ lie.inverse(A[j])
        close(case.S[0, j], Ad(f) @ Y[j])


def test_8_spatial_jacobian(case):
    last = case.N - 1
    J = jacobian(case.model, case.q, case.model.bodies[last], 'spatial')
    close(case.V[0, last], J[0] @ case.q[1])
    for j in range(case.N):
        expected = case.S[:, j] if j in case.chain(last) else 0 * case.S[:, j]
        close(J[:4, :, j], expected)


def test_9_derivatives_of_joint_screws(case):
    for i in range(case.N):
        v, dv, ddv = case.ad_V[0, i], case.ad_V[1, i], case.ad_V[2, i]
        S = case.S[0, i]
        close(case.S[1, i], v @ S)
        close(case.S[2, i], (dv + v @ v) @ S)
        close(case.S[3, i], (ddv + 2 * dv @ v + v @ dv + v @ v @ v) @ S)


def test_algorithm_1_fourth_order_forward_kinematics(case):
    A, Y = spatial.zero_reference(case.model)
    q, dq, ddq, d3q, d4q = case.q
    f = {-1: np.eye(4)}
    V, dV, ddV, d3V = ({-1: np.zeros(6)} for _ in range(4))
    for i, p in enumerate(case.parent):
        f[i] = f[p] @ lie.exp(Y[i], np.array(q[i]))
        S = Ad(f[i]) @ Y[i]
        V[i] = V[p] + S * dq[i]
        v = ad(V[i])
        dS = v @ S
        dV[i] = dV[p] + S * ddq[i] + dS * dq[i]
        dv = ad(dV[i])
        ddS = (dv + v @ v) @ S
        ddV[i] = ddV[p] + S * d3q[i] + 2 * dS * ddq[i] + ddS * dq[i]
        d3S = (ad(ddV[i]) + 2 * dv @ v + v @ dv + v @ v @ v) @ S
        d3V[i] = d3V[p] + S * d4q[i] + 3 * dS * d3q[i] + 3 * ddS * ddq[i] + d3S * dq[i]
        close(case.C[i], f[i] @ A[i])
        close(case.S[:, i], [S, dS, ddS, d3S])
        close(case.V[:, i], [V[i], dV[i], ddV[i], d3V[i]])


def test_algorithm_1_rows_are_time_derivatives(case):
    def at(t):
        motion = spatial.spatial_motion(case.model, taylor(case.q, t)[:2])
        return np.concatenate([motion.V[0].ravel(), motion.S[0].ravel()])

    expected = derivatives(at, 4)
    close(np.concatenate([case.V.reshape(4, -1), case.S.reshape(4, -1)], axis=1), expected)


def test_algorithm_2_combined_inverse_and_forward_kinematics():
    case = Case(seed=11, joints=6, shape='chain')
    model, n = case.model, 6
    V_E = case.V[:, n - 1]
    J = case.S[0].T
    dq = np.linalg.solve(J, V_E[0])                                                             # 2.a)
    V, dV, ddV = np.zeros((3, n + 1, 6))
    S, dS, ddS, d3S = case.S[0], *np.zeros((3, n, 6))
    for i in range(n):                                                                          # 2.b)
        V[i] = V[i - 1] + S[i] * dq[i]
        dS[i] = ad(V[i]) @ S[i]
    ddq = np.linalg.solve(J, V_E[1] - dS.T @ dq)                                                # 3.a)
    for i in range(n):                                                                          # 3.b)
        dV[i] = dV[i - 1] + S[i] * ddq[i] + dS[i] * dq[i]
        ddS[i] = (ad(dV[i]) + ad(V[i]) @ ad(V[i])) @ S[i]
    d3q = np.linalg.solve(J, V_E[2] - 2 * dS.T @ ddq - ddS.T @ dq)                              # 4.a)
    for i in range(n):                                                                          # 4.b)
        ddV[i] = ddV[i - 1] + S[i] * d3q[i] + 2 * dS[i] * ddq[i] + ddS[i] * dq[i]
        v, dv = ad(V[i]), ad(dV[i])
        d3S[i] = (ad(ddV[i]) + 2 * dv @ v + v @ dv + v @ v @ v) @ S[i]
    d4q = np.linalg.solve(J, V_E[3] - 3 * dS.T @ d3q - 3 * ddS.T @ ddq - d3S.T @ dq)            # 5.a)
    got = inverse_kinematics(model, case.q[0], model.bodies[-1], V_E, 'spatial')
    condition = np.linalg.cond(J)
    close(got, [case.q[0], dq, ddq, d3q, d4q], TOLERANCE * condition)
    close(got, case.q, TOLERANCE * condition)
    motion, spatial_motion = combined_kinematics(model, case.q[0], model.bodies[-1], V_E)
    close(motion, [case.q[0], dq, ddq, d3q, d4q], TOLERANCE * condition)
    for found, expected in ((spatial_motion.C, case.C), (spatial_motion.S[:4], case.S[:4]), (spatial_motion.V, case.V)):
        close(found, expected, TOLERANCE * condition)
    for k, expected in enumerate((S, dS, ddS, d3S)):
        close(spatial_motion.S[k], expected, TOLERANCE * condition)


@pytest.mark.parametrize('options', [
    {}, {'components': (3, 4, 5)}, {'damping': 0.1}, {'weights': [1, 2, 3, 4, 5, 6, 7, 8]}, {'null_motion': np.ones((5, 8))},
    {'prescribed': {'joint2': np.arange(5.0)}}])
def test_algorithm_2_on_trees_and_beyond_the_fourth_order_is_inverse_kinematics_and_algorithm_1(options):
    rng = np.random.default_rng(21)
    model = random_tree(rng, 8, shape='chain', mimics=2, kinds=KINDS)
    twists = 0.1 * rng.standard_normal((5, len(options.get('components', range(6)))))
    q = rng.uniform(-1, 1, 8)
    motion, found = combined_kinematics(model, q, model.bodies[-1], twists, **options)
    close(motion, inverse_kinematics(model, q, model.bodies[-1], twists, 'spatial', **options), 1e-9)
    expected = spatial.spatial_motion(model, motion)
    for name in ('C', 'S', 'V'):
        close(getattr(found, name), getattr(expected, name))


def test_algorithm_2_is_for_fixed_bases():
    with pytest.raises(InputError, match='has a free base; combined_kinematics is for fixed ones'):
        combined_kinematics(random_tree(np.random.default_rng(0), 6, base='free'), np.zeros(6), 'link6', np.zeros((1, 6)))


def test_10_momentum(case):
    close(case.Pi[0], [M @ V for M, V in zip(case.M, case.V[0], strict=True)])


def test_11_12_13_mass_matrices(case):
    for i in range(case.N):
        R, r = case.C[i, :3, :3], case.C[i, :3, 3]
        m, b_d = case.model.masses[i], case.model.first_moments[i] / case.model.masses[i]
        tensor = case.model.tensors[i]
        body = np.block([[tensor, m * skew(b_d)], [-m * skew(b_d), m * np.eye(3)]])             # (12)
        close(case.model.M[i], body)
        s = skew(R @ b_d + r)
        about_centre = tensor + m * skew(b_d) @ skew(b_d)
        world = R @ about_centre @ R.T - m * s @ s
        close(case.M[i], np.block([[world, m * s], [-m * s, m * np.eye(3)]]))                   # (11)
        inverse = np.linalg.inv(Ad(case.C[i]))
        close(case.M[i], inverse.T @ body @ inverse)                                            # (13)


def test_14_rate_of_the_mass_matrix(case):
    rates = spatial.mass_matrix_derivatives(case.M, case.V, 4)
    for M, V, rate in zip(case.M, case.V[0], rates[1], strict=True):
        close(rate, -M @ ad(V) - ad(V).T @ M)

    def at(t):
        C = spatial.spatial_motion(case.model, taylor(case.q, t)[:1]).C
        return spatial.mass_matrices(case.model, C)[2].ravel()

    close(rates[:, 2].reshape(4, 36), derivatives(at, 4))


class FreeBody:
    """A body in free flight: V', V'', V''' from the balances of momentum and their derivatives."""

    def __init__(self, applied):
        rng = np.random.default_rng(4)
        self.body_M, self.C, V = random_inertia(rng), random_pose(rng), rng.standard_normal(6)
        self.g = np.array([0.3, -0.2, -9.81])
        self.G, self.applied = np.r_[0, 0, 0, -self.g], applied
        to_body = Ad(lie.inverse(self.C))
        self.M = (to_body.T @ self.body_M @ to_body)[None]
        self.V = V[None]
        for k in range(3):
            self.V = np.vstack([self.V, np.zeros(6)])
            missing = self.balance(k)
            self.V[-1] = np.linalg.solve(self.M[0], -missing)

    def balance(self, k):
        """Pi^(k+1) + W^app,(k) + W^grav,(k)."""
        V = self.V[:, None]
        gravity = spatial.gravity_wrenches(self.M, V, self.G, k + 1)[k, 0]
        return spatial.momentum_screws(self.M, V)[k + 1, 0] + self.applied[k] + gravity

    def centre(self):
        """Position of the centre of mass and its time derivatives 0 .. 4, by p' = w x p + v."""
        m = self.body_M[3, 3]
        d = np.array([self.body_M[2, 4], self.body_M[0, 5], self.body_M[1, 3]]) / m
        p = [self.C[:3, :3] @ d + self.C[:3, 3]]
        binomial = [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1]]
        for k in range(4):
            p.append(self.V[k, 3:] + sum(c * np.cross(self.V[k - j, :3], p[j]) for j, c in enumerate(binomial[k])))
        return np.array(p)


def test_15_17_20_a_free_body_in_balance_flies_on_a_parabola():
    body = FreeBody(np.zeros((3, 6)))
    close(body.centre()[2:], [body.g, np.zeros(3), np.zeros(3)], 1e-10)
    for k in range(3):
        assert np.abs(body.balance(k)).max() < 1e-10


def test_15_17_20_an_applied_force_accelerates_the_centre_of_mass():
    rng = np.random.default_rng(8)
    applied = rng.standard_normal((3, 6))
    body = FreeBody(applied)
    acceleration = body.centre()[2:] - [body.g, np.zeros(3), np.zeros(3)]
    close(acceleration, -applied[:, 3:] / body.body_M[3, 3], 1e-10)


def test_16_newton_euler(case):
    for i in range(case.N + 1):
        M, V, dV = case.M[i], case.V[0, i], case.V[1, i]
        close(case.Pi[1, i], M @ dV - ad(V).T @ M @ V)


def test_18_19_second_derivative_of_momentum(case):
    for i in range(case.N):
        M, (V, dV, ddV) = case.M[i], case.V[:3, i]
        v, dv, Pi, dPi = ad(V), ad(dV), case.Pi[0, i], case.Pi[1, i]
        dM = -M @ v - v.T @ M
        close(case.Pi[2, i], M @ ddV + dM @ dV - dv.T @ Pi - v.T @ dPi)                                     # (18)
        close(case.Pi[2, i], M @ (ddV - v @ dV) - dv.T @ Pi - v.T @ (dPi + M @ dV))
        close(case.Pi[2, i], M @ (ddV - v @ dV) - 2 * v.T @ dPi - (dv + v @ v).T @ Pi)                      # (19)


def test_21_22_third_derivative_of_momentum(case):
    for i in range(case.N):
        M, (V, dV, ddV, d3V) = case.M[i], case.V[:, i]
        v, dv, ddv = ad(V), ad(dV), ad(ddV)
        Pi, dPi, ddPi = case.Pi[:3, i]
        inner = M @ (d3V - 2 * v @ ddV + v @ v @ dV)
        close(case.Pi[3, i], inner - 2 * v.T @ ddPi - v.T @ M @ (ddV - v @ dV) - (3 * dv + v @ v).T @ dPi
              - (ddv + dv @ v + v @ dv).T @ Pi)                                                             # (21)
        close(case.Pi[3, i], inner - 3 * v.T @ ddPi - 3 * (dv + v @ v).T @ dPi
              - (ddv + 2 * dv @ v + v @ dv + v @ v @ v).T @ Pi)                                             # (22)


def test_10_to_22_and_beyond_are_time_derivatives_of_momentum():
    rng = np.random.default_rng(6)
    model = random_tree(rng, 3, shape='chain', kinds=KINDS)
    q = random_motion(rng, model, 5)
    motion = spatial.spatial_motion(model, q)
    Pi = spatial.momentum_screws(spatial.mass_matrices(model, motion.C), motion.V)

    def at(t):
        motion = spatial.spatial_motion(model, taylor(q, t)[:2])
        return spatial.momentum_screws(spatial.mass_matrices(model, motion.C), motion.V)[0].ravel()

    for got, expected in zip(Pi.reshape(7, -1), derivatives(at, 7), strict=True):
        close(got, expected, 1e-11)


def test_23_24_25_gravity_wrenches(case):
    for i in range(case.N):
        M, G, v, dv = case.M[i], case.G, ad(case.V[0, i]), ad(case.V[1, i])
        inverse = np.linalg.inv(Ad(case.C[i]))
        close(case.gravity[0, i], inverse.T @ case.model.M[i] @ inverse @ G)                                # (23)
        close(case.gravity[0, i], M @ G)
        close(case.gravity[1, i], -(M @ v + v.T @ M) @ G)                                                   # (24)
        half = M @ v @ v + v.T @ M @ v - M @ dv
        close(case.gravity[2, i], (half + half.T) @ G)                                                      # (25)


def test_23_24_25_and_beyond_are_time_derivatives_of_the_weight(case):
    got = spatial.gravity_wrenches(case.M, case.V, case.G, 5)

    def at(t):
        C = spatial.spatial_motion(case.model, taylor(case.q, t)[:1]).C
        weight = [m * case.model.gravity for m in case.model.masses]
        centres = [C[i] @ np.r_[case.model.first_moments[i] / m, 1] for i, m in enumerate(case.model.masses)]
        return -np.concatenate([np.r_[np.cross(c[:3], w), w] for c, w in zip(centres, weight, strict=True)])

    close(got[:, :-1].reshape(5, -1), derivatives(at, 5))


def test_26_27_28_virtual_power(case):
    own = case.Pi[1:] + case.applied + case.gravity                                                         # (26)
    Q, _ = spatial.inverse_dynamics(case.model, case.q, case.external)
    dq = np.random.default_rng(1).standard_normal(case.N)
    dV = [sum(case.S[0, j] * dq[j] for j in case.chain(i)) for i in range(case.N)]
    close(sum(v @ w for v, w in zip(dV, own[0], strict=False)), dq @ Q[0])                                  # (27)
    for i in range(case.N):                                                                                 # (28)
        close(dq[i] * case.S[0, i] @ sum(own[0, j] for j in case.carried(i)), dq[i] * Q[0, i])


def test_29_30_31_generalised_forces(case):
    own = case.Pi[1:] + case.applied + case.gravity
    W = spatial.inter_body_wrenches(case.model, own)
    Q, W_base = spatial.inverse_dynamics(case.model, case.q, case.external, gravity='wrenches')
    for i in range(case.N):
        children = [j for j in range(case.N) if case.parent[j] == i]
        above = sum((W[:, j] for j in children), np.zeros((3, 6)))
        close(W[:, i], above + own[:, i])                                                                   # (30)
        S, dS, ddS = case.S[:3, i]
        close(Q[0, i], S @ (own[0, i] + above[0]))                                                          # (29)
        close(Q[1, i], S @ W[1, i] + dS @ W[0, i])                                                          # (31)
        close(Q[2, i], S @ W[2, i] + ddS @ W[0, i] + 2 * dS @ W[1, i])
    close(W_base, W[:, -1])


def test_algorithm_3_with_gravity_as_the_acceleration_of_the_ground(case):
    model, G = case.model, case.G
    motion = spatial.spatial_motion(model, case.q, accelerated=True)
    close(motion.V[:, -1], [np.zeros(6), G, np.zeros(6), np.zeros(6)])
    applied = -spatial.spatial_wrenches(motion.C, motion.V, case.external)
    W = np.zeros((3, case.N + 1, 6))
    Q = np.zeros((3, case.N))
    for i in reversed(range(case.N)):
        inverse = np.linalg.inv(Ad(motion.C[i]))
        M = inverse.T @ model.M[i] @ inverse
        V, dV, ddV, d3V = motion.V[:, i]
        S, dS, ddS = motion.S[:3, i]
        v, dv, ddv = ad(V), ad(dV), ad(ddV)
        Pi = M @ V
        dPi = M @ dV - v.T @ Pi
        ddPi = M @ (ddV - v @ dV) - 2 * v.T @ dPi - (dv + v @ v).T @ Pi
        d3Pi = (M @ (d3V - 2 * v @ ddV + v @ v @ dV) - 3 * v.T @ ddPi - 3 * (dv + v @ v).T @ dPi
                - (ddv + 2 * dv @ v + v @ dv + v @ v @ v).T @ Pi)
        W[:, i] += [dPi, ddPi, d3Pi] + applied[:, i]
        W[:, model.parent[i]] += W[:, i]
        Q[:, i] = [S @ W[0, i], S @ W[1, i] + dS @ W[0, i], S @ W[2, i] + ddS @ W[0, i] + 2 * dS @ W[1, i]]
    close(spatial.inverse_dynamics(model, case.q, case.external)[0], Q, 1e-11)
    close(recursive.inverse_dynamics(model, case.q, case.external)[0], Q, 1e-11)


def test_32_33_36_37_poses_screws_and_the_screw_product():
    rng = np.random.default_rng(0)
    C, x, y = random_pose(rng), *rng.standard_normal((2, 6))
    R, r = C[:3, :3], C[:3, 3]
    close(lie.pose(R, r), np.block([[R, r[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]))                 # (32)
    close(Ad(C), np.block([[R, np.zeros((3, 3))], [skew(r) @ R, R]]))                                       # (33)
    close(ad(x), np.block([[skew(x[:3]), np.zeros((3, 3))], [skew(x[3:]), skew(x[:3])]]))                   # (37)
    bracket = np.r_[np.cross(x[:3], y[:3]), np.cross(x[3:], y[:3]) + np.cross(x[:3], y[3:])]
    close(ad(x) @ y, bracket)                                                                               # (36)


def test_34_35_derivatives_of_screws_and_co_screws_in_a_moving_frame(case):
    body = recursive.body_motion(case.model, case.q).V
    for i in range(case.N):
        frame, vb = Ad(case.C[i]), ad(body[0, i])
        screw, rate = np.linalg.solve(frame, case.S[:2, i].T).T
        close(rate, vb @ screw)                                                                             # (34)
        inside = case.external[:, i]
        W = spatial.spatial_wrenches(case.C[i, None], case.V[:, i, None], inside[:, None])[:, 0]
        close(frame.T @ W[1], inside[1] - vb.T @ inside[0])                                                 # (35)


def test_38_39_derivatives_of_the_adjoint(case):
    body = recursive.body_motion(case.model, case.q).V
    for i in range(case.N):
        up = moving_frames.adjoints(case.C[i], body[:, i])
        down = moving_frames.inverse_adjoints(case.C[i], body[:, i])
        close(up[1], case.ad_V[0, i] @ up[0])                                                               # (38)
        close(down[1], -down[0] @ case.ad_V[0, i])                                                          # (39)
        close(down[0], np.linalg.inv(up[0]))


def test_40_41_42_the_body_fixed_algorithm(case):
    model, q = case.model, case.q
    motion = recursive.body_motion(model, q)
    V, X = motion.V, model.X
    W = recursive.body_wrenches(model, motion, 3, case.external)
    Q, _ = recursive.inverse_dynamics(model, q, case.external)
    for i, p in enumerate(model.parent):
        close(case.V[0, i], Ad(case.C[i]) @ V[0, i])
        across = Ad(lie.inverse(motion.C_rel[i]))
        close(V[0, i], across @ V[0, p] + X[i] * q[1, i])                                                   # (40)
        close(V[1, i], across @ V[1, p] + q[1, i] * ad(V[0, i]) @ X[i] + X[i] * q[2, i])
        M, v, dv = model.M[i], ad(V[0, i]), ad(V[1, i])
        own = [
            M @ (V[1, i] + motion.G[0, i]) - v.T @ M @ V[0, i] - case.external[0, i],
            M @ (V[2, i] + motion.G[1, i]) - v.T @ M @ V[1, i] - dv.T @ M @ V[0, i] - case.external[1, i]]
        for j in [j for j in range(case.N) if model.parent[j] == i]:
            across = Ad(lie.inverse(motion.C_rel[j])).T
            own[0] = own[0] + across @ W[0, j]
            own[1] = own[1] + across @ (W[1, j] - q[1, j] * ad(X[j]).T @ W[0, j])
        close(W[:2, i], own)                                                                                # (41)
        close(Q[:2, i], W[:2, i] @ X[i])                                                                    # (42)
