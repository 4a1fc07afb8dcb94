# SPDX-License-Identifier: Apache-2.0
"""Motor feedforward against the equations of elastic joints, written down again with Pinocchio's or exact derivatives."""

import os
import subprocess
import sys

import numpy as np
import pytest
from robots import PANDA
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import ExponentialSpring
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import PreparedDrives
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward

pytestmark = pytest.mark.telling

pin = pytest.importorskip('pinocchio')
J = tuple(f'panda_joint{i}' for i in range(1, 8))


@pytest.fixture(scope='module')
def panda():
    return robot('our_panda')


def motion(t, rows=5, n=7):
    """0.4 sin(2 t + 0.7 i) and its derivatives (samples, rows, n)."""
    phase = 2 * np.asarray(t, float)[:, None] + 0.7 * np.arange(n)
    return np.stack([0.4 * 2.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(rows)], axis=1)


def stencil(values, h):
    """First and second derivative at the middle of nine equidistant values."""
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    second = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / h ** 2
    return np.tensordot(first, values, 1), np.tensordot(second, values, 1)


def pinocchio_torques(q):
    peer = pin.buildModelFromXML(PANDA.read_text())
    data = peer.createData()
    return np.array([pin.rnea(peer, data, *(np.array(row) for row in sample[:3])) for sample in q])


def test_series_elastic_motors_follow_from_pinocchio_torques_and_differences(panda):
    h, t = 5e-3, 0.3
    q = motion(t + h * np.arange(-4, 5))
    Q = pinocchio_torques(q)
    K, B, ratio, friction = 3000.0, 4e-5, 50.0, 1e-3
    drives = dict.fromkeys(J, SeriesElastic(stiffness=K, motor_inertia=B, gear_ratio=ratio, motor_friction=friction))
    theta = ratio * (q[:, 0] + Q / K)
    rate, acceleration = stencil(theta, h)
    ours = motor_feedforward(panda, drives, q[4])
    assert ours.names == J and ours.joint_names == J
    np.testing.assert_allclose(ours.positions, theta[4], rtol=1e-12)
    np.testing.assert_allclose(ours.velocities, rate, atol=1e-8)
    np.testing.assert_allclose(ours.accelerations, acceleration, atol=1e-6)
    np.testing.assert_allclose(ours.efforts, B * acceleration + friction * rate + Q[4] / ratio, atol=1e-7)
    np.testing.assert_array_equal(ours.stiffnesses, np.full(7, K))


def mixed():
    return {
        J[0]: SeriesElastic(stiffness=3000.0, motor_inertia=0.2, gear_ratio=-10.0),
        J[1]: HardeningSpring(stiffness=2000.0, cubic=1e5, motor_inertia=0.2),
        J[3]: AdjustableStiffness(stiffness=1500.0, motor_inertia=0.1, motor_friction=0.5),
        J[4]: Antagonistic(spring=QuadraticSpring(quadratic=3e3), motor_inertia=(0.1, 0.2), gear_ratio=(1.0, 3.0)),
        J[6]: Rigid(motor_inertia=0.05),
    }


def test_every_kind_of_drive_obeys_its_law_and_its_motors_equation_of_motion(panda):
    h = 5e-3
    q = motion(0.3 + h * np.arange(-4, 5))
    s = np.arange(-4, 5) * h
    k = np.stack([np.stack([1500 + 300 * s + 50 * s ** 2, 300 + 100 * s, 100 + 0 * s], axis=1),
                  np.stack([900 - 200 * s + 80 * s ** 2, -200 + 160 * s, 160 + 0 * s], axis=1)], axis=-1)
    drives = mixed()
    m = motor_feedforward(panda, drives, q, stiffness=k)
    assert m.names == (J[0], J[1], J[2], J[3], f'{J[4]}/1', f'{J[4]}/2', J[5], J[6])
    assert m.joint_names == (J[0], J[1], J[3], J[4])
    Q = pinocchio_torques(q)
    x = m.positions
    e = x[:, 0] / -10 - q[:, 0, 0]
    np.testing.assert_allclose(3000 * e, Q[:, 0], atol=1e-9)
    e = x[:, 1] - q[:, 0, 1]
    np.testing.assert_allclose(2000 * e + 1e5 * e ** 3, Q[:, 1], atol=1e-9)
    np.testing.assert_allclose(k[:, 0, 0] * (x[:, 3] - q[:, 0, 3]), Q[:, 3], atol=1e-9)
    d1, d2 = x[:, 4] - q[:, 0, 4], q[:, 0, 4] - x[:, 5] / 3
    np.testing.assert_allclose(3e3 * (d1 ** 2 - d2 ** 2), Q[:, 4], atol=1e-9)
    np.testing.assert_allclose(6e3 * (d1 + d2), k[:, 0, 1], rtol=1e-12)
    np.testing.assert_allclose(x[:, [2, 6, 7]], q[:, 0, [2, 5, 6]], rtol=1e-15)
    rate, acceleration = stencil(x, h)
    np.testing.assert_allclose(m.velocities[4], rate, atol=1e-7)
    np.testing.assert_allclose(m.accelerations[4], acceleration, atol=1e-5)
    pulls = [-Q[4, 0] / 10, Q[4, 1], Q[4, 2], Q[4, 3] + 0.5 * m.velocities[4, 3], 3e3 * d1[4] ** 2, -3e3 * d2[4] ** 2 / 3, Q[4, 5], Q[4, 6]]
    np.testing.assert_allclose(
        m.efforts[4], np.array([0.2, 0.2, 0, 0.1, 0.1, 0.2, 0, 0.05]) * m.accelerations[4] + pulls, atol=1e-9)
    np.testing.assert_allclose(m.stiffnesses[:, 2:], k[:, 0], rtol=1e-15)


