# SPDX-License-Identifier: Apache-2.0
"""Trajectories for controllers that interpolate between points: with the effort that the motion needs, at points that are close enough.

ros2_controllers' joint_trajectory_controller interpolates effort linearly and, where positions, velocities and accelerations are given,
positions by a polynomial of degree five. So the points must be as close as the effort bends.
"""

from __future__ import annotations

from copy import copy
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import arguments
from hod_ros.trajectories import polynomials
from hod_ros.trajectories.signals import Drives
from hod_ros.trajectories.signals import Signals
from hod_ros.trajectories.trajectory import Trajectory

PART_OF_LIMIT = 1e-3            # the default tolerance of the effort, in parts of its limit
MOST_POINTS = 500_000
_NARROWEST = 0.5**20            # part of a piece
_CHUNK = 2048


@dataclass(frozen=True, eq=False)
class ControllerPoints:
    """Points of a motion with the effort that it needs; arrays (points, n), in the order of joint_names.

    What with_effort returns.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> points = with_effort(model, t, tolerance=0.5)
        >>> points.efforts.shape == (len(points), 7)
        True
    """

    joint_names: tuple[str, ...]
    times: NDArray[np.float64]                  # (points,) [s]
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    accelerations: NDArray[np.float64]
    efforts: NDArray[np.float64]
    effort_error: NDArray[np.float64]           # (n,) the most that linear interpolation of the effort errs [N m] or [N]
    position_error: NDArray[np.float64]         # (n,) the most that interpolation by degree five errs [rad] or [m]

    def message(self, template: Any) -> Any:
        """A copy of a trajectory_msgs/JointTrajectory, which has a point at least, with these points in place of its own.

        Its joint_names stay in their order. Raises InputError where template is none, or names other joints.
        """
        points = getattr(template, 'points', None)
        if points is None or not hasattr(template, 'joint_names') or not len(points):
            raise InputError('template is no JointTrajectory with a point or more; give the message that the motion came from')
        if sorted(template.joint_names) != sorted(self.joint_names):
            raise InputError(
                f'template names the joints {arguments.some(template.joint_names)}, but the points are of '
                f'{arguments.some(self.joint_names)}; give the message that the motion came from')
        first = points[0]
        out = copy(template)
        out.header, out.joint_names = deepcopy(template.header), list(template.joint_names)
        columns = [self.joint_names.index(name) for name in template.joint_names]
        out.points = [self._point(type(first)(), type(first.time_from_start)(), i, columns) for i in range(len(self.times))]
        return out

    def _point(self, point: Any, duration: Any, i: int, columns: list[int]) -> Any:
        nanoseconds = round(self.times[i] * 1e9)
        duration.sec, duration.nanosec = nanoseconds // 10**9, nanoseconds % 10**9
        point.time_from_start = duration
        point.positions, point.velocities = self.positions[i, columns].tolist(), self.velocities[i, columns].tolist()
        point.accelerations, point.effort = self.accelerations[i, columns].tolist(), self.efforts[i, columns].tolist()
        return point

    def __len__(self) -> int:
        return len(self.times)


def with_effort(
        model: RobotModel, trajectory: Trajectory, tolerance: ArrayLike | None = None, drives: Drives = None, *,
        viscous_friction: bool = False) -> ControllerPoints:
    """Points of a trajectory between which linear interpolation of the effort errs by less than `tolerance`, everywhere.

    The points at the trajectory's breaks are kept, so way points stay points; others are added where the effort bends.
    tolerance: [N m] or [N], one number or one for each joint; None: a thousandth of the model's effort limits, which it must then have.
    drives: as in motor_feedforward; the efforts are then those of the motors, for robots with one motor a joint.

    Raises InputError where an argument has the wrong shape, name or value, or so small a tolerance needs too many points.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> points = with_effort(model, t, tolerance=0.5)          # publisher.publish(points.message(plan))
        >>> bool((points.effort_error < 0.5).all())
        True
    """
    signals = Signals(model, trajectory, drives, viscous_friction)
    if signals.drives is not None and len(signals.drives.motor_names) != model.n:
        raise InputError(
            f'{model.name} has {len(signals.drives.motor_names)} motors at {model.n} joints, but a point has one effort for each joint')
    allowed = _tolerance(model, tolerance)
    piece, start, width, error = _intervals(signals, allowed)
    order = np.lexsort((start, piece))
    piece, start, width, error = piece[order], start[order], width[order], error[order]
    piece, u = np.append(piece, piece[-1]), np.append(start, 1.0)
    breaks = signals.trajectory.breaks
    times = breaks[piece] + u * (breaks[piece + 1] - breaks[piece])
    q = signals.trajectory.evaluate_pieces(piece, u, 2)
    efforts = np.concatenate([_effort(signals, piece[i:i + _CHUNK], u[i:i + _CHUNK])[:, 0] for i in range(0, len(u), _CHUNK)])
    return ControllerPoints(
        model.joint_names, times, q[:, 0], q[:, 1], q[:, 2], efforts, error.max(axis=0),
        _position_error(signals.trajectory, piece[:-1], start, width, times, q))


