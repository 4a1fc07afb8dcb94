# SPDX-License-Identifier: Apache-2.0
"""Joint friction: the derivatives of its smooth law against mpmath, its limits against physics."""

import mpmath
import numpy as np
import pytest

from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros.dynamics.friction import friction_forces

URDF = '''<robot name="r"><link name="base"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/><dynamics damping="0.7" friction="2.5"/></joint>
  <link name="l1"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="b" type="prismatic"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/><dynamics damping="3"/></joint>
  <link name="l2"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'''
MODEL = RobotModel.from_urdf(URDF)


@pytest.mark.parametrize('speed, width', [(1.0, 1.0), (0.3, 0.1), (2.0, 0.05), (1.0, 0.01)])
@pytest.mark.parametrize('order', [0, 1, 2, 3, 6])
def test_all_derivatives_equal_those_of_the_law_in_multiprecision(order, speed, width):
    with mpmath.workdps(60):
        t = mpmath.mpf('0.3')

        def law(s):
            rate = mpmath.cos(mpmath.mpf('1.7') * s) * speed
            return mpmath.mpf('0.7') * rate + mpmath.mpf('2.5') * mpmath.tanh(rate / mpmath.mpf(str(width)))

        expected = [float(c * mpmath.factorial(k)) for k, c in enumerate(mpmath.taylor(law, t, order))]
        q = np.array([[float(mpmath.diff(lambda s: mpmath.sin(mpmath.mpf('1.7') * s) * speed / mpmath.mpf('1.7'), t, k)), 0.2]
                      for k in range(order + 3)])
    result = friction_forces(MODEL, q, width=width)
    assert result.shape == (order + 1, 2)
    scale = np.maximum(np.abs(expected), 0.7 * np.abs(q[1:-1, 0]))
    np.testing.assert_allclose(result[:, 0] / scale, np.array(expected) / scale, atol=1e-9)


def test_viscous_friction_alone_is_exact():
    q = np.random.default_rng(0).normal(size=(6, 2))
    np.testing.assert_array_equal(friction_forces(MODEL, q, width=1e-3)[:, 1], 3.0 * q[1:5, 1])


def test_friction_far_from_rest_is_coulombs_and_constant():
    q = np.array([[0.0, 0.0], [-4.0, 0.0], [3.0, 0.0], [1.0, 0.0]])
    result = friction_forces(MODEL, q, width=0.01)
    np.testing.assert_allclose(result[:, 0], [-0.7 * 4.0 - 2.5, 0.7 * 3.0], rtol=1e-14)


def test_friction_never_drives():
    for rate in np.linspace(-2.0, 2.0, 41):
        assert friction_forces(MODEL, [[0.0, 0.0], [rate, rate], [0.0, 0.0]], width=0.1)[0] @ [rate, rate] >= 0.0


@pytest.mark.parametrize('width', [0.0, -1.0, np.nan, np.inf, 'wide', [0.1, 0.1, 0.1]])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(InputError, match='width'):
        friction_forces(MODEL, np.ones((3, 2)), width=width)


def test_overflow_is_refused_by_name():
    with pytest.raises(InputError, match="joint 'a'"):
        friction_forces(MODEL, np.array([[0.0, 0], [5e-4, 0], [1e200, 0], [1e200, 0], [1e200, 0]]), width=1e-3)
