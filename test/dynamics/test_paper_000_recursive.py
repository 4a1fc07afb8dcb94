# SPDX-License-Identifier: Apache-2.0
"""Paper 000, sections I and II, equation by equation: what the library returns, put into the equation as it is printed.

The robot is a random tree with revolute, prismatic and helical joints; where the paper writes i - 1 it has the
parent, where it sums over j < r <= i the bodies of i's chain behind j, and where it writes i + 1 the bodies that hang
on i.
"""

from math import comb

import numpy as np
import pytest
from high_precision import derivatives
from high_precision import taylor
from random_trees import random_motion
from random_trees import random_tree
from random_trees import skew

from hod_ros.algebra import leibniz
from hod_ros.algebra import lie
from hod_ros.algebra.lie import Ad
from hod_ros.algebra.lie import ad
from hod_ros.dynamics.formulations import body_fixed
from hod_ros.dynamics.formulations import closed_form
from hod_ros.dynamics.formulations import recursive
from hod_ros.kinematics.forward import jacobian

ROWS = 5
FIXED = -1


def close(value, expected, tolerance=1e-12):
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    assert value.shape == expected.shape
    assert np.abs(value - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-3)


class Case:
    """One robot in one motion, with all quantities of both recursive forms."""

    def __init__(self):
        rng = np.random.default_rng(12)
        self.model = random_tree(rng, 8, kinds=('revolute', 'prismatic', 'helical'))
        self.q = random_motion(rng, self.model, ROWS - 2)
        self.N, self.parent, self.X = len(self.model.bodies), self.model.parent, self.model.X
        self.motion = body_fixed.body_fixed_motion(self.model, self.q)
        self.B, self.B_sum, self.V = self.motion.B, self.motion.B_sum, self.motion.V
        self.fast = recursive.body_motion(self.model, self.q)
        self.external = rng.standard_normal((ROWS - 1, self.N + 1, 6))
        self.W = body_fixed.body_wrenches(self.model, self.motion, self.q, self.external)

    def relative(self, i, j):
        """C_{i,j} = C_i^-1 C_j."""
        return lie.inverse(self.motion.C[i]) @ self.motion.C[j]

    def chain(self, i):
        out = []
        while i >= 0:
            out.append(i)
            i = self.parent[i]
        return out[::-1]

    def behind(self, j, i):
        """The bodies r of i's chain with j < r <= i; all of it for the fixed base."""
        chain = self.chain(i)
        return chain if j == FIXED else chain[chain.index(j) + 1:]

    def children(self, i):
        return [j for j in range(self.N) if self.parent[j] == i]


@pytest.fixture(scope='module')
def case():
    return Case()


def test_1_equations_of_motion(case):
    n, q = case.model.n, case.q
    eom = closed_form.equations_of_motion(case.model, closed_form.system_kinematics(case.model, q[:2]))
    expected = eom.M[0, :n, :n] @ q[2] + eom.C[0, :n, :n] @ q[1] + eom.Q_grav[0, :n]
    close(body_fixed.inverse_dynamics(case.model, q[:3])[0][0], expected)


def test_2_leibniz_rule():
    f, g = np.random.default_rng(0).standard_normal((2, 5, 3))
    for n in range(5):
        expected = sum(comb(n, k) * f[n - k] * g[k] for k in range(n + 1))
        close(leibniz.product(f, g, np.multiply)[n], expected)
        close(leibniz.nth(f, g, n, np.multiply), expected)
    close(leibniz.product(f, g, np.multiply), derivatives(lambda t: taylor(f, t)[0] * taylor(g, t)[0], 5))


def test_poses_are_products_of_exponentials(case):
    for i, p in enumerate(case.parent):
        up = np.eye(4) if p < 0 else case.motion.C[p]
        close(case.motion.C[i], up @ case.model.B[i] @ lie.exp(case.X[i], case.q[0, i]))
        close(case.motion.C_rel[i], lie.inverse(up) @ case.motion.C[i])


def test_3_a_twist_is_angular_velocity_over_velocity_of_the_origin_in_the_body(case):
    def poses(t):
        return np.array(body_fixed.body_fixed_motion(case.model, taylor(case.q, t)[:1]).C[:-1, :3]).ravel()

    rates = derivatives(poses, 2)[1].reshape(case.N, 3, 4)
    for i in range(case.N):
        R = case.motion.C[i, :3, :3]
        close(skew(case.V[0, i, :3]), R.T @ rates[i, :, :3])
        close(case.V[0, i, 3:], R.T @ rates[i, :, 3])


