# SPDX-License-Identifier: Apache-2.0
"""Robots identified from recordings of a simulated one, with encoders' steps, noise of torques, friction and rotors."""

import re

import numpy as np
import pytest
from robots import robot
from robots import robot_text

pytest.importorskip('mujoco')
pytest.importorskip('scipy')

from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import HodError  # noqa: E402
from hod_ros import Recording  # noqa: E402
from hod_ros import Rigid  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import Trajectory  # noqa: E402
from hod_ros import evaluate_trajectory  # noqa: E402
from hod_ros import identify  # noqa: E402
from hod_ros import inertial_parameters  # noqa: E402
from hod_ros import inverse_dynamics  # noqa: E402
from hod_ros import minimal_parameters  # noqa: E402
from hod_ros import smoothed_motion  # noqa: E402
from hod_ros import with_inertial_parameters  # noqa: E402

JOINTS = ('panda_joint2', 'panda_joint4')
ROTORS, VISCOUS, DRY = np.array([0.6, 0.4]), np.array([1.2, 0.9]), np.array([1.2, 0.8])
STEP = 2e-3
OFFSET = np.array([0.3, -0.2])


def reference(t, seed):
    rng = np.random.default_rng(seed)
    amplitude, w, shift = rng.uniform(0.15, 0.4, (2, 4)), rng.uniform(0.5, 4.0, (2, 4)), rng.uniform(0, 6, (2, 4))
    middle = np.array([0.2, -1.6])[:, None] / 4
    return np.stack([
        np.sum(amplitude * w**k * np.sin(w * t + shift + k * np.pi / 2) + (middle if k == 0 else 0), axis=1) for k in range(3)])


def recorded(arm, seed, seconds, drives, elastic=False):
    """Positions, motor positions and torques of the joints under PD control, as sensors give them."""
    plant = ElasticPlant(arm, drives, step=STEP / (10 if elastic else 2))
    rng = np.random.default_rng(100 + seed)
    start = reference(0.0, seed)
    plant.set_state(start[0], start[1])
    rows = []
    for i in range(int(seconds / STEP)):
        want = reference(i * STEP, seed)
        torque = inverse_dynamics(arm, want)[0] + 400 * (want[0] - plant.motor_positions) + 20 * (want[1] - plant.motor_velocities)
        before = plant.positions, plant.motor_positions
        for _ in range(10 if elastic else 2):
            plant.step(torque)
        rows.append((*before, torque))
    q, theta, tau = (np.array(column) for column in zip(*rows, strict=True))
    tau[1:] = 0.5 * (tau[1:] + tau[:-1])        # about each sample
    line = 2 * np.pi / 2**17
    q, theta = (np.round((x + 3e-6 * rng.normal(size=x.shape)) / line) * line for x in (q, theta))
    tau = np.round((tau + OFFSET + 0.1 * rng.normal(size=tau.shape)) / 0.02) * 0.02
    return STEP * np.arange(len(q)), q, theta, tau


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda', joints=JOINTS)


@pytest.fixture(scope='module')
def believed(arm):
    """The arm as a URDF with invented masses has it."""
    parameters = inertial_parameters(arm).reshape(-1, 10)
    factors = np.array([[1.4], [0.6]])
    return with_inertial_parameters(arm, (parameters * factors).ravel())


DRIVES = {
    joint: Rigid(motor_inertia=inertia, motor_friction=viscous, motor_coulomb=dry, motor_friction_width=0.02)
    for joint, inertia, viscous, dry in zip(JOINTS, ROTORS, VISCOUS, DRY, strict=True)}


@pytest.fixture(scope='module')
def recordings(arm):
    out = []
    for seed in (1, 2):
        t, q, _, tau = recorded(arm, seed, 12.0, DRIVES)
        out.append(Recording(JOINTS, t, q, tau))
    return out


@pytest.fixture(scope='module')
def found(believed, recordings):
    return identify(believed, recordings)


def predicted(model, q, armature, damping, friction, width, offsets):
    bare = model.replace(armature=np.zeros(model.n))
    return inverse_dynamics(bare, q)[:, 0] + armature * q[:, 2] + damping * q[:, 1] + friction * np.tanh(q[:, 1] / width) + offsets


