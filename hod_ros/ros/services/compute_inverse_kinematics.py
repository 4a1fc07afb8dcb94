# SPDX-License-Identifier: Apache-2.0
"""The service compute_inverse_kinematics: a position by search, then derivatives from twists. Twists are (angular, linear)."""

import numpy as np

from hod_interfaces.srv import ComputeInverseKinematics
from hod_ros.errors import InputError
from hod_ros.kinematics.forward import jacobian
from hod_ros.kinematics.inverse import COMPONENTS
from hod_ros.kinematics.inverse import checked_components
from hod_ros.kinematics.inverse import inverse_kinematics
from hod_ros.kinematics.pose import solve_pose
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.services.requests import TWIST
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.requests import all_finite
from hod_ros.ros.services.requests import check_request_order
from hod_ros.ros.services.requests import in_message_order
from hod_ros.ros.services.requests import joint_rows
from hod_ros.ros.services.requests import joint_values
from hod_ros.ros.services.requests import pose_matrix
from hod_ros.ros.services.requests import request_columns

MOST_ATTEMPTS = 1000
MOST_TOLERANCE = 0.1    # [rad], [m]


def compute_inverse_kinematics(
        model: RobotModel, request: ComputeInverseKinematics.Request, response: ComputeInverseKinematics.Response,
        limits: RequestLimits) -> None:
    """Fills the response of a ComputeInverseKinematics request; HodError where it can't, the search's report included."""
    columns = request_columns(model, request.joint_names)
    model.body_of(request.link)
    twists = _twists(request, limits)
    null_motion = joint_rows(request.null_motion, columns, 'null_motion')
    if len(null_motion) not in (0, len(twists)):
        raise InputError(f'null_motion has {len(null_motion)} rows, but twists has {len(twists)}; give as many, or none')
    if not (len(request.pose) or len(twists)):
        raise InputError('pose and twists are empty; give one of them at least')
    components = checked_components(tuple(request.components) or COMPONENTS)
    weights = joint_values(request.weights, columns, 'weights')
    q = _position(model, request, response, columns, components, weights)
    motion = q[None]
    if len(twists):
        motion = inverse_kinematics(
            model, q, request.link, twists[:, list(components)], request.representation or 'body', components=components,
            weights=weights, null_motion=null_motion if len(null_motion) else None, damping=request.damping,
            max_condition=_or(request.max_condition, 1e6, 'max_condition'), order=len(twists))
    if not np.isfinite(motion).all():
        raise InputError('the motion is too large for a floating point number; are the units of twists right ([rad/s], [m/s])?')
    response.joint_names = columns.names
    response.derivatives = in_message_order(motion, columns)


def _position(model, request, response, columns, components, weights):
    """q (n,), reported in the response; InputError where the search did not converge."""
    start = joint_values(request.start, columns, 'start')
    start = np.zeros(model.n) if start is None else start
    if not len(request.pose):
        lower, upper = model.position_limits.T
        response.converged = True
        response.condition = _condition(model, start, request.link, components)
        response.within_limits = bool(np.all((lower <= start) & (start <= upper)))
        return start
    if request.tolerance > MOST_TOLERANCE:
        raise InputError(f'tolerance is {request.tolerance:g}; give up to {MOST_TOLERANCE:g} [rad], [m], or 0 for 1e-12')
    if request.attempts > MOST_ATTEMPTS:
        raise InputError(f'attempts is {request.attempts}; give up to {MOST_ATTEMPTS}')
    solution = solve_pose(
        model, request.link, _pose(request.pose), start, components=components, weights=weights,
        respect_limits=request.respect_limits, attempts=request.attempts or 1,
        tolerance=_or(request.tolerance, 1e-12, 'tolerance'), required=False)
    response.converged = solution.converged
    response.iterations = solution.iterations
    response.residual = solution.residual
    response.condition = min(solution.condition, np.finfo(float).max)
    response.within_limits = solution.within_limits
    if not solution.converged:
        within = ' within the position limits' if request.respect_limits else ''
        raise InputError(
            f'no position was found that brings link {request.link!r} to the pose{within}: after {solution.iterations} iterations an '
            f'error of {solution.residual:.3g} is left; start nearer, give more attempts, or name fewer components')
    return solution.q


def _twists(request, limits):
    """(rows, 6)"""
    values = np.array(request.twists, float)
    if len(values) % 6:
        raise InputError(f'twists has {len(values)} values; give rows of 6, angular x y z and linear x y z')
    check_request_order(len(values) // 6, limits, 'the number of rows in twists')
    return all_finite(values.reshape(-1, 6), 'twists', TWIST)


def _pose(values):
    """(4, 4) from position and quaternion."""
    if len(values) != 7:
        raise InputError(f'pose has {len(values)} values; give 7: position x, y, z and quaternion x, y, z, w')
    return pose_matrix(np.array(values, float), 'pose')


def _condition(model, q, link, components):
    values = np.linalg.svd(jacobian(model, q[None], link)[0][list(components)], compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else float(np.finfo(float).max)


def _or(value, default, field):
    """The value of an optional field, whose 0 stands for the default."""
    if not (np.isfinite(value) and value >= 0):
        raise InputError(f'{field} is {value}; give a positive number, or 0 for {default:g}')
    return value or default
