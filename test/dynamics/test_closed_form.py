# SPDX-License-Identifier: Apache-2.0
"""Paper 000, section III: its quantities against each other, against the recursive form, against differences."""

from math import comb

import numpy as np
import pytest
from closeness import close
from exact_differences import time_derivatives
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import FIVE
from robots import robot

from hod_ros import InputError
from hod_ros import derivative_coefficients
from hod_ros import dynamics_matrices
from hod_ros import equations_of_motion
from hod_ros import system_kinematics
from hod_ros.algebra import leibniz
from hod_ros.algebra import lie
from hod_ros.dynamics.formulations import closed_form
from hod_ros.dynamics.formulations import recursive
from hod_ros.model import joints

KINDS = ('revolute', 'prismatic', 'helical')


class Case:
    """A robot without its base's columns: the matrices of the paper's size."""

    def __init__(self, seed=0, bodies=5, order=3, shape='tree', **options):
        self.rng = np.random.default_rng(seed)
        self.model = random_tree(self.rng, bodies, shape=shape, kinds=KINDS, **options)
        self.q = random_motion(self.rng, self.model, order)
        self.order, self.N, self.n = order, len(self.model.bodies), self.model.n
        self.kinematics = system_kinematics(self.model, self.q)
        self.equations = equations_of_motion(self.model, self.kinematics)
        size = 6 * self.N
        k = self.kinematics
        self.X, self.A = k.X[:size, :self.n], k.A[:, :size, :size]
        self.J, self.V = k.J[:, :size, :self.n], k.V[:, :size]
        self.U = k.U[:, :size]
        self.a, self.b = closed_form.dense(k.a[:, :self.N]), closed_form.dense(k.b[:, :self.N])
        self.Mass = closed_form.dense(self.model.M)
        self.C_system = closed_form.system_coriolis(k)[:, :size, :size]
        n = self.n
        e = self.equations
        self.M, self.C, self.Q_grav = e.M[:, :n, :n], e.C[:, :n, :n], e.Q_grav[:, :n]
        self.V0_dot = np.concatenate([np.zeros(3), -self.model.gravity])

    def poses(self):
        C_rel = joints.relative_poses(self.model, self.q)
        C = []
        for i, parent in enumerate(self.model.parent):
            C.append(C_rel[i] if parent < 0 else C[parent] @ C_rel[i])
        return C

    def carries(self, j, i):
        while i > j:
            i = self.model.parent[i]
        return i == j


@pytest.fixture(scope='module', params=['chain', 'tree'])
def case(request):
    return Case(shape=request.param)


@pytest.mark.parametrize('joint_count, order', [(1, 0), (2, 6), (7, 2), (7, 6), (12, 4), (30, 3), (30, 6)])
@pytest.mark.parametrize('base', ['fixed', 'free'])
def test_closed_form_equals_recursion(joint_count, order, base):
    rng = np.random.default_rng(joint_count + order)
    model = random_tree(rng, joint_count, mimics=min(3, joint_count - 1), kinds=KINDS, base=base, armature=True)
    q = random_motion(rng, model, order)
    external = rng.standard_normal((order + 1, len(model.bodies) + 1, 6))
    motion = None if base == 'fixed' else (random_pose(rng), rng.standard_normal((order + 2, 6)))
    Q, W = closed_form.inverse_dynamics(model, q, external, motion)
    expected_Q, expected_W = recursive.inverse_dynamics(model, q, external, motion)
    close(Q, expected_Q, 1e-11)
    close(W, expected_W, 1e-11)


def test_joints_of_several_axes_equal_recursion():
    rng = np.random.default_rng(2)
    model = zoo(rng)
    q = random_motion(rng, model, 4)
    close(closed_form.inverse_dynamics(model, q)[0], recursive.inverse_dynamics(model, q)[0], 1e-12)


@pytest.mark.parametrize('name', FIVE)
def test_public_robots_equal_recursion(name):
    model = robot(name)
    q = random_motion(np.random.default_rng(1), model, 2)
    close(closed_form.inverse_dynamics(model, q)[0], recursive.inverse_dynamics(model, q)[0], 1e-11)


def test_equation_21_system_twist_is_system_jacobian_times_rates(case):
    motion = recursive.body_motion(case.model, case.q)
    close(case.J[0] @ case.q[1], motion.V[0, :-1].ravel())


