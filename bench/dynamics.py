# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics against Pinocchio's order-0 `rnea`, called from Python on the same robots; growth; batches."""

import numpy as np
import pinocchio as pin
from random_trees import random_tree
from random_trees import urdf_of

from bench import ROOT
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.kernel import compiled


def chain(joints):
    """A chain of revolute joints with random geometry as URDF text."""
    return urdf_of(random_tree(np.random.default_rng(joints), joints, shape='chain', kinds=('revolute',)))


def robots():
    panda = (ROOT / 'config/robots/panda.urdf').read_text()
    return {'Panda, 7 joints': panda, 'chain, 30 joints': chain(30), 'chain, 60 joints': chain(60)}


def motion(model, order, samples=None):
    shape = (order + 3, model.n) if samples is None else (samples, order + 3, model.n)
    return np.random.default_rng(0).uniform(-1, 1, shape)


def kernel_time(model, order, rounds=30):
    compute, q = model._compiled.inverse_dynamics, motion(model, order)
    return min(compute.time(2000, q) for _ in range(rounds))


def single():
    table = Table(f'One evaluation, order 2 (Q, Q\', Q\'\'); {compiled.instruction_set()}; against pin.rnea (order 0)')
    for name, text in robots().items():
        model, peer = RobotModel.from_urdf(text), pin.buildModelFromXML(text)
        data, q = peer.createData(), motion(model, 2)
        q0, q1, q2 = (np.array(row) for row in q[:3])
        order_0 = np.ascontiguousarray(q[:3])
        times = nanoseconds({
            'ours': lambda model=model, q=q: inverse_dynamics(model, q),
            'order 0': lambda model=model, q=order_0: inverse_dynamics(model, q),
            'rnea': lambda peer=peer, data=data, a=q0, b=q1, c=q2: pin.rnea(peer, data, a, b, c),
        })
        table.add(f'{name}: inverse_dynamics(model, q)', times['ours'], times['rnea'], 1.0 if '60' not in name else None)
        table.add(f'{name}: the same, order 0', times['order 0'], times['rnea'])
        table.add(f'{name}: kernel alone', kernel_time(model, 2), times['rnea'], 0.70 if '7' in name else None)
    return table.rows


def growth():
    table = Table('Growth of the kernel alone')
    models = {joints: RobotModel.from_urdf(chain(joints)) for joints in (7, 30, 60)}
    seven = kernel_time(models[7], 2)
    for joints in (30, 60):
        bound = 1.3 if joints == 60 else None
        table.add(f'order 2, a joint of {joints} against one of 7', kernel_time(models[joints], 2) / joints, seven / 7, bound)
    for order in (0, 1, 4, 8, 20):
        bound = 4.0 if order == 8 else None
        table.add(f'7 joints, order {order} against order 2', kernel_time(models[7], order), kernel_time(models[7], 2), bound)
    return table.rows


def batch():
    bound = {'avx512': 0.22, 'avx2': 0.35}
    table = Table('Batch of 10,000 on all cores: one evaluation against the single kernel')
    for joints in (7, 30):
        model = RobotModel.from_urdf(chain(joints))
        for name in compiled.instruction_sets():
            before = compiled.instruction_set()
            compiled.use_instruction_set(name)
            for order in (2, 8):
                q = motion(model, order, 10_000)
                time = nanoseconds({'batch': lambda model=model, q=q: inverse_dynamics(model, q)}, rounds=20)['batch'] / len(q)
                limit = bound.get(name) if (joints, order) == (7, 2) else None
                table.add(f'{joints} joints, order {order}, {name}', time, kernel_time(model, order), limit)
            compiled.use_instruction_set(before)
    return table.rows


def run():
    return single() + growth() + batch()


if __name__ == '__main__':
    run()
