# SPDX-License-Identifier: Apache-2.0
"""The service compute_motor_feedforward."""

from array import array

import numpy as np

from hod_interfaces.srv import ComputeMotorFeedforward
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.checks.arguments import some
from hod_ros.errors import InputError
from hod_ros.model.far_positions import far_positions
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.requests import motion_samples


def compute_motor_feedforward(
        model: RobotModel, request: ComputeMotorFeedforward.Request, response: ComputeMotorFeedforward.Response,
        limits: RequestLimits) -> None:
    """Fills the response of a ComputeMotorFeedforward request; HodError where it can't."""
    if not limits.drives:
        raise InputError(
            'no elastic joints are configured; set the parameters elastic.<joint>.*, or <hod_elastic> tags in the robot description')
    prepared = PreparedDrives(model, limits.drives)
    q, columns = motion_samples(request, model, limits, prepared.rows, 'drives of these joints need')
    samples, rows, v = len(q), prepared.rows - 2, len(prepared.variable_joints)
    stiffness = None
    if request.stiffness:
        given = [name for name in columns.names if name in prepared.variable_joints]
        if len(request.stiffness) != samples * rows * v:
            raise InputError(
                f'stiffness has {len(request.stiffness)} values; give {samples} x {rows} x {v} = {samples * rows * v}: samples x rows x '
                f'variable-stiffness joints ({some(given) or "there are none"})')
        stiffness = np.array(request.stiffness).reshape(samples, rows, v)[..., [given.index(name) for name in prepared.variable_joints]]
    result = prepared.motor_feedforward(q, stiffness)
    response.message = far_positions(model, q[:, 0])
    response.motor_names = list(result.names)
    for field in ('positions', 'velocities', 'accelerations', 'efforts'):
        setattr(response, field, array('d', getattr(result, field).tobytes()))
