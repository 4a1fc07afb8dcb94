# SPDX-License-Identifier: Apache-2.0
"""The service compute_dynamics_matrices."""

import numpy as np

from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.requests import base_motion
from hod_ros.ros.services.requests import check_size
from hod_ros.ros.services.requests import in_message_order
from hod_ros.ros.services.requests import motion_of_order


def compute_dynamics_matrices(
        model: RobotModel, request: ComputeDynamicsMatrices.Request, response: ComputeDynamicsMatrices.Response,
        limits: RequestLimits) -> None:
    """Fills the response of a ComputeDynamicsMatrices request; HodError where it can't."""
    q, columns = motion_of_order(request, model, limits, 2)
    base = base_motion(request, len(q), 1)
    if base is not None:
        model = model.replace(base='free')
    check_size(len(q) * (request.order + 1) * (model.n + 6 * (base is not None))**2, 'mass_matrices')
    M, C, g = dynamics_matrices(model, q, base=base, order=request.order)
    for name, values in (('mass_matrices', M), ('coriolis_matrices', C), ('gravity_efforts', g)):
        if not np.isfinite(values).all():
            raise InputError(f'{name} are too large for a floating point number; are the units of derivatives right ([rad], [m], [s])?')
    response.joint_names = columns.names
    response.mass_matrices = in_message_order(M, columns, 2)
    response.coriolis_matrices = in_message_order(C, columns, 2)
    response.gravity_efforts = in_message_order(g, columns)
