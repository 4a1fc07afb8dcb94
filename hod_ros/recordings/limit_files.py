# SPDX-License-Identifier: Apache-2.0
"""Limits in files: YAML or JSON, by quantity or as MoveIt's joint_limits.yaml has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from hod_ros.checks import arguments
from hod_ros.errors import InputError
from hod_ros.model.far_positions import DEGREES
from hod_ros.model.robot_model import RobotModel
from hod_ros.recordings.documents import read_document
from hod_ros.trajectories.limits import Limits

QUANTITIES = tuple(field.name for field in fields(Limits))
_OF_MOVEIT = {f'max_{name}': name for name in ('velocity', 'acceleration', 'jerk', 'effort', 'effort_rate')}
_NEAR = 0.7             # of the logarithm: half as many, or twice
_NOT_JUDGED = (
    'has_position_limits', 'min_position', 'max_position', 'has_deceleration_limits', 'max_deceleration', 'angle_wraparound',
    'has_soft_limits', 'k_position', 'k_velocity', 'soft_lower_limit', 'soft_upper_limit')
_IGNORED = ('default_velocity_scaling_factor', 'default_acceleration_scaling_factor')       # MoveIt's, which limit nothing


def read_limits(path: Path, model: RobotModel, motor_names: tuple[str, ...] = ()) -> Limits:
    """The limits of a model's joints and motors in a file; velocity and effort of what it does not name are the description's own.

    By quantity: `velocity: 2.0` for all joints, `effort: [87, 87, ...]` in the model's order, or `effort_rate: {joint1: 1000}` by name;
    `.inf` lifts a limit. Or MoveIt's: `joint_limits: {joint1: {max_velocity: 2.0, has_jerk_limits: false}}`, to which max_effort and
    max_effort_rate may be added.
    """
    document = read_document(path)
    if not isinstance(document, Mapping):
        raise InputError(f'the file {path.name!r} holds no limits; write such as `effort_rate: 1000`')
    document = {name: value for name, value in document.items() if name not in _IGNORED}
    if 'joint_limits' in document:
        document = _of_moveit(document, model, path.name)
    unknown = [name for name in document if name not in QUANTITIES]
    if unknown:
        raise InputError(f'the file {path.name!r} limits {arguments.shown(unknown[0])}; what can be limited is {", ".join(QUANTITIES)}')
    owners = {name: motor_names if name.startswith('motor_') else model.joint_names for name in document}
    described = of_description(model)
    given = {
        name: _figures(value, owners[name], described.get(name), f'{name} of {path.name!r}')
        for name, value in document.items() if value is not None}
    _refuse_degrees(given.get('velocity'), model, path.name)
    return Limits(**{name: value for name, value in {**described, **given}.items() if not np.isposinf(value).all()})


def _refuse_degrees(velocity: Any, model: RobotModel, name: str) -> None:
    """InputError where the limits of all turning joints are the description's own, or about as many times these as a radian has degrees."""
    if velocity is None or np.shape(velocity) not in ((), (model.n,)):
        return
    turns = np.zeros(model.n, bool)
    turns[model.coordinate] = (model.X[:, :3] != 0).any(axis=1)
    with np.errstate(divide='ignore', invalid='ignore'):
        given = np.broadcast_to(np.asarray(velocity, float), turns.shape)
        times = given / np.asarray(model.velocity_limits, float)
    judged = turns & np.isfinite(times) & (times > 0) & (times != 1.0)
    if judged.any() and (np.abs(np.log(times[judged] / DEGREES)) < _NEAR).all():
        j = int(np.flatnonzero(judged)[0])
        raise InputError(
            f'velocity of {name!r} is {given[j]:g} for joint {model.joint_names[j]!r}, but the description has '
            f'{model.velocity_limits[j]:g} rad/s: these look like degrees a second; give radians')


def of_description(model: RobotModel) -> dict[str, Any]:
    """The velocity and effort limits of a model, where it has any: 0, which URDFs write for none, is none."""
    found = {'velocity': model.velocity_limits, 'effort': model.effort_limits}
    found = {name: np.where(np.asarray(value) > 0, value, np.inf) for name, value in found.items()}
    return {name: value for name, value in found.items() if np.isfinite(value).any()}


def _figures(value: Any, names: tuple[str, ...], described: Any, what: str) -> Any:
    if isinstance(value, Mapping):
        unknown = [name for name in value if name not in names]
        if unknown:
            raise InputError(f'{what} names {arguments.shown(unknown[0])}; there are {arguments.listed(names, 12)}')
        others = [np.inf] * len(names) if described is None else described
        return [_figure(value[name], f'{what}, {name}') if name in value else other for name, other in zip(names, others, strict=True)]
    if isinstance(value, list):
        return [_figure(figure, what) for figure in value]
    return _figure(value, what)


def _figure(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f'{what} is {arguments.shown(value)}; give a number in SI units, or .inf for no limit')
    return value


def _of_moveit(document: Mapping[str, Any], model: RobotModel, file: str) -> dict[str, Any]:
    rest = [name for name in document if name != 'joint_limits']
    joints = document['joint_limits']
    if rest or not isinstance(joints, Mapping) or not all(isinstance(entry, Mapping) for entry in joints.values()):
        raise InputError(f'the file {file!r} has joint_limits, but not a table for each joint alone; see MoveIt\'s joint_limits.yaml')
    found: dict[str, dict[str, Any]] = {}
    for joint, entry in joints.items():
        if joint in model.joint_names:         # MoveIt lists fingers and other groups' joints as well
            for quantity, value in _of_joint(entry, f'joint {joint!r} of {file!r}').items():
                found.setdefault(quantity, {})[joint] = value
    if not found:
        raise InputError(f'the file {file!r} limits none of {arguments.listed(model.joint_names, 12)}; name the joints of the robot')
    return dict(found)


def _of_joint(entry: Mapping[str, Any], what: str) -> dict[str, Any]:
    """{quantity: limit} of a joint in MoveIt's file, inf where it says that there is none."""
    known = (*_OF_MOVEIT, *(f'has_{quantity}_limits' for quantity in _OF_MOVEIT.values()), *_NOT_JUDGED)
    unknown = [key for key in entry if key not in known]
    if unknown:
        raise InputError(f'{what} has {arguments.shown(unknown[0])}; there are {", ".join(known)}')
    found = {}
    for key, quantity in _OF_MOVEIT.items():
        limited = entry.get(f'has_{quantity}_limits', key in entry)
        if not isinstance(limited, bool) or limited and key not in entry:
            raise InputError(f'{what} has has_{quantity}_limits: {arguments.shown(limited)}; give true and {key}, or false')
        if limited:
            found[quantity] = entry[key]
        elif f'has_{quantity}_limits' in entry:
            found[quantity] = np.inf
    return found
