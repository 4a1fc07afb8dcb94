# SPDX-License-Identifier: Apache-2.0
"""Time-optimal motion along a fixed path under limits of torques and their rates, of the motors, and of the motion itself.

The square of the speed along the path is a spline of degree 5, so that the motion has four continuous derivatives. Its limits are kept at
points by an interior-point method (interior_point.py); points between them where one is exceeded join until little is left, and a uniform
slow-down takes that (speed_search.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.errors import InputError
from hod_ros.model.far_positions import warn_of_far_positions
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import arguments
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.timing.path_limits import PathLimits
from hod_ros.trajectories.timing.speed_search import SpeedSearch
from hod_ros.trajectories.timing.timed_path import Certificate
from hod_ros.trajectories.timing.timed_path import TimedPath
from hod_ros.trajectories.timing.warped_path import WarpedPath
from hod_ros.trajectories.trajectory import Trajectory

_SMOOTHNESS = {'jerk': 2, 'effort_rate': 2, 'motor_velocity': 3, 'motor_effort': 3}     # what the limit needs of the path; others 1


def time_optimal(
        model: RobotModel, path: Trajectory, limits: Limits, *, drives: Mapping[str, Any] | PreparedDrives | None = None,
        margin: float = 1.0) -> TimedPath:
    """The fastest motion along a path, from rest to rest, that keeps the limits: a Trajectory over time, from 0 on.

    path: a Trajectory over any parameter, or what has `evaluate(x, order)`, `start`, `end` and `n` as one has; positions of the model's
    joints in its order. limits: one of them finite at least; those of forces and their rates are multiplied by `margin`.
    drives: {joint: drive}, for the limits of motors.

    Velocity, acceleration, jerk and snap begin and end at 0 and are continuous where the path's own derivatives are. `certificate` tells
    how much of each limit is used: at most 1, between all points. Loads and friction that model and drives don't hold are not considered.
    InputError where no speed is slow enough, nothing bounds the speed, the path stands still or is not smooth enough for a limit.

        >>> path = Trajectory.interpolate([0, 1], [q[0], q[0] + 0.3])
        >>> u = time_optimal(model, path, Limits(velocity=2.0, acceleration=10.0))
        >>> u.start, bool(max(u.certificate.usage['velocity'].max(), u.certificate.usage['acceleration'].max()) <= 1)
        (0.0, True)
    """
    _check_model(model)
    _check_path(model, path)
    if not isinstance(limits, Limits):
        raise InputError(f'limits is {arguments.shown(limits)}; give Limits(velocity=..., effort=..., effort_rate=...)')
    warn_of_far_positions(model, path.evaluate(np.linspace(path.start, path.end, 11), 0)[:, 0])
    route = WarpedPath(path)
    quantities = PathLimits(model, route, limits.with_margin(margin), drives)
    _check_smoothness(route, quantities)
    search = SpeedSearch(route, quantities)
    profile, slow_down = search.run()
    motion = TimedPath.of(route, profile, model.joint_names)
    usage, times, names = _usage(search, profile)
    motion.certificate = Certificate(
        model.name, model.hash, float(margin), usage, times, names, slow_down, len(profile.breaks) - 1, motion.deviation)
    return motion


def _usage(search, profile):
    """The largest usage of each limit, when that is, and of which joints or motors, by quantity."""
    u, columns, shares = search.maxima(profile, 0.0)
    times = profile.time_at(u)
    usage, when, names = {}, {}, {}
    for quantity in search.limits.quantities:
        own = [c for c, (name, _) in enumerate(search.limits.labels) if name == quantity]
        names[quantity] = tuple(search.limits.labels[c][1] for c in own)
        best = [max(np.flatnonzero(columns == c), key=shares.__getitem__, default=None) for c in own]
        usage[quantity] = np.array([0.0 if i is None else shares[i] for i in best])
        when[quantity] = np.array([0.0 if i is None else times[i] for i in best])
    return usage, when, names


def _check_model(model):
    if arguments.robot_model(model).exact:
        raise InputError(f'{model.name} holds symbols or multiprecision numbers; timing computes with floats')
    if model.base == 'free':
        raise InputError(f"{model.name} has a free base; timing is for fixed bases: make the model with base='fixed'")


def _check_path(model, path):
    if not all(hasattr(path, name) for name in ('evaluate', 'start', 'end', 'n')):
        raise InputError(f'path is {arguments.shown(path)}; give a Trajectory over any parameter')
    if path.n != model.n:
        raise InputError(f'path moves {path.n} joints, but {model.name} has {model.n}: {arguments.some(model.joint_names)}')
    names = getattr(path, 'joint_names', None)
    if names is not None and tuple(names) != model.joint_names:
        raise InputError(
            f'path names the joints {arguments.some(names)}, but {model.name} has '
            f'{arguments.some(model.joint_names)}; give columns in this order')


def _check_smoothness(route, quantities):
    needed = {quantity: _SMOOTHNESS.get(quantity, 1) for quantity in quantities.quantities}
    quantity = max(needed, key=needed.get)
    corners, jumping = route.corners(needed[quantity])
    if corners.size:
        raise InputError(
            f'derivative {jumping[0]} of the path jumps at its parameter {corners[0]:.6g}, and a limit of {quantity} needs '
            f'{needed[quantity]} continuous derivatives; interpolate the path more smoothly, or stop at the corner by two paths')
