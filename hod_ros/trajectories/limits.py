# SPDX-License-Identifier: Apache-2.0
"""Limits of joints and motors: how large a quantity may become, in either direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments

FORCES = ('effort', 'effort_rate', 'motor_effort')         # what a margin applies to
_MOST = 1_000_000       # joints


@dataclass(frozen=True, eq=False)
class Limits:
    """The largest magnitude of each quantity: one number for all joints, one for each (n,), or None: not limited. inf is no limit.

    velocity [rad/s] or [m/s], acceleration, jerk; effort [N m] or [N], effort_rate [N m/s] or [N/s];
    motor_effort and motor_velocity of the motors, in their order and on their own side of the gear.

    Raises InputError where a limit has the wrong shape or sign, or is no number.

        >>> limits = Limits(velocity=2.0, effort=[87, 87, 87, 87, 12, 12, 12], effort_rate=1000)
        >>> limits.given
        ('velocity', 'effort', 'effort_rate')
    """

    velocity: ArrayLike | None = None
    acceleration: ArrayLike | None = None
    jerk: ArrayLike | None = None
    effort: ArrayLike | None = None
    effort_rate: ArrayLike | None = None
    motor_effort: ArrayLike | None = None
    motor_velocity: ArrayLike | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            array = np.array(arguments.floats(value, f'limits.{field.name}'))
            if array.ndim > 1:
                raise InputError(f'limits.{field.name} has the shape {array.shape}; give one number, or one for each joint')
            bad = ~(array > 0)
            if bad.any():
                at = f'[{int(np.argmax(bad))}]' if array.ndim else ''
                raise InputError(
                    f'limits.{field.name}{at} is {array[bad][0] if array.ndim else array}; give a number above 0, inf for no limit, '
                    'or None for a quantity that has none')
            array.setflags(write=False)
            object.__setattr__(self, field.name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the quantities that are limited."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is not None)

    def of(self, quantity: str, names: Sequence[str] | int) -> NDArray[np.float64] | None:
        """(n,) limits of a quantity for joints or motors of these names, or of this number; None where it is not limited."""
        known = [field.name for field in fields(self)]
        if not arguments.one_of(quantity, known):
            raise InputError(f'quantity is {arguments.shown(quantity)}; it is one of {", ".join(map(repr, known))}')
        value = getattr(self, quantity)
        if value is None:
            return None
        n = arguments.count(names, 'names', 0) if isinstance(names, Number) else len(arguments.names(names, 'names'))
        if n > _MOST:
            raise InputError(f'names is {arguments.shown(names)}; give names, or their number, at most {_MOST}')
        if value.ndim and value.shape != (n,):
            listed = '' if isinstance(names, Number) else ': ' + arguments.some(names)
            raise InputError(f'limits.{quantity} holds {len(value)} numbers, but there are {n} to limit{listed}; give one, or {n}')
        return np.broadcast_to(value, (n,))

    def with_margin(self, margin: float) -> Limits:
        """The same limits with those of forces and their rates times `margin`, above 0 and at most 1."""
        margin = arguments.number_above_0(margin, 'margin')
        if margin > 1:
            raise InputError(f'margin is {margin}; it is the part of a force limit that may be used: give a number up to 1')
        return replace(self, **{name: getattr(self, name) * margin for name in FORCES if getattr(self, name) is not None})
