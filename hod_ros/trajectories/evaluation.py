# SPDX-License-Identifier: Apache-2.0
"""What a trajectory asks of a robot: the largest of every quantity, margins of limits, work, and how sure all that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.checks import arrays
from hod_ros.dynamics.regressor import parameter_names
from hod_ros.dynamics.regressor import regressor
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import arguments
from hod_ros.trajectories import peaks as search
from hod_ros.trajectories.limits import FORCES
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.position_limits import beyond_position_limits
from hod_ros.trajectories.signals import Drives
from hod_ros.trajectories.signals import Signals
from hod_ros.trajectories.signals import limited
from hod_ros.trajectories.trajectory import Trajectory

WITHIN = 1e-9               # of a limit: what rounding may add

UNITS = {
    'velocity': 'rad/s or m/s', 'acceleration': 'rad/s^2 or m/s^2', 'jerk': 'rad/s^3 or m/s^3', 'effort': 'N m or N',
    'effort_rate': 'N m/s or N/s', 'effort_acceleration': 'N m/s^2 or N/s^2', 'power': 'W', 'motor_velocity': 'rad/s or m/s',
    'motor_effort': 'N m or N'}
_FORCE_ROWS = ('effort', 'effort_rate', 'effort_acceleration')


@dataclass(frozen=True, eq=False)
class Peak:
    """The largest magnitudes of one quantity over a trajectory, one for each joint or motor.

    One of the peaks that evaluate_trajectory returns.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> peak = evaluate_trajectory(model, t).peaks['velocity']
        >>> peak.value.shape, peak.joint[0]
        ((7,), 'panda_joint1')
    """

    value: NDArray[np.float64]                      # (n,) 0 or more
    time: NDArray[np.float64]                       # (n,) when [s]
    joint: tuple[str, ...]                          # (n,) of which joint or motor
    sign: NDArray[np.float64]                       # (n,) -1 where the quantity is negative then
    deviation: NDArray[np.float64] | None = None    # (n,) its standard deviation then, where a covariance is given


@dataclass(frozen=True, eq=False)
class TrajectoryEvaluation:
    """What evaluate_trajectory found.

    Its message says it in one sentence.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> r = evaluate_trajectory(model, t, Limits(effort=1.0))
        >>> r.feasible, r.margins['effort'].shape
        (False, (7,))
    """

    feasible: bool                          # every limit that was given is kept
    message: str                            # a sentence: what is nearest to its limit, or exceeds it, for which model and margin, and
                                            # which joint leaves the position limits of the description
    peaks: dict[str, Peak]                  # by quantity: those of UNITS, motors' where drives are given
    margins: dict[str, NDArray[np.float64]]     # by limited quantity (n,): the part of the limit that is left; below 0: exceeded
    energy: NDArray[np.float64]             # (n,) mechanical work of each joint [J]
    model_name: str
    model_hash: str
    margin: float                           # the part of force limits that was allowed


def evaluate_trajectory(
        model: RobotModel, trajectory: Trajectory, limits: Limits | None = None, drives: Drives = None, margin: float = 1.0,
        parameter_covariance: ArrayLike | None = None, *, viscous_friction: bool = False) -> TrajectoryEvaluation:
    """The peaks, margins and work of a trajectory; peaks are found between samples, to rounding.

    limits: None for none. drives: as in motor_feedforward; they give motor quantities. margin: the part of limits of forces and their rates
    that may be used: 0.8 is a good choice where metal moves. parameter_covariance: (p, p) of inertial_parameters(model), for standard
    deviations of the forces' peaks. viscous_friction: adds the model's damping to the forces.

    Raises InputError where an argument has the wrong shape, name or value, motors are limited without drives, or the model has a free
    base.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> r = evaluate_trajectory(model, t, Limits(effort=87, effort_rate=1000), margin=0.8)
        >>> r.feasible, r.peaks['effort_rate'].value.shape, r.margins['effort'].shape
        (True, (7,), (7,))
    """
    limits = Limits() if limits is None else limits
    if not isinstance(limits, Limits):
        raise InputError(f'limits is {arguments.shown(limits)}; give Limits(effort=..., effort_rate=...), or None')
    allowed = limits.with_margin(margin)
    signals = Signals(model, trajectory, drives, viscous_friction)
    limit = limited(signals.quantities, allowed, signals.width)
    covariance = _checked_covariance(model, parameter_covariance)
    found = search.find(signals, signals.trajectory, groups=[quantity.columns for quantity in signals.quantities])
    times = found.times(signals.trajectory)
    peaks = {}
    for quantity in signals.quantities:
        c = quantity.columns
        deviation = None
        if covariance is not None and quantity.name in _FORCE_ROWS:
            row = _FORCE_ROWS.index(quantity.name)
            each = _deviations(model, signals.trajectory.evaluate(times[c], 4), covariance)
            deviation = each[np.arange(model.n), row, np.arange(model.n)]
        peaks[quantity.name] = Peak(found.value[c], times[c], quantity.owners, found.sign[c], deviation)
    used = found.value / limit
    margins = {quantity.name: 1 - used[quantity.columns] for quantity in signals.quantities if quantity.name in limits.given}
    feasible = bool((used <= 1 + WITHIN).all())
    judged = f'{model.name} (model {model.hash}), margin {float(margin):g}'
    nearest = _nearest(signals.quantities, found.value, limit, times, allowed, margin)
    message = f'{"feasible" if feasible else "not feasible"} for {judged}: {nearest}'
    outside = signals.doubt or beyond_position_limits(model, signals.trajectory)
    if outside:
        message += f'; {outside}'
    return TrajectoryEvaluation(feasible, message, peaks, margins, signals.work(), model.name, model.hash, float(margin))


def force_deviations(
        model: RobotModel, trajectory: Trajectory, times: ArrayLike, parameter_covariance: ArrayLike) -> NDArray[np.float64]:
    """(len(times), 3, n): standard deviations of Q, Q', Q'' at `times`, for a covariance (p, p) of inertial_parameters(model).

    Raises InputError where an argument has the wrong shape, name or value, or parameter_covariance is no covariance.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> force_deviations(model, t, [0.5, 1.5], 1e-4 * np.eye(len(parameter_names(model)))).shape
        (2, 3, 7)
    """
    signals = Signals(model, trajectory)
    covariance = _checked_covariance(model, parameter_covariance)
    if covariance is None:
        raise InputError('parameter_covariance is None; give a matrix (p, p) in the order of parameter_names(model)')
    with np.errstate(over='ignore', invalid='ignore'):
        return arrays.not_too_large(_deviations(model, signals.trajectory.evaluate(times, 4), covariance), 'a standard deviation')


def _deviations(model, q, covariance):
    """(samples, 3, n): the root of the diagonal of Y covariance Y^T, for q (samples, 5, n)."""
    out = np.empty((len(q), 3, model.n))
    for i, rows in enumerate(q):
        Y = regressor(model, rows)
        out[i] = np.sqrt(np.maximum(np.einsum('kjp,pr,kjr->kj', Y, covariance, Y), 0.0))
    return out


def _checked_covariance(model, value):
    if value is None:
        return None
    names = parameter_names(model)
    p = len(names)
    covariance = arguments.finite_array(
        arguments.floats(value, 'parameter_covariance'), (p, p), 'parameter_covariance', 'a row and a column for each parameter')
    largest = np.abs(covariance).max()
    if np.abs(covariance - covariance.T).max() > 1e-9 * largest or np.linalg.eigvalsh(covariance / (largest or 1.0))[0] < -1e-9:
        raise InputError('parameter_covariance is not symmetric with eigenvalues of 0 or more, so it is no covariance')
    return covariance


def _nearest(quantities, value, limit, times, allowed, margin):
    """The part of the message that says how near the nearest limit is."""
    if not allowed.given:
        return 'no limits given'
    used = value / limit
    at = int(np.argmax(used))
    quantity = next(quantity for quantity in quantities if quantity.columns.start <= at < quantity.columns.stop)
    owner = quantity.owners[at - quantity.columns.start]
    what = quantity.name.replace('_', ' ')
    part = ' (its margin taken off)' if quantity.name in FORCES and margin < 1 else ''
    if used[at] == 0:
        return 'it asks for nothing that is limited'
    verb = 'exceeds its limit' if used[at] > 1 + WITHIN else 'is nearest to its limit'
    return f'{what} of {owner!r} {verb}{part}: {value[at]:.6g} of {limit[at]:.6g} {UNITS[quantity.name]} at {times[at]:.6g} s'
