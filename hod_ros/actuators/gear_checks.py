# SPDX-License-Identifier: Apache-2.0
"""Whether motors and links of a recording move alike, as far as gear ratios and signs are right."""

from __future__ import annotations

import numpy as np

from hod_ros.checks.types import Array
from hod_ros.errors import InputError

_TOGETHER = 0.95        # correlation
_ROUNDING = 1e-9        # of positions that stand still
_ALIKE = 2.0            # a spring, however soft, leaves the motions nearer to each other


def refuse_other_gear(joint: str, position: Array, motor_position: Array) -> None:
    """InputError where a motor (samples,), on the joint's side of its gear, moves as its link does, but much farther, less far or back."""
    q, theta = position - position.mean(), motor_position - motor_position.mean()
    if min(np.abs(q).max(), np.abs(theta).max()) < _ROUNDING * max(1.0, np.abs(position).max(), np.abs(motor_position).max()):
        return
    with np.errstate(over='ignore', invalid='ignore', divide='ignore'):
        together, times = (q @ theta) / np.sqrt((q @ q) * (theta @ theta)), (q @ theta) / (q @ q)
    if abs(together) > _TOGETHER and not 1 / _ALIKE < times < _ALIKE:
        raise InputError(
            f'the motor of joint {joint!r} moves {times:.4g} times as far as its link, by its gear ratio; check gear_ratio, signs and '
            'which side of the gear motor positions are measured on')
