# SPDX-License-Identifier: Apache-2.0
"""Drives in the kernel: the motors, stiffnesses and refusals of numpy's Taylor series, for every drive, alone and in batches."""

import numpy as np
import pytest
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import CubicSpring
from hod_ros import ExponentialSpring
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import HyperbolicSineSpring
from hod_ros import PreparedDrives
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import inverse_dynamics
from hod_ros.actuators.springs import QBMOVE
from hod_ros.kernel import compiled

pytestmark = pytest.mark.skipif(not compiled.available, reason='there is no compiled kernel')

MOTORS = {
    'motor_inertia': (0.2, 0.3), 'gear_ratio': (3.0, -2.0), 'motor_friction': 0.1,
    'motor_coulomb': (0.4, 0.0), 'motor_breakaway': (0.7, 0.0), 'motor_stribeck_velocity': 0.2, 'motor_friction_width': 0.05}
LAWS = {
    'exponential': (ExponentialSpring(torque=2.0, rate=20.0), ExponentialSpring(torque=1.4, rate=25.0)),
    'quadratic': (QuadraticSpring(quadratic=4e3), QuadraticSpring(quadratic=3e3, linear=40.0)),
    'hyperbolic sine': (HyperbolicSineSpring(torque=2.0, rate=20.0), HyperbolicSineSpring(torque=1.3, rate=16.0)),
    'cubic': (CubicSpring(linear=300.0, cubic=4e5), CubicSpring(linear=500.0, cubic=3e5)),
}
DRIVES = {
    'rigid': Rigid(motor_inertia=1e-4, gear_ratio=100.0),
    'linear': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, motor_friction=0.3),
    'linear, dry friction': SeriesElastic(
        stiffness=3000.0, motor_inertia=0.2, motor_coulomb=3.0, motor_breakaway=5.0, motor_stribeck_velocity=0.1,
        motor_friction_width=0.05),
    'linear, damped': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=4.0, damping_terms=1),
    'hardening': HardeningSpring(stiffness=3000.0, cubic=1e5, motor_inertia=0.2, gear_ratio=-3.0),
    'hardening by far': HardeningSpring(stiffness=10.0, cubic=1e4, quintic=1e8, motor_inertia=0.2),
    'hardening, damped': HardeningSpring(stiffness=3000.0, cubic=1e5, quintic=1e6, motor_inertia=0.2, damping=4.0, damping_terms=2),
    'adjustable': AdjustableStiffness(stiffness=900.0, motor_inertia=0.2, stiffness_range=(800.0, 1e4)),
    'adjustable, damped': AdjustableStiffness(stiffness=900.0, motor_inertia=0.2, damping=2.0, damping_terms=1),
    **{law: Antagonistic(spring=springs, stiffness=5000.0, **MOTORS) for law, springs in LAWS.items()},
}
VARIABLE = [name for name, drive in DRIVES.items() if drive.variable]


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda')


def both(arm, drives):
    """Prepared drives whose motors the kernel computes, and such whose motors numpy does."""
    quick, slow = PreparedDrives(arm, drives), PreparedDrives(arm, drives)
    assert quick._motors is not None
    slow._motors = None
    return quick, slow


def motions(drive, samples, rows=5):
    q = np.random.default_rng(3).uniform(-0.3, 0.3, (samples, rows + drive.extra_rows, 7))
    q[0, 1:] = 0.0                  # at rest
    return q


def assert_same(found, expected):
    for name in ('motion', 'torques', 'Q', 'stiffnesses'):
        a, b = getattr(found, name), getattr(expected, name)
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(b).max(initial=1e-300), err_msg=name)


