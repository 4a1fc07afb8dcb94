# SPDX-License-Identifier: Apache-2.0
"""joint_states that are wrong while the robot is held: encoders that jump, velocities that are missing or none. The real arm stays."""

import numpy as np
import pytest
from guard_robot import MODEL
from guard_robot import NAMES
from guard_robot import Bench
from guard_robot import Robot
from guard_robot import arm
from guard_robot import assert_no_jump

from hod_ros import inverse_dynamics
from hod_ros.ros.guards.differences import Differences
from hod_ros.ros.guards.holding import at_rest
from hod_ros.ros.guards.unbroken import Unbroken

HOME = np.array([0.3, 0.5, -0.4])
HELD = 'a torque that holds where the robot is measured'
STOPPED = 0.1           # [s] after which setpoints stop coming, and the wrong begins


def held(*, positions=lambda t, q: q, velocities=lambda t, v: v, seconds=2.0, robot=None, **settings):
    """A bench whose robot is no longer commanded, and measured as these functions of time and truth say."""
    robot = robot or Robot(HOME)
    bench, began = Bench(**settings), robot.q
    bench.gate.limiter.start_from(at_rest(MODEL, robot.q))
    before = bench.gate.limiter.last
    for k in range(round((STOPPED + seconds) / 0.01)):
        t = 0.01 * k - STOPPED
        bench.now += 0.01
        robot.advance(0.01, bench.gate.limiter.last, step=2e-3)
        bench.measure(positions(t, robot.q), velocities(t, robot.dq))
        if t < 0:
            bench.send(began)
        bench.tick()
    assert_no_jump(bench.commands, bench.gate.bounds, before)
    return bench, np.abs(robot.q - began).max()


def jump(joint, by, since=0.5, until=np.inf):
    return lambda t, q: q + by * (np.arange(3) == joint) * (since <= t < until)


def flickering(t, q):
    return q + np.array([0.0, 1.0, 0.0]) * (int(t / 0.01) % 2)


def slowly_flickering(t, q):
    return q + np.array([0.0, 1.0, 0.0]) * (int(t / 0.3) % 2)


@pytest.mark.parametrize('positions', [
    jump(0, 2 * np.pi), jump(1, 1.0), jump(1, 1.0, until=1.0), jump(0, 2 * np.pi, until=1.0), jump(1, 1.0, until=0.51), jump(1, 1e6),
    jump(1, 1e300, until=1.0), jump(1, 1.0, since=0.0), flickering, slowly_flickering])
def test_encoders_that_jump_there_and_back_move_no_robot_that_is_held(positions):
    bench, moved = held(positions=positions)
    assert moved < 0.01 and bench.gate.fallback.meaning == HELD


@pytest.mark.parametrize('by', [1.0, 2 * np.pi])
def test_an_encoder_that_jumps_while_setpoints_come_is_a_fault_and_the_robot_is_held_all_the_same(by):
    bench, robot = Bench(), Robot(HOME)
    bench.gate.limiter.start_from(at_rest(MODEL, HOME))
    for k in range(150):
        bench.now += 0.01
        robot.advance(0.01, bench.gate.limiter.last, step=2e-3)
        bench.measure(jump(1, by, since=0.1)(0.01 * k, robot.q), robot.dq)
        bench.send(HOME)
        bench.tick()
    assert 'setpoints come, but the oldest joint_states' in bench.fault.reason
    assert f"(joint 'b' jumps from 0.5 to {0.5 + by:.4g}: not used)" in bench.fault.reason
    np.testing.assert_allclose(robot.q, HOME, atol=0.01)


def test_a_stream_that_starts_where_the_robot_is_measured_ends_what_was_told_of_jumps():
    bench, _ = held(positions=jump(1, 1.0))
    there = bench.gate.measured.positions
    np.testing.assert_allclose(bench.gate.measured.motion.positions, there - [0.0, 1.0, 0.0], atol=0.01)
    bench.fault.reset(bench.now)
    assert bench.send(there)
    np.testing.assert_allclose(bench.gate.measured.motion.positions, there)


def test_a_robot_that_is_found_elsewhere_after_a_silence_is_held_there():
    bench, _ = held()
    place = HOME + [0.0, 1.0, 0.0]
    bench.now += 0.5
    for _ in range(50):
        bench.now += 0.01
        bench.measure(place)
        bench.tick()
    assert bench.gate.fallback.meaning == HELD
    np.testing.assert_allclose(bench.gate.limiter.last, at_rest(MODEL, place), atol=1e-9)


def missing(t, v):
    return ()


@pytest.mark.parametrize('velocities', [
    missing, lambda t, v: v + 50.0 * (0.3 <= t < 0.31),
    lambda t, v: v + 50.0 * (0.0 <= t < 0.01), lambda t, v: v + 50.0, lambda t, v: v + 2.0])
def test_velocities_that_are_missing_or_are_none_leave_the_robot_held(velocities):
    bench, moved = held(velocities=velocities, seconds=3.0)
    assert moved < 0.02 and bench.gate.fallback.meaning == HELD


@pytest.mark.parametrize('velocities', [missing, lambda t, v: v])
@pytest.mark.parametrize('factor', [0.9, 1.1])
def test_an_arm_whose_masses_are_not_the_models_is_held_without_velocities_as_with_them(velocities, factor):
    bench, moved = held(velocities=velocities, robot=Robot(HOME, model=arm(mass=2.0 * factor)), seconds=4.0)
    assert moved < 0.7 and bench.gate.fallback.meaning == HELD and not bench.gate.moving(bench.now)


