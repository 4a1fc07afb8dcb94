# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from pinocchio_peer import Peer
from pinocchio_peer import pin
from planned_motions import panda
from planned_motions import random_motion

from hod_ros import InputError
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import force_deviations
from hod_ros import inertial_parameters
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import with_inertial_parameters

MODEL = panda()


def drives_of(model):
    return {name: SeriesElastic(stiffness=3000.0, motor_inertia=0.2, gear_ratio=1.5) for name in model.joint_names}


def densely(t, samples=40001):
    """(q, Q) on a grid."""
    q = t.evaluate(np.linspace(t.start, t.end, samples), 4)
    return q, inverse_dynamics(MODEL, q)


@pytest.mark.parametrize('seed', range(3))
def test_peaks_are_those_of_a_dense_grid_and_a_little_higher(seed):
    t = random_motion(np.random.default_rng(seed), MODEL, max_deviation=None if seed < 2 else 0.01)
    r = evaluate_trajectory(MODEL, t)
    q, Q = densely(t)
    for name, values in (
            ('velocity', q[:, 1]), ('acceleration', q[:, 2]), ('jerk', q[:, 3]), ('effort', Q[:, 0]), ('effort_rate', Q[:, 1]),
            ('effort_acceleration', Q[:, 2]), ('power', Q[:, 0] * q[:, 1])):
        on_grid, peak = np.abs(values).max(axis=0), r.peaks[name]
        assert (peak.value >= on_grid * (1 - 1e-10)).all(), name
        assert (peak.value <= on_grid * (1 + 1e-5)).all(), name
        row = {'effort': 0, 'effort_rate': 1, 'effort_acceleration': 2}.get(name)
        if row is not None:
            there = inverse_dynamics(MODEL, t.evaluate(peak.time, 4))[np.arange(7), row, np.arange(7)]
            np.testing.assert_allclose(there, peak.sign * peak.value, rtol=1e-9)


def test_peaks_of_a_pendulum_are_those_of_the_polynomials_that_it_follows():
    model = RobotModel.from_urdf("""<robot name='pendulum'><link name='base'/><link name='bob'><inertial><mass value='2'/>
        <origin xyz='1 0 0'/><inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>
        <joint name='hinge' type='revolute'><parent link='base'/><child link='bob'/><axis xyz='0 0 1'/>
        <limit lower='-3' upper='3' effort='1' velocity='1'/></joint></robot>""", gravity=(0.0, 0.0, 0.0))
    t = Trajectory([0.0, 1.0], [[[0.0], [0.3], [0.0], [-0.1]]])
    # Without gravity the torque is 2 q'': largest at the end, and its rate is constant.
    r = evaluate_trajectory(model, t)
    assert r.peaks['effort'].value[0] == pytest.approx(1.2, rel=1e-12) and r.peaks['effort'].time[0] == pytest.approx(1.0)
    assert r.peaks['effort'].sign[0] == -1
    assert r.peaks['effort_rate'].value[0] == pytest.approx(1.2, rel=1e-9)


def test_the_second_derivative_of_the_torque_is_that_of_pinocchios_torque_along_the_trajectory():
    """By the polynomial through Pinocchio's torques at Chebyshev's places of a short window within a piece."""
    t = random_motion(np.random.default_rng(12), MODEL, most=4)
    peer, degree, reach = Peer(MODEL), 14, 0.04
    for centre in (t.breaks[1:] + t.breaks[:-1]) / 2:
        x = np.polynomial.chebyshev.chebpts1(degree + 1)
        torques = []
        for rows in t.evaluate(centre + reach * x, 2):
            q, v, a = np.zeros((3, 7))
            q[peer.columns], v[peer.columns], a[peer.columns] = rows
            torques.append(pin.rnea(peer.model, peer.data, q, v, a)[peer.columns])
        fit = np.polynomial.chebyshev.Chebyshev.fit
        want = np.array([fit(reach * x, column, degree).deriv(2)(0.0) for column in np.array(torques).T])
        got = inverse_dynamics(MODEL, t.evaluate([centre], 4))[0, 2]
        assert np.abs(got - want).max() < 1e-9 * max(np.abs(want).max(), 100.0)


def test_work_is_the_change_of_energy_by_pinocchio():
    t = Trajectory.interpolate(
        [0, 1, 2.5], [[0.1] * 7, [0.5, -0.4, 0.2, -1.2, 0.3, 1.0, 0.1], [-0.5, 0.2, 0.3, -2.0, 0.1, 1.4, 0.9]],
        end=[[0.3, -0.2, 0.5, 0.1, 0.4, -0.3, 0.2]], max_deviation=None)
    peer = Peer(MODEL)

    def energy(time):
        q, v = np.zeros((2, 7))
        q[peer.columns], v[peer.columns] = t.evaluate([time], 1)[0]
        return pin.computeKineticEnergy(peer.model, peer.data, q, v) + pin.computePotentialEnergy(peer.model, peer.data, q)
    r = evaluate_trajectory(MODEL, t)
    assert r.energy.sum() == pytest.approx(energy(2.5) - energy(0.0), rel=1e-10)


