# SPDX-License-Identifier: Apache-2.0
"""Closed expressions and numbers of any precision, from the same reference."""

import mpmath
import numpy as np
import pytest
from joint_zoo import zoo
from random_trees import random_motion
from random_trees import random_tree

import hod_ros
from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import forward_dynamics
from hod_ros import link_inertia
from hod_ros import multiprecision
from hod_ros.dynamics.formulations import recursive
from hod_ros.model import screws

sympy = pytest.importorskip('sympy')


def evaluated(symbolic, q):
    function = sympy.lambdify(list(symbolic.q.flat), list(symbolic.Q.flat))
    return np.reshape(function(*q.flat), symbolic.Q.shape)


@pytest.mark.parametrize('kinds', [('revolute',), ('prismatic', 'helical')])
@pytest.mark.parametrize('shape', ['chain', 'tree'])
def test_expressions_of_three_joints_have_the_reference_values(kinds, shape):
    rng = np.random.default_rng(1)
    model = random_tree(rng, 3, shape=shape, kinds=kinds, armature=True)
    q = random_motion(rng, model, 1)
    Q, _ = recursive.inverse_dynamics(model, q)
    ours = evaluated(hod_ros.symbolic(model, 1), q)
    for k in range(2):
        assert np.abs(ours[k] - Q[k]).max() < 1e-12 * np.abs(Q[k]).max()


def test_mimic_joints_take_part():
    rng = np.random.default_rng(2)
    model = random_tree(rng, 2, mimics=1, kinds=('revolute',))
    model = model.replace(multiplier=[1, 2, 1], coordinate=[0, 0, 1], offset=[0, 0, 0])
    q = random_motion(rng, model, 1)
    Q, _ = recursive.inverse_dynamics(model, q)
    np.testing.assert_allclose(evaluated(hod_ros.symbolic(model, 1), q), Q, atol=1e-12 * np.abs(Q).max())


def pendulum():
    m, length, g = sympy.symbols('m l g', positive=True)
    return RobotModel.from_screws([screws.revolute((0, 1, 0))], [np.eye(4, dtype=int)],
                                  [link_inertia(m, (0, 0, -length))], gravity=(0, 0, -g)), (m, length, g)


def test_a_pendulum_has_the_textbook_expression():
    model, (m, length, g) = pendulum()
    (Q, q) = hod_ros.symbolic(model, 1)
    assert [str(name) for name in q[:, 0]] == ['q1', 'dq1', 'ddq1', 'd3q1']
    angle, rate, acceleration, jerk = q[:, 0]
    textbook = [m * length**2 * acceleration + m * g * length * sympy.sin(angle),
                m * length**2 * jerk + m * g * length * rate * sympy.cos(angle)]
    assert [sympy.simplify(ours - theirs) for ours, theirs in zip(Q[:, 0], textbook, strict=True)] == [0, 0]


def test_expressions_may_be_functions_of_time_and_then_each_is_the_derivative_of_the_one_before():
    model, _ = pendulum()
    t = sympy.Symbol('t')
    Q, _ = hod_ros.symbolic(model, 2, q=[sympy.Function('theta')(t)])
    for k in range(2):
        assert sympy.simplify(sympy.diff(Q[k, 0], t) - Q[k + 1, 0]) == 0


def test_a_table_of_denavit_and_hartenberg_may_hold_symbols():
    alpha, a, d, theta, m, g = sympy.symbols('alpha a d theta m g')
    at = {alpha: 0.3, a: 0.5, d: 0.2, theta: 0.4, m: 2.0, g: 9.81}

    def arm(alpha, a, d, theta, m, g):
        return RobotModel.from_dh([a, a], [alpha, 0], [d, 0], [theta, 0], [link_inertia(m, (a, 0, 0))] * 2,
                                  convention='denavit-hartenberg', gravity=(0, 0, -g))
    q = random_motion(np.random.default_rng(6), arm(*at.values()), 1)
    symbolic = hod_ros.symbolic(arm(*at), 1)
    assert not symbolic.Q[0, 1].has(theta)      # the first link's angle at zero: no matter to the second
    numbers = hod_ros.SymbolicDynamics(np.array([[e.subs(at) for e in row] for row in symbolic.Q]), symbolic.q)
    Q = hod_ros.inverse_dynamics(arm(*at.values()), q)
    np.testing.assert_allclose(evaluated(numbers, q), Q, atol=1e-12 * np.abs(Q).max())


def test_parameters_may_stand_in_denominators():
    m, length, g = sympy.symbols('m l g', positive=True)
    model = RobotModel.from_screws([screws.revolute((0, 0, 1))], [np.eye(4)], [link_inertia(m, (1 / length, 0, 0))],
                                   gravity=(0, -g, 0))
    Q, q = hod_ros.symbolic(model, 0)
    assert sympy.simplify(Q[0, 0] - m * q[2, 0] / length**2 - m * g * sympy.cos(q[0, 0]) / length) == 0


