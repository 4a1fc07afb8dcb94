# SPDX-License-Identifier: Apache-2.0
"""What the kernel computes beside inverse dynamics itself: loads, gradients, matrices, kinematics, ..., as ratios within one run."""

from functools import partial

import numpy as np
import pinocchio as pin

from bench.dynamics import motion
from bench.dynamics import robots
from bench.spinning import ENOUGH
from bench.spinning import two_processes
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import PreparedLoads
from hod_ros import RobotModel
from hod_ros import centre_of_mass
from hod_ros import centre_of_mass_jacobian
from hod_ros import dynamics_matrices
from hod_ros import energy
from hod_ros import force_gradient_product
from hod_ros import force_gradients
from hod_ros import forward_dynamics
from hod_ros import forward_dynamics_derivatives
from hod_ros import forward_kinematics
from hod_ros import inverse_dynamics
from hod_ros import inverse_dynamics_derivatives
from hod_ros import jacobian
from hod_ros import matrix_derivatives
from hod_ros import momentum_matrix
from hod_ros import regressor
from hod_ros import total_momentum
from hod_ros.dynamics.loads import FRAMES


def layouts_and_loads():
    table = Table('Panda, order 2: the same in other clothes, with one load, with a free base; against the plain public call')
    panda = RobotModel.from_urdf(robots()['Panda, 7 joints'])
    q, wrench = motion(panda, 2), np.ones((3, 1, 6))
    link = next(reversed(panda.links))
    free = panda.replace(base='free')
    base = np.eye(4), np.ones((4, 6))
    as_list, short, permuted = q.tolist(), q.astype(np.float32), np.asfortranarray(q)[:, ::-1]
    prepared = {frame: PreparedLoads(panda, {link: frame}) for frame in FRAMES}
    functions = {
        'plain': lambda: inverse_dynamics(panda, q),
        'a list': lambda: inverse_dynamics(panda, as_list),
        'float32': lambda: inverse_dynamics(panda, short),
        'permuted columns': lambda: inverse_dynamics(panda, permuted),
        'free base': lambda: inverse_dynamics(free, q, base=base),
    }
    for frame in FRAMES:
        functions[frame] = lambda loads=prepared[frame]: loads.inverse_dynamics(q, wrench)
    times = nanoseconds(functions)
    bounds = {'a list': 1.5, 'float32': 1.5, 'permuted columns': 1.5, 'free base': 1.3, 'link': 1.5, 'world_aligned': 2.0, 'world': 2.0}
    for name, bound in bounds.items():
        table.add(f'one load, {name}' if name in FRAMES else name, times[name], times['plain'], bound)
    return table.rows


def cases(model, peer):
    """{what: (ours, theirs, bound)}, with Pinocchio's nearest, whose results are read into fresh arrays."""
    data, q = peer.createData(), motion(model, 0)
    x, v, a = (np.array(row) for row in q)
    one, two, Q = q[:1].copy(), q[:2].copy(), inverse_dynamics(model, q)
    tau, link = Q[0].copy(), next(reversed(model.links))
    frame, local = peer.getFrameId(link), pin.ReferenceFrame.LOCAL
    loaded, wrench = PreparedLoads(model, {link: 'link'}), np.ones((1, 1, 6))
    joint = peer.frames[frame].parentJoint
    forces = pin.StdVec_Force([pin.Force.Zero()] * peer.njoints)
    forces[joint] = peer.frames[frame].placement.act(pin.Force(np.ones(6)))

    def matrices():
        pin.crba(peer, data, x)
        pin.computeCoriolisMatrix(peer, data, x, v)
        pin.computeGeneralizedGravity(peer, data, x)
        return data.M.copy(), data.C.copy(), data.g.copy()

    def frame_motion():
        pin.forwardKinematics(peer, data, x, v, a)
        place = pin.updateFramePlacement(peer, data, frame).homogeneous
        return place, pin.getFrameVelocity(peer, data, frame, local).vector, pin.getFrameAcceleration(peer, data, frame, local).vector

    def jacobians():
        pin.computeJointJacobiansTimeVariation(peer, data, x, v)
        pin.updateFramePlacement(peer, data, frame)
        return pin.getFrameJacobian(peer, data, frame, local), pin.getFrameJacobianTimeVariation(peer, data, frame, local)

    def centre():
        pin.centerOfMass(peer, data, x, v, a)
        return data.com[0].copy(), data.vcom[0].copy(), data.acom[0].copy()

    def energies():
        return pin.computeKineticEnergy(peer, data, x, v), pin.computePotentialEnergy(peer, data, x)

    return {
        "derivatives of Q by q, q', q''": (
            lambda: inverse_dynamics_derivatives(model, q), lambda: pin.computeRNEADerivatives(peer, data, x, v, a), 0.4),
        'the same with a load on a link': (
            lambda: loaded.inverse_dynamics_derivatives(q, wrench), lambda: pin.computeRNEADerivatives(peer, data, x, v, a, forces), 0.4),
        "derivatives of q''": (
            lambda: forward_dynamics_derivatives(model, two, tau), lambda: pin.computeABADerivatives(peer, data, x, v, tau), 1.0),
        'M, C, g': (lambda: dynamics_matrices(model, two), matrices, 1.0),
        'forward dynamics': (lambda: forward_dynamics(model, two, Q), lambda: pin.aba(peer, data, x, v, tau), 1.0),
        'regressor': (lambda: regressor(model, q), lambda: pin.computeJointTorqueRegressor(peer, data, x, v, a).copy(), 1.0),
        'pose, twist and acceleration of a link': (lambda: forward_kinematics(model, q, link), frame_motion, 1.0),
        'Jacobian of a link': (lambda: jacobian(model, one, link), lambda: pin.computeFrameJacobian(peer, data, x, frame), 1.0),
        'the same and its derivative': (lambda: jacobian(model, two, link), jacobians, 1.0),
        'momentum matrix': (lambda: momentum_matrix(model, one), lambda: pin.ccrba(peer, data, x, v).copy(), 1.0),
        'momentum and its rate': (
            lambda: total_momentum(model, q), lambda: pin.computeCentroidalMomentumTimeVariation(peer, data, x, v, a).vector.copy(), 1.0),
        'centre of mass with two derivatives': (lambda: centre_of_mass(model, q), centre, 1.0),
        'Jacobian of the centre of mass': (
            lambda: centre_of_mass_jacobian(model, one), lambda: pin.jacobianCenterOfMass(peer, data, x).copy(), 1.0),
        'kinetic and potential energy': (lambda: energy(model, two), energies, 1.0),
    }


