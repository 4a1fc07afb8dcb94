# SPDX-License-Identifier: Apache-2.0
"""Largest error max|dQ^(k)| / max|Q^(k)| against an independent formulation in fifty digits."""

import numpy as np
from mp_reference import reference
from random_trees import random_motion
from random_trees import random_tree
from robots import FIVE
from robots import robot

from bench.timing import Table
from hod_ros import inverse_dynamics


def worst_row(model, q):
    pairs = zip(inverse_dynamics(model, q), reference(model, q), strict=True)
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs)


def run():
    table = Table('Error, max norm, largest over all orders, in units of 1e-16 against the bound')
    rng = np.random.default_rng(2024)
    for order, bound, trees in ((8, 1e-13, (1, 2, 7, 15, 30, 60)), (20, 1e-12, (7, 30))):
        worst = 0.0
        for joints in trees:
            for shape in ('tree', 'chain'):
                model = random_tree(rng, joints, shape=shape, kinds=('revolute', 'prismatic', 'helical'))
                worst = max(worst, worst_row(model, random_motion(rng, model, order, scale=2.0 if order == 8 else 1.0)))
        table.add(f'random trees of {trees[0]} to {trees[-1]} joints, orders 0 to {order}', worst / 1e-16, bound / 1e-16, 1.0, '')
    worst = 0.0
    for name in ('our_panda', *FIVE):
        model = robot(name)
        worst = max(worst, worst_row(model, random_motion(rng, model, 8)))
    table.add('Panda and five public robots, orders 0 to 8', worst / 1e-16, 1e-13 / 1e-16, 1.0, '')
    return table.rows


if __name__ == '__main__':
    run()
