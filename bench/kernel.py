# SPDX-License-Identifier: Apache-2.0
"""What the kernel computes beside inverse dynamics itself: loads, gradients, matrices and forward dynamics, as ratios within one run."""

import numpy as np
import pinocchio as pin

from bench.dynamics import motion
from bench.dynamics import robots
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import PreparedLoads
from hod_ros import RobotModel
from hod_ros import dynamics_matrices
from hod_ros import force_gradients
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros import inverse_dynamics_derivatives
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


def against_pinocchio():
    table = Table("Matrices and derivatives, order 0, called from Python, against Pinocchio's nearest")
    for name, text in list(robots().items())[:2]:
        model, peer = RobotModel.from_urdf(text), pin.buildModelFromXML(text)
        data, q = peer.createData(), motion(model, 0)
        q0, q1, q2 = (np.array(row) for row in q)
        state, Q = np.array(q[:2]), inverse_dynamics(model, q)
        Q0 = Q[0].copy()

        def mass_and_coriolis(peer=peer, data=data, q0=q0, q1=q1):
            pin.crba(peer, data, q0)
            pin.computeCoriolisMatrix(peer, data, q0, q1)
            pin.computeGeneralizedGravity(peer, data, q0)

        times = nanoseconds({
            'derivatives': lambda model=model, q=q: inverse_dynamics_derivatives(model, q),
            'pin derivatives': lambda peer=peer, data=data, a=q0, b=q1, c=q2: pin.computeRNEADerivatives(peer, data, a, b, c),
            'matrices': lambda model=model, q=state: dynamics_matrices(model, q),
            'pin matrices': mass_and_coriolis,
            'forward': lambda model=model, q=state, Q=Q: forward_dynamics(model, q, Q),
            'pin forward': lambda peer=peer, data=data, a=q0, b=q1, c=Q0: pin.aba(peer, data, a, b, c),
        })
        table.add(f'{name}: derivatives of Q by q, q\', q\'\'', times['derivatives'], times['pin derivatives'], 0.4)
        table.add(f'{name}: M, C, g', times['matrices'], times['pin matrices'], 1.0)
        table.add(f'{name}: forward dynamics', times['forward'], times['pin forward'], 1.0)
    return table.rows


def gradients_and_batches():
    table = Table('All five rows of gradients at order 2 against an evaluation; a sample of a batch of 10,000 against a single call')
    for name, text in list(robots().items())[:2]:
        model = RobotModel.from_urdf(text)
        q, batch = motion(model, 2), motion(model, 0, 10_000)
        single = np.array(batch[0])
        times = nanoseconds({
            'evaluation': lambda model=model, q=q: inverse_dynamics(model, q),
            'gradients': lambda model=model, q=q: force_gradients(model, q),
            'matrices': lambda model=model, q=single: dynamics_matrices(model, q),
            'derivatives': lambda model=model, q=single: inverse_dynamics_derivatives(model, q),
        })
        many = nanoseconds({
            'matrices': lambda model=model, q=batch: dynamics_matrices(model, q),
            'derivatives': lambda model=model, q=batch: inverse_dynamics_derivatives(model, q),
        }, rounds=5)
        table.add(f'{name}: gradients', times['gradients'], times['evaluation'], 7.0 if '7' in name else 15.0)
        for what, time in many.items():
            table.add(f'{name}: {what}, a sample of a batch', time / len(batch), times[what], 0.35)
    return table.rows


def run():
    return layouts_and_loads() + against_pinocchio() + gradients_and_batches()


if __name__ == '__main__':
    run()
