# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import ExponentialSpring
from hod_ros import FeedbackLinearisation
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import HyperbolicSineSpring
from hod_ros import SeriesElastic
from hod_ros import SingularityError
from hod_ros import motor_feedforward
from hod_ros import pole_gains

J = tuple(f'panda_joint{i}' for i in range(1, 8))
DRIVES = {
    J[0]: SeriesElastic(stiffness=3000.0, motor_inertia=2e-3, gear_ratio=10.0),
    J[1]: HardeningSpring(stiffness=2000.0, cubic=1e5, motor_inertia=0.2),
    J[2]: AdjustableStiffness(stiffness=2000.0, motor_inertia=0.2),
    J[3]: Antagonistic(spring=ExponentialSpring(torque=2.0, rate=20.0), stiffness=2000.0, motor_inertia=0.2),
    J[4]: Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=20.0), motor_inertia=(0.1, 0.2), motor_friction=0.3),
    J[5]: SeriesElastic(stiffness=1000.0, motor_inertia=0.1, motor_friction=1.0),
    J[6]: SeriesElastic(stiffness=500.0, motor_inertia=0.1),
}
STIFFNESS = np.array([[2500.0, 2600.0, 1500.0], [30.0, -50.0, 80.0], [40.0, 70.0, -90.0]])


@pytest.fixture(scope='module')
def panda():
    return robot('our_panda')


@pytest.fixture(params=range(3))
def q(request):
    return np.random.default_rng(request.param).uniform(-0.5, 0.5, (5, 7))


def test_measured_state_gives_acceleration_and_jerk_and_the_commanded_snap_the_torques(panda, q):
    linearised = FeedbackLinearisation(panda, DRIVES)
    m = motor_feedforward(panda, DRIVES, q, stiffness=STIFFNESS)
    state = q[0], q[1], m.positions, m.velocities
    np.testing.assert_allclose(linearised.chain(*state, stiffness=STIFFNESS), q[:4], atol=1e-8)
    np.testing.assert_allclose(linearised.torques(*state, q[4], stiffness=STIFFNESS), m.efforts, rtol=1e-9, atol=1e-9)
    k = linearised.stiffness_chain(*state)
    np.testing.assert_allclose(k[:, 3:5], STIFFNESS[:2, 1:], rtol=1e-9)


def test_chain_of_integrators_and_state_are_inverse_to_each_other(panda, q):
    linearised = FeedbackLinearisation(panda, DRIVES)
    theta, rate = linearised.state(q[:4], stiffness=STIFFNESS)
    np.testing.assert_allclose(linearised.chain(q[0], q[1], theta, rate, stiffness=STIFFNESS), q[:4], atol=1e-8)


def test_a_motor_without_inertia_is_refused(panda):
    drives = dict.fromkeys(panda.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2))
    with pytest.raises(HodError, match="motor_inertia of joint 'panda_joint3' is 0"):
        FeedbackLinearisation(panda, drives | {'panda_joint3': SeriesElastic(stiffness=3000.0, motor_inertia=0.0)})


def test_rigid_joints_and_dampers_are_refused_with_the_reason(panda):
    with pytest.raises(HodError, match="'panda_joint1' is rigid.*second derivatives of torques"):
        FeedbackLinearisation(panda, {})
    drives = DRIVES | {J[6]: SeriesElastic(stiffness=500.0, motor_inertia=0.1, damping=3.0, damping_terms=1)}
    with pytest.raises(HodError, match="'panda_joint7' has the damping 3"):
        FeedbackLinearisation(panda, drives)


def test_slack_and_lost_co_contraction_are_errors(panda, q):
    linearised = FeedbackLinearisation(panda, DRIVES)
    m = motor_feedforward(panda, DRIVES, q, stiffness=STIFFNESS)
    theta = m.positions.copy()
    theta[3] = q[0, 3] - 0.01
    with pytest.raises(SingularityError, match="'panda_joint4' is slack"):
        linearised.torques(q[0], q[1], theta, m.velocities, q[4], stiffness=STIFFNESS)
    theta = m.positions.copy()
    theta[5:7] = q[0, 4]
    with pytest.raises(SingularityError, match="'panda_joint5' has lost its co-contraction"):
        linearised.torques(q[0], q[1], theta, m.velocities, q[4], stiffness=STIFFNESS)
    with pytest.raises(HodError, match="'panda_joint4/2'"):
        linearised.chain(q[0], q[1], np.where(np.arange(9) == 4, np.nan, m.positions), m.velocities, stiffness=STIFFNESS)


def test_gains_place_the_poles():
    poles = np.array([[-3 + 4j, -3 - 4j, -5, -6], [-1, -2, -3, -4]])
    gains = pole_gains(poles)
    assert gains.shape == (2, 4)
    for row, wanted in zip(gains, poles, strict=True):
        companion = np.diag(np.ones(3), 1)
        companion[3] = -row
        np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(companion)), np.sort_complex(wanted), rtol=1e-9)
    np.testing.assert_allclose(pole_gains([-10.0] * 4), [1e4, 4e3, 600, 40])


@pytest.mark.parametrize('poles, text', [
    ([-1, -2, 0.1, -3], 'negative real parts'),
    ([-1 + 1j, -2, -3, -4], 'conjugate'),
    ([-1, np.nan, -3, -4], 'finite'),
    (-1.0, 'shape'),
    ('fast', 'numbers'),
])
def test_poles_that_cannot_be_placed_are_refused(poles, text):
    with pytest.raises(HodError, match=text):
        pole_gains(poles)


@pytest.mark.parametrize('order', range(2, 12))
def test_butterworth_poles_are_conjugate_pairs_although_their_real_parts_differ_by_rounding(order):
    poles = 20 * np.exp(1j * np.pi * (2 * np.arange(order) + order + 1) / (2 * order))
    gains = pole_gains(poles)
    np.testing.assert_allclose(gains, np.real(np.poly(poles))[:0:-1], rtol=1e-12)
    with pytest.raises(HodError, match='conjugate pairs'):
        pole_gains(poles + 1e-6j)
