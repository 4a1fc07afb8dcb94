"""The table of the services that compute, and what all of them have in common.

They run in a process of their own (host.py), so that no request holds up a setpoint.
"""

import traceback

from hod_interfaces.srv import ComputeDynamicsMatrices
from hod_interfaces.srv import ComputeInverseDynamics
from hod_interfaces.srv import ComputeInverseKinematics
from hod_interfaces.srv import ComputeMotorFeedforward
from hod_ros.errors import HodError
from hod_ros.ros.services.dynamics import compute_dynamics_matrices
from hod_ros.ros.services.dynamics import compute_inverse_dynamics
from hod_ros.ros.services.kinematics import compute_inverse_kinematics
from hod_ros.ros.services.motors import compute_motor_feedforward

# Name -> type, handler(model, request, response, limits), which fills the response or raises a HodError.
SERVICES = {
    'compute_inverse_dynamics': (ComputeInverseDynamics, compute_inverse_dynamics),
    'compute_dynamics_matrices': (ComputeDynamicsMatrices, compute_dynamics_matrices),
    'compute_inverse_kinematics': (ComputeInverseKinematics, compute_inverse_kinematics),
    'compute_motor_feedforward': (ComputeMotorFeedforward, compute_motor_feedforward),
}


def answered(logger, handler):
    """A service callback that answers every fault with success false and a sentence, and never raises an Exception."""
    def callback(request, response):
        try:
            handler(request, response)
            response.success = True
        except HodError as error:
            response.message = str(error)
        except MemoryError:
            response.message = 'there is not enough memory for this request; send several smaller ones'
        except Exception as error:
            logger.error(f'a service request failed:\n{traceback.format_exc()}')
            response.message = f'internal error, please report it: {error!r}'
        return response
    return callback
