# SPDX-License-Identifier: Apache-2.0
"""Positions so far beyond the limits that their unit is in doubt: degrees for radians, millimetres for metres."""

import warnings

import numpy as np

from hod_ros.checks import arguments

FAR = 1.0           # times a joint's whole range, beyond either of its limits
DEGREES = 57.29577951308232     # in a radian
MILLIMETRES = 1000.0            # in a metre
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


def in_other_units(model, positions):
    """A sentence about positions (samples, n) far beyond the limits that degrees or millimetres would be within; '' where none are."""
    turning = np.zeros(model.n, dtype=bool)
    turning[model.coordinate] = (np.asarray(model.X)[:, :3] != 0).any(axis=1)
    low, high = np.asarray(model.position_limits, float).T
    q = np.asarray(positions, float)
    room = FAR * np.where(np.isfinite(high - low), np.maximum(high - low, 0), np.inf)
    beyond = ((q > high + room) | (q < low - room)).any(axis=0)
    for joints, factor, slack, unit, other in ((turning, DEGREES, 0.1, 'rad', 'degrees; give radians'),
                                               (~turning, MILLIMETRES, 0.01, 'm', 'millimetres; give metres')):
        within = ((q / factor <= high + slack) & (q / factor >= low - slack)).all(axis=0)
        if (beyond & joints).any() and within[joints].all():
            joint = int(np.flatnonzero(beyond & joints)[0])
            worst = q[np.abs(q[:, joint]).argmax(), joint]
            return (f'joint {model.joint_names[joint]!r} at {worst:g}, but its limits are {low[joint]:.4g} and {high[joint]:.4g} {unit}: '
                    f'these look like {other}')
    return ''


def warn_of_far_positions(model, positions, stacklevel=3):
    """The sentence as a warning at the caller's caller."""
    sentence = far_positions(model, positions)
    if sentence:
        warnings.warn(sentence, stacklevel=stacklevel)