@pytest.mark.parametrize('rows', [5, 6, 9])
@pytest.mark.parametrize('name', DRIVES)
def test_motors_of_every_drive_are_numpys(arm, name, rows):
    drive = DRIVES[name]
    quick, slow = both(arm, {joint: drive for joint in arm.joint_names[::2]})
    q = motions(drive, 21, rows)
    expected = slow.motor_feedforward(q)
    answered = quick._compiled(q, expected.Q, None, None)
    assert_same(answered, expected)
    assert_same(quick.motor_feedforward(q[4]), slow.motor_feedforward(q[4]))
    together = quick.motor_feedforward(q[4:5]).motion[0]
    np.testing.assert_allclose(together, quick.motor_feedforward(q[4]).motion, rtol=1e-12, atol=1e-12 * np.abs(together).max())


def test_several_kinds_of_drives_in_one_robot(arm):
    quick, slow = both(arm, dict(zip(arm.joint_names, list(DRIVES.values())[-7:], strict=True)))
    q = motions(DRIVES['adjustable, damped'], 10, 6)
    assert_same(quick.motor_feedforward(q), slow.motor_feedforward(q))


@pytest.mark.parametrize('name', VARIABLE)
def test_a_motion_of_the_stiffness_is_followed_as_in_numpy(arm, name):
    drive = DRIVES[name]
    quick, slow = both(arm, {'panda_joint2': drive, 'panda_joint5': drive})
    q = motions(drive, 9)
    k = np.random.default_rng(1).uniform(-50, 50, (9, 3 + drive.extra_rows, 2))
    k[:, 0] += 4000.0
    for stiffness in (k, k[0]):
        assert quick._compiled(q, inverse_dynamics(arm, q), stiffness, None) is not None
        assert_same(quick.motor_feedforward(q, stiffness), slow.motor_feedforward(q, stiffness))
    assert_same(quick.motor_feedforward(q[3], k[3]), slow.motor_feedforward(q[3], k[3]))
    assert_same(quick.motor_feedforward(q[3], k[3].tolist()), slow.motor_feedforward(q[3], k[3]))


def exact_force_and_stiffness(law, e):
    """Of a spring, with eleven bits more than its own."""
    figures = {name: np.longdouble(figure) for name, figure in vars(law).items() if not name.startswith('_')}
    e = e.astype(np.longdouble)
    if type(law) is CubicSpring:
        return figures['linear'] * e + figures['cubic'] * e**3, figures['linear'] + 3 * figures['cubic'] * e**2
    if type(law) is QuadraticSpring:
        return figures['linear'] * e + figures['quadratic'] * e**2, figures['linear'] + 2 * figures['quadratic'] * e
    if type(law) is ExponentialSpring:
        return figures['torque'] * np.expm1(figures['rate'] * e), figures['torque'] * figures['rate'] * np.exp(figures['rate'] * e)
    return figures['torque'] * np.sinh(figures['rate'] * e), figures['torque'] * figures['rate'] * np.cosh(figures['rate'] * e)


@pytest.mark.parametrize('law', LAWS)
@pytest.mark.usefixtures('instruction_set')
def test_pairs_reach_torque_and_stiffness_to_rounding_wherever_they_stand_in_a_batch(arm, law):
    quick, _ = both(arm, {'panda_joint4': Antagonistic(spring=LAWS[law], motor_inertia=0.01)})
    rng = np.random.default_rng(9)
    Q, k, q = np.zeros((301, 3, 7)), np.zeros((301, 3, 1)), np.zeros((301, 5, 7))
    Q[:, 0, 3] = rng.choice([-1, 1], 301) * 10 ** rng.uniform(-6, 3, 301)
    least = np.array([quick.drives[3].least_stiffness(torque) for torque in Q[:, 0, 3]])
    k[:, 0, 0] = least * (1.01 + 10 ** rng.uniform(-4, 3, 301))
    found = quick._compiled(q, Q, k, None)
    (f1, k1), (f2, k2) = (exact_force_and_stiffness(spring, e) for spring, e in zip(
        LAWS[law], (found.positions[:, 3], -found.positions[:, 4]), strict=True))
    stretch = np.abs(found.positions[:, 3:5]).max(axis=1)
    assert np.all(np.abs(f1 - f2 - Q[:, 0, 3]) <= 1e-15 * (np.abs(f1) + np.abs(f2) + (k1 + k2) * stretch))
    np.testing.assert_allclose((k1 + k2).astype(float), k[:, 0, 0], rtol=1e-13)
    for i in (0, 150, 300):
        alone = quick._compiled(q[i], Q[i], k[i], None)
        np.testing.assert_allclose(found.motion[i], alone.motion, rtol=1e-13)


