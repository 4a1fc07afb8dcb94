# SPDX-License-Identifier: Apache-2.0
"""Drives identified from a recording of the plant, with encoders' steps and friction."""

import math

import numpy as np
import pytest
from robots import robot

pytest.importorskip('mujoco')

from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import HodError  # noqa: E402
from hod_ros import Rigid  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import identify_drives  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402

JOINTS = ('panda_joint2', 'panda_joint4')
GEARED = {'motor_inertia': 2e-5, 'gear_ratio': -100.0}
BELIEVED = dict.fromkeys(JOINTS, SeriesElastic(stiffness=3000.0, **GEARED))
TRUE = {
    JOINTS[0]: SeriesElastic(stiffness=3300.0, damping=3.0, damping_terms=1, motor_friction=1e-4, motor_coulomb=0.02,
                             motor_friction_width=2.0, **GEARED),
    JOINTS[1]: SeriesElastic(stiffness=2500.0, motor_friction=2e-4, **GEARED),
}
STEP = 1e-3


def motion(t):
    out = 0.0
    for amplitude, w, shift in ((0.3, 2.0, 0.7), (0.15, 5.3, 1.1), (0.08, 9.1, 2.3)):
        phase = w * t + shift * np.arange(2)
        out = out + np.stack([amplitude * w**k * np.sin(phase + k * np.pi / 2) for k in range(5)])
    return out


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda', joints=JOINTS)


@pytest.fixture(scope='module')
def recording(arm):
    """positions, motor_positions, torques of two seconds under PD and a feedforward that believes wrong figures."""
    plant = ElasticPlant(arm, TRUE, step=2e-4)
    start = motor_feedforward(arm, BELIEVED, motion(0.0))
    plant.set_state(*motion(0.0)[:2], start.positions, start.velocities)
    rows, w = [], 2 * math.pi * 15
    for i in range(2000):
        m = motor_feedforward(arm, BELIEVED, motion(i * STEP))
        torques = m.efforts + 2e-5 * (w**2 * (m.positions - plant.motor_positions) + 1.4 * w * (m.velocities - plant.motor_velocities))
        rows.append((np.round(plant.positions / 1e-6) * 1e-6 + 0.004, np.round(plant.motor_positions / 1e-4) * 1e-4, torques))
        for _ in range(5):
            plant.step(torques)
    return [np.array(column) for column in zip(*rows, strict=True)]


def test_stiffness_damping_friction_and_offsets_are_found_within_their_deviations(arm, recording):
    q, theta, tau = recording
    found = identify_drives(arm, BELIEVED, step=STEP, positions=q, motor_positions=theta, torques=tau, friction_width=2.0)
    for joint, true in TRUE.items():
        drive = found.drives[joint]
        assert drive.stiffness == pytest.approx(true.stiffness, rel=5e-3)
        assert drive.damping == pytest.approx(true.damping, abs=0.5)
        assert drive.motor_friction == pytest.approx(true.motor_friction, abs=2e-5)
        assert drive.motor_coulomb == pytest.approx(true.motor_coulomb, abs=1e-3)
        assert found.offsets[joint] == pytest.approx(0.004, abs=1e-4)
        assert 0 < found.deviations[joint]['stiffness'] < 0.01 * true.stiffness
        assert (drive.motor_inertia, drive.gear_ratio) == (2e-5, -100.0)


@pytest.mark.parametrize('late', [-2, 1, 5, 40])
def test_stamps_of_motors_that_are_late_or_early_change_no_figure(arm, recording, late):
    q, theta, tau = (part[10:-10] if late < 0 else part for part in recording)
    own, its = (q[late:], (theta[:-late], tau[:-late])) if late > 0 else (q[:late], (theta[-late:], tau[-late:]))
    found = identify_drives(arm, BELIEVED, step=STEP, positions=own, motor_positions=its[0], torques=its[1], friction_width=2.0)
    for joint, true in TRUE.items():
        drive = found.drives[joint]
        assert drive.stiffness == pytest.approx(true.stiffness, rel=5e-3)
        assert drive.damping == pytest.approx(true.damping, abs=0.5)
        assert drive.motor_friction == pytest.approx(true.motor_friction, abs=2e-5)
        assert found.delays[joint] == pytest.approx(late * STEP, abs=2e-5)
        assert found.unexplained[joint] < 0.01


def test_a_deflection_that_is_no_springs_is_told_by_its_unexplained_part(arm, recording):
    q, theta, tau = recording
    play = theta + 100 * 5e-3 * np.sign(np.sin(37 * STEP * np.arange(len(q))))[:, None]
    found = identify_drives(arm, BELIEVED, step=STEP, positions=q, motor_positions=play, torques=tau, friction_width=2.0)
    assert all(part > 0.3 for part in found.unexplained.values())


def test_a_recording_that_says_nothing_of_a_drive_is_refused_by_the_joint(arm, recording):
    q, theta, tau = recording

    def identified(q=q, theta=theta, tau=tau, drives=BELIEVED):
        return identify_drives(arm, drives, step=STEP, positions=q, motor_positions=theta, torques=tau)
    for k in range(0, len(q), len(q) // 20):        # each with a rounding of its own
        with pytest.raises(HodError, match="recording does not move the spring of joint 'panda_joint2'"):
            identified(np.repeat(q[k:k + 1], len(q), axis=0), np.repeat(theta[k:k + 1], len(q), axis=0))
    with pytest.raises(HodError, match="spring of joint 'panda_joint2' does not give as its torque asks.*signs"):
        identified(theta=2 * np.array([[-100.0, -100.0]]) * q - theta)
    with pytest.raises(HodError, match='the recording has 40 samples; give'):
        identified(q[:40], theta[:40], tau[:40])
    with pytest.raises(HodError, match='torques has the shape'):
        identified(tau=tau[:-1])
    with pytest.raises(HodError, match='no drive is a SeriesElastic'):
        identified(drives=dict.fromkeys(JOINTS, Rigid()))


@pytest.mark.parametrize(('factor', 'said'), [(-1.0, '-0.9'), (0.01, '0.009'), (10.0, '9.')])
def test_motors_that_move_by_another_gear_than_is_believed_are_refused(arm, recording, factor, said):
    q, theta, tau = recording
    with pytest.raises(HodError, match=f"the motor of joint 'panda_joint2' moves {said}.* times as far as its link, by its gear ratio"):
        identify_drives(arm, BELIEVED, step=STEP, positions=q, motor_positions=factor * theta, torques=tau)