def against_pinocchio():
    table = Table("Called from Python, against Pinocchio's nearest")
    for name, text in list(robots().items())[:2]:
        found = cases(RobotModel.from_urdf(text), pin.buildModelFromXML(text))
        times = nanoseconds({(what, who): case[who] for what, case in found.items() for who in (0, 1)})
        for what, case in found.items():
            table.add(f'{name}: {what}', times[what, 0], times[what, 1], case[2])
    return table.rows


def gradients():
    table = Table('All five rows of gradients at order 2, and their adjoint, against an evaluation')
    for name, text in list(robots().items())[:2]:
        model = RobotModel.from_urdf(text)
        q, v = motion(model, 2), np.ones((3, model.n))
        times = nanoseconds({
            'evaluation': lambda model=model, q=q: inverse_dynamics(model, q),
            'gradients': lambda model=model, q=q: force_gradients(model, q),
            'adjoint': lambda model=model, q=q, v=v: force_gradient_product(model, q, v),
        })
        for what in ('gradients', 'adjoint'):
            table.add(f'{name}: {what}', times[what], times['evaluation'], 7.0 if '7' in name else 15.0)
    return table.rows


def of_samples(model):
    """{what: (function, its arrays)}: each array has an axis of samples."""
    q, link = motion(model, 0, 10_000), next(reversed(model.links))
    one, two, Q = q[:, :1].copy(), q[:, :2].copy(), q[:, 2:].copy()
    return {
        'derivatives of Q': (partial(inverse_dynamics_derivatives, model), q),
        "derivatives of q''": (partial(forward_dynamics_derivatives, model), two, Q[:, 0].copy()),
        'M, C, g': (partial(dynamics_matrices, model), two),
        'derivatives of M, C, g': (partial(matrix_derivatives, model), two),
        'forward dynamics': (partial(forward_dynamics, model), two, Q),
        'regressor': (partial(regressor, model), q),
        'motion of a link': (partial(forward_kinematics, model, link=link), q),
        'Jacobian of a link': (partial(jacobian, model, link=link), one),
        'momentum matrix': (partial(momentum_matrix, model), one),
        'momentum and its rate': (partial(total_momentum, model), q),
        'centre of mass': (partial(centre_of_mass, model), q),
        'Jacobian of the centre of mass': (partial(centre_of_mass_jacobian, model), one),
        'energy': (partial(energy, model), two),
    }


def batches():
    table = Table('A sample of a batch of 10,000 on all cores, order 0, against a single call')
    for name, text in list(robots().items())[:2]:
        for what, (function, *arrays) in of_samples(RobotModel.from_urdf(text)).items():
            single = nanoseconds({what: partial(function, *(array[0].copy() for array in arrays))}, rounds=10)[what]
            many = nanoseconds({what: partial(function, *arrays)}, rounds=5)[what]
            table.add(f'{name}: {what}', many / 10_000, single, 0.35)
    return table.rows


def threads():
    machine = two_processes()
    table = Table(f'A batch of 10,000 by two threads against one; two processes that only count reach {machine:.2f} of 2')
    for name, text in list(robots().items())[:2]:
        model = RobotModel.from_urdf(text)
        for order in (0, 2, 4):
            q = motion(model, order, 10_000)
            times = nanoseconds({k: partial(inverse_dynamics, model, q, threads=k) for k in (1, 2)}, rounds=15)
            table.add(f'{name}: order {order}', times[1], times[2], 1.7 if machine >= ENOUGH else None, at_least=True)
    return table.rows


def run():
    return layouts_and_loads() + against_pinocchio() + gradients() + batches() + threads()


if __name__ == '__main__':
    run()
