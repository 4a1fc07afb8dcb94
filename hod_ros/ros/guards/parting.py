# SPDX-License-Identifier: Apache-2.0
"""The last commands, which an effort controller holds for ever: they brake and then go to a torque that is safe to hold, without a jump."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.guards.gate import Gate
from hod_ros.ros.guards.rate_limiter import LONGEST_STEP

BRAKING = 0.5           # [s] longest time to brake
LONGEST = 0.8           # [s] longest time in all


def part(
        gate: Gate, publish: Callable[[NDArray[np.float64]], None], refresh: Callable[[], None], clock: Callable[[], float],
        sleep: Callable[[float], None]) -> bool:
    """Whether the last command is the one that was aimed at. refresh() lets the gate know what joint_states have come meanwhile."""
    began = clock()
    while True:
        refresh()
        now = clock()
        braking = now - began < BRAKING and gate.moving(now)
        command = gate.fall_back(now) if braking else gate.settle(now)
        if command is None:
            return True
        publish(command)
        if not braking and not gate.limiter.behind:
            return True
        if now - began >= LONGEST:
            return False
        sleep(LONGEST_STEP)
