# SPDX-License-Identifier: Apache-2.0
"""Encoders of elastic joints that are wrong, on a Panda that MuJoCo simulates: whatever they say, the real arm stays where it is."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from bench.motor_loop import CENTRE  # noqa: E402
from bench.motor_loop import PERIOD  # noqa: E402
from bench.motor_loop import MotorLoop  # noqa: E402
from bench.motor_loop import motion  # noqa: E402
from hod_ros.ros.elastic.laws import State  # noqa: E402

GEAR = 100.0
BEGINS = 0.2            # [s]
STILL = np.zeros((5, 7))
STILL[0] = CENTRE


class Encoders:
    """What is added to what the encoders of motors and joints measure, from BEGINS on: functions of the time since then -> (7,)."""

    def __init__(self, loop, *, motors, joints):
        self.loop, self.motors, self.joints = loop, motors, joints

    def __call__(self):
        plant, since = self.loop.plant, self.loop.time - BEGINS
        motors, joints = (wrong(since) if since > 0 else 0.0 for wrong in (self.motors, self.joints))
        return State(
            plant.motor_positions + GEAR * motors, plant.motor_velocities, self.loop.last, plant.positions + joints, plant.velocities)


def right(since):
    return 0.0


def jump(joint, by, *, until=np.inf):
    return lambda since: by * (np.arange(7) == joint) * (since < until)


def wrong(seconds, *, motors=right, joints=right, **options):
    """(the loop, how far the real joints went, by the time that encoders have been wrong for so long)."""
    loop = MotorLoop.of_panda(**options)
    loop.place(STILL)
    loop.state = Encoders(loop, motors=motors, joints=joints)
    loop.run(BEGINS + seconds, lambda t: STILL)
    return loop, np.abs(loop.trace.arrays()[1] - CENTRE).max()


@pytest.mark.parametrize('both', [True, False])
def test_encoders_that_jump_by_a_turn_move_nothing(both):
    turn = jump(0, 2 * np.pi)
    loop, moved = wrong(1.5, motors=turn, joints=turn if both else right)
    assert loop.fault.reason and moved < 2e-3


def flickering(since):
    return jump(1, 1.0)(0) * (int(since * 1000) % 2)


ONE_SAMPLE = 0.0015     # [s]


@pytest.mark.parametrize('error', [
    jump(0, 2 * np.pi, until=0.3), jump(0, 2 * np.pi, until=ONE_SAMPLE), jump(1, 1.0), jump(1, 1.0, until=0.3), jump(3, 0.15), jump(1, 1e9),
    jump(1, 1e9, until=ONE_SAMPLE), flickering])
@pytest.mark.parametrize('both', [True, False])
def test_encoders_of_motors_that_jump_there_and_back_move_nothing_and_are_a_fault(error, both):
    loop, moved = wrong(0.8, motors=error, joints=error if both else right)
    assert loop.fault.guard == 'motor_states' and 'jumps to' in loop.fault.reason and moved < 1e-3
    assert loop.gate.states.count == 1


@pytest.mark.parametrize('until', [np.inf, 0.3, ONE_SAMPLE])
def test_encoders_of_joints_that_jump_move_nothing(until):
    loop, moved = wrong(0.6, joints=jump(1, 1.0, until=until))
    assert loop.fault.guard == 'spring deflection' and moved < 1e-3


@pytest.mark.parametrize('errors', [{'motors': jump(1, 1.0)}, {'joints': jump(1, 1.0)}, {'motors': jump(1, 1.0), 'joints': jump(1, 1.0)}])
def test_disturbances_are_made_up_for_as_they_were_before_encoders_were_wrong(errors):
    loop, moved = wrong(0.6, disturbance_bandwidth=200.0, **errors)
    assert loop.fault.reason and moved < 2e-3


@pytest.mark.parametrize('until', [ONE_SAMPLE, np.inf])
def test_velocities_that_no_motor_has_move_nothing(until):
    loop = MotorLoop.of_panda()
    loop.place(STILL)
    state = loop.state

    def spoilt():
        measured = state()
        measured.motor_velocities = measured.motor_velocities + jump(1, 1e4, until=BEGINS + until)(loop.time) * (loop.time >= BEGINS)
        return measured
    loop.state = spoilt
    loop.run(BEGINS + 0.8, lambda t: STILL)
    assert loop.fault.guard == 'motor velocity' and np.abs(loop.trace.arrays()[1] - CENTRE).max() < 1e-3


def test_an_arm_in_motion_comes_to_rest_as_it_would_where_an_encoder_jumps():
    loop = MotorLoop.of_panda()
    loop.place(motion(0.0))
    loop.state = Encoders(loop, motors=jump(1, 1.0), joints=right)
    loop.run(BEGINS, motion)
    before = loop.plant.positions
    loop.run(1.0, motion)
    torques = loop.trace.arrays()[3]
    assert loop.fault.guard == 'motor_states' and np.abs(loop.plant.positions - before).max() < 0.3
    assert np.abs(loop.plant.velocities).max() < 0.02
    assert (np.abs(np.diff(torques, axis=0)) <= loop.bounds.effort_rate * PERIOD * (1 + 1e-6)).all()


def test_a_reset_takes_motors_to_be_where_they_are_measured_and_holds_them_there():
    both = jump(0, 1.0)
    loop, _ = wrong(0.3, motors=both, joints=both)
    assert loop.gate.reset(loop.time)[0]
    loop.run(0.5)
    assert not loop.fault.reason and loop.gate.meaning == 'the motors hold their place'
    assert np.abs(loop.plant.positions - CENTRE).max() < 2e-3, 'the real arm stays'
    shifted = STILL.copy()
    shifted[0, 0] += 1.0
    loop.run(0.3, lambda t: shifted)
    assert loop.gate.meaning == 'follows references' and np.abs(loop.plant.positions - CENTRE).max() < 3e-3


def test_a_reset_is_refused_while_encoders_say_what_can_not_be():
    loop, _ = wrong(0.3, motors=jump(0, 1.0, until=0.5))
    assert not loop.gate.reset(loop.time)[0] and "the spring of joint 'panda_joint1' is bent" in loop.gate.reset(loop.time)[1]
    loop.run(0.4, lambda t: STILL)
    assert loop.gate.reset(loop.time)[0]
    loop.run(0.2, lambda t: STILL)
    assert loop.gate.meaning == 'follows references' and np.abs(loop.plant.positions - CENTRE).max() < 1e-3


def test_motors_that_are_elsewhere_after_states_were_missing_are_held_there():
    loop = MotorLoop.of_panda()
    loop.place(STILL)
    loop.run(0.1, lambda t: STILL)
    loop.run(0.1, lambda t: STILL, states=False)
    away = STILL.copy()
    away[0, 3] += 0.3
    loop.place(away)
    loop.run(0.6, lambda t: STILL)
    assert loop.fault.reason == 'no motor_states came'
    np.testing.assert_allclose(loop.plant.positions, away[0], atol=5e-3)
