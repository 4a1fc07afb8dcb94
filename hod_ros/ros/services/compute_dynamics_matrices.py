# SPDX-License-Identifier: Apache-2.0
"""The service compute_dynamics_matrices."""

import numpy as np

from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.requests import check_size
from hod_ros.ros.services.requests import in_message_order
from hod_ros.ros.services.requests import motion_of_order


def compute_dynamics_matrices(
        model: RobotModel, request: ComputeDynamicsMatrices.Request, response: ComputeDynamicsMatrices.Response,
        limits: RequestLimits) -> None:
    """Fills the response of a ComputeDynamicsMatrices request; HodError where it can't."""
    q, columns = motion_of_order(request, model, limits, 2)
    samples, rows, n = len(q), request.order + 1, model.n
    check_size(samples * rows * n * n, 'mass_matrices')
    M, C = np.empty((2, samples, rows, n, n))
    g = np.empty((samples, rows, n))
    for sample, motion in enumerate(q):
        matrices = dynamics_matrices(model, motion, order=request.order)
        M[sample], C[sample], g[sample] = matrices.M, matrices.C, matrices.g
    for name, values in (('mass_matrices', M), ('coriolis_matrices', C), ('gravity_efforts', g)):
        if not np.isfinite(values).all():
            raise InputError(f'{name} are too large for a floating point number; are the units of derivatives right ([rad], [m], [s])?')
    response.joint_names = columns.names
    response.mass_matrices = in_message_order(M, columns, 2)
    response.coriolis_matrices = in_message_order(C, columns, 2)
    response.gravity_efforts = in_message_order(g, columns)