def test_4_recursive_twists(case):
    for V in (case.V, case.fast.V):
        for i, p in enumerate(case.parent):
            close(V[0, i], Ad(case.relative(i, p)) @ V[0, p] + case.X[i] * case.q[1, i])


def test_5_6_7_twists_are_sums_over_the_joint_screws(case):
    for i in range(case.N):
        close(case.V[0, i], sum(case.q[1, j] * case.B[0, i, j] for j in case.chain(i)))                     # (5)
        J = jacobian(case.model, case.q[:1], case.model.bodies[i])[0]
        close(case.V[0, i], J @ case.q[1])                                                                  # (6)
        columns = [case.B[0, i, j] if j in case.chain(i) else np.zeros(6) for j in range(case.N)]
        close(J, np.transpose(columns))                                                                     # (7)
        close(case.motion.jacobian(i)[0], J)


def test_8_9_joint_screws(case):
    for i, p in enumerate(case.parent):
        for j in case.chain(i):
            close(case.B[0, i, j], Ad(case.relative(i, j)) @ case.X[j])                                     # (8)
            expected = case.X[i] if i == j else Ad(case.relative(i, p)) @ case.B[0, p, j]
            close(case.B[0, i, j], expected)                                                                # (9)
        others = [j for j in range(case.N) if j not in case.chain(i)]
        assert not case.B[:, i, others].any()


def test_10_rate_of_the_transformed_twist(case):
    for i, p in enumerate(case.parent):
        rate = case.fast.Ad[1, i] @ case.V[0, p]
        close(rate, case.q[1, i] * ad(case.V[0, i]) @ case.X[i])
        close(rate, -case.q[1, i] * ad(case.X[i]) @ case.V[0, i])


def test_11_recursive_accelerations(case):
    for V in (case.V, case.fast.V):
        for i, p in enumerate(case.parent):
            turned = case.q[1, i] * ad(V[0, i]) @ case.X[i]
            close(V[1, i], Ad(case.relative(i, p)) @ V[1, p] + turned + case.X[i] * case.q[2, i])


def test_12_inertia_matrix(case):
    for i in range(case.N):
        m = case.model.masses[i]
        d = case.model.first_moments[i] / m
        close(case.model.M[i], np.block([[case.model.tensors[i], m * skew(d)], [-m * skew(d), m * np.eye(3)]]))


def test_13_newton_euler(case):
    """On a robot whose bodies all hang on the base, each joint passes on the wrench of its body alone."""
    model = random_tree(np.random.default_rng(1), 4, shape='star', gravity=(0, 0, 0))
    q = random_motion(np.random.default_rng(2), model, 0)
    motion = body_fixed.body_fixed_motion(model, q)
    W = body_fixed.body_wrenches(model, motion, q)
    for i in range(4):
        M, V, dV = model.M[i], motion.V[0, i], motion.V[1, i]
        close(W[0, i], M @ dV - ad(V).T @ M @ V)


def test_14_15_relative_twists(case):
    for i in range(case.N):
        for j in [FIXED, *case.chain(i)]:
            expected = sum((case.B[0, i, r] * case.q[1, r] for r in case.behind(j, i)), np.zeros(6))
            close(case.B_sum[0, i, j], expected)                                                            # (14)
        close(case.V[:, i], case.B_sum[:, i, FIXED])                                                        # (15)


def test_16_17_derivatives_of_the_joint_screws(case):
    for i in range(case.N):
        for j in case.chain(i):
            B, B_sum, dq = case.B[:, i, j], case.B_sum[:, i, j], case.q[1]
            sums = sum((ad(B[0]) @ case.B[0, i, r] * dq[r] for r in case.behind(j, i)), np.zeros(6))
            close(B[1], sums)                                                                               # (16)
            close(B[1], ad(B[0]) @ B_sum[0])
            for k in range(1, ROWS):                                                                        # (17)
                close(B[k], sum(comb(k - 1, m) * ad(B[m]) @ B_sum[k - m - 1] for m in range(k)))


def test_18_derivatives_of_the_relative_twists(case):
    for i in range(case.N):
        for j in [FIXED, *case.chain(i)]:
            for k in range(ROWS):
                terms = [comb(k, m) * case.B[m, i, r] * case.q[k - m + 1, r]
                         for r in case.behind(j, i) for m in range(k + 1)]
                close(case.B_sum[k, i, j], sum(terms, np.zeros(6)))