def _intervals(signals, allowed):
    """(piece, start, width, bound of the error (n,)) of intervals in u on which the effort is close to a straight line."""
    pieces = np.arange(len(signals.trajectory.coefficients))
    todo = [(pieces[i:i + _CHUNK], np.zeros(len(pieces[i:i + _CHUNK])), 1.0) for i in range(0, len(pieces), _CHUNK)]
    done, count = [], 0
    while todo:
        piece, start, width = todo.pop()
        error = _line_error(signals, piece, start, width)
        good = (error <= allowed).all(axis=1)
        done.append((piece[good], start[good], np.full(good.sum(), width), error[good]))
        count += int(good.sum())
        if count > MOST_POINTS or width < _NARROWEST:
            raise InputError(f'so small a tolerance of the effort takes more than {MOST_POINTS} points; allow a larger one')
        if not good.all():
            left = start[~good]
            both = np.concatenate([left, left + width / 2])
            todo += [
                (np.tile(piece[~good], 2)[i:i + _CHUNK], both[i:i + _CHUNK], width / 2) for i in range(0, len(both), _CHUNK)]
    return tuple(np.concatenate(part) for part in zip(*done, strict=True))


def _line_error(signals, piece, start, width):
    """(intervals, n): how far the effort leaves the straight line between its ends: as in peaks.py, with a polynomial of degree five."""
    steps = np.diff(signals.trajectory.breaks)[piece] * width
    scale = (steps[:, None]**np.arange(3) / polynomials.factorials(3))[:, :, None]
    ends = [_effort(signals, piece, start + part * width) for part in (0.0, 1.0)]
    c = polynomials.from_end_taylor(ends[0] * scale, ends[1] * scale)
    middle = _effort(signals, piece, start + width / 2)[:, 0]
    off = np.abs(np.einsum('j,ijm->im', 0.5**np.arange(6), c) - middle)
    line = np.zeros_like(c)
    line[:, 0], line[:, 1] = ends[0][:, 0], ends[1][:, 0] - ends[0][:, 0]
    return np.abs(polynomials.control_points(c - line, 2)).max(axis=1) + 2 * off


def _effort(signals, piece, u):
    """(samples, 3, n): joint or motor effort and two derivatives."""
    q = signals.motion(piece, u)
    Q = signals.forces(q)
    return Q[:, :3] if signals.drives is None else signals.drives.motor_feedforward_of(q, Q).torques[:, :3]


def _position_error(trajectory, piece, start, width, times, q):
    """(n,) the largest distance of the trajectory from polynomials of degree five through the points, at 15 places between each two."""
    worst = np.zeros(trajectory.n)
    parts = np.arange(1, 16) / 16
    for first in range(0, len(piece), _CHUNK):
        which = np.arange(first, min(first + _CHUNK, len(piece)))
        steps = np.diff(times)[which]
        scale = (steps[:, None]**np.arange(3) / polynomials.factorials(3))[:, :, None]
        c = polynomials.from_end_taylor(q[which] * scale, q[which + 1] * scale)
        between = np.einsum('sj,ijm->ism', parts[:, None]**np.arange(6), c)
        u = start[which, None] + width[which, None] * parts
        exact = trajectory.evaluate_pieces(np.repeat(piece[which], len(parts)), u.ravel(), 0)[:, 0].reshape(between.shape)
        worst = np.maximum(worst, np.abs(between - exact).max(axis=(0, 1)))
    return worst


def _tolerance(model, tolerance):
    if tolerance is None:
        allowed = PART_OF_LIMIT * np.asarray(model.effort_limits)
        unlimited = np.flatnonzero(~np.isfinite(allowed) | (allowed <= 0))
        if unlimited.size:
            raise InputError(
                f'joint {model.joint_names[unlimited[0]]!r} has no effort limit in the description, of which a thousandth would be the '
                'tolerance; give tolerance [N m] or [N]')
        return allowed
    allowed = arguments.floats(tolerance, 'tolerance')
    if allowed.shape not in ((), (model.n,)) or not (allowed > 0).all():
        raise InputError(
            f'tolerance is {arguments.shown(tolerance)}; give one number above 0, or one for each of {model.n} joints [N m] or [N]')
    return np.broadcast_to(allowed, (model.n,))