def test_equations_22_and_23_jacobian_from_adjoints_of_relative_poses_and_joint_screws(case):
    C = case.poses()
    A = np.zeros_like(case.A[0])
    X = np.zeros((6 * case.N, case.n))
    for i in range(case.N):
        X[6 * i:6 * i + 6, case.model.coordinate[i]] = case.model.X[i]
        for j in range(i + 1):
            if case.carries(j, i):
                A[6 * i:6 * i + 6, 6 * j:6 * j + 6] = lie.Ad(lie.inverse(C[i]) @ C[j])
    close([case.A[0]], [A])
    close([case.J[0]], [A @ X])


def test_equation_24_derivative_of_the_jacobian(case):
    close([case.J[1]], [-case.A[0] @ case.a[0] @ case.J[0]])


def test_equations_25_and_40_blocks_of_a_are_screw_products_with_joint_rates(case):
    a = np.zeros_like(case.a)
    for i, X in enumerate(case.model.X):
        at = slice(6 * i, 6 * i + 6)
        for k in range(len(a)):
            a[k, at, at] = case.q[k + 1, case.model.coordinate[i]] * lie.ad(X)
    close(case.a, a)
    assert np.abs(a[0] @ case.X).max() == pytest.approx(0, abs=1e-14)


def test_equation_26_system_acceleration(case):
    expected = case.J[0] @ case.q[2] - case.A[0] @ case.a[0] @ case.J[0] @ case.q[1]
    close([case.V[1]], [expected])
    close([case.V[1]], [case.J[0] @ case.q[2] - case.A[0] @ case.a[0] @ case.V[0]])


def test_equation_27_derivative_of_A(case):
    close([case.A[1]], [case.A[0] @ case.a[0] - case.A[0] @ case.a[0] @ case.A[0]])


def test_equations_28_to_31_mass_and_coriolis_matrices(case):
    C_system = -case.Mass @ case.A[0] @ case.a[0] - case.b[0].T @ case.Mass
    close([case.C_system[0]], [C_system])
    close([case.M[0]], [case.J[0].T @ case.Mass @ case.J[0]])
    close([case.C[0]], [case.J[0].T @ C_system @ case.J[0]])
    for i in range(case.N):
        at = slice(6 * i, 6 * i + 6)
        assert np.array_equal(case.b[0][at, at], lie.ad(case.V[0, at]))


def test_equations_32_and_33_gravity_through_the_inverse_poses(case):
    U = np.concatenate([lie.Ad(lie.inverse(C)) for C in case.poses()])
    close([case.U[0]], [U])
    close([case.Q_grav[0]], [case.J[0].T @ case.Mass @ U @ case.V0_dot])


@pytest.mark.parametrize('n', range(4))
def test_equation_34_leibniz_on_the_equations_of_motion(case, n):
    Q = case.Q_grav[n].copy()
    for k in range(n + 1):
        Q += comb(n, k) * (case.M[n - k] @ case.q[2 + k] + case.C[n - k] @ case.q[1 + k])
    close([closed_form.inverse_dynamics(case.model, case.q)[0][n]], [Q])
    close([recursive.inverse_dynamics(case.model, case.q)[0][n]], [Q])


def test_equations_35_and_36_first_and_second_derivative_of_the_forces(case):
    M, C, G, q = case.M, case.C, case.Q_grav, case.q
    Q = recursive.inverse_dynamics(case.model, q)[0]
    close([Q[1]], [M[0] @ q[3] + (M[1] + C[0]) @ q[2] + C[1] @ q[1] + G[1]])
    close([Q[2]], [M[0] @ q[4] + (2 * M[1] + C[0]) @ q[3] + (M[2] + 2 * C[1]) @ q[2] + C[2] @ q[1] + G[2]])


