# SPDX-License-Identifier: Apache-2.0
"""Checks of the arrays that callers of this room hand in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.arguments import count
from hod_ros.checks.arguments import finite_number
from hod_ros.checks.arguments import flag
from hod_ros.checks.arguments import names
from hod_ros.checks.arguments import number_above_0
from hod_ros.checks.arguments import number_of_0_or_more
from hod_ros.checks.arguments import one_of
from hod_ros.checks.arguments import shown
from hod_ros.checks.arguments import some
from hod_ros.checks.arrays import array as finite_array
from hod_ros.checks.arrays import floats
from hod_ros.errors import InputError
from hod_ros.model.motions import robot_model

__all__ = [
    'count',
    'finite_array',
    'finite_number',
    'flag',
    'floats',
    'joint_names_of',
    'label',
    'names',
    'number_above_0',
    'number_of_0_or_more',
    'one_of',
    'robot_model',
    'shown',
    'some',
    'times_of',
]


def times_of(value: Any, what: str) -> NDArray[np.float64]:
    """(points,) finite and increasing numbers [s]."""
    times = finite_array(floats(value, what), ('points',), what, 'one time for each point [s]').astype(np.float64)
    late = np.flatnonzero(times[1:] <= times[:-1])
    if late.size:
        i = int(late[0])
        raise InputError(
            f'{what}[{i + 1}] is {times[i + 1]:.9g} s after {what}[{i}] = {times[i]:.9g} s; times must increase: sort the points by time '
            'and drop the repeated ones')
    return times


def joint_names_of(value: Any, n: int) -> tuple[str, ...] | None:
    """The names of n joints, or None where none are given."""
    if value is None:
        return None
    result = names(value, 'joint_names')
    if len(result) != n:
        raise InputError(f'joint_names holds {len(result)} names, but there are {n} columns; name every column once')
    return result


def label(joint_names: tuple[str, ...] | None, j: int) -> str:
    """A joint's name for a message."""
    return f'joint {joint_names[j]!r}' if joint_names else f'joint {j}'
