# SPDX-License-Identifier: Apache-2.0
"""The deflections of springs with their time derivatives, against fifty-digit arithmetic."""

import mpmath
import numpy as np
import pytest

from hod_ros import ExponentialSpring
from hod_ros import HyperbolicSineSpring
from hod_ros import QuadraticSpring
from hod_ros import SingularityError
from hod_ros.actuators.spring_inverse import CLOSEST
from hod_ros.actuators.spring_inverse import least_stiffness
from hod_ros.actuators.spring_inverse import paired_stretches
from hod_ros.actuators.spring_inverse import stretches
from hod_ros.actuators.springs import QBMOVE
from hod_ros.actuators.springs import PolynomialSpring
from hod_ros.algebra import taylor

PAIRS = {
    'exponential': (ExponentialSpring(torque=2.0, rate=12.0), ExponentialSpring(torque=1.4, rate=15.0)),
    'quadratic': (QuadraticSpring(quadratic=900.0), QuadraticSpring(quadratic=700.0, linear=40.0)),
    'hyperbolic sine': (HyperbolicSineSpring(torque=2.0, rate=12.0), HyperbolicSineSpring(torque=1.3, rate=16.0)),
    'qbmove': QBMOVE,
}
TORQUES = dict.fromkeys(PAIRS, (0.0, 8.0, -30.0)) | {'qbmove': (0.0, 0.02, -0.9)}


def exact_law(spring, e):
    """f(e) and f'(e), written down again."""
    if isinstance(spring, ExponentialSpring):
        grown = spring.torque * mpmath.exp(spring.rate * e)
        return grown - spring.torque, spring.rate * grown
    if isinstance(spring, QuadraticSpring):
        return spring.linear * e + spring.quadratic * e ** 2, spring.linear + 2 * spring.quadratic * e
    return spring.torque * mpmath.sinh(spring.rate * e), spring.torque * spring.rate * mpmath.cosh(spring.rate * e)


def co_contracted(springs, d1, d2):
    first, second = springs
    return first.curvature_at(d1) / first.stiffness_at(d1) + second.curvature_at(d2) / second.stiffness_at(d2) > 0


def exact_derivatives(springs, Q, k, start):
    """d1 and d2 with four derivatives for Q(t), k(t) with these derivatives at 0, by differences of solutions in fifty digits."""
    def at(t):
        force = sum(mpmath.mpf(row) * t ** i / mpmath.factorial(i) for i, row in enumerate(Q))
        stiffness = sum(mpmath.mpf(row) * t ** i / mpmath.factorial(i) for i, row in enumerate(k))

        def equations(d1, d2):
            (f1, k1), (f2, k2) = exact_law(springs[0], d1), exact_law(springs[1], d2)
            return f1 - f2 - force, k1 + k2 - stiffness
        return mpmath.findroot(equations, start, tol=1e-160)

    with mpmath.workdps(120):
        h = mpmath.mpf(10) ** -9
        values = [at(j * h) for j in range(-4, 5)]
        nodes = mpmath.matrix([[mpmath.mpf(j) ** i / mpmath.factorial(i) for i in range(9)] for j in range(-4, 5)])
        out = []
        for which in (0, 1):
            taylor = mpmath.lu_solve(nodes, mpmath.matrix([value[which] for value in values]))
            out.append([float(taylor[i] / h ** i) for i in range(5)])
        return np.array(out)


@pytest.mark.parametrize('name', PAIRS)
@pytest.mark.parametrize('above', [1.05, 3.0])
def test_antagonistic_inverse_with_four_derivatives_agrees_with_fifty_digits(name, above):
    springs = PAIRS[name]
    for torque in TORQUES[name]:
        scale = max(abs(torque), TORQUES[name][1])
        least = least_stiffness(springs, torque)
        stiffness = above * max(least, 1e-3)
        Q = [torque, 0.3 * scale, -0.5 * scale, 0.7 * scale, 0.2 * scale]
        k = [stiffness, 0.02 * stiffness, -0.1 * stiffness, 0.2 * stiffness, 0.3 * stiffness]
        ours = [taylor.to_derivatives(d) for d in paired_stretches(springs, taylor.from_derivatives(Q), taylor.from_derivatives(k))]
        assert co_contracted(springs, ours[0][0], ours[1][0])
        exact = exact_derivatives(springs, Q, k, (ours[0][0], ours[1][0]))
        for row in range(5):
            error = np.abs(np.array(ours)[:, row] - exact[:, row]).max()
            assert error <= 1e-10 * np.abs(exact[:, row]).max(), (torque, row)


@pytest.mark.parametrize('name', PAIRS)
def test_least_stiffness_is_where_the_stiffness_stops_falling(name):
    first, second = PAIRS[name]
    for torque in TORQUES[name]:
        slack = second.stretch(max(-torque, 0.0)) if first.pulls_only else -0.3
        ahead = [first.stretch(torque + second.force_at(slack + x)) for x in np.linspace(0, 0.6, 4001)]
        stiffness = [first.stiffness_at(d) + second.stiffness_at(second.stretch(first.force_at(d) - torque)) for d in ahead]
        assert least_stiffness((first, second), torque) <= min(stiffness) * (1 + 1e-9)
        assert min(stiffness) <= least_stiffness((first, second), torque) * 1.001 + 1e-9


@pytest.mark.parametrize('name', PAIRS)
def test_stiffness_too_close_to_lost_co_contraction_is_refused(name):
    torque = TORQUES[name][1]
    least = least_stiffness(PAIRS[name], torque)
    d1, d2 = paired_stretches(PAIRS[name], [torque], [1.0001 * CLOSEST * least])
    assert co_contracted(PAIRS[name], d1[0], d2[0])
    with pytest.raises(SingularityError, match='co-contraction'):
        paired_stretches(PAIRS[name], [torque], [0.9999 * CLOSEST * least])


def test_pairs_of_samples_are_what_single_instants_are():
    Q, k = np.array([[1.0, -3.0], [2.0, 5.0]]), np.array([[300.0, 400.0], [-20.0, 10.0]])
    for springs in PAIRS.values():
        if springs is QBMOVE:
            continue
        together = np.array(paired_stretches(springs, list(Q), list(k)))
        for i in range(2):
            alone = np.array(paired_stretches(springs, list(Q[:, i]), list(k[:, i])))
            np.testing.assert_allclose(together[..., i], alone, rtol=1e-14)


@pytest.mark.parametrize('force', [0.0, 1e-9, 3.0, -80.0, 1e5])
def test_hardening_inverse_with_four_derivatives_agrees_with_fifty_digits(force):
    spring = PolynomialSpring(stiffness=800.0, cubic=3e4, quintic=2e6)
    Q = [force, 20.0, -30.0, 500.0, 900.0]
    ours = taylor.to_derivatives(stretches(spring, taylor.from_derivatives(Q)))

    def at(t):
        wanted = sum(mpmath.mpf(row) * t ** i / mpmath.factorial(i) for i, row in enumerate(Q))
        return mpmath.findroot(lambda e: 800 * e + mpmath.mpf(3e4) * e ** 3 + mpmath.mpf(2e6) * e ** 5 - wanted, ours[0], tol=1e-90)

    with mpmath.workdps(60):
        exact = [float(c * mpmath.factorial(i)) for i, c in enumerate(mpmath.taylor(at, 0, 4))]
    np.testing.assert_allclose(ours, exact, rtol=1e-11, atol=1e-16)
