# SPDX-License-Identifier: Apache-2.0
"""Rotor inertias (armature) that exceed by far whatever the robot's joints move."""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.model.wording import PYTHON

MOST = 10.0         # a rotor's inertia at its joint, of the largest inertia that a joint of the robot moves
_ROUNDING = 1e-12   # of the largest inertia: what lies on a joint's axis


def rotor_warnings(fields, words=PYTHON):
    """Sentences about the armature among the fields of a RobotModel; what is no vector of numbers is refused elsewhere."""
    armature, *arrays = (np.asarray(fields[name]) for name in ('armature', 'B', 'X', 'M'))
    if armature.ndim != 1 or any(array.dtype.kind not in 'buif' for array in (armature, *arrays)) or not armature.any():
        return
    moved = _moved(fields, *arrays)
    turning = np.zeros(len(moved), dtype=bool)
    for X, joint in zip(arrays[1], fields['coordinate'], strict=True):
        turning[joint] |= bool(X[:3].any())
    least = _ROUNDING * np.abs(arrays[2]).max(initial=0.0)
    for joint in np.flatnonzero(armature):
        largest = moved[turning == turning[joint]].max()
        if least < largest * MOST < armature[joint]:
            unit = '[kg m^2]' if turning[joint] else '[kg]'
            yield (
                f"{words.entry(words.armature, fields['joint_names'][joint])} is {armature[joint]:g} {unit}, where the joints of "
                f'{fields["name"]} move {largest:.3g} at most; it is the inertia of the rotor times the square of its gear ratio: '
                'is it in another unit?')


def _moved(fields, B, X, M):
    """(n,) the inertia that each coordinate moves at q = 0, without rotors."""
    screw_body = fields.get('screw_body', np.arange(len(M)))
    out, jacobians = np.zeros(len(fields['armature'])), []
    for body, parent in enumerate(fields['parent']):
        J = np.zeros((6, len(out)))
        screws = np.flatnonzero(screw_body == body)
        if parent >= 0:
            pose = B[body] @ lie.exp_twist(np.asarray(fields['offset'], float)[screws] @ X[screws])
            J += lie.Ad(lie.inverse(pose)) @ jacobians[parent]
        for s in screws:
            J[:, fields['coordinate'][s]] += fields['multiplier'][s] * X[s]
        jacobians.append(J)
        out += ((M[body] @ J) * J).sum(0)
    return out
