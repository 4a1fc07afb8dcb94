# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from robots import robot_text
from scipy.interpolate import make_interp_spline

from hod_ros import HardeningSpring
from hod_ros import InputError
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import inverse_dynamics
from hod_ros import link_inertia
from hod_ros import motor_feedforward
from hod_ros import time_optimal

DRIVE = SeriesElastic(stiffness=3000.0, motor_inertia=0.4)


@pytest.fixture(scope='module')
def panda():
    return RobotModel.from_urdf(robot_text('our_panda'))


def slider(mass=2.0):
    """One mass on a horizontal rail."""
    return RobotModel.from_screws([[0, 0, 0, 1, 0, 0]], np.eye(4)[None], [link_inertia(mass, [0, 0, 0], np.eye(3))])


def line(distance):
    return Trajectory([0, 1], [[[0.0], [distance]]])


def smooth_path(model, seed, points=4):
    """Random way points joined by a spline with four continuous derivatives; the path moves at its ends."""
    rng = np.random.default_rng(seed)
    low, high = np.clip(model.position_limits.T, -2, 2)
    x = np.arange(float(points))
    free = [(2, np.zeros(model.n)), (3, np.zeros(model.n))]
    spline = make_interp_spline(x, rng.uniform(low, high, (points, model.n)), 5, bc_type=(free, free))
    return Trajectory.from_derivatives(x, np.stack([spline(x, k) for k in range(5)], axis=1))


def full_limits(model, rate=1000.0):
    return Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=rate)


@pytest.fixture(scope='module')
def path(panda):
    return smooth_path(panda, 0)


@pytest.fixture(scope='module')
def fastest(panda, path):
    return time_optimal(panda, path, full_limits(panda))


@pytest.mark.parametrize(('distance', 'effort', 'rate'), [(1.0, 10.0, 200.0), (0.02, 10.0, 1e9), (5.0, 40.0, 150.0)])
def test_a_mass_on_a_rail_is_as_fast_as_the_textbook_says(distance, effort, rate):
    mass = 2.0
    motion = time_optimal(slider(mass), line(distance), Limits(effort=effort, effort_rate=rate))
    a, ramp = effort / mass, effort / rate
    known = ramp + np.sqrt(ramp ** 2 + 4 * distance / a)            # a at its limit, with ramps up and down
    assert 1 - 1e-6 < motion.duration / known < 1.012


def test_a_mass_on_a_rail_with_limited_velocity_too():
    motion = time_optimal(slider(1.0), line(3.0), Limits(velocity=1.0, acceleration=4.0, jerk=40.0))
    assert 1 - 1e-6 < motion.duration / (3.0 / 1.0 + 1.0 / 4.0 + 4.0 / 40.0) < 1.012


def test_the_path_is_followed_exactly_and_forwards(path, fastest):
    times = np.linspace(fastest.start, fastest.end, 3001)
    s = fastest.parameter(times)
    assert (np.diff(s) > 0).all() and s[0] == path.start and s[-1] == path.end
    np.testing.assert_allclose(fastest.evaluate(times)[:, 0], path.evaluate(s)[:, 0], rtol=0, atol=1e-11)


def test_no_limit_is_exceeded_between_any_points(panda, fastest):
    t = np.linspace(fastest.start, fastest.end, 40001)
    q = fastest.evaluate(t, 3)
    Q = inverse_dynamics(panda, q)
    for quantity, values, limit in (
            ('velocity', q[:, 1], panda.velocity_limits), ('effort', Q[:, 0], panda.effort_limits), ('effort_rate', Q[:, 1], 1000.0)):
        share = (np.abs(values) / limit).max(axis=0)
        assert share.max() <= 1 + 1e-6
        np.testing.assert_allclose(fastest.certificate.usage[quantity], share, rtol=1e-3)


def test_the_evaluation_of_trajectories_finds_it_feasible_and_not_slower_than_need_be(panda, fastest):
    found = evaluate_trajectory(panda, fastest, full_limits(panda))
    assert found.feasible
    assert min(margin.min() for margin in found.margins.values()) < 1e-5
    for quantity, peak in found.peaks.items():
        if quantity in found.margins:
            limit = peak.value / (1 - found.margins[quantity])
            np.testing.assert_allclose(fastest.certificate.usage[quantity], peak.value / limit, rtol=1e-6)


