"""The table of the services that compute, and what all of them have in common.

They run in a process of their own (host.py), so that no request holds up a setpoint.
"""

import traceback

from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_interfaces.srv import ComputeInverseDynamics
from hod_interfaces.srv import ComputeInverseKinematics
from hod_interfaces.srv import ComputeMotorFeedforward
from hod_ros.errors import HodError
from hod_ros.errors import shortened
from hod_ros.ros.services.dynamics import compute_dynamics_matrices
from hod_ros.ros.services.dynamics import compute_inverse_dynamics
from hod_ros.ros.services.kinematics import compute_inverse_kinematics
from hod_ros.ros.services.motors import compute_motor_feedforward

SHORT = 1000        # rows of results that are computed within a fraction of a second, even without the kernel


def _short_dynamics(request):
    rows = max(request.samples, 1) * (request.order + 1)
    return rows <= (SHORT if request.formulation in ('', 'recursive') else 3)


# Name -> type, handler(model, request, response, limits), which fills the response or raises a HodError, whether a request is short.
SERVICES = {
    'compute_inverse_dynamics': (ComputeInverseDynamics, compute_inverse_dynamics, _short_dynamics),
    'compute_dynamics_matrices': (
        ComputeDynamicsMatrices, compute_dynamics_matrices, lambda request: max(request.samples, 1) * (request.order + 1) <= SHORT // 20),
    'compute_inverse_kinematics': (ComputeInverseKinematics, compute_inverse_kinematics, lambda request: request.attempts <= 1),
    'compute_motor_feedforward': (ComputeMotorFeedforward, compute_motor_feedforward, lambda request: request.samples <= SHORT),
}


def answered(logger, handler):
    """A service callback that answers every fault with success false and a sentence, and never raises an Exception."""
    def callback(request, response):
        try:
            handler(request, response)
            response.success = True
        except Exception as error:
            response.message = fault_text(error, logger)
        return response
    return callback


def fault_text(error, logger):
    """What the response to a request says that ended in this error; one of ours is logged."""
    if isinstance(error, HodError):
        return str(error)
    if isinstance(error, MemoryError):
        return 'there is not enough memory for this request; send several smaller ones'
    logger.error(f'a service request failed:\n{"".join(traceback.format_exception(error))}')
    return shortened(f'internal error, please report it: {error!r}')
