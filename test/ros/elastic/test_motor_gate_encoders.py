# SPDX-License-Identifier: Apache-2.0
"""Encoders of elastic joints that are wrong, on a Panda that MuJoCo simulates: whatever they say, the real arm stays where it is."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from bench.motor_loop import CENTRE  # noqa: E402
from bench.motor_loop import MotorLoop  # noqa: E402
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
