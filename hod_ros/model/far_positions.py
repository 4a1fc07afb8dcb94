# SPDX-License-Identifier: Apache-2.0
"""Positions so far beyond the limits that their unit is in doubt: degrees for radians, millimetres for metres."""

import warnings

import numpy as np

from hod_ros.checks import arguments

FAR = 1.0           # times a joint's whole range, beyond either of its limits
DEGREES = 57.29577951308232     # in a radian
_MOST_NAMED = 3


def far_positions(model, positions):
    """A sentence about positions (..., n) far beyond the limits, naming the joints; '' where there are none."""
    lower, upper = model.position_limits.T
    room = upper - lower
    limited = np.isfinite(room) & (room > 0)
    if not limited.any():
        return ''
    positions = np.asarray(positions, float).reshape(-1, model.n)
    excess = np.maximum(positions - upper, lower - positions)
    far = limited & (excess > FAR * room)
    joints = np.flatnonzero(far.any(axis=0))
    if not joints.size:
        return ''
    worst = joints[0]
    position = positions[np.argmax(excess[:, worst]), worst]
    others = f' (and so do {arguments.listed([model.joint_names[j] for j in joints[1:]], _MOST_NAMED)})' if joints.size > 1 else ''
    turns = model.X[model.coordinate == worst, :3].any()
    question = '[rad]; are these degrees?' if turns else '[m]; are these millimetres?'
    return (
        f'joint {model.joint_names[worst]!r} at {position:.6g} lies far beyond its limits from {lower[worst]:.6g} to '
        f'{upper[worst]:.6g}{others}: positions are in {question}')


def in_degrees(model, positions):
    """A sentence about positions (samples, n) far beyond the limits that would be within them in degrees; '' where there are none."""
    turning = np.zeros(model.n, dtype=bool)
    turning[model.coordinate] = (np.asarray(model.X)[:, :3] != 0).any(axis=1)
    low, high = np.asarray(model.position_limits, float).T
    q = np.asarray(positions, float)
    room = FAR * np.where(np.isfinite(high - low), np.maximum(high - low, 0), np.inf)
    beyond = ((q > high + room) | (q < low - room)).any(axis=0) & turning
    within = ((q / DEGREES <= high + 0.1) & (q / DEGREES >= low - 0.1)).all(axis=0)
    if not (beyond & within).any() or not within[turning].all():
        return ''
    joint = int(np.flatnonzero(beyond & within)[0])
    worst = q[np.abs(q[:, joint]).argmax(), joint]
    return (f'joint {model.joint_names[joint]!r} at {worst:g}, but its limits are {low[joint]:.4g} and {high[joint]:.4g} rad: '
            'these look like degrees; give radians')


def warn_of_far_positions(model, positions, stacklevel=3):
    """The sentence as a warning at the caller's caller."""
    sentence = far_positions(model, positions)
    if sentence:
        warnings.warn(sentence, stacklevel=stacklevel)