def test_16_to_18_are_time_derivatives(case):
    def at(t):
        motion = body_fixed.body_fixed_motion(case.model, taylor(case.q, t)[:2])
        return np.concatenate([motion.B[0].ravel(), motion.B_sum[0].ravel()])

    got = np.concatenate([case.B.reshape(ROWS, -1), case.B_sum.reshape(ROWS, -1)], axis=1)
    close(got, derivatives(at, ROWS))


def test_19_20_wrenches_and_their_derivatives(case):
    """With gravity in the acceleration G of the ground: D^(k) V' stands for V^(k+1) + G^(k)."""
    for k in range(ROWS - 1):
        for i in range(case.N):
            M, V = case.model.M[i], case.V[:, i]
            W = M @ (V[k + 1] + case.fast.G[k, i]) - case.external[k, i]
            W = W - sum(comb(k, r) * ad(V[r]).T @ M @ V[k - r] for r in range(k + 1))
            for c in case.children(i):
                W = W + sum(comb(k, r) * case.fast.Ad[r, c].T @ case.W[k - r, c] for r in range(k + 1))
            close(case.W[k, i], W)
    close(case.W, recursive.body_wrenches(case.model, case.fast, ROWS - 1, case.external))


def test_20_gravity_is_the_acceleration_of_the_ground(case):
    def upward(t):
        C = body_fixed.body_fixed_motion(case.model, taylor(case.q, t)[:1]).C
        return np.concatenate([-C[i, :3, :3].T @ case.model.gravity for i in range(case.N)])

    expected = derivatives(upward, ROWS).reshape(ROWS, case.N, 3)
    close(case.fast.G[:, :-1, 3:], expected)
    assert not case.fast.G[..., :3].any()


def test_derivatives_of_the_adjoint_below_20(case):
    for i, p in enumerate(case.parent):
        close(case.fast.Ad[0, i], Ad(case.relative(i, p)))
        for k in range(1, ROWS):
            terms = [comb(k - 1, r) * case.fast.Ad[r, i] * case.q[k - r, i] for r in range(k)]
            close(case.fast.Ad[k, i], -ad(case.X[i]) @ sum(terms))


def test_section_2e_the_whole_algorithm(case):
    model, q, X = case.model, case.q, case.X
    C, B, S, V, Ads = {FIXED: np.eye(4)}, {}, {}, {}, {}
    for i, p in enumerate(case.parent):                                                     # preparation run
        C[i] = C[p] @ model.B[i] @ lie.exp(X[i], q[0, i])
        Ads[0, i] = Ad(lie.inverse(C[i]) @ C[p])
        for j in case.chain(i):
            B[0, i, j] = X[i] if i == j else Ads[0, i] @ B[0, p, j]
    for r in range(ROWS):
        for i in range(case.N):
            if r:
                inner = sum(comb(r - 1, k) * Ads[k, i] * q[r - k, i] for k in range(r))
                Ads[r, i] = -ad(X[i]) @ inner
            for j in [*reversed(case.chain(i)), FIXED]:
                if r and j != FIXED:
                    B[r, i, j] = sum(comb(r - 1, k) * ad(B[k, i, j]) @ S[r - k - 1, i, j] for k in range(r))
                S[r, i, j] = sum((comb(r, k) * B[k, i, b] * q[r - k + 1, b]
                                  for b in case.behind(j, i) for k in range(r + 1)), np.zeros(6))
            V[r, i] = S[r, i, FIXED]
            close(case.V[r, i], V[r, i])
            for j in case.chain(i):
                close(case.B[r, i, j], B[r, i, j])
    W, Q = {}, np.zeros((ROWS - 1, case.N))
    for i in reversed(range(case.N)):
        for k in range(ROWS - 1):
            M = model.M[i]
            W[k, i] = M @ (V[k + 1, i] + case.fast.G[k, i]) - case.external[k, i]
            W[k, i] = W[k, i] - sum(comb(k, r) * ad(V[r, i]).T @ M @ V[k - r, i] for r in range(k + 1))
            for c in case.children(i):
                W[k, i] = W[k, i] + sum(comb(k, r) * Ads[r, c].T @ W[k - r, c] for r in range(k + 1))
            Q[k, i] = X[i] @ W[k, i]
    close(body_fixed.inverse_dynamics(model, q, case.external)[0], Q)
    close(recursive.inverse_dynamics(model, q, case.external)[0], Q)
