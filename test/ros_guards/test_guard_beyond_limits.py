# SPDX-License-Identifier: Apache-2.0
"""A joint that is measured beyond its limits is held there: whether it is there or its encoder is wrong, nothing drives it back."""

import numpy as np
import pytest
from guard_robot import MODEL
from guard_robot import NAMES
from guard_robot import Bench

from hod_ros.ros.guards.holding import at_rest
from hod_ros.ros.guards.motion_limits import MotionLimits

HOME = np.array([0.3, 0.5, -0.4])
LIMIT = 2.5


def stopping_place(free, at):
    limits = MotionLimits(NAMES, np.full(3, -LIMIT), np.full(3, LIMIT), np.full(3, 3.0))
    return limits.stopping_place(np.full(3, free), np.full(3, at))[0]


def commanded(place):
    bench = Bench()
    bench.gate.limiter.start_from(at_rest(MODEL, np.asarray(place)))
    bench.measure(place)
    assert bench.send(place)
    return bench


@pytest.mark.parametrize('free, place', [(2.3, 2.3), (2.45, 2.45), (2.9, LIMIT)])
@pytest.mark.parametrize('side', [1, -1])
def test_a_joint_within_its_limits_stops_within_them(free, place, side):
    assert stopping_place(side * free, side * 2.4) == side * place


@pytest.mark.parametrize('free, place', [(2.7, 2.7), (2.65, 2.65), (2.3, 2.3), (2.75, 2.65), (3.5, LIMIT)])
@pytest.mark.parametrize('side', [1, -1])
def test_a_joint_beyond_its_limits_comes_back_no_further_than_it_would_have_gone(free, place, side):
    assert stopping_place(side * free, side * 2.7) == pytest.approx(side * place)


@pytest.mark.parametrize('beyond', [0.05, 0.25, 0.7])
def test_a_robot_measured_beyond_a_limit_is_held_there_by_gravity_torque_alone(beyond):
    bench = commanded([0.0, 2.45, 0.0])
    place = np.array([0.0, LIMIT + beyond, 0.0])
    bench.now += 0.5
    for _ in range(100):
        bench.now += 0.01
        bench.measure(place)
        bench.tick()
    assert bench.gate.fallback.meaning == 'a torque that holds where the robot is measured'
    np.testing.assert_allclose(bench.gate.limiter.last, at_rest(MODEL, place), atol=1e-9)


def test_an_encoder_that_jumps_by_a_turn_moves_nothing():
    bench = commanded(HOME)
    for _ in range(50):
        bench.now += 0.01
        bench.measure(HOME + [2 * np.pi, 0.0, 0.0])
        bench.send(HOME)
        bench.tick()
        np.testing.assert_allclose(bench.gate.limiter.last, at_rest(MODEL, HOME), atol=1e-9)
    assert bench.fault.reason