@pytest.mark.parametrize('seed, joint_count', [(0, 7), (1, 30)])
def test_equations_37_and_38_coefficients_give_every_derivative(seed, joint_count):
    case = Case(seed, joint_count, order=6)
    Q = closed_form.inverse_dynamics(case.model, case.q)[0]
    for n in range(7):
        P = derivative_coefficients(case.equations, n)[:, :case.n, :case.n]
        assert len(P) == n + 2
        close([Q[n]], [np.einsum('kij,kj->i', P, case.q[1:n + 3]) + case.Q_grav[n]])
        for k in range(2, n + 2):
            close([P[k - 1]], [comb(n, k - 2) * case.M[n - k + 2] + comb(n, k - 1) * case.C[n - k + 1]])
        assert np.array_equal(P[-1], case.M[0])
        assert np.array_equal(P[0], case.C[n])


@pytest.mark.parametrize('n', range(1, 5))
def test_equation_39_derivatives_of_A(case, n):
    A, a = case.A, case.a
    expected = np.zeros_like(A[0])
    for k in range(n):
        inner = sum(comb(k, j) * a[k - j] @ A[j] for j in range(k + 1))
        expected += comb(n - 1, k) * A[n - 1 - k] @ (a[k] - inner)
    close([A[n]], [expected])


@pytest.mark.parametrize('n', range(5))
def test_equations_41_to_46_derivatives_of_the_matrices(case, n):
    A, a, b, J, Mass = case.A, case.a, case.b, case.J, case.Mass
    close([J[n]], [A[n] @ case.X])                                                                  # (41)
    close([case.V[n]], [sum(comb(n, k) * J[n - k] @ case.q[1 + k] for k in range(n + 1))])          # (42)
    close([case.M[n]], [sum(comb(n, k) * J[n - k].T @ Mass @ J[k] for k in range(n + 1))])          # (43)
    inner = [sum(comb(k, j) * case.C_system[k - j] @ J[j] for j in range(k + 1)) for k in range(n + 1)]
    close([case.C[n]], [sum(comb(n, k) * J[n - k].T @ inner[k] for k in range(n + 1))])             # (44)
    product = sum(comb(n, k) * A[n - k] @ a[k] for k in range(n + 1))
    close([case.C_system[n]], [-Mass @ product - b[n].T @ Mass])                                    # (45)
    for i in range(case.N):
        at = slice(6 * i, 6 * i + 6)
        assert np.array_equal(b[n][at, at], lie.ad(case.V[n, at]))                                  # (46)


@pytest.mark.parametrize('n', range(5))
def test_equation_47_derivatives_of_the_gravity_forces(case, n):
    expected = sum(comb(n, k) * case.J[n - k].T @ case.Mass @ case.U[k] @ case.V0_dot for k in range(n + 1))
    close([case.Q_grav[n]], [expected])


@pytest.mark.parametrize('quantity', ['A', 'J', 'V', 'M', 'C', 'Q_grav', 'Q_ext'])
def test_every_derivative_is_that_of_the_quantity_itself(quantity):
    case = Case(3, 3, order=3)
    external = case.rng.standard_normal((5, case.N + 1, 6))

    def at(q):
        kinematics = system_kinematics(case.model, q[:2])
        equations = equations_of_motion(case.model, kinematics, external_at(q))
        return getattr(equations if hasattr(equations, quantity) else kinematics, quantity)[0]

    def external_at(q):
        """A load that grows with the sum of the coordinates."""
        return (external[0] * q[0].sum())[None]

    load = external[0] * case.q[:5].sum(1)[:, None, None]
    kinematics = system_kinematics(case.model, case.q)
    equations = equations_of_motion(case.model, kinematics, load)
    ours = getattr(equations if hasattr(equations, quantity) else kinematics, quantity)
    close(ours[:4], time_derivatives(at, case.q, 4), 1e-11)


def test_equation_2_leibniz_rule_on_polynomials():
    rng = np.random.default_rng(0)
    f, g = (np.polynomial.Polynomial(rng.standard_normal(5)) for _ in range(2))
    rows = [np.array([p.deriv(k)(0.3) if k else p(0.3) for k in range(5)]) for p in (f, g)]
    expected = [(f * g).deriv(k)(0.3) if k else (f * g)(0.3) for k in range(5)]
    close([leibniz.product(*rows, np.multiply)], [expected])


