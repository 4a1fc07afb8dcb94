# SPDX-License-Identifier: Apache-2.0
"""A smooth curve through poses of a link: positions and unit quaternions (w, x, y, z), continuous to the fourth derivative.

Quaternions are interpolated as positions are and then brought to length 1, which keeps the curve smooth and leads straight from one
orientation to the next. Twists are (angular, linear), world-aligned: world axes at the link's origin; row k their k-th derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments
from hod_ros.trajectories.polynomials import factorials
from hod_ros.trajectories.trajectory import Trajectory

Array = NDArray[np.float64]
RADIAN = 0.2                # m: what a radian counts where poses have no times
_ROTATION = 1e-6            # how well matrices must be orthonormal
_HALF_TURN = 1e-3           # cos of half the angle below which two orientations don't say which way to turn


class PoseCurve:
    """The curve; where only positions (points, 3) were given, the orientation is free."""

    def __init__(self, poses: Any, times: Any, max_deviation: float | None):
        places, turns = _places(poses)
        self.turns: bool = turns
        if times is None:
            steps = np.linalg.norm(np.diff(places[:, :3], axis=0), axis=1)
            if self.turns:
                steps = steps + RADIAN * 2 * np.linalg.norm(np.diff(places[:, 3:], axis=0), axis=1)
            same = np.flatnonzero(steps == 0)
            if same.size:
                raise InputError(f'poses[{same[0]}] and poses[{same[0] + 1}] are the same; leave one out, or give times')
            times = np.concatenate([[0.0], np.cumsum(steps)])
        self.parameters: Array = arguments.times_of(times, 'times')
        if len(self.parameters) != len(places):
            raise InputError(f'times holds {len(self.parameters)} numbers, but there are {len(places)} poses; give one for each')
        self.components: list[int] = list(range(6)) if self.turns else [3, 4, 5]
        self.motion: Trajectory = Trajectory.interpolate(self.parameters, places, max_deviation=max_deviation)

    def poses(self, s: Array) -> Array:
        """(len(s), 4, 4), the identity as rotation where it is free."""
        x = self.motion.evaluate(s)[:, 0]
        out = np.tile(np.eye(4), (len(s), 1, 1))
        out[:, :3, 3] = x[:, :3]
        if self.turns:
            out[:, :3, :3] = _rotations(x[:, 3:])
        return out

    def twists(self, s: Array, rows: int) -> Array:
        """(len(s), rows, components): the world-aligned twist by the parameter and its derivatives."""
        x = self.motion.evaluate(s, rows)
        if not self.turns:
            return x[:, 1:]
        series = x[:, :, 3:] / factorials(rows + 1)[:, None]
        rate = series[:, 1:] * np.arange(1, rows + 1)[:, None]
        conjugate = series[:, :rows] * [1, -1, -1, -1]
        turn, square = np.zeros((len(s), rows, 3)), np.zeros((len(s), rows))
        omega = np.zeros((len(s), rows, 3))
        for k in range(rows):
            for j in range(k + 1):
                turn[:, k] += 2 * _vector_part(rate[:, j], conjugate[:, k - j])
                square[:, k] += np.sum(series[:, j] * series[:, k - j], axis=1)
            later = sum((square[:, k - j, None] * omega[:, j] for j in range(k)), np.zeros(3))
            omega[:, k] = (turn[:, k] - later) / square[:, :1]
        return np.concatenate([omega * factorials(rows)[:, None], x[:, 1:, :3]], axis=2)

    def between(self, s: float) -> str:
        """Where that is, for a message."""
        i = int(np.clip(np.searchsorted(self.parameters, s, side='right') - 1, 0, len(self.parameters) - 2))
        return f'at its parameter {s:.6g}, between poses {i} and {i + 1}'


def _places(poses):
    """(points, 7) or (points, 3) and whether orientations are among them."""
    poses = arguments.floats(poses, 'poses')
    if poses.ndim == 2 and poses.shape[1] == 3 and len(poses) > 1:
        return arguments.finite_array(poses, ('points', 3), 'poses', 'positions [m]'), False
    if poses.ndim != 3 or poses.shape[1:] != (4, 4) or len(poses) < 2:
        raise InputError(f'poses has the shape {poses.shape}; give two or more: matrices (points, 4, 4), or positions alone (points, 3)')
    off = np.abs(poses[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], 1, 2) - np.eye(3)).max(axis=(1, 2))
    good = np.isfinite(poses).all(axis=(1, 2)) & (off < _ROTATION) & (poses[:, 3] == [0, 0, 0, 1]).all(axis=1)
    good &= np.linalg.det(np.where(np.isfinite(poses), poses, 0.0)[:, :3, :3]) > 0
    if not good.all():
        i = int(np.argmin(good))
        raise InputError(f'poses[{i}] is {poses[i].tolist()}, which is no pose; give a 4x4 rotation and displacement')
    quaternions = np.array([_quaternion(R) for R in poses[:, :3, :3]])
    for i in range(1, len(quaternions)):
        cosine = quaternions[i] @ quaternions[i - 1]
        if abs(cosine) < _HALF_TURN:
            raise InputError(f'poses[{i}] is turned by half a turn against poses[{i - 1}]; put a pose between them, which says which way')
        quaternions[i] *= np.sign(cosine)
    return np.concatenate([poses[:, :3, 3], quaternions], axis=1), True


def _quaternion(R):
    """Unit quaternion of a rotation, from its largest component on."""
    d = np.array([np.trace(R), R[0, 0], R[1, 1], R[2, 2]])
    i = int(d.argmax())
    if i == 0:
        q = np.array([1 + d[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        a, b, c = (i - 1), i % 3, (i + 1) % 3
        q = np.empty(4)
        q[0] = R[c, b] - R[b, c]
        q[1 + a] = 1 + R[a, a] - R[b, b] - R[c, c]
        q[1 + b], q[1 + c] = R[b, a] + R[a, b], R[c, a] + R[a, c]
    return q / np.linalg.norm(q)


def _rotations(quaternions):
    w, v = quaternions[:, 0], quaternions[:, 1:]
    square = w ** 2 + np.sum(v ** 2, axis=1)
    cross = np.zeros((len(w), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]], cross[:, [1, 2, 0], [2, 0, 1]] = v, -v
    turned = w[:, None, None] * cross + cross @ cross
    return np.eye(3) + 2 * turned / square[:, None, None]


def _vector_part(a, b):
    """Of the quaternion product a b."""
    return a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
