# SPDX-License-Identifier: Apache-2.0
"""What it costs that a setpoint or a request names the joints in an order of its own: the node's functions, without DDS."""

from array import array

import numpy as np

from bench.dynamics import motion
from bench.dynamics import robots
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import RobotModel

BOUND = 1.5


def setpoints(model):
    """{whose order: the setpoint path's computation}"""
    from hod_interfaces.msg import JointSetpoint
    from hod_ros import inverse_dynamics
    from hod_ros.ros.setpoints.setpoint_reader import SetpointReader

    q, rows = motion(model, 2), ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')

    def function(order):
        message = JointSetpoint(joint_names=[model.joint_names[j] for j in order])
        for field, row in zip(rows, q[:, order], strict=True):
            setattr(message, field, array('d', row))
        read = SetpointReader(model).read
        return lambda: inverse_dynamics(model, read(message, 2)[0], order=2)

    return {whose: function(order) for whose, order in orders(model).items()}


def requests(model, samples):
    """{(service, whose order): its answer to a request of so many samples}"""
    from hod_interfaces.srv import ComputeDynamicsMatrices
    from hod_interfaces.srv import ComputeInverseDynamics
    from hod_ros.ros.services.compute_dynamics_matrices import compute_dynamics_matrices
    from hod_ros.ros.services.compute_inverse_dynamics import compute_inverse_dynamics
    from hod_ros.ros.services.requests import RequestLimits

    limits = RequestLimits()

    def function(compute, kind, order, rows):
        q = motion(model, 2, samples)[:, :rows, order]
        request = kind.Request(
            joint_names=[model.joint_names[j] for j in order], order=rows - (3 if kind is ComputeInverseDynamics else 2), samples=samples,
            derivatives=array('d', q.tobytes()))
        return lambda: compute(model, request, kind.Response(), limits)

    services = {
        'inverse dynamics': (compute_inverse_dynamics, ComputeInverseDynamics, 5),
        'M, C, g': (compute_dynamics_matrices, ComputeDynamicsMatrices, 2)}
    return {
        (name, whose): function(compute, kind, order, rows)
        for name, (compute, kind, rows) in services.items() for whose, order in orders(model).items()}


def orders(model):
    return {'model': list(range(model.n)), 'own': np.random.default_rng(0).permutation(model.n).tolist()}


def run():
    table = Table("Joints in an order of the caller's own, against the model's")
    for name, text in list(robots().items())[:2]:
        model = RobotModel.from_urdf(text)
        times = nanoseconds(setpoints(model))
        table.add(f'{name}: a setpoint', times['own'], times['model'], BOUND)
        times = nanoseconds(requests(model, 500), rounds=10)
        for service in ('inverse dynamics', 'M, C, g'):
            table.add(f'{name}: a request for {service}, 500 samples', times[service, 'own'], times[service, 'model'], BOUND)
    return table.rows


if __name__ == '__main__':
    run()
