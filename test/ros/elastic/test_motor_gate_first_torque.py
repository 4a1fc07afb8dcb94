# SPDX-License-Identifier: Apache-2.0
"""The first torque goes on from what motors are measured to have, and is within its limit whatever motor_states say."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from bench.motor_loop import CENTRE  # noqa: E402
from bench.motor_loop import PERIOD  # noqa: E402
from bench.motor_loop import MotorLoop  # noqa: E402

STILL = np.zeros((5, 7))
STILL[0] = CENTRE


def first_torques(efforts):
    """(the loop, torques (times, motors) while motor_states say these efforts)."""
    loop = MotorLoop.of_panda()
    loop.place(STILL)
    state = loop.state()
    state.efforts = efforts(loop)
    torques = [loop.gate.command(i * PERIOD, state, loop.reference(STILL)) for i in range(50)]
    return loop, torques


@pytest.mark.parametrize('factor', [100.0, 1000.0, -50.0])
def test_efforts_of_the_other_side_of_the_gear_start_nothing_and_are_named(factor):
    loop, torques = first_torques(lambda loop: factor * loop.last)
    assert all(torque is None for torque in torques)
    start = loop.gate.guards.start
    assert start.count == 50 and 'on their own side of the gear' in start.reason and not loop.fault.reason
    m = int(np.argmax(np.abs(loop.last)))
    assert loop.gate.meaning == f'nothing: {start.reason}'
    assert f'motor {loop.prepared.motor_names[m]!r} at the effort {factor * loop.last[m]:.4g}' in start.reason


def test_a_motor_measured_at_its_limit_with_some_noise_starts_within_it():
    loop, torques = first_torques(lambda loop: 1.2 * loop.bounds.effort)
    steps = np.abs(np.diff([loop.bounds.effort, *torques], axis=0))
    assert (np.abs(torques) <= loop.bounds.effort).all()
    assert (steps[1:] <= loop.bounds.effort_rate * PERIOD * (1 + 1e-9)).all()


def test_efforts_that_are_right_are_gone_on_from():
    loop, torques = first_torques(lambda loop: loop.last + 0.01)
    np.testing.assert_allclose(torques[0], loop.last, atol=1e-3)