def test_samples_and_single_instants_agree(panda):
    q, k = motion([0.1, 0.5, 0.9]), np.array([[1500.0, 900.0], [10.0, -20.0], [3.0, 4.0]])
    together = motor_feedforward(panda, mixed(), q, stiffness=k)
    for i in range(3):
        alone = motor_feedforward(panda, mixed(), q[i], stiffness=k)
        for name in ('positions', 'velocities', 'accelerations', 'efforts', 'stiffnesses'):
            np.testing.assert_allclose(getattr(together, name)[i], getattr(alone, name), rtol=1e-12)
    assert motor_feedforward(panda, mixed(), q[:0], stiffness=k).positions.shape == (0, 8)


def test_more_rows_give_higher_derivatives_that_differences_confirm(panda):
    h = 5e-3
    q = motion(0.3 + h * np.arange(-4, 5), rows=7)
    linear = dict.fromkeys(J, SeriesElastic(stiffness=3000.0, motor_inertia=0.2))
    for drives in (linear, {J[1]: HardeningSpring(stiffness=900.0, cubic=1e4, motor_inertia=0.2)}):
        m = motor_feedforward(panda, drives, q)
        assert m.motion.shape == (9, 5, 7) and m.torques.shape == (9, 3, 7)
        rate, acceleration = stencil(m.motion[:, 2], h)
        np.testing.assert_allclose(m.motion[4, 3:], [rate, acceleration], atol=1e-5)
        rate, acceleration = stencil(m.efforts, h)
        np.testing.assert_allclose(m.torques[4, 1:], [rate, acceleration], atol=1e-4)


