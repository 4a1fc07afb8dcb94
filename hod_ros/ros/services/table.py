# SPDX-License-Identifier: Apache-2.0
"""The services of the node `hod`, private to it: what each is called, what it means, and who answers it.

Those that compute are answered in a process of their own (host.py), so that no request holds up a setpoint; the others by the node.
`tools/write_reference.py` writes their lists in docs/reference.md and docs/security.md.
"""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from std_srvs.srv import Trigger

from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_interfaces.srv import ComputeInverseDynamics
from hod_interfaces.srv import ComputeInverseKinematics
from hod_interfaces.srv import ComputeMotorFeedforward
from hod_interfaces.srv import EvaluateTrajectory
from hod_interfaces.srv import SetPayload
from hod_ros.errors import HodError
from hod_ros.errors import shortened
from hod_ros.ros.services.compute_dynamics_matrices import compute_dynamics_matrices
from hod_ros.ros.services.compute_inverse_dynamics import compute_inverse_dynamics
from hod_ros.ros.services.compute_inverse_kinematics import compute_inverse_kinematics
from hod_ros.ros.services.compute_motor_feedforward import compute_motor_feedforward
from hod_ros.ros.services.evaluate_trajectory import evaluate_trajectory_request

SHORT = 1000        # rows of results that are computed within a fraction of a second, even without the kernel


def _short_dynamics(request):
    rows = max(request.samples, 1) * (request.order + 1)
    return rows <= (SHORT if request.formulation in ('', 'recursive') else 3)


@dataclass(frozen=True)
class Computed:
    """compute(model, request, response, limits) fills the response or raises a HodError."""

    type: type
    meaning: str
    compute: Callable[[Any, Any, Any, Any], None]
    is_short: Callable[[Any], bool]                 # whether a request is computed in no time


@dataclass(frozen=True)
class Answered:
    """By the node itself."""

    type: type
    meaning: str


COMPUTED = {
    'compute_inverse_dynamics': Computed(
        ComputeInverseDynamics, 'Q and its derivatives of many samples, any order, with wrenches', compute_inverse_dynamics,
        _short_dynamics),
    'compute_motor_feedforward': Computed(
        ComputeMotorFeedforward, 'what the motors of elastic joints do, of many samples', compute_motor_feedforward,
        lambda request: request.samples <= SHORT),
    'compute_dynamics_matrices': Computed(
        ComputeDynamicsMatrices, 'M, C, g and their derivatives', compute_dynamics_matrices,
        lambda request: max(request.samples, 1) * (request.order + 1) <= SHORT // 20),
    'compute_inverse_kinematics': Computed(
        ComputeInverseKinematics, "joint motion of a link's pose and twists", compute_inverse_kinematics,
        lambda request: request.attempts <= 1),
    'evaluate_trajectory': Computed(
        EvaluateTrajectory, 'what a trajectory asks of the robot, what is left of its limits, and the trajectory with effort',
        evaluate_trajectory_request, lambda request: len(request.trajectory.points) < 2),
}
ANSWERED = {
    'set_payload': Answered(SetPayload, 'what a link carries from now on'),
}
ALWAYS_ANSWERED = {
    'reset': Answered(Trigger, 'ends a fault whose cause is gone'),
}


def answered(logger: RcutilsLogger, handler: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
    """A service callback that answers every fault with success false and a sentence, and never raises an Exception."""
    def callback(request, response):
        try:
            handler(request, response)
            response.success = True
        except Exception as error:
            response.message = fault_text(error, logger)
        return response
    return callback


def fault_text(error: BaseException, logger: RcutilsLogger) -> str:
    """What the response to a request says that ended in this error; one of ours is logged."""
    if isinstance(error, HodError):
        return str(error)
    if isinstance(error, MemoryError):
        return 'there is not enough memory for this request; send several smaller ones'
    logger.error(f'a service request failed:\n{"".join(traceback.format_exception(error))}')
    return shortened(f'internal error, please report it: {error!r}')
