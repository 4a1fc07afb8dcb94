"""The node's services: each fills a response from a model and a request."""

import traceback

import numpy as np

from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.ros.conversions import request_array
from hod_ros.ros.conversions import response_array


def answered(node, handler):
    """A service callback that answers every fault with success false and a sentence, and never raises."""
    def callback(request, response):
        try:
            handler(request, response)
            response.success = True
        except HodError as error:
            response.message = str(error)
        except Exception as error:
            node.get_logger().error(f'a service request failed:\n{traceback.format_exc()}')
            response.message = f'internal error, please report it: {error!r}'
        return response
    return callback


def compute_inverse_dynamics(model, request, response, max_order, max_samples):
    """Fills the response of a ComputeInverseDynamics request; HodError where it can't."""
    q, columns = request_array(request, model, max_order, max_samples)
    samples, order = len(q), request.order
    wrenches = [(wrench.link, link_wrench(wrench, samples, order + 1)) for wrench in request.wrenches]
    if samples == 1:
        q = q[0]
    Q = inverse_dynamics(model, q, wrenches=wrenches or None, formulation=request.formulation or 'recursive')
    efforts = response_array(Q.reshape(samples, order + 1, model.n), columns)
    response.joint_names = columns.names
    response.efforts = efforts


def link_wrench(message, samples, rows):
    """The wrench of a request: `rows` x 6 values for all samples, or samples x (`rows` or more) x 6."""
    values = np.frombuffer(message.values)
    given, rest = divmod(len(values), 6)
    if rest or not given:
        raise InputError(
            f'wrench on link {message.link!r}: {len(values)} values; give rows of 6, torque x y z and force x y z')
    if samples == 1 or given == rows or given % samples:
        values = values.reshape(given, 6)
    else:
        values = values.reshape(samples, given // samples, 6)
    return LinkWrench(values, message.frame or 'link')