def test_a_ball_joint_has_expressions_too():
    m, length, g = sympy.symbols('m l g', positive=True)
    at = {m: 2.0, length: 0.5, g: 9.81}

    def ball(m, length, g):
        return RobotModel.from_screws([screws.spherical()], [np.eye(4)], [link_inertia(m, (0, 0, length))],
                                      gravity=(0, 0, -g))
    symbolic, numbers = hod_ros.symbolic(ball(*at), 1), ball(*at.values())
    q = random_motion(np.random.default_rng(7), numbers, 1)
    values = hod_ros.SymbolicDynamics(np.array([[e.subs(at) for e in row] for row in symbolic.Q]), symbolic.q)
    np.testing.assert_allclose(evaluated(values, q), hod_ros.inverse_dynamics(numbers, q), atol=1e-12)


def test_the_recursion_itself_takes_symbols():
    """Without simplification every order comes out of 000's recursion."""
    rng = np.random.default_rng(3)
    axes = [screws.revolute((0, 0, 1)), screws.prismatic((1, 0, 0))]
    model = RobotModel.from_screws(axes, [np.eye(4)] * 2, [link_inertia(1.5, (0.2, 0.1, 0))] * 2)
    q = random_motion(rng, model, 2)
    Q, _ = recursive.inverse_dynamics(model, q)
    plain = hod_ros.symbolic(model, 2, simplify=False)
    np.testing.assert_allclose(evaluated(plain, q), Q, atol=1e-12 * np.abs(Q).max())


def test_numbers_of_a_rotated_joint_are_found_as_roots():
    e = np.array([0, 1, 1]) / np.sqrt(2)
    inertia = link_inertia(1.0, (1.0, 0, 0))
    model = RobotModel.from_screws([screws.revolute(e)], [np.eye(4)], [inertia], gravity=(0, 0, 0))
    (expression,), q = hod_ros.symbolic(model, 0)
    assert sympy.simplify(expression[0] - q[2, 0]) == 0


def test_more_than_three_joints_are_refused():
    with pytest.raises(hod_ros.ModelError, match='4 coordinates'):
        hod_ros.symbolic(random_tree(np.random.default_rng(0), 4), 0)
    with pytest.raises(hod_ros.InputError, match='order is -1'):
        hod_ros.symbolic(pendulum()[0], -1)


def test_a_robot_without_joints_has_no_expressions():
    Q, q = hod_ros.symbolic(random_tree(np.random.default_rng(0), 0), 2)
    assert Q.shape == (3, 0) and q.shape == (5, 0)


def mpf(array):
    return np.vectorize(mpmath.mpf, otypes=[object])(array)


def test_fifty_digits_through_the_reference_and_back_through_forward_dynamics():
    rng = np.random.default_rng(4)
    model = zoo(rng)
    q = random_motion(rng, model, 4)
    floats, _ = recursive.inverse_dynamics(model, q)
    with mpmath.workdps(50):
        precise, exact = multiprecision(model), mpf(q)
        Q, _ = recursive.inverse_dynamics(precise, exact)
        again = forward_dynamics(precise, exact[:2], Q)
        lost = max(abs(value) for value in (again - exact[2:]).flat)
        assert lost < mpmath.mpf(10) ** -40
    for k in range(5):
        assert np.abs(Q[k].astype(float) - floats[k]).max() < 1e-13 * np.abs(floats[k]).max()


def test_fifty_digits_are_fifty_digits():
    """Q' in 50 digits against differences of Q in 120."""
    rng = np.random.default_rng(5)
    model = random_tree(rng, 3, kinds=('helical', 'revolute'))
    q = mpf(random_motion(rng, model, 1))
    with mpmath.workdps(120):
        model, h = multiprecision(model), mpmath.mpf(10) ** -30

        def force(t):
            rows = [sum(q[k + j] * t**j / mpmath.factorial(j) for j in range(4 - k)) for k in range(3)]
            return recursive.inverse_dynamics(model, np.stack(rows))[0][0]
        expected = (force(h) - force(-h)) / (2 * h)
    with mpmath.workdps(50):
        Q, _ = recursive.inverse_dynamics(multiprecision(model), q)
        assert np.abs(Q[1] - expected).max() < mpmath.mpf(10) ** -46 * np.abs(expected).max()


def test_models_hold_symbols_as_they_are_and_refuse_what_is_no_number():
    model, (m, *_) = pendulum()
    assert model.exact
    assert model.masses[0] == m
    assert model.hash == pendulum()[0].hash
    with pytest.raises(hod_ros.ModelError, match='gravity holds None'):
        model.replace(gravity=(0, 0, None))


def test_symbols_have_no_digits():
    model = RobotModel.from_screws([[0, 1, 0, 0, 0, 0]], [np.eye(4, dtype=int)], [link_inertia(sympy.Symbol('m'), (0, 0, 1))])
    with pytest.raises(InputError, match='M of robot holds symbols'):
        multiprecision(model)
