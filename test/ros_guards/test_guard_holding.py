# SPDX-License-Identifier: Apache-2.0
"""The fallback on a moving arm: it comes to rest without a jump and stays there, also where the model is wrong."""

import numpy as np
import pytest
from guard_robot import MODEL
from guard_robot import NONE
from guard_robot import Bench
from guard_robot import Robot
from guard_robot import arm
from guard_robot import assert_no_jump

from hod_ros import inverse_dynamics
from hod_ros.ros.guards.bounds import command_bounds
from hod_ros.ros.guards.gate import AT_REST
from hod_ros.ros.guards.holding import at_rest
from hod_ros.ros.guards.parting import LONGEST
from hod_ros.ros.guards.parting import part

HOME = np.array([0.3, 0.5, -0.4])
AMPLITUDE, W = np.array([0.5, 0.4, 0.5]), 4.0


def swinging(t):
    """Peaks at 2 rad/s."""
    return np.stack([
        HOME + AMPLITUDE * (1 - np.cos(W * t)), AMPLITUDE * W * np.sin(W * t), AMPLITUDE * W * W * np.cos(W * t)])


def moving(*, robot_model=None, model=MODEL, effort_rate=None, **settings):
    """A bench whose arm is in full motion (2 rad/s), as its efforts want it."""
    rates = {} if effort_rate is None else dict.fromkeys(model.joint_names, effort_rate)
    q = swinging(0.4)
    robot = Robot(q[0], q[1], robot_model or model)
    bench = Bench(model=model, bounds=command_bounds(model, **NONE | {'effort_rate': rates}), robot=robot, **settings)
    bench.gate.limiter.start_from(inverse_dynamics(model, q)[0])
    assert bench.stream(lambda t: swinging(0.4 + t), 0.002)
    assert np.abs(bench.robot.dq).max() > 1.5
    bench.commands.clear()
    return bench


@pytest.mark.parametrize('effort_rate', [None, 200.0])
def test_an_arm_in_full_motion_is_brought_to_rest_and_held_there(effort_rate):
    bench = moving(effort_rate=effort_rate)
    before, began = bench.gate.limiter.last, bench.robot.q
    bench.wait(2.0)
    assert bench.gate.fallback.meaning == 'a torque that holds where the robot is measured'
    assert_no_jump(bench.commands, bench.gate.bounds, before)
    assert np.abs(bench.robot.dq).max() < AT_REST
    held = bench.robot.q
    assert np.abs(held - began).max() < 1.0
    bench.wait(3.0)
    np.testing.assert_allclose(bench.robot.q, held, atol=0.01)


@pytest.mark.parametrize('setpoints_go_on', [True, False])
def test_an_arm_in_full_motion_that_is_no_longer_measured_is_braked_as_it_was_planned_to_move(setpoints_go_on):
    bench = moving()
    robot, bench.robot = bench.robot, None      # joint_states stop
    before, began, speed = bench.gate.limiter.last, robot.q, np.abs(robot.dq).max()
    for k in range(1, 31):
        bench.now += 0.01
        robot.advance(0.01, bench.gate.limiter.last)
        if setpoints_go_on and k <= 15:
            bench.send(swinging(0.4 + 0.01 * k))
        bench.tick()
    assert ('setpoints come, but the oldest' in bench.fault.reason) is setpoints_go_on
    assert bench.gate.fallback.meaning == 'a torque that brakes the motion which was planned last'
    assert_no_jump(bench.commands, bench.gate.bounds, before)
    assert np.abs(robot.dq).max() < 0.35 * speed and np.abs(robot.q - began).max() < 0.5
    bench.robot = robot                         # they come again: what is left is held
    bench.wait(1.0)
    assert bench.gate.fallback.meaning == 'a torque that holds where the robot is measured'
    assert np.abs(robot.dq).max() < AT_REST


@pytest.mark.parametrize('factor', [0.7, 1.3])
def test_an_arm_whose_masses_are_not_the_models_is_held_too(factor):
    bench = moving(robot_model=arm(mass=2.0 * factor))
    bench.wait(4.0)
    held = bench.robot.q
    bench.wait(3.0)
    assert np.abs(bench.robot.dq).max() < AT_REST
    np.testing.assert_allclose(bench.robot.q, held, atol=0.01)


def test_an_arm_that_would_leave_its_range_is_held_within():
    model = arm(upper=float(swinging(0.4)[0].max() + 0.03))
    bench = moving(model=model)
    bench.wait(3.0)
    assert (bench.robot.q <= bench.gate.bounds.upper + 0.01).all()


def test_velocities_that_stop_with_the_joint_states_end_in_gravity_torque_without_a_jump():
    bench = moving()
    before = bench.gate.limiter.last
    bench.wait(0.2)
    bench.robot, last = None, bench.robot.q
    bench.wait(0.5)
    assert_no_jump(bench.commands, bench.gate.bounds, before)
    np.testing.assert_allclose(bench.commands[-1][1], at_rest(MODEL, last), rtol=1e-9)
    assert bench.gate.fallback.meaning == 'the gravity torque of the last position'


def test_the_last_commands_brake_and_end_in_a_torque_to_hold_for_ever():
    bench = moving()
    before = bench.gate.limiter.last
    began = bench.now

    def sleep(seconds):
        bench.now += seconds
        bench.robot.advance(seconds, bench.gate.limiter.last)

    arrived = part(
        bench.gate, bench._note, lambda: bench.measure(bench.robot.q, bench.robot.dq), lambda: bench.now, sleep)
    assert arrived and bench.now - began <= LONGEST + 0.02
    assert_no_jump(bench.commands, bench.gate.bounds, before)
    np.testing.assert_allclose(bench.commands[-1][1], at_rest(MODEL, bench.gate.measured.positions), rtol=1e-9)
    assert np.abs(bench.robot.dq).max() < 0.1


def test_the_last_commands_end_in_time_also_where_the_rate_is_too_slow():
    bench = moving(effort_rate=200.0)
    bench.gate.limiter.use(bench.gate.bounds.effort, np.full(3, 1.0))
    before = bench.gate.limiter.last
    began = bench.now

    def sleep(seconds):
        bench.now += seconds

    assert not part(bench.gate, bench._note, lambda: None, lambda: bench.now, sleep)
    assert bench.now - began <= LONGEST + 0.02
    steps = np.abs(np.diff([before, *[command for _, command in bench.commands]], axis=0))
    assert steps.max() <= 0.01 + 1e-9