def test_paper_002_first_derivatives_in_terms_of_the_matrices_themselves(case):
    """002 (26), (36)-(43): all that the first derivatives need is there once A, a, b, J are."""
    A, a, b, J, U, Mass = case.A[0], case.a, case.b, case.J[0], case.U, case.Mass
    Aa = A @ a[0]
    close([U[1]], [-b[0] @ U[0]])
    close([case.M[1]], [-J.T @ (Mass @ Aa + Aa.T @ Mass) @ J])
    C_dot = -Mass @ ((Aa - Aa @ A) @ a[0] + A @ a[1]) - b[1].T @ Mass
    close([case.C_system[1]], [C_dot])
    close([case.C[1]], [J.T @ (C_dot - case.C_system[0] @ Aa - Aa.T @ case.C_system[0]) @ J])
    close([case.Q_grav[1]], [-J.T @ (Mass @ b[0] + Aa.T @ Mass) @ U[0] @ case.V0_dot])


def test_paper_002_second_derivatives_of_mass_matrix_and_loads(case):
    """002 (46)-(50) and the second derivative of its (34)."""
    A, a, J, Mass = case.A, case.a, case.J, case.Mass
    J_ddot = -A[1] @ a[0] @ J[0] - A[0] @ a[1] @ J[0] - A[0] @ a[0] @ J[1]
    close([J[2]], [J_ddot])
    close([case.M[2]], [J_ddot.T @ Mass @ J[0] + 2 * J[1].T @ Mass @ J[1] + J[0].T @ Mass @ J_ddot])
    W = case.rng.standard_normal((case.order + 1, case.N + 1, 6))
    W[:, -1] = 0
    Q_ext = equations_of_motion(case.model, case.kinematics, np.concatenate([W, np.zeros_like(W[:1])])).Q_ext
    rows = W[:, :-1].reshape(len(W), -1)
    close([Q_ext[2, :case.n]], [J_ddot.T @ rows[0] + 2 * J[1].T @ rows[1] + J[0].T @ rows[2]])


def test_paper_002_another_coriolis_matrix_makes_the_difference_skew(case):
    """002 (61)-(64): with M b added to the system's matrix, C is 001's."""
    J, Mass = case.J[0], case.Mass
    C = J.T @ (case.C_system[0] + Mass @ case.b[0]) @ J
    difference = case.M[1] - 2 * C
    assert np.abs(difference + difference.T).max() <= 1e-12 * np.abs(case.M[1]).max()
    close([C], [dynamics_matrices(case.model, case.q[:2]).C[0]])
    close([C @ case.q[1]], [case.C[0] @ case.q[1]])


def test_mass_matrix_is_symmetric_positive_definite_and_its_derivatives_symmetric():
    for seed in range(5):
        case = Case(seed, 10, order=6, armature=True)
        assert np.linalg.eigvalsh(case.M[0]).min() > 0
        close(case.M, np.swapaxes(case.M, -1, -2))


def test_base_columns_of_the_mass_matrix_are_the_whole_robot_moved_as_one_body():
    case = Case(5, 6)
    inertia = case.equations.M[0][-6:, -6:]
    U = case.U[0]
    close([inertia], [U.T @ case.Mass @ U + case.model.M_base])


def test_loads_lower_the_forces_by_their_power():
    case = Case(6, 6)
    W = case.rng.standard_normal((case.order + 1, case.N + 1, 6))
    without = closed_form.inverse_dynamics(case.model, case.q)[0]
    loaded = closed_form.inverse_dynamics(case.model, case.q, W)[0]
    power = sum(W[0, i] @ case.V[0, 6 * i:6 * i + 6] for i in range(case.N))
    assert (without - loaded)[0] @ case.q[1] == pytest.approx(power, rel=1e-12)
    for n in range(case.order + 1):
        expected = sum(comb(n, k) * case.J[n - k].T @ W[k, :-1].ravel() for k in range(n + 1))
        close([(without - loaded)[n]], [expected], 1e-11)


def test_wrong_shapes_are_refused():
    case = Case(7, 3)
    with pytest.raises(InputError, match='2 rows or more of 3 columns'):
        system_kinematics(case.model, case.q[:, :2])
    with pytest.raises(InputError, match='row 1'):
        system_kinematics(case.model, np.where(np.arange(6)[:, None] == 1, np.nan, case.q))
    with pytest.raises(InputError, match='5 rows or more of 6'):
        system_kinematics(case.model, case.q, base=(np.eye(4), np.zeros((4, 6))))
