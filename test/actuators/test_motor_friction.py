# SPDX-License-Identifier: Apache-2.0
"""Friction of motors in the feedforward, against the law in fifty digits."""

import mpmath
import numpy as np
import pytest
from robots import robot

from hod_ros import Antagonistic
from hod_ros import FeedbackLinearisation
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import PreparedDrives
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import friction_forces
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward

FIGURES = {'motor_coulomb': 0.05, 'motor_breakaway': 0.08, 'motor_stribeck_velocity': 3.0, 'motor_friction_width': 0.7}


def law(v):
    return (mpmath.mpf('0.05') + mpmath.mpf('0.03') * mpmath.exp(-(v / 3) ** 2)) * mpmath.tanh(v / mpmath.mpf('0.7'))


def motion(t, rows=7):
    phase = 2 * t + 0.7 * np.arange(2)
    return np.stack([0.04 * 2.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(rows)])


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda', joints=['panda_joint2', 'panda_joint4'])


@pytest.mark.parametrize('kind', [SeriesElastic, HardeningSpring, Rigid, Antagonistic])
def test_dry_friction_and_its_derivatives_are_added_on_the_motors_side(arm, kind):
    springs = {SeriesElastic: {'stiffness': 3000.0}, HardeningSpring: {'stiffness': 900.0, 'cubic': 1e4}, Rigid: {},
               Antagonistic: {'spring': QuadraticSpring(quadratic=4e3), 'stiffness': 2000.0}}[kind]
    figures = {'motor_inertia': 1e-4, 'gear_ratio': 50.0, 'motor_friction': 1e-3, **springs}
    q = motion(0.3)
    smooth = motor_feedforward(arm, {'panda_joint4': kind(**figures)}, q)
    rough = motor_feedforward(arm, {'panda_joint4': kind(**figures, **FIGURES)}, q)
    np.testing.assert_allclose(rough.motion, smooth.motion, rtol=1e-15)
    for motor in range(1, len(rough.names)):
        with mpmath.workdps(50):
            rates = [mpmath.mpf(float(row)) for row in rough.motion[1:, motor]]

            def friction(t, rates=rates):
                return law(sum(rate * t**k / mpmath.factorial(k) for k, rate in enumerate(rates)))
            expected = [float(term * mpmath.factorial(k)) for k, term in enumerate(mpmath.taylor(friction, 0, 2))]
        np.testing.assert_allclose((rough.torques - smooth.torques)[:3, motor], expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal((rough.torques - smooth.torques)[:, 0], 0.0)


def test_a_batch_and_feedback_linearisation_know_it(arm):
    drives = dict.fromkeys(arm.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2, **FIGURES))
    q = np.stack([motion(t, 5) for t in (0.1, 0.4)])
    many = motor_feedforward(arm, drives, q)
    for i, one in enumerate(q):
        m = motor_feedforward(arm, drives, one)
        np.testing.assert_allclose(many.efforts[i], m.efforts, rtol=1e-14)
        linearised = FeedbackLinearisation(arm, drives)
        np.testing.assert_allclose(linearised.torques(*one[:2], m.positions, m.velocities, one[4]), m.efforts, rtol=1e-9)


@pytest.mark.parametrize('figures, text', [
    ({'motor_coulomb': 0.1}, 'motor_friction_width is missing'),
    ({'motor_coulomb': 0.1, 'motor_friction_width': 0.0}, 'motor_friction_width is 0; give a number above 0'),
    ({'motor_coulomb': 0.1, 'motor_breakaway': 0.05, 'motor_friction_width': 0.1}, 'motor_breakaway is 0.05, below motor_coulomb, 0.1'),
    ({'motor_breakaway': 0.2, 'motor_friction_width': 0.1}, 'motor_stribeck_velocity is missing'),
    ({'motor_coulomb': -0.1}, 'motor_coulomb is -0.1; give a number of 0 or more'),
])
def test_figures_that_make_no_law_are_refused(figures, text):
    with pytest.raises(HodError, match=text):
        SeriesElastic(stiffness=1.0, motor_inertia=1.0, **figures)


DRY_JOINTS = """<robot name='lever'><link name='base'/><link name='lever'><inertial><origin xyz='0 0 -0.2'/><mass value='1'/>
<inertia ixx='0.02' iyy='0.02' izz='0.001' ixy='0' ixz='0' iyz='0'/></inertial></link>
<joint name='hub' type='continuous'><parent link='base'/><child link='lever'/><axis xyz='0 1 0'/><dynamics friction='5'/></joint></robot>"""


@pytest.mark.parametrize('width', [1e-4, 0.01, 10.0])
def test_narrow_friction_of_a_joint_makes_no_more_torque_than_friction(width):
    model = RobotModel.from_urdf(DRY_JOINTS)
    drives = PreparedDrives(model, {'hub': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)})
    largest = free = 0.0
    near = np.geomspace(1e-7, 0.1, 300)
    for t in np.pi / 4 + np.concatenate([-near, near]):         # the joint turns round at pi / 4
        phase = 2 * t
        q = np.array([[0.4 * 2.0**k * np.sin(phase + k * np.pi / 2)] for k in range(5)])
        Q, friction = inverse_dynamics(model, q), friction_forces(model, q, width=width)
        smooth = drives.motor_feedforward_of(q, Q).efforts[0]
        largest = max(largest, abs(drives.motor_feedforward_of(q, Q, joint_friction=friction).efforts[0] - smooth))
        free = max(free, abs(drives.motor_feedforward_of(q, Q + friction).efforts[0] - smooth))
    assert largest <= 10.1              # twice the joint's 5 N m
    assert free > 1e4 if width == 1e-4 else free <= largest + 1e-9 if width == 10.0 else True


def test_joint_friction_of_the_wrong_shape_is_refused(arm):
    drives, q = PreparedDrives(arm, {'panda_joint4': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}), motion(0.3, 5)
    with pytest.raises(HodError, match=r'joint_friction has the shape \(1, 2\); give \(3, 2\)'):
        drives.motor_feedforward_of(q, inverse_dynamics(arm, q), joint_friction=np.zeros((1, 2)))
