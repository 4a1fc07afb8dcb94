# SPDX-License-Identifier: Apache-2.0
"""The service set_payload: gripping and releasing. The load is kept in the parameters payload.*, which this service sets together."""

import numpy as np
from rclpy.node import Node
from rclpy.parameter import Parameter

from hod_interfaces.srv import SetPayload
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.model.payload import with_payload
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.robot.keeper import RobotKeeper
from hod_ros.ros.services.requests import all_finite
from hod_ros.ros.services.requests import in_message_order
from hod_ros.ros.services.requests import joint_values
from hod_ros.ros.services.requests import request_columns
from hod_ros.ros.setpoints.path import SetpointPath

INERTIA_NAMES = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
CENTER_NAMES = ('x', 'y', 'z')


class PayloadService:
    """Answers SetPayload requests by the parameters of a node, whose keeper and path it looks at."""

    def __init__(self, node: Node, parameters: Parameters, keeper: RobotKeeper, path: SetpointPath) -> None:
        self._node = node
        self._parameters = parameters
        self._keeper = keeper
        self._path = path

    def answer(self, request: SetPayload.Request, response: SetPayload.Response) -> None:
        """Fills the response; HodError, with nothing changed, where it can't."""
        before = self._keeper.robot.model
        last = None if self._path.last is None else self._path.last.q
        columns = request_columns(before, request.joint_names)
        motion = _motion(request, columns, last)
        parameters = _parameters(request, before, self._parameters)
        if parameters:      # rclpy refuses an empty list
            result = self._node.set_parameters_atomically(parameters)
            if not result.successful:
                raise InputError(result.reason)
        response.joint_names = columns.names
        latest = self._keeper.kept or self._keeper.robot
        if motion is None:
            response.message = 'the jump is not stated, because no setpoint has come and no positions were given'
        else:
            order = len(motion) - 3
            jump = inverse_dynamics(latest.model, motion, order=order) - inverse_dynamics(before, motion, order=order)
            response.effort_jump = in_message_order(jump, columns)
        if self._keeper.kept is not None:
            response.message = f'kept for the next activation: {self._keeper.kept_because}'
        if parameters:
            response.message = '; '.join(filter(None, (response.message, *latest.payload_warnings)))


def _motion(request, columns, last_motion):
    """q (rows, n): at rest at the request's positions, else the last motion."""
    positions = joint_values(request.positions, columns, 'positions')
    if positions is None:
        return last_motion
    return np.stack([positions, np.zeros_like(positions), np.zeros_like(positions)])


def _parameters(request, model, settings):
    """The parameters that say what the request says."""
    link, mass = request.link, request.mass
    model.body_of(link)
    carrying = settings['payload.link']
    if carrying and carrying != link and settings['payload.mass']:
        if mass:
            raise InputError(
                f'link {carrying!r} carries {settings["payload.mass"]:g} kg, and one link can carry a payload at a time; '
                'release it first (mass 0), or describe the load in the robot description')
        return []
    center = _numbers(request.center, 'center', CENTER_NAMES)
    inertia = _numbers(request.inertia, 'inertia', INERTIA_NAMES)
    if not mass and any(inertia):
        raise InputError('the payload has an inertia but no mass; give its mass, or no inertia to release what the link carries')
    xx, xy, xz, yy, yz, zz = inertia
    with_payload(model, link, mass, center, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    values = {'payload.link': link if mass else '', 'payload.mass': mass, 'payload.center': center, 'payload.inertia': inertia}
    return [Parameter(name, value=value) for name, value in values.items()]


def _numbers(values, field, names):
    if len(values) not in (0, len(names)):
        raise InputError(f'{field} has {len(values)} values; give {len(names)}: {", ".join(names)}')
    return all_finite(np.array(values, float), f'payload {field}', names).tolist() if len(values) else [0.0] * len(names)
