# SPDX-License-Identifier: Apache-2.0
"""The service compute_inverse_dynamics."""

from array import array

from hod_interfaces.msg import LinkWrench as LinkWrenchMessage
from hod_interfaces.srv import ComputeInverseDynamics
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.errors import InputError
from hod_ros.model.far_positions import far_positions
from hod_ros.model.motions import MOST_ROWS_UNASKED
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.services.requests import RequestLimits
from hod_ros.ros.services.requests import base_motion
from hod_ros.ros.services.requests import in_message_order
from hod_ros.ros.services.requests import motion_of_order
from hod_ros.ros.setpoints.wrenches import checked_wrench
from hod_ros.ros.setpoints.wrenches import wrench_rows


def compute_inverse_dynamics(
        model: RobotModel, request: ComputeInverseDynamics.Request, response: ComputeInverseDynamics.Response,
        limits: RequestLimits) -> None:
    """Fills the response of a ComputeInverseDynamics request; HodError where it can't."""
    q, columns = motion_of_order(request, model, limits, 3)
    samples, order = len(q), request.order
    wrenches = [(wrench.link, link_wrench(wrench, samples, order + 1)) for wrench in request.wrenches]
    base = base_motion(request, samples, 2)
    if samples == 1:
        q = q[0]
        base = base and (base[0][0], base[1][0])
    given = dict(wrenches=wrenches or None, formulation=request.formulation or 'recursive', order=order)
    if base is None:
        Q = inverse_dynamics(model, q, **given)
    else:
        Q, W = inverse_dynamics(model.replace(base='free'), q, base=base, **given)
        response.base_wrenches = array('d', W.tobytes())
    response.efforts = in_message_order(Q, columns)
    response.joint_names = columns.names
    response.message = far_positions(model, q[..., 0, :])


def link_wrench(message: LinkWrenchMessage, samples: int, rows: int) -> LinkWrench:
    """The wrench of a request: `rows` x 6 or more for one sample; for several, `rows` x 6 for all alike or samples x `rows` x 6."""
    values = wrench_rows(message)
    given = len(values)
    if samples > 1 and given == samples * rows:
        values = values.reshape(samples, rows, 6)
    elif samples > 1 and given != rows:
        raise InputError(
            f'wrench on link {message.link!r}: {given} rows for {samples} samples; give order + 1 = {rows} rows, which hold for all '
            f'samples alike, or {samples} x {rows} = {samples * rows}')
    elif samples == 1 and given < rows:
        raise InputError(f'wrench on link {message.link!r}: {given} rows; order {rows - 1} takes order + 1 = {rows} rows or more')
    elif samples == 1 and given > max(rows, MOST_ROWS_UNASKED):
        raise InputError(
            f'wrench on link {message.link!r}: {given} rows where order + 1 = {rows} are needed: are these samples? Then set samples, and '
            f'give derivatives of as many; if all are derivatives of one sample, give no more than {rows}')
    return checked_wrench(message, values)
