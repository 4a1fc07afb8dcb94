# SPDX-License-Identifier: Apache-2.0
"""A robot in motion keeps its model: whether a new one may take the old one's place while its torque is in use."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.arguments import some
from hod_ros.errors import HodError
from hod_ros.model.robot_model import RobotModel

AUTO, KEEP, SMALL = 'auto', 'keep', 'small'


class Computes(Protocol):
    """What makes efforts of motions by a model."""

    model: RobotModel

    def efforts(self, motion: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) of a motion (3, n)."""


def hindrance(
        old: Computes, new: Computes, motion: NDArray[np.float64] | None, limit: NDArray[np.float64], *, how: str,
        largest_step: float) -> str:
    """Why the new one must wait for the next activation, or ''.

    motion: q (rows, n) of the last setpoint, None: there was none; limit (n,) of effort; how: KEEP, or SMALL: the step of the torque is
    at most largest_step, in effort limits.
    """
    if new.model.joint_names != old.model.joint_names:
        return f'its joints are {some(new.model.joint_names)} in place of {some(old.model.joint_names)}'
    if how == KEEP:
        return 'a robot in motion keeps its model (model_changes is keep, or auto where commands are published)'
    if motion is None:
        return ''
    try:
        steps = np.abs(new.efforts(motion[:3]) - old.efforts(motion[:3]))
    except HodError as error:
        return str(error)
    bounds = largest_step * limit
    beyond = ~(steps <= bounds)
    if not beyond.any():
        return ''
    joint = int(np.argmax(beyond))
    return (f'the torque of joint {old.model.joint_names[joint]!r} would step by {steps[joint]:.4g}, more than {bounds[joint]:.4g} '
            '(largest_model_step times its effort limit)')