def test_motors_peak_between_samples_too():
    t = random_motion(np.random.default_rng(5), MODEL)
    drives = drives_of(MODEL)
    r = evaluate_trajectory(MODEL, t, Limits(motor_velocity=3.0, motor_effort=[100.0] * 7), drives)
    m = motor_feedforward(MODEL, drives, densely(t)[0])
    for name, values in (('motor_velocity', m.velocities), ('motor_effort', m.efforts)):
        on_grid = np.abs(values).max(axis=0)
        assert (r.peaks[name].value >= on_grid * (1 - 1e-10)).all() and (r.peaks[name].value <= on_grid * (1 + 1e-5)).all()
        assert r.peaks[name].joint == m.names
    np.testing.assert_allclose(r.margins['motor_effort'], 1 - r.peaks['motor_effort'].value / 100)


def test_feasibility_names_the_model_the_margin_and_the_culprit():
    t = random_motion(np.random.default_rng(6), MODEL)
    peak = evaluate_trajectory(MODEL, t).peaks['effort_rate'].value
    limit = peak.copy() * 2
    limit[3] = peak[3] / 0.85
    fits = evaluate_trajectory(MODEL, t, Limits(effort_rate=limit))
    assert fits.feasible and MODEL.name in fits.message and MODEL.hash in fits.message and 'margin 1' in fits.message
    assert 'effort rate of' in fits.message and MODEL.joint_names[3] in fits.message
    np.testing.assert_allclose(fits.margins['effort_rate'][[0, 3]], [0.5, 0.15], rtol=1e-9)
    strict = evaluate_trajectory(MODEL, t, Limits(effort_rate=limit), margin=0.8)
    assert not strict.feasible and 'exceeds its limit' in strict.message and 'margin 0.8' in strict.message
    assert strict.margins['effort_rate'][3] == pytest.approx(1 - 0.85 / 0.8)


def test_viscous_friction_is_counted_where_it_is_wanted():
    t = random_motion(np.random.default_rng(7), MODEL)
    rubbing = MODEL.replace(damping=np.full(7, 2.0))
    q, Q = densely(t)
    r = evaluate_trajectory(rubbing, t, viscous_friction=True)
    for k, name in enumerate(('effort', 'effort_rate', 'effort_acceleration')):
        np.testing.assert_allclose(r.peaks[name].value, np.abs(Q[:, k] + 2 * q[:, k + 1]).max(axis=0), rtol=1e-5)
    np.testing.assert_allclose(r.energy - evaluate_trajectory(rubbing, t).energy, np.trapezoid(
        2 * q[:, 1]**2, np.linspace(t.start, t.end, len(q)), axis=0), rtol=1e-6)


def test_standard_deviations_are_those_of_models_drawn_at_random():
    rng = np.random.default_rng(8)
    t = random_motion(rng, MODEL)
    p = inertial_parameters(MODEL)
    root = 0.01 * rng.standard_normal((p.size, p.size)) * (np.abs(p) + 0.01)[:, None] / np.sqrt(p.size)
    at = np.linspace(t.start, t.end, 3)
    got = force_deviations(MODEL, t, at, root @ root.T)
    q = t.evaluate(at, 4)
    drawn = np.stack([inverse_dynamics(with_inertial_parameters(MODEL, p + root @ rng.standard_normal(p.size)), q) for _ in range(800)])
    np.testing.assert_allclose(drawn.std(axis=0), got, rtol=0.15, atol=1e-9)
    peaks = evaluate_trajectory(MODEL, t, parameter_covariance=root @ root.T).peaks
    j = 1
    want = force_deviations(MODEL, t, [peaks['effort_rate'].time[j]], root @ root.T)[0, 1, j]
    assert peaks['effort_rate'].deviation[j] == pytest.approx(want) and peaks['velocity'].deviation is None


def test_joints_are_matched_by_name():
    names = MODEL.joint_names
    t = random_motion(np.random.default_rng(9), MODEL)
    shuffled = Trajectory(t.breaks, t.coefficients[:, :, ::-1], names[::-1])
    np.testing.assert_allclose(
        evaluate_trajectory(MODEL, shuffled).peaks['effort'].value, evaluate_trajectory(MODEL, t).peaks['effort'].value, rtol=1e-9)
    with pytest.raises(InputError, match=f'not {names[0]!r}'):
        evaluate_trajectory(MODEL, Trajectory(t.breaks, t.coefficients, ['x', *names[1:]]))


@pytest.mark.parametrize(('change', 'message'), [
    ({'model': 'panda'}, 'RobotModel'),
    ({'trajectory': [[0.0] * 7]}, 'give a Trajectory'),
    ({'trajectory': Trajectory([0, 1], np.zeros((1, 2, 6)))}, 'moves 6 joints'),
    ({'limits': {'effort': 3}}, 'limits is'),
    ({'limits': Limits(effort=[1, 2])}, 'holds 2 numbers'),
    ({'limits': Limits(motor_effort=3)}, 'no drives are'),
    ({'margin': 0.0}, 'margin is 0'),
    ({'parameter_covariance': np.eye(3)}, 'parameter_covariance has the shape'),
    ({'parameter_covariance': -np.eye(70)}, 'is no covariance'),
])
def test_what_cannot_be_evaluated_is_refused(change, message):
    arguments = {'model': MODEL, 'trajectory': Trajectory([0, 1], np.zeros((1, 2, 7)))} | change
    with pytest.raises(InputError, match=message):
        evaluate_trajectory(**arguments)