def test_prepared_and_general_ways_agree_to_rounding(panda):
    q = motion([0.2, 0.7])
    drives = {J[0]: SeriesElastic(stiffness=3000.0, motor_inertia=0.2, gear_ratio=7.0, motor_friction=0.1), J[2]: Rigid(motor_inertia=0.1)}
    prepared = PreparedDrives(panda, drives)
    without_shortcuts = PreparedDrives(panda, drives)
    without_shortcuts._linear = without_shortcuts._quick = None
    quick, general = motor_feedforward(panda, prepared, q), motor_feedforward(panda, without_shortcuts, q)
    np.testing.assert_allclose(quick.motion, general.motion, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(quick.torques, general.torques, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(quick.stiffnesses, general.stiffnesses)
    np.testing.assert_array_equal(motor_feedforward(panda, prepared, q.tolist()).efforts, general.efforts)
    with pytest.raises(HodError, match='prepared for'):
        motor_feedforward(panda.replace(name='other'), prepared, q)


def test_without_the_compiled_kernel_results_are_the_same(panda):
    program = (
        'import warnings; warnings.simplefilter("ignore")\n'
        'import numpy as np; from hod_ros import RobotModel, SeriesElastic, motor_feedforward\n'
        f'model = RobotModel.from_urdf(open({str(PANDA)!r}).read())\n'
        'q = np.linspace(-1, 1, 35).reshape(5, 7)\n'
        'drives = {"panda_joint2": SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}\n'
        'm = motor_feedforward(model, drives, q); print(repr(np.concatenate([m.motion, m.torques]).tolist()))')
    environment = os.environ | {'HOD_ROS_KERNEL': '0', 'PYTHONPATH': os.pathsep.join(sys.path)}
    text = subprocess.run([sys.executable, '-c', program], env=environment, capture_output=True, text=True, check=True, timeout=900).stdout
    m = motor_feedforward(panda, {J[1]: SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}, np.linspace(-1, 1, 35).reshape(5, 7))
    np.testing.assert_allclose(np.array(eval(text)), np.concatenate([m.motion, m.torques]), rtol=1e-11, atol=1e-12)


def test_wrenches_reach_the_springs(panda):
    q, w = motion([0.2])[0], np.random.default_rng(0).uniform(-5, 5, (3, 6))
    drives = dict.fromkeys(J, SeriesElastic(stiffness=3000.0, motor_inertia=0.2))
    wrenches = {'panda_link7': w}
    Q = inverse_dynamics(panda, q, wrenches=wrenches)
    m = motor_feedforward(panda, drives, q, wrenches=wrenches)
    np.testing.assert_allclose(m.positions, q[0] + Q[0] / 3000, rtol=1e-13)
    np.testing.assert_allclose(m.efforts, 0.2 * (q[2] + Q[2] / 3000) + Q[0], rtol=1e-13)


@pytest.mark.parametrize('stiffness, text', [
    (None, r"'panda_joint5' is missing"),
    (np.ones((2, 2)), r'shape \(2, 2\)'),
    (np.ones((3, 1)), r'panda_joint4, panda_joint5'),
    ([[1500, np.nan], [0, 0], [0, 0]], "'panda_joint5' is not finite in row 0"),
    ([[0, 900], [0, 0], [0, 0]], "'panda_joint4'.*above 0"),
    ([[-1, 900], [0, 0], [0, 0]], "'panda_joint4'.*above 0"),
    ([[1500, 3], [0, 0], [0, 0]], "'panda_joint5'.*co-contraction"),
])
def test_stiffness_motions_that_springs_cannot_do_are_refused_by_joint(panda, stiffness, text):
    with pytest.raises(HodError, match=text):
        motor_feedforward(panda, mixed(), motion([0.2])[0], stiffness=stiffness)


def test_adjustable_stiffness_keeps_to_its_range(panda):
    drives = {J[0]: AdjustableStiffness(motor_inertia=0.1, stiffness_range=(100.0, 2000.0))}
    motor_feedforward(panda, drives, motion([0.2])[0], stiffness=[[100.0], [0.0], [0.0]])
    with pytest.raises(HodError, match="'panda_joint1'.*2500.*from 100 to 2000"):
        motor_feedforward(panda, drives, motion([0.2])[0], stiffness=[[2500.0], [0.0], [0.0]])


def test_bad_motions_are_refused_and_nothing_infinite_comes_out(panda):
    drives = dict.fromkeys(J, SeriesElastic(stiffness=3000.0, motor_inertia=0.2))
    bad = motion([0.2])[0]
    bad[2, 3] = np.nan
    with pytest.raises(HodError, match="panda_joint4"):
        motor_feedforward(panda, drives, bad)
    with pytest.raises(HodError, match='5 rows'):
        motor_feedforward(panda, drives, motion([0.2])[0][:4])
    with pytest.raises(HodError, match='too large'):
        motor_feedforward(panda, {J[0]: SeriesElastic(stiffness=1e-90, motor_inertia=1e99, gear_ratio=1e99)}, motion([0.2])[0] * 1e30)
    with pytest.raises(HodError):
        motor_feedforward(panda, {J[0]: Antagonistic(spring=ExponentialSpring(torque=1e-9, rate=1e9), motor_inertia=1.0, stiffness=1e9)},
                          motion([0.2])[0] * 1e8)


def test_motors_that_need_more_than_they_have_are_flagged_by_motor(panda):
    q = motion([0.2, 0.5])
    pair = Antagonistic(spring=QuadraticSpring(quadratic=3e3), motor_inertia=0.1, stiffness=2000.0, torque_limit=(1e-3, 1e3))
    drives = {J[1]: SeriesElastic(stiffness=3000.0, motor_inertia=0.2, torque_limit=1.0), J[4]: pair}
    m = motor_feedforward(panda, drives, q)
    assert m.saturated.tolist() == [[False, True, False, False, True, False, False, False]] * 2
    drives[J[1]] = SeriesElastic(stiffness=3000.0, motor_inertia=0.2)
    np.testing.assert_array_equal(m.efforts, motor_feedforward(panda, drives, q).efforts)
    with pytest.raises(HodError, match='torque_limit'):
        SeriesElastic(stiffness=3000.0, motor_inertia=0.2, torque_limit=-1.0)


def test_free_bases_are_refused():
    with pytest.raises(HodError, match='free base'):
        motor_feedforward(robot('our_panda', base='free'), {}, motion([0.0])[0])


def test_torque_rates_of_five_rows_are_those_of_six_but_for_what_springs_add_to_the_rotors_jerk():
    model = robot('our_panda')
    drives = PreparedDrives(model, dict.fromkeys(model.joint_names, SeriesElastic(
        stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0, motor_friction=1e-4, motor_coulomb=0.02, motor_friction_width=20.0)))
    phase = 0.7 * np.arange(model.n)
    q = np.stack([0.4 * 4.0**k * np.sin(phase + k * np.pi / 2) for k in range(6)])
    six = drives.motor_feedforward(q)
    np.testing.assert_array_equal(drives.effort_rates(q, six), six.torques[1])
    five = drives.effort_rates(q[:5], drives.motor_feedforward(q[:5]))
    added = 2e-5 * 100 * six.Q[3] / 3000.0
    np.testing.assert_allclose(five + added, six.torques[1], atol=1e-9 * np.abs(five).max())