def test_efforts_and_their_rates_are_pinocchios(panda, fastest):
    pin = pytest.importorskip('pinocchio')
    from pinocchio_peer import Peer
    peer = Peer(panda)

    def efforts(t):
        q, v, a = fastest.evaluate([t], 2)[0]
        return pin.rnea(peer.model, peer.data, *(peer.vector(x) for x in (q, v, a)))[peer.columns]

    h = 1e-5
    for t in np.linspace(0.01, fastest.end - 0.01, 300):
        assert (np.abs(efforts(t)) <= panda.effort_limits * (1 + 1e-6)).all()
        assert np.abs(efforts(t + h) - efforts(t - h)).max() / (2 * h) <= 1000.0 * (1 + 1e-3)


def test_some_limit_is_nearly_reached_almost_always(panda, fastest):
    t = np.linspace(0.02 * fastest.end, 0.98 * fastest.end, 2000)
    q = fastest.evaluate(t, 3)
    Q = inverse_dynamics(panda, q)
    share = np.concatenate(
        [np.abs(q[:, 1]) / panda.velocity_limits, np.abs(Q[:, 0]) / panda.effort_limits, np.abs(Q[:, 1]) / 1000.0], axis=1)
    assert (share.max(axis=1) > 0.95).mean() > 0.8


def test_it_starts_and_ends_at_rest_to_the_snap_and_is_continuous_between(fastest):
    q = fastest.evaluate(np.linspace(fastest.start, fastest.end, 5001), 4)
    size = np.abs(q).max(axis=(0, 2))
    assert (np.abs(q[[0, -1], 1:]).max(axis=(0, 2)) < 1e-8 * size[1:]).all()
    assert (np.abs(fastest.jumps(4)).max(axis=(0, 2)) < 1e-7 * size).all()


def test_toppras_time_is_nearly_reached_without_limits_of_rates(panda, path):
    pytest.importorskip('toppra')
    from toppra_peer import toppra_duration
    motion = time_optimal(panda, path, Limits(velocity=panda.velocity_limits, effort=panda.effort_limits))
    assert 0.998 < motion.duration / toppra_duration(panda, path) < 1.03


def test_tighter_limits_and_a_margin_make_it_slower(panda, path, fastest):
    tight = time_optimal(panda, path, full_limits(panda, rate=100.0))
    held_back = time_optimal(panda, path, full_limits(panda), margin=0.85)
    assert tight.duration > 1.02 * fastest.duration
    assert held_back.duration > fastest.duration and held_back.certificate.margin == 0.85
    assert 'margin 0.85' in held_back.certificate.message and panda.name in held_back.certificate.message


def test_the_motion_does_not_depend_on_how_the_path_is_parametrised(panda, path, fastest):
    stretched = Trajectory(100 + 7 * path.breaks, path.coefficients)
    np.testing.assert_allclose(time_optimal(panda, stretched, full_limits(panda)).duration, fastest.duration, rtol=1e-3)


def test_a_path_that_is_itself_a_motion_from_rest_to_rest_is_sped_up(panda, fastest):
    again = time_optimal(panda, fastest.at_speed(0.2), full_limits(panda))
    assert again.duration < 1.03 * fastest.duration
    assert max(share.max() for share in again.certificate.usage.values()) <= 1 + 1e-6


def peaks_of_motors(model, drives, motion):
    done = motor_feedforward(model, drives, motion.evaluate(np.linspace(motion.start, motion.end, 20001), 4))
    return np.abs(done.efforts).max(axis=0), np.abs(done.velocities).max(axis=0)


def test_motors_behind_hardening_springs_stay_within_their_limits():
    drives = {'joint1': HardeningSpring(stiffness=300.0, cubic=1e4, motor_inertia=0.5)}
    motion = time_optimal(slider(), line(1.0), Limits(motor_effort=20.0, motor_velocity=1.5), drives=drives)
    effort, velocity = peaks_of_motors(slider(), drives, motion)
    assert 0.99 < effort[0] / 20.0 <= 1 + 1e-6 and 0.99 < velocity[0] / 1.5 <= 1 + 1e-6