def in_motion(velocities, *, bandwidth=10.0, every=0.01):
    """(bench, robot) three seconds after the last setpoint of a motion."""
    speed = np.array([0.5, -0.4, 0.5])
    robot = Robot(HOME, speed)
    bench = Bench(hold_bandwidth=bandwidth)
    bench.gate.limiter.start_from(inverse_dynamics(MODEL, np.stack([HOME, speed, 0 * speed]))[0])
    bench.measure(HOME - 0.03 * speed, velocities(0, speed))
    bench.now += 0.03
    bench.measure(HOME, velocities(0, speed))
    assert bench.send(np.stack([HOME, speed, 0 * speed]))
    for k in range(300):
        bench.now += 0.01
        robot.advance(0.01, bench.gate.limiter.last, step=2e-3)
        if k % round(every / 0.01) == 0:
            bench.measure(robot.q, velocities(0, robot.dq))
        bench.tick()
    assert bench.gate.fallback.meaning == HELD and np.abs(robot.q - HOME).max() < 0.6
    return bench, robot


@pytest.mark.parametrize('bandwidth', [10.0, 100.0])
@pytest.mark.parametrize('velocities', [missing, lambda t, v: v])
@pytest.mark.parametrize('every', [0.01, 0.05])
def test_an_arm_in_motion_is_held_however_rarely_it_is_measured_and_however_stiffly_it_shall_be(bandwidth, velocities, every):
    bench, robot = in_motion(velocities, bandwidth=bandwidth, every=every)
    assert np.abs(robot.dq).max() < 0.05 and not bench.fault.reason


@pytest.mark.parametrize('factor', [0.0, 0.1, 57.3, -1.0])
def test_an_arm_in_motion_is_held_where_velocities_are_none_or_of_other_units_or_signs(factor):
    _, robot = in_motion(lambda t, v: factor * v)
    assert np.abs(robot.dq).max() < 0.2


def test_a_robot_that_leaves_its_range_while_it_is_held_is_a_fault():
    bench, _ = held()
    assert not bench.fault.reason
    pushed = HOME.copy()
    while pushed[0] < 2.7:
        bench.now += 0.01
        pushed = pushed + [0.02, 0.0, 0.0]
        bench.measure(pushed, [2.0, 0.0, 0.0])
        bench.tick()
    assert bench.fault.guard == 'motion limits' and "joint_states have joint 'a' at 2.6" in bench.fault.reason
    assert bench.gate.limits.record.count == 1
    assert not bench.gate.reset(bench.now)[0]
    bench.now += 0.5
    bench.measure(HOME)
    bench.tick()
    assert bench.gate.reset(bench.now)[0]


@pytest.mark.parametrize('how', ['zero', 'stop'])
def test_a_robot_that_is_let_go_may_leave_its_range_without_a_fault(how):
    bench, _ = held(on_timeout=how, seconds=0.5)
    for k in range(50):
        bench.now += 0.01
        bench.measure(HOME + [0.05 * k, 0.0, 0.0], [5.0, 0.0, 0.0])
        bench.tick()
    assert not bench.fault.reason


def test_positions_without_jumps_take_all_steps_that_joints_can_make():
    places = Unbroken(np.array([2.0, np.inf]), np.full(2, 0.1))
    assert not places.take([0, 1], np.array([1.0, 5.0]), 10.0, 0.2).any()
    assert places.take([0, 1], np.array([1.3, 5.3]), 10.01, 0.2).tolist() == [True, False]
    assert places.take([0, 1], np.array([1.35, 50.0]), 10.02, 0.2).tolist() == [False, True]
    np.testing.assert_allclose(places.positions, [1.05, 5.3])
    assert places.take([0], np.array([1.05]), 10.03, 0.2).tolist() == [True]
    places.take([0], np.array([1.15]), 10.04, 0.2)
    np.testing.assert_allclose(places.positions, [1.15, 5.3])
    assert not places.take([0, 1], np.array([4.0, 4.0]), 11.0, 0.2).any()
    np.testing.assert_allclose(places.positions, [4.0, 4.0])
    assert places.since.tolist() == [11.0, 11.0]


def test_velocities_are_differences_over_a_window_and_unknown_after_a_silence():
    differences = Differences(2)
    for k in range(20):
        differences.take([0], np.array([0.003 * k]), 10.0 + 0.003 * k, 0.2)
        differences.take([1], np.array([-0.1 * k]), 10.0 + 0.05 * k, 0.2)
    np.testing.assert_allclose(differences.velocities, [1.0, -2.0])
    differences.take([0], np.array([9.0]), 12.0, 0.2)
    assert np.isnan(differences.velocities[0])
    differences.take([0], np.array([9.05]), 12.05, 0.2)
    np.testing.assert_allclose(differences.velocities[0], 1.0)


def test_names_in_any_order_and_of_several_sources_are_held_together():
    bench = Bench()
    for _ in range(5):
        bench.now += 0.01
        bench.measure(HOME[[2, 0]], (0.2, 0.0), names=(NAMES[2], NAMES[0]))
        assert bench.gate.measured.moving(bench.now) is None
    bench.measure(HOME[[1]], (0.1,), names=(NAMES[1],))
    moving = bench.gate.measured.moving(bench.now)
    np.testing.assert_allclose(moving.velocities, [0.0, 0.1, 0.0], err_msg='the positions of c say that it stands')
    bench.now += 0.03
    bench.measure(HOME, (0.0, 0.05, 0.0))
    moving = bench.gate.measured.moving(bench.now)
    np.testing.assert_allclose(moving.positions, HOME)
    np.testing.assert_allclose(moving.velocities, [0.0, 0.05, 0.0])
