# SPDX-License-Identifier: Apache-2.0
"""What arrives while the robot is braked or held (a parameter, a payload, a description that is kept) does not move it."""

from dataclasses import replace

import numpy as np
import pytest
from guard_robot import MODEL
from guard_robot import NAMES
from guard_robot import NONE
from guard_robot import Bench
from guard_robot import Robot
from guard_robot import arm

from hod_ros.ros.guards.bounds import command_bounds
from hod_ros.ros.guards.holding import at_rest

HOME = np.array([0.3, 0.2, -0.4])
VELOCITY, ACCELERATION = np.array([0.0, 0.6, 0.0]), np.array([0.0, 0.8, 0.0])


def planned(t):
    return np.stack([HOME + VELOCITY * t + ACCELERATION * t * t / 2, VELOCITY + ACCELERATION * t, ACCELERATION])


def speeding(*, measured=True, **settings):
    """A bench half a second into a motion, whose measurements and setpoints end here."""
    bench = Bench(**settings)
    for k in range(51):
        q = planned(0.01 * k)
        if measured:
            bench.measure(q[0], q[1])
        bench.send(q)
        bench.tick()
        bench.now += 0.01
    return bench


def parameter(gate):
    gate.use(gate.model, gate.bounds, gate.settings)


def limits(gate):
    gate.use(gate.model, replace(gate.bounds, upper=np.full(3, 0.1), velocity=np.full(3, 1.0)), gate.settings)


def bandwidth(gate):
    gate.use(gate.model, gate.bounds, replace(gate.settings, hold_bandwidth=4.0))


@pytest.mark.parametrize('change', [parameter, limits, bandwidth])
def test_a_change_moves_no_robot_that_is_braked_without_being_measured(change):
    changed, left = speeding(), speeding()
    for k in range(300):
        if k in (12, 30, 150, 200):
            change(changed.gate)
        changed.wait(0.01)
        left.wait(0.01)
        np.testing.assert_allclose(changed.gate.limiter.last, left.gate.limiter.last, atol=1e-9)
    assert changed.gate.fallback.meaning == 'a torque that brakes the motion which was planned last'


@pytest.mark.parametrize('change', [parameter, limits])
def test_a_robot_that_is_held_does_not_creep_with_each_change(change):
    bench = speeding()
    end = planned(0.5)
    bench.robot = Robot(end[0], end[1], arm(mass=2.2))
    bench.wait(1.5)
    held = bench.robot.q
    for _ in range(20):
        change(bench.gate)
        bench.wait(0.1)
    np.testing.assert_allclose(bench.robot.q, held, atol=2e-3)


def test_a_payload_that_arrives_while_the_robot_is_held_is_carried_from_then_on():
    bench = speeding()
    heavier = arm(mass=2.4)
    bench.robot = Robot(*planned(0.5)[:2])
    bench.wait(1.5)
    held = bench.robot.q
    bench.robot.model = heavier
    bench.gate.use(heavier, command_bounds(heavier, **NONE), bench.gate.settings)
    bench.wait(2.0)
    np.testing.assert_allclose(bench.robot.q, held, atol=0.02)
    np.testing.assert_allclose(bench.gate.limiter.last, at_rest(heavier, bench.robot.q), atol=0.5)


@pytest.mark.parametrize('timeout', [0.1, 0.5, 2.0, 0.0])
def test_where_setpoints_and_joint_states_end_together_the_place_is_near_the_last_one_however_long_the_timeout(timeout):
    bench = speeding(setpoint_timeout=timeout)
    bench.wait(timeout + 4.0)
    last = bench.gate.motion
    near = [last[0], last[0] + 0.2 * last[1] + 0.02 * last[2] + last[1] / 5.0]
    torques = np.sort([at_rest(MODEL, place) for place in near], axis=0)
    assert (torques[0] - 1e-9 <= bench.gate.limiter.last).all() and (bench.gate.limiter.last <= torques[1] + 1e-9).all()


def test_what_a_stream_is_ahead_is_not_forgotten_with_a_change():
    bench = Bench(bounds=command_bounds(MODEL, **NONE | {'lower': dict.fromkeys(NAMES, -9.0), 'upper': dict.fromkeys(NAMES, 9.0)}))
    bench.send(HOME)
    place = HOME.copy()
    for _ in range(200):
        bench.now += 0.001
        place[0] += 0.001 * 3.0 * 2.0
        parameter(bench.gate)
        if not bench.send(place):
            break
    assert bench.fault.guard == 'reach'


def test_a_velocity_limit_that_comes_later_lets_reach_be_judged():
    bench = Bench(model=arm(velocity=0.0))
    reach = bench.gate.continuity.reach
    assert reach.off == 'no joint has a velocity limit'
    bench.gate.use(bench.model, replace(bench.gate.bounds, velocity=np.full(3, 1.0)), bench.gate.settings)
    assert not reach.off and bench.gate.continuity.reach is reach