def test_motors_of_elastic_drives_stay_within_their_limits(panda, path):
    drives = dict.fromkeys(panda.joint_names[:2], DRIVE)
    limits = Limits(motor_effort=panda.effort_limits, motor_velocity=panda.velocity_limits)
    motion = time_optimal(panda, path, limits, drives=drives)
    efforts, velocities = peaks_of_motors(panda, drives, motion)
    efforts, velocities = efforts / panda.effort_limits, velocities / panda.velocity_limits
    assert 0.99 < max(efforts.max(), velocities.max()) <= 1 + 1e-6
    np.testing.assert_allclose(motion.certificate.usage['motor_effort'], efforts, rtol=1e-3)


def test_what_has_no_speed_slow_enough_is_refused_with_place_joint_and_share(panda, path):
    with pytest.raises(InputError, match=r"no speed .* the parameter .* of the effort that 'panda_joint2' may use, by gravity alone"):
        time_optimal(panda, path, Limits(effort=10.0))


def test_limits_that_do_not_bound_the_speed_are_refused(panda, path):
    with pytest.raises(InputError, match='no finite number'):
        time_optimal(panda, path, Limits(velocity=np.inf))
    with pytest.raises(InputError, match='do not bound the speed'):
        time_optimal(panda, Trajectory([0, 1], [[[0.0] * 7, [1.0] + [0.0] * 6]]), Limits(velocity=[np.inf] + [1.0] * 6))


def test_paths_that_cannot_be_timed_are_refused(panda, path):
    limits = full_limits(panda)
    with pytest.raises(InputError, match='does not move'):
        time_optimal(panda, Trajectory([0, 1], np.ones((1, 1, 7))), limits)
    waiting = np.zeros((3, 5, 7))
    waiting[2, 0] = 0.5
    with pytest.raises(InputError, match='stands still around its parameter'):
        time_optimal(panda, Trajectory.from_derivatives([0, 1, 2], waiting), limits)
    corner = Trajectory.from_derivatives([0, 1, 2], np.random.default_rng(0).normal(size=(3, 2, 7)))
    with pytest.raises(InputError, match=r'derivative 2 of the path jumps at its parameter 1, and a limit of effort_rate needs 2'):
        time_optimal(panda, corner, limits)
    with pytest.raises(InputError, match='moves 1 joints'):
        time_optimal(panda, line(1.0), limits)
    with pytest.raises(InputError, match='names the joints'):
        time_optimal(panda, Trajectory(path.breaks, path.coefficients, panda.joint_names[::-1]), limits)
    with pytest.raises(InputError, match='give a Trajectory'):
        time_optimal(panda, 'path', limits)
    damped = {panda.joint_names[0]: SeriesElastic(stiffness=300.0, motor_inertia=0.5, damping=1.0, damping_terms=1)}
    with pytest.raises(InputError, match='derivative 5 of the path'):
        time_optimal(panda, path, Limits(motor_effort=10.0), drives=damped)
    with pytest.raises(InputError, match='without drives'):
        time_optimal(panda, path, Limits(motor_effort=10.0))


def test_a_path_with_a_kink_in_its_curvature_is_timed_where_only_efforts_are_limited(panda):
    path = Trajectory.from_derivatives([0, 1, 2], np.random.default_rng(0).normal(size=(3, 2, 7)))
    motion = time_optimal(panda, path, Limits(velocity=2.0, effort=90.0))
    Q = inverse_dynamics(panda, motion.evaluate(np.linspace(motion.start, motion.end, 20001), 2))
    assert 0.99 < np.abs(Q).max() / 90.0 <= 1 + 1e-6


def test_a_torque_rate_that_grows_when_the_motion_slows_down_costs_no_time(panda):
    low, high = np.clip(panda.position_limits.T, -2, 2)
    points = np.random.default_rng(5).uniform(low, high, (5, 7))
    limits = full_limits(panda, rate=20.0)
    motion = time_optimal(panda, Trajectory.interpolate(np.arange(5.0), points, max_deviation=None), limits)
    assert motion.certificate.slow_down < 5e-4
    assert evaluate_trajectory(panda, motion, limits).feasible
