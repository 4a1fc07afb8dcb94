# SPDX-License-Identifier: Apache-2.0
"""Arrays of service requests and responses, in the joint order of the message outside and of the model inside.

A request is refused by its numbers' count alone, before memory is taken for it.
"""

import math
from array import array
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks import geometry
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.setpoints.setpoint_reader import Columns
from hod_ros.trajectories.limits import Limits

POSE = ('x', 'y', 'z', 'quaternion x', 'quaternion y', 'quaternion z', 'quaternion w')
TWIST = ('angular x', 'angular y', 'angular z', 'linear x', 'linear y', 'linear z')
MOST_VALUES = 16_000_000        # numbers in one array of a response: 128 MB


@dataclass(frozen=True)
class RequestLimits:
    """What a request may ask for: the node's parameters of the same names; its drives, and the limits of its motions."""

    max_order: int = 20
    max_samples: int = 10000
    max_seconds: float = 10.0
    drives: dict = field(default_factory=dict)      # of elastic joints
    motion: Limits = field(default_factory=Limits)  # of joints, in the model's order


def request_columns(model: RobotModel, names: Iterable[str]) -> Columns:
    """The columns of a request's joint_names; the model's own where there are none."""
    return Columns(model, list(names) or list(model.joint_names))


def check_request_order(order: int, limits: RequestLimits, what: str = 'order') -> None:
    if order > limits.max_order:
        raise InputError(
            f'{what} is {order}, but this node computes up to max_order = {limits.max_order}; ask for less, or raise max_order')


def motion_of_order(request: Any, model: RobotModel, limits: RequestLimits, extra_rows: int) -> tuple[NDArray[np.float64], Columns]:
    """(q, columns): as motion_samples, where the request has an order and needs order + extra_rows rows."""
    check_request_order(request.order, limits)
    return motion_samples(
        request, model, limits, request.order + extra_rows, f'order {request.order} needs order + {extra_rows} =')


def motion_samples(request: Any, model: RobotModel, limits: RequestLimits, rows: int, why: str) -> tuple[NDArray[np.float64], Columns]:
    """(q, columns): q (samples, rows, n) in the model's order, of a request's derivatives; why: beginning of a sentence on these rows."""
    columns = request_columns(model, request.joint_names)
    n, values, samples = len(columns.names), len(request.derivatives), request.samples or 1
    if samples > limits.max_samples:
        raise InputError(f'samples is {samples}, but this node takes up to max_samples = {limits.max_samples}; send several requests')
    if values != samples * rows * n:
        several, rest = divmod(values, rows * n)
        hint = f'. Are these {several} samples? Then set samples to {several}' if several and not rest else ''
        raise InputError(
            f'derivatives has {values} values; {why} {rows} rows: give samples x rows x joints = {samples} x {rows} x {n} = '
            f'{samples * rows * n}{hint}')
    q = np.frombuffer(request.derivatives).reshape(samples, rows, n)
    if not np.isfinite(q).all():
        sample, row, column = (int(index) for index in np.argwhere(~np.isfinite(q))[0])
        raise InputError(
            f'derivatives: row {row} of joint {columns.names[column]!r} in sample {sample} is {q[sample, row, column]}; '
            'give finite numbers')
    return q if columns.to_model is None else q.take(columns.to_model, axis=2), columns


def base_motion(request: Any, samples: int, extra_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """(poses (samples, 4, 4), twists (samples, order + extra_rows, 6)) of a free base; None where the request gives none."""
    if not len(request.base_pose) and not len(request.base_twists):
        return None
    rows = request.order + extra_rows
    fields = ('base_pose', 'samples x 7', (samples, 7)), ('base_twists', f'samples x (order + {extra_rows}) x 6', (samples, rows, 6))
    for name, shape, counts in fields:
        given, needed = len(getattr(request, name)), math.prod(counts)
        if given != needed:
            raise InputError(
                f'{name} has {given} values; the motion of a free base is {shape} = {" x ".join(map(str, counts))} = {needed}; '
                'give that many, or leave both base_pose and base_twists empty for a base that stands still')
    places = np.array(request.base_pose, float).reshape(samples, 7)
    poses = np.array([pose_matrix(place, f'base_pose of sample {sample}') for sample, place in enumerate(places)])
    return poses, all_finite(np.array(request.base_twists, float).reshape(samples, rows, 6), 'base_twists', TWIST)


def pose_matrix(values: NDArray[np.float64], field: str) -> NDArray[np.float64]:
    """(4, 4) of a field's seven values: a position and a quaternion."""
    values = all_finite(values, field, POSE)
    pose = np.eye(4)
    pose[:3, 3] = values[:3]
    pose[:3, :3] = geometry.rotation_of_quaternion(values[3:], f'the quaternion of {field}')
    return pose


def check_size(values: int, field: str) -> None:
    if values > MOST_VALUES:
        raise InputError(f'{field} would have {values} values, but a response takes up to {MOST_VALUES}; send several requests')


def joint_values(values: Sequence[float], columns: Columns, field: str) -> NDArray[np.float64] | None:
    """(n,) in the model's order, of a field with one value for each joint; None where the field is empty."""
    if not len(values):
        return None
    n = len(columns.names)
    if len(values) != n:
        raise InputError(f'{field} has {len(values)} values for {n} joints; give one for each joint, or none')
    values = all_finite(np.array(values, float), field, columns.names)
    return values if columns.to_model is None else values[columns.to_model]


def joint_rows(values: Sequence[float], columns: Columns, field: str) -> NDArray[np.float64]:
    """(rows, n) in the model's order, of a field with whole rows of one value for each joint."""
    n = len(columns.names)
    if len(values) % n:
        raise InputError(f'{field} has {len(values)} values for {n} joints; give whole rows of one value for each joint')
    rows = all_finite(np.array(values, float).reshape(-1, n), field, columns.names)
    return rows if columns.to_model is None else rows[:, columns.to_model]


def all_finite(values: NDArray[np.float64], field: str, names: Sequence[str]) -> NDArray[np.float64]:
    """The values, whose last axis has these names; InputError that names the first that isn't finite."""
    if not np.isfinite(values).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        where = f'row {index[-2]} of ' if values.ndim > 1 else ''
        where = f'sample {index[0]}, {where}' if values.ndim > 2 else where
        raise InputError(f'{field}: {where}{names[index[-1]]} is {values[index]}; give finite numbers')
    return values


def in_message_order(values: NDArray[np.float64], columns: Columns, axes: int = 1) -> array:
    """float64[] of an array whose last `axes` axes are joints in the model's order, and behind them what is of no joint."""
    message = array('d', [0.0]) * values.size
    if columns.to_message is None:
        np.frombuffer(message).reshape(values.shape)[...] = values
        return message
    m = values.shape[-1]
    order = np.array([*columns.to_message, *range(len(columns.to_message), m)])
    places = order if axes == 1 else (m * order[:, None] + order).ravel()       # all axes at once: one by one takes 20 times as long
    values = values.reshape(-1, m**axes)
    np.take(values, places, axis=1, out=np.frombuffer(message).reshape(values.shape), mode='clip')
    return message