def test_torques_of_motions_not_seen_are_predicted_as_by_the_true_parameters(arm, believed, found):
    t, q, _, tau = recorded(arm, 7, 8.0, DRIVES)
    motion = smoothed_motion(t, q, 2).derivatives
    true = predicted(arm, motion, ROTORS, VISCOUS, DRY, 0.02, OFFSET)
    m = found.model
    own = predicted(m, motion, m.armature, m.damping, m.friction, found.friction_width, found.offsets)
    described = predicted(believed, motion, 0, 0, 0, 1, 0)
    error = [np.sqrt(np.mean((tau - guess)[50:-50]**2)) for guess in (true, own, described)]
    assert error[1] < 1.1 * error[0] < 0.2 * error[2]
    assert np.abs(own - true)[50:-50].mean() < 0.05


def test_friction_rotors_and_offsets_are_found_within_their_deviations(found):
    figures = {figure.name: figure for figure in found.figures}
    for j, joint in enumerate(JOINTS):
        for what, true in (('damping', VISCOUS[j]), ('friction', DRY[j]), ('torque offset', OFFSET[j])):
            figure = figures[f'{joint}/{what}']
            assert abs(figure.value - true) < 0.03 + 5 * figure.deviation, figure
            assert figure.excitation > 0.8
    assert found.friction_width == 0.02
    assert 0.05 < found.filtering.cutoff[0] < 50 and (found.filtering.position_noise < 3e-5).all()


def test_base_parameters_lie_within_their_deviations_of_the_true_ones(arm, found):
    true = arm.replace(armature=ROTORS)
    values = minimal_parameters(true).parameters(inertial_parameters(true))
    scores = [(figure.value - value) / figure.deviation for figure, value in zip(found.base_figures, values, strict=True)]
    assert np.sqrt(np.mean(np.square(scores))) < 4
    assert found.condition < 100


def test_what_the_recordings_do_not_tell_stays_as_described(found):
    silent = [figure for figure in found.figures if figure.excitation < 0.15]
    assert {'panda_joint2/Ixz', 'panda_joint4/mz', 'panda_joint4/Ixz'} <= {figure.name for figure in silent}
    assert all(abs(figure.value - figure.described) < figure.deviation for figure in silent)


def test_deviations_stay_positive_where_exact_torques_of_a_small_motion_tell_little_apart():
    arm = robot('our_panda')
    t, j = 2e-3 * np.arange(3000)[:, None], np.arange(arm.n)
    w = 1 + 0.3 * j
    q = np.stack([0.02 * w**k * np.sin(w * t + j + k * np.pi / 2) for k in range(3)], axis=1)
    q[:, 0] += [0, -0.3, 0, -1.8, 0, 1.5, 0.7]
    small = identify(arm, Recording(arm.joint_names, t[:, 0], q[:, 0], inverse_dynamics(arm, q, order=0)[:, 0]))
    assert small.condition > 1e6
    eigenvalues = np.linalg.eigvalsh(small.covariance)
    assert eigenvalues[0] > -1e-13 * eigenvalues[-1]
    assert all(figure.deviation > 0 for figure in (*small.figures, *small.base_figures) if 'stiffness' not in figure.name)


def test_every_identified_body_is_physical_even_from_torques_that_are_noise(believed, recordings):
    rng = np.random.default_rng(0)
    r = recordings[0]
    noise = identify(believed, Recording(JOINTS, r.times, r.positions, 20 * rng.normal(size=r.torques.shape)), friction_width=0.02)
    for M in noise.model.M:
        first = np.array([M[2, 4], M[0, 5], M[1, 3]])
        S = 0.5 * np.trace(M[:3, :3]) * np.eye(3) - M[:3, :3]
        assert np.linalg.eigvalsh(np.block([[S, first[:, None]], [first[None], M[3:4, 3:4]]]))[0] > 0
    assert (noise.model.friction >= 0).all() and (noise.model.armature > 0).all()
    assert any('not explained' in note for note in noise.notes)


