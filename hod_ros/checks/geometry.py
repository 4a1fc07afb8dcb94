# SPDX-License-Identifier: Apache-2.0
"""Rotations, poses, screws, quaternions and inertias that are handed in: each rule once. Twists and screws are (angular, linear).

What was rounded to five digits or more is taken and made exact: rotations orthonormal, directions of length 1. Symbols and
multiprecision numbers pass as they are.
"""

import math

import numpy as np

from hod_ros.checks.arguments import LARGEST
from hod_ros.errors import InputError

ROUNDED = 5e-5          # what five digits leave of R R^T - 1, or of a direction's length
EXACT = 1e-12           # below it nothing is changed
_SYMMETRY = 1e-9        # relative to the largest entry
_RELATIVE_SLACK = 1e-6
_SMALL_RADIUS = 1e-6    # [m] moments below mass * radius^2 are rounding


def poses(values, what, error=InputError):
    """Homogeneous matrices (N, 4, 4) whose rotations are orthonormal; what: a function that names one by its index."""
    if values.dtype == object or not len(values):
        return values
    with np.errstate(over='ignore', invalid='ignore'):
        R = values[:, :3, :3]
        off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max((-1, -2))
        good = (off <= ROUNDED) & (np.linalg.det(R) > 0) & (values[:, 3] == (0, 0, 0, 1)).all(-1) & np.isfinite(values).all((-1, -2))
    if not good.all():
        i = int(np.argmin(good))
        raise error(f'{what(i)} is {values[i].tolist()}, which is no pose: its upper left 3x3 is no rotation, or its last row not 0 0 0 1')
    rough = off > EXACT
    if not rough.any():
        return values
    out = values.copy()
    U, _, V = np.linalg.svd(out[rough, :3, :3])
    out[rough, :3, :3] = U @ V      # the nearest rotation
    return out


def pose(value, what, error=InputError):
    """One homogeneous matrix (4, 4)."""
    return poses(value[None], lambda _: what, error)[0]


def screws(values, what, error=InputError):
    """Joint screws (m, 6), each with a direction of length 1; what: a function that names one by its index."""
    if values.dtype == object or not len(values):
        return values
    angular, linear = values[:, :3], values[:, 3:]
    with np.errstate(over='ignore', invalid='ignore'):
        length = np.linalg.norm(np.where((angular != 0).any(-1, keepdims=True), angular, linear), axis=-1)
        good = (np.abs(length - 1) <= ROUNDED) & (np.abs(values).max(-1) < LARGEST)
    if not good.all():
        k = int(np.argmin(good))
        raise error(
            f'{what(k)} is {values[k].tolist()}, whose direction has the length {length[k]:.9g}; make it a unit vector, so that the '
            'coordinate is an angle or a length, and the lengths in it those of a robot')
    rough = np.abs(length - 1) > EXACT
    return np.where(rough[:, None], values / length[:, None], values) if rough.any() else values


def check_inertias(M, what, error=InputError, *, negative=False, together=False):
    """Refuses matrices (N, 6, 6) that are not made of a mass, a first moment and a symmetric tensor, 000 (12).

    what: a function that names one by its index; negative: whether a mass may be below zero, as estimates may be; together: whether
    rounding of one may be as large as that of the largest, as of the derivatives of one inertia.
    """
    if M.dtype == object or not len(M):
        return
    m, off = M[:, 3, 3], M[:, :3, 3:]
    with np.errstate(over='ignore', invalid='ignore'):
        wrong = np.concatenate([
            M - np.swapaxes(M, -1, -2),
            np.concatenate([off + np.swapaxes(off, -1, -2), M[:, 3:, 3:] - m[:, None, None] * np.eye(3)], axis=-1)], axis=-2)
        largest = np.abs(M).max((-1, -2))
        slack = _SYMMETRY * (largest.max() if together else largest)
        good = (np.abs(wrong).max((-1, -2)) <= slack) & (largest < LARGEST) & (negative | (m >= 0))
    if not good.all():
        i = int(np.argmin(good))
        raise error(
            f'{what(i)} has the inertia {M[i].tolist()}, which is none of a rigid body in coordinates (angular, linear): symmetric, with '
            'the mass (0 or more) on the diagonal of its last block, no number of an impossible size; make it with link_inertia')


def principal_moments(tensor, mass=0.0):
    """(three moments in ascending order, what no real body has in them or None) of a tensor (3, 3) about the centre of mass."""
    moments = np.linalg.eigvalsh(tensor)
    slack = _RELATIVE_SLACK * np.abs(moments).max() + abs(mass) * _SMALL_RADIUS**2
    a, b, c = moments = np.where(np.abs(moments) < slack, 0.0, moments)
    if a < -slack:
        return moments, 'of which a real body has none below zero'
    if a + b < c - slack:
        return moments, (
            'of which the largest exceeds the sum of the others, as in no real body (triangle inequality); was the tensor meant about '
            'another point?')
    return moments, None


def rotation_of_quaternion(xyzw, what, error=InputError):
    """(3, 3) of a quaternion whose length is 1 but for rounding: those of three digits are found in the wild."""
    length = np.linalg.norm(xyzw)
    if not abs(length - 1.0) <= 1e-3:
        raise error(f'{what} has the length {length:.6g}; give a unit quaternion x, y, z, w')
    x, y, z, w = xyzw / length
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def rotation_of_rpy(roll, pitch, yaw):
    """(3, 3) of turns about the fixed axes x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll)"""
    sr, cr, sp, cp, sy, cy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.sin, math.cos))
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])