@pytest.mark.parametrize('law', [*LAWS, 'qbmove'])
def test_pairs_answer_and_refuse_as_numpy_does_down_to_the_least_stiffness(arm, law):
    springs = QBMOVE if law == 'qbmove' else LAWS[law]
    scale = 0.02 if law == 'qbmove' else 30.0
    quick, slow = both(arm, {'panda_joint4': Antagonistic(spring=springs, motor_inertia=0.01)})
    rng = np.random.default_rng(8)
    refused = 0
    for _ in range(60):
        Q = rng.normal(size=(3, 7)) * scale
        least = slow.drives[3].least_stiffness(Q[0, 3])
        k = np.array([[least * rng.choice([0.5, 0.999, 1.0009, 1.0011, 1.01, 1.5, 30.0])], [least], [-least]])
        q = rng.uniform(-1, 1, (5, 7))
        try:
            expected = slow.motor_feedforward_of(q, Q, k)
        except HodError as error:
            with pytest.raises(type(error)) as raised:
                quick.motor_feedforward_of(q, Q, k)
            assert str(raised.value) == str(error)
            refused += 1
            continue
        found = quick._compiled(q, Q, k, None)
        # next to the singular stiffness what both round is magnified
        np.testing.assert_allclose(found.motion, expected.motion, rtol=0, atol=1e-8 * np.abs(expected.motion).max())
        for series in (0, 1):
            np.testing.assert_allclose(found.motion[0, 3 + series], expected.motion[0, 3 + series], rtol=1e-9)
    assert 10 < refused < 50


@pytest.mark.parametrize(('name', 'stiffness', 'message'), [
    ('adjustable', 700.0, 'from 800 to'), ('adjustable', 2e4, 'from 800 to'), ('adjustable', -1.0, 'above 0'),
    ('adjustable', np.nan, 'not finite'), ('cubic', 0.0, 'above 0'), ('quadratic', 30.0, 'co-contraction')])
def test_a_stiffness_that_springs_cannot_have_names_its_joint(arm, name, stiffness, message):
    quick, _ = both(arm, {'panda_joint3': DRIVES[name]})
    q = motions(DRIVES[name], 5)
    for motion in (q, q[2]):
        k = np.zeros((*motion.shape[:-2], 3, 1))
        k[..., 0, :] = 4000.0
        k[(-1, 0, 0) if k.ndim == 3 else (0, 0)] = stiffness
        with pytest.raises(HodError, match=f'joint3.*{message}'):
            quick.motor_feedforward(motion, k)


def test_a_stiffness_that_was_not_configured_is_asked_for(arm):
    quick, _ = both(arm, {'panda_joint3': AdjustableStiffness(motor_inertia=0.2)})
    with pytest.raises(HodError, match="stiffness of joint 'panda_joint3' is missing"):
        quick.motor_feedforward(motions(quick.drives[2], 1)[0])


def test_a_springs_law_of_ones_own_runs_in_numpy(arm):
    class Own(ExponentialSpring):
        pass

    drives = PreparedDrives(arm, {'panda_joint1': Antagonistic(spring=Own(torque=2.0, rate=20.0), stiffness=4e3, motor_inertia=0.2)})
    same = PreparedDrives(arm, {'panda_joint1': Antagonistic(spring=LAWS['exponential'][0], stiffness=4e3, motor_inertia=0.2)})
    assert drives._motors is None
    q = motions(drives.drives[0], 3)
    assert_same(same.motor_feedforward(q), drives.motor_feedforward(q))