def test_the_covariance_serves_evaluate_trajectory(arm, believed, found):
    t = Trajectory.interpolate([0, 1, 2], [[0.0, -1.0], [0.6, -1.8], [0.0, -1.0]])
    with_rotors = evaluate_trajectory(found.model, t, parameter_covariance=found.covariance).peaks['effort']
    without = evaluate_trajectory(arm, t, parameter_covariance=found.covariance_for(arm)).peaks['effort']
    assert (0 < with_rotors.deviation).all() and (with_rotors.deviation < 0.1).all()
    assert (with_rotors.deviation < without.deviation).all()        # of a robot whose rotors may be part of its first link's inertia


def test_the_urdf_is_written_back_with_nothing_but_masses_changed(arm, recordings):
    text = robot_text('our_panda').decode()
    model = RobotModel.from_urdf(text, joints=JOINTS)
    found = identify(model, recordings[:1], friction_width=0.02)
    written = found.urdf(text)
    back = RobotModel.from_urdf(written, joints=JOINTS)
    np.testing.assert_allclose(back.M, found.model.M, rtol=1e-9, atol=1e-9)

    def without_inertials(urdf):
        return re.sub(r'<inertial>.*?</inertial>', '', urdf, flags=re.DOTALL)
    assert written != text and without_inertials(written) == without_inertials(text)
    assert (back.position_limits == model.position_limits).all()


def test_a_gap_in_a_recording_is_not_bridged(believed, recordings):
    r = recordings[0]
    keep = (r.times < 5) | (r.times > 6)
    gap = identify(believed, Recording(JOINTS, r.times[keep], r.positions[keep], r.torques[keep]), friction_width=0.02)
    assert len(gap.filtering.cutoff) == 2
    assert gap.model.damping == pytest.approx(VISCOUS, rel=0.1)


def test_stamps_that_jitter_change_no_figure(believed, recordings):
    r = recordings[0]
    beat = r.times + 5e-4 * np.sin(2 * np.pi * 18 * r.times)
    late = np.where(r.times % 1.0 > 0.95, np.floor(r.times) + 1.0 + 1e-2 * (r.times % 1.0 - 1.0), r.times)
    exact = identify(believed, r, friction_width=0.02)
    assert exact.filtering.taken[0].off == 0 and not any('stamps' in note for note in exact.notes)
    for stamps in (beat, late):
        found = identify(believed, Recording(JOINTS, stamps, r.positions, r.torques), friction_width=0.02)
        assert len(found.filtering.cutoff) == 1
        for own, true in zip(found.base_figures, exact.base_figures, strict=True):
            assert own.value == pytest.approx(true.value, abs=max(0.2 * true.deviation, 1e-3 * abs(true.value)))
        assert found.model.damping == pytest.approx(VISCOUS, rel=0.1)
        assert any('stamps jitter' in note and 'at most' in note for note in found.notes)


def test_torques_that_are_stamped_late_are_noted_with_their_delay(believed, recordings):
    r = recordings[0]
    assert not any('torques are late' in note or 'rotors found' in note for note in identify(believed, r, friction_width=0.02).notes)
    late = identify(believed, Recording(JOINTS, r.times[5:], r.positions[5:], r.torques[:-5]), friction_width=0.02)
    note, = (note for note in late.notes if 'torques are late' in note)
    assert float(re.search(r'by ([\d.]+) \+-', note)[1]) == pytest.approx(1e3 * 5 * STEP, rel=0.4)


def test_rotors_beyond_what_any_joint_moves_are_noted(believed, recordings):
    r = recordings[0]
    found = identify(believed, Recording(JOINTS, r.times, r.positions, r.torques * [1, 1e3]), friction_width=0.02)
    assert any("rotors found for 'panda_joint4' (" in note and 'other units' in note for note in found.notes)


