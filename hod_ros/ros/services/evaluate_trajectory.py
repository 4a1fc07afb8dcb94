# SPDX-License-Identifier: Apache-2.0
"""The service evaluate_trajectory: the call of the library, with the node's robot, drives and limits."""

from array import array
from dataclasses import fields

import numpy as np

from hod_interfaces.srv import EvaluateTrajectory
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.dynamics.regressor import parameter_names
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.recordings.messages import waypoints
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.requests import request_columns
from hod_ros.trajectories.controller_points import PART_OF_LIMIT
from hod_ros.trajectories.controller_points import with_effort
from hod_ros.trajectories.evaluation import evaluate_trajectory
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.scaling import time_scale
from hod_ros.trajectories.trajectory import Trajectory

MARGIN = 0.8            # of the limits of forces and their rates, where the request has none
MAX_DEVIATION = 1e-3    # [rad] or [m]


def evaluate_trajectory_request(
        model: RobotModel, request: EvaluateTrajectory.Request, response: EvaluateTrajectory.Response, limits: RequestLimits) -> None:
    """Fills the response of an EvaluateTrajectory request; HodError where it can't."""
    columns = request_columns(model, request.trajectory.joint_names)
    trajectory = _trajectory(request, limits).of_joints(model.joint_names)
    drives = None if request.rigid or not limits.drives else PreparedDrives(model, limits.drives)
    wanted = _limits(request, columns, drives.motor_names if drives else (), limits.motion)
    margin = _or(request.margin, MARGIN, 'margin')
    found = evaluate_trajectory(
        model, trajectory, wanted, drives, margin, _covariance(request, model), viscous_friction=request.viscous_friction)

    response.feasible, response.message = found.feasible, found.message
    response.model, response.margin, response.duration = f'{found.model_name} {found.model_hash}', found.margin, trajectory.duration
    response.joint_names = list(model.joint_names)
    response.energies = array('d', found.energy)
    response.quantities = [name for name, peak in found.peaks.items() for _ in peak.joint]
    response.owners = [owner for peak in found.peaks.values() for owner in peak.joint]
    response.peaks = _flat(peak.value for peak in found.peaks.values())
    response.peak_times = _flat(peak.time for peak in found.peaks.values())
    response.margins = _flat(found.margins.get(name, np.ones(len(peak.joint))) for name, peak in found.peaks.items())
    if request.parameter_covariance:
        response.deviations = _flat(
            np.zeros(len(peak.joint)) if peak.deviation is None else peak.deviation for peak in found.peaks.values())
    if request.scale:
        scaled = time_scale(model, trajectory, wanted, drives, margin, viscous_friction=request.viscous_friction)
        response.fastest, response.speed_message = scaled.fastest or 0.0, scaled.message
        response.speed_intervals = _flat(scaled.intervals)
    if request.effort:
        tolerance = _effort_tolerance(request, model, wanted)
        points = with_effort(model, trajectory, tolerance, drives, viscous_friction=request.viscous_friction)
        order = [model.joint_names.index(name) for name in request.trajectory.joint_names]
        response.trajectory_with_effort = points.message(request.trajectory)
        response.effort_errors = array('d', points.effort_error[order])
        response.position_errors = array('d', points.position_error[order])


def _trajectory(request, limits) -> Trajectory:
    points = len(request.trajectory.points)
    if points > limits.max_samples:
        raise InputError(
            f'the trajectory has {points} points, but this node takes up to max_samples = {limits.max_samples}; send a part of them')
    deviation, chunk_rate = request.max_deviation, _or(request.chunk_rate, 0.0, 'chunk_rate')
    given = waypoints(request.trajectory)
    if given.times is None and not chunk_rate:
        raise InputError(
            f'time_from_start is 0 at all {points} points of the trajectory; give the time of each [s], or chunk_rate, the points a second')
    return given.trajectory(
        chunk_rate=chunk_rate or None,
        max_deviation=None if deviation == np.inf else _or(deviation, MAX_DEVIATION, 'max_deviation'))


def _limits(request, columns, motors, configured) -> Limits:
    """The request's, in the model's order, and for those it leaves out the node's."""
    given = {}
    for field in fields(Limits):
        values = getattr(request, f'{field.name}_limits')
        if not len(values):
            given[field.name] = getattr(configured, field.name)
            continue
        motor = field.name.startswith('motor')
        if motor and not motors:
            why = 'rigid leaves the drives out' if request.rigid else 'no drives are configured'
            raise InputError(f'{field.name}_limits is given, but {why}; give none, or the limits of joints')
        owners = motors if motor else columns.names
        if len(values) not in (1, len(owners)):
            raise InputError(
                f'{field.name}_limits has {len(values)} values for {len(owners)} {"motors" if motor else "joints"}; give one for all, one '
                'for each, or none')
        numbers = np.array(values, float)
        if not (numbers > 0).all():
            raise InputError(f'{field.name}_limits holds {numbers[~(numbers > 0)][0]}; give numbers above 0, inf for no limit')
        in_order = len(values) == 1 or motor or columns.to_model is None
        given[field.name] = (numbers if len(values) > 1 else numbers[0]) if in_order else numbers[columns.to_model]
    return Limits(**given)


def _effort_tolerance(request, model, limits):
    """The request's, or a thousandth (n,) of the limits."""
    given = _or(request.effort_tolerance, 0.0, 'effort_tolerance')
    if given:
        return given
    effort = limits.of('effort', model.joint_names)
    for joint, limit in zip(model.joint_names, np.full(model.n, np.inf) if effort is None else effort, strict=True):
        if limit == np.inf:
            raise InputError(
                f'joint {joint!r} has no effort limit, of which a thousandth would be the effort_tolerance; give effort_limits, or '
                'effort_tolerance [N m] or [N]')
    return PART_OF_LIMIT * effort


def _covariance(request, model):
    values = request.parameter_covariance
    if not len(values):
        return None
    p = len(parameter_names(model))
    if len(values) != p * p:
        raise InputError(
            f'parameter_covariance has {len(values)} values; {model.name} has {p} inertial parameters: give {p} x {p}, or none')
    return np.reshape(values, (p, p))


def _or(value, default, field):
    """The value of an optional field, whose 0 stands for the default."""
    if not (np.isfinite(value) and value >= 0):
        raise InputError(f'{field} is {value}; give a positive number, or 0 for {f"{default:g}" if default else "none"}')
    return value or default


def _flat(parts):
    return array('d', np.concatenate([np.ravel(part) for part in parts] or [np.empty(0)]))
