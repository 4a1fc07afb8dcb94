# SPDX-License-Identifier: Apache-2.0
"""What stands before the motors of elastic joints, on a Panda that MuJoCo simulates: no torque jumps, whatever starts, stops or jumps."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from bench.motor_loop import NO_LIMITS  # noqa: E402
from bench.motor_loop import PERIOD  # noqa: E402
from bench.motor_loop import WIDER  # noqa: E402
from bench.motor_loop import MotorLoop  # noqa: E402
from bench.motor_loop import motion  # noqa: E402
from hod_ros import InputError  # noqa: E402
from hod_ros import PreparedDrives  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros.ros.guards.motor_bounds import motor_bounds  # noqa: E402
from hod_ros.ros.guards.motor_gate import Settings  # noqa: E402
from hod_ros.ros.guards.ramp import Ramp  # noqa: E402
from hod_ros.ros.guards.ramp import fading_time  # noqa: E402

LARGEST = 0.05          # [rad] of the links from where they are wanted
TRACKED = 2e-3          # [rad]


def judged(loop, since=0.0):
    """(largest error [rad], torque steps in what the rate allows, last time at which the links were not TRACKED after `since`)."""
    times, positions, wanted, torques = loop.trace.arrays()
    known = np.isfinite(wanted[:, 0])
    steps = np.abs(np.diff(torques[known], axis=0)) / (loop.bounds.effort_rate * PERIOD)
    return np.abs(positions - wanted)[known].max(), steps.max(), times, positions


def settled(loop, reference, after):
    """Whether the links follow from a second after `after` on."""
    times, positions, *_ = loop.trace.arrays()
    errors = np.array([np.abs(q - reference(t)[0]).max() for t, q in zip(times, positions, strict=True)])
    late = times > after + 1.0
    assert late.any()
    return errors[late].max() < TRACKED


@pytest.fixture(scope='module')
def start():
    return motion(0.0)


def following(**options):
    loop = MotorLoop.of_panda(**options)
    loop.place(motion(0.0))
    return loop.run(0.3, motion)


def check(loop):
    error, step, *_ = judged(loop)
    assert error < LARGEST and step <= 1 + 1e-6
    return error


def test_a_start_from_where_the_reference_is_changes_nothing():
    loop = following()
    assert check(loop) < 1e-3
    assert not any(record.count for record in loop.gate.records)


def test_references_that_stop_leave_the_arm_at_rest_and_come_back_without_a_jump():
    loop = following().run(0.5)
    assert loop.gate.timeout.count == 1 and loop.gate.meaning == 'the motors hold their place' and not loop.fault.reason
    before = loop.plant.positions.copy()
    assert np.abs(loop.plant.velocities).max() < 0.02
    loop.run(0.1)
    assert np.abs(loop.plant.positions - before).max() < 1e-3
    back = loop.time
    loop.run(1.3, motion)
    check(loop)
    assert settled(loop, motion, back)


def test_states_that_stop_are_a_fault_that_only_a_reset_ends():
    loop = following().run(0.5, motion, states=False)
    assert loop.fault.reason == 'no motor_states came' and loop.gate.meaning == 'carries the arm by the model alone'
    assert loop.gate.reset(loop.time) == (False, 'the cause is still there: no motor_states came')
    loop.run(0.05, motion)
    assert np.abs(loop.plant.velocities).max() < 0.1, 'states came back, but nothing follows references before a reset'
    assert loop.gate.reset(loop.time)[0]
    back = loop.time
    loop.run(1.3, motion)
    check(loop)
    assert settled(loop, motion, back)


def test_an_arm_that_starts_elsewhere_goes_to_its_reference_without_a_jump(start):
    loop = MotorLoop.of_panda()
    elsewhere = np.zeros((5, 7))
    elsewhere[0] = start[0] + 0.1
    loop.place(elsewhere)
    loop.run(1.3, motion)
    check(loop)
    assert settled(loop, motion, 0.0)


def test_a_reference_that_jumps_is_followed_without_a_jump():
    def jumped(t):
        q = motion(t)
        q[0] += 0.05 * (t > 0.3)
        return q
    loop = following().run(1.3, jumped)
    assert check(loop) and loop.gate.guards.jump.count == 1
    assert settled(loop, jumped, 0.3)


def test_a_reference_too_far_away_is_not_followed_and_says_so(start):
    loop = MotorLoop.of_panda(settings=Settings(start_tolerance=0.05))
    elsewhere = np.zeros((5, 7))
    elsewhere[0] = start[0] + 0.1
    loop.place(elsewhere)
    loop.gate.command(0.0, loop.state(), loop.reference(start))
    assert loop.gate.wanted is None and 'from where joint' in loop.gate.guards.start.reason and loop.gate.guards.start.count == 1


def test_a_jump_beyond_the_tolerance_is_a_fault_and_a_reset_waits_for_a_reference_within():
    loop = following(settings=Settings(start_tolerance=0.2))

    def far(t):
        q = motion(0.3)
        q[0] += 1.0
        return q
    loop.run(0.5, far)
    assert 'start_tolerance' in loop.fault.reason and loop.fault.guard == 'jump'
    assert not loop.gate.reset(loop.time)[0]
    hold = np.zeros((5, 7))
    hold[0] = loop.plant.positions
    loop.run(1.1, lambda t: hold)
    assert loop.gate.reset(loop.time)[0]
    loop.run(0.2, lambda t: hold)
    assert loop.gate.meaning == 'follows references'
    check(loop)


@pytest.mark.parametrize(('limits', 'guard', 'text'), [
    ({'lower': {'panda_joint4': -3.0, 'panda_joint6': -0.5}, 'upper': {'panda_joint4': 0.1, 'panda_joint1': 0.2}}, 'motion limits',
     "'panda_joint1'"),
    ({'lower': {'panda_joint4': -3.0, 'panda_joint6': -0.5}, 'upper': {'panda_joint4': 0.1}, 'velocity': {'panda_joint1': 1.0}},
     'motion limits', 'velocity'),
])
def test_references_beyond_limits_are_a_fault(limits, guard, text):
    loop = MotorLoop.of_panda(limits=limits)
    q = np.zeros((5, 7))
    q[0] = motion(0.0)[0]
    loop.place(q)

    def leaving(t):
        p = q.copy()
        p[0, 0] += 0.3 * (1 - np.cos(6 * t))
        p[1, 0], p[2, 0] = 1.8 * np.sin(6 * t), 10.8 * np.cos(6 * t)
        return p
    loop.run(0.9, leaving)
    assert loop.fault.guard == guard and text in loop.fault.reason
    assert np.abs(loop.plant.velocities).max() < 0.2, 'the arm is held'
    check(loop)
    hold = np.zeros((5, 7))
    hold[0] = loop.plant.positions
    loop.run(1.1, lambda t: hold)
    assert loop.gate.reset(loop.time)[0]
    loop.run(0.2, lambda t: hold)
    assert loop.gate.meaning == 'follows references'


def test_an_arm_that_is_pushed_away_is_a_fault_and_is_held_where_it_then_is():
    loop = MotorLoop.of_panda(settings=Settings(largest_error=0.05))
    q = np.zeros((5, 7))
    q[0] = motion(0.0)[0]
    loop.place(q)
    loop.run(0.05, lambda t: q)
    push = np.zeros(7)
    push[0] = 25.0
    loop.run(0.4, lambda t: q, disturbed=push)
    assert loop.fault.guard == 'tracking error' and "joint 'panda_joint1'" in loop.fault.reason
    loop.run(0.6, lambda t: q)
    assert np.abs(loop.plant.velocities).max() < 0.02
    assert loop.gate.reset(loop.time)[0]


def test_a_spring_bent_too_far_is_a_fault_while_it_is():
    loop = MotorLoop.of_panda()
    q = np.zeros((5, 7))
    q[0] = motion(0.0)[0]
    loop.place(q)
    loop.run(0.05, lambda t: q)
    state = loop.state()
    state.positions = state.positions + np.array([0, 0, 0, 0.2, 0, 0, 0])
    loop.gate.command(loop.time, state, loop.reference(q))
    assert loop.fault.guard == 'spring deflection' and "the spring of joint 'panda_joint4' is bent by -0.19" in loop.fault.reason
    assert not loop.gate.reset(loop.time)[0], 'it still is'
    loop.run(0.1, lambda t: q)
    assert loop.gate.reset(loop.time)[0]
    check(loop)


def test_a_motor_that_is_too_fast_is_a_fault_that_is_latched_until_it_is_slow_and_reset():
    still = motion(0.0) * [[1], [0], [0], [0], [0]]
    loop = MotorLoop.of_panda(limits=WIDER | {'motor_velocity': {'panda_joint2': 50.0}})
    loop.place(still)
    loop.run(0.05, lambda t: still)
    plant = loop.plant
    plant.set_state(plant.positions, plant.velocities, plant.motor_positions, np.where(np.arange(7) == 1, 80.0, plant.motor_velocities))
    loop.run(PERIOD, lambda t: still)
    assert loop.fault.guard == 'motor velocity' and "motor 'panda_joint2' moves with" in loop.fault.reason
    assert not loop.gate.reset(loop.time)[0], 'it still does'
    loop.run(0.8, lambda t: still)
    assert loop.fault.guard == 'motor velocity' and loop.gate.meaning == 'the motors hold their place'
    assert loop.gate.reset(loop.time)[0]
    loop.run(1.0, lambda t: still)
    assert np.abs(loop.plant.positions - still[0]).max() < TRACKED and not loop.fault.reason


def test_a_reference_that_asks_a_motor_for_more_than_its_velocity_is_not_followed(start):
    loop = MotorLoop.of_panda(limits=WIDER | {'motor_velocity': {'panda_joint1': 100.0}})
    loop.place(start)
    assert loop.gate.command(0.0, loop.state(), loop.reference(start)) is None
    assert "motor 'panda_joint1' is asked for the velocity 159." in loop.gate.guards.start.reason


def test_the_velocity_limit_of_a_joint_bounds_its_motor_through_the_gear_and_0_is_refused():
    loop = MotorLoop.of_panda()
    np.testing.assert_allclose(loop.bounds.motor_velocity, 100 * np.asarray(loop.prepared.model.velocity_limits))
    with pytest.raises(InputError, match=r'limits\.panda_joint1\.motor_velocity is 0'):
        motor_bounds(loop.prepared, **NO_LIMITS | {'motor_velocity': {'panda_joint1': 0.0}})


def test_without_joint_states_springs_are_not_judged_and_the_guard_says_so():
    loop = MotorLoop.of_panda()
    loop.place(motion(0.0))
    state = loop.state()
    state.positions = state.velocities = None
    for _ in range(2):
        loop.gate.command(0.0, state, loop.reference(motion(0.0)))
    assert loop.gate.guards.deflection.state == 'off'


@pytest.mark.parametrize('how', ['damping', 'zero'])
def test_other_ways_to_do_without_references_brake_or_let_go_at_the_rate(how):
    loop = following(settings=Settings(on_timeout=how)).run(0.3)
    torques = loop.trace.arrays()[3]
    if how == 'zero':
        assert not torques[-1].any()
    else:
        speeds = loop.plant.motor_velocities
        np.testing.assert_allclose(torques[-1], -loop.law.velocity_gain @ speeds, atol=0.02)
    steps = np.abs(np.diff(torques, axis=0)) / (loop.bounds.effort_rate * PERIOD)
    assert steps.max() <= 1 + 1e-6


@pytest.mark.parametrize('resting', [0.5, 0.0])
def test_torques_that_may_be_held_for_ever_carry_the_arm_also_from_motion(resting):
    loop = following().run(resting)
    for _ in range(100):
        torques = loop.gate.settled(loop.time)
        loop.time += PERIOD
    np.testing.assert_allclose(torques, loop.model.at_rest(loop.model.of_joints(loop.plant.motor_positions), None)[3], atol=2e-3)


def test_a_motor_without_a_torque_limit_is_refused_by_name(start):
    loop = MotorLoop.of_panda()
    model = loop.prepared.model.replace(effort_limits=np.zeros(7))
    drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
    with pytest.raises(InputError, match=r"motor 'panda_joint1' has no torque limit.*elastic\.panda_joint1\.torque_limit"):
        motor_bounds(PreparedDrives(model, drives), **NO_LIMITS)
    with pytest.raises(InputError, match='limits.panda_joint1.effort'):
        motor_bounds(PreparedDrives(model, drives), **NO_LIMITS | {'effort': {name: 0.0 for name in model.joint_names}})


def test_ramps_begin_where_they_should_and_keep_their_limits():
    rng = np.random.default_rng(4)
    for _ in range(20):
        offset = rng.normal(size=(3, 4)) * [[0.2], [1.0], [3.0]]
        inertia, velocity, effort, rate = rng.uniform(0.5, 2.0, 4), np.full(4, 1.0), np.full(4, 30.0), np.full(4, 400.0)
        T = fading_time(offset, inertia=inertia, velocity=velocity, effort=effort, effort_rate=rate)
        ramp = Ramp(offset, 2.0, T)
        np.testing.assert_allclose(ramp.at(2.0)[:3], offset, atol=1e-12)
        np.testing.assert_allclose(ramp.at(2.0 + T)[:3], 0.0, atol=1e-12)
        times = np.linspace(2.0, 2.0 + T, 400)
        rows = np.array([ramp.at(t) for t in times])
        h = times[1] - times[0]
        np.testing.assert_allclose(np.gradient(rows[:, 0], h, axis=0)[1:-1], rows[1:-1, 1], atol=2e-2 * np.abs(rows[:, 1]).max())
        assert (np.abs(rows[:, 1]).max(0) <= 1.02 * (velocity + np.abs(offset[1]))).all()
        assert (np.abs(inertia * rows[:, 2]).max(0) <= 1.02 * (effort + inertia * np.abs(offset[2]))).all()
        assert (np.abs(inertia * rows[:, 3]).max(0) <= 1.02 * rate).all()