def test_stiffness_is_found_where_motors_and_links_were_measured(arm):
    drives = {
        joint: SeriesElastic(stiffness=k, motor_inertia=0.5, motor_friction=2.0) for joint, k in zip(JOINTS, (3000.0, 2000.0), strict=True)}
    t, q, theta, tau = recorded(arm, 3, 10.0, drives, elastic=True)
    found = identify(arm, Recording(JOINTS, t, q, tau, theta))
    figures = {figure.name: figure for figure in found.figures}
    for joint, k in zip(JOINTS, (3000.0, 2000.0), strict=True):
        assert figures[f'{joint}/stiffness'].value == pytest.approx(k, rel=0.05)
        assert figures[f'{joint}/damping'].value == pytest.approx(2.0, rel=0.2)
    assert not any('stamps' in note for note in found.notes)
    late = identify(arm, Recording(JOINTS, t[3:], q[3:], tau[3:], theta[:-3]))
    figures = {figure.name: figure for figure in late.figures}
    for joint, k in zip(JOINTS, (3000.0, 2000.0), strict=True):
        assert figures[f'{joint}/stiffness'].value == pytest.approx(k, rel=0.05)
        assert figures[f'{joint}/motor delay'].value == pytest.approx(3 * STEP, rel=0.05)
    assert any(re.search("the motors' stamps are late .* ms \\(panda_joint2\\)", note) for note in late.notes)
    with pytest.raises(HodError, match=r"the motor of joint 'panda_joint2' moves (9|10)\d\b.* times as far as its link"):
        identify(arm, Recording(JOINTS, t, q, tau, 100 * theta))


def test_recordings_of_an_arm_that_stands_still_are_refused_for_what_they_are(believed):
    still = np.zeros((1000, believed.n))
    with pytest.raises(HodError, match='recordings move too little .* followed up to'):
        identify(believed, Recording(believed.joint_names, np.arange(1000) * 5e-3, still, still))


def test_what_cannot_be_used_is_refused_by_its_name(believed, recordings):
    r = recordings[0]
    with pytest.raises(HodError, match="no joint 'panda_joint4'.*lock"):
        identify(believed, Recording(['panda_joint2', 'other'], r.times, r.positions, r.torques))
    with pytest.raises(HodError, match='no stretch of a hundred samples'):
        identify(believed, Recording(JOINTS, r.times[:50], r.positions[:50], r.torques[:50]))
    with pytest.raises(HodError, match='times must increase'):
        Recording(JOINTS, r.times[::-1], r.positions, r.torques)
    with pytest.raises(HodError, match='torques has the shape'):
        Recording(JOINTS, r.times, r.positions, r.torques[:, :1])
    with pytest.raises(HodError, match='description_deviation'):
        identify(believed, r, description_deviation=0)
    with pytest.raises(HodError, match='without extent; .* times in seconds'):
        identify(believed, Recording(JOINTS, 1e-6 * r.times, r.positions, r.torques), friction_width=0.02)


@pytest.mark.parametrize(('speeds', 'noted'), [(((0.3, 0.3), (0.3, 0.3)), True), (((2.0, 3.3), (2.6, 5.0)), False)])
def test_motion_that_hardly_tells_figures_apart_is_noted(speeds, noted):
    arm, t = RobotModel.from_urdf(robot_text('panda'), joints=list(JOINTS)), np.arange(6000) * STEP
    q = [0.2, -1.6] + 0.2 * np.stack([np.sin(np.outer(t, own)).sum(axis=1) for own in speeds], axis=1)
    motion = smoothed_motion(t, q, order=2).derivatives
    found = identify(arm, Recording(JOINTS, t, q, inverse_dynamics(arm, motion)[:, 0] + DRY * np.tanh(motion[:, 1] / 0.02)))
    assert (found.condition > 1e3) is noted
    assert any('condition of the equations' in note for note in found.notes) is noted


def test_torques_that_never_change_are_refused_by_recording_and_joint():
    arm, t = RobotModel.from_urdf(robot_text('panda'), joints=list(JOINTS)), np.arange(1000) * STEP
    q = np.stack([np.sin(t), np.sin(2 * t)], axis=1)
    with pytest.raises(HodError, match=r"recordings\[0\]: effort of joint 'panda_joint4' is constant \(0\) while it moves by 1.75"):
        identify(arm, Recording(JOINTS, t, q, np.stack([np.cos(t), 0 * t], axis=1)))
