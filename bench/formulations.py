# SPDX-License-Identifier: Apache-2.0
"""The formulations side by side, as the papers compare them, and what is compiled beside the recursion."""

import numpy as np
from robots import robot

from bench.dynamics import kernel_time
from bench.dynamics import motion
from bench.timing import Table
from bench.timing import nanoseconds
from hod_ros import dynamics_matrices
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros.dynamics.formulations import body_fixed
from hod_ros.dynamics.formulations import closed_form
from hod_ros.dynamics.formulations import hybrid
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.formulations import spatial

# Milliseconds that the papers print for order 2 on their machines, in MATLAB (000: n-th order; 003: hand-crafted).
PRINTED = {'recursive': 11.7, 'closed_form': 12.4, 'spatial': 0.179}


def side_by_side():
    model = robot('our_panda')
    q = motion(model, 2)
    modules = {module.__name__.rpartition('.')[2]: module for module in (recursive, body_fixed, hybrid, spatial, closed_form)}
    times = nanoseconds({
        'fast path': lambda: inverse_dynamics(model, q),
        'spatial, compiled': lambda: inverse_dynamics(model, q, formulation='spatial'),
        **{name: (lambda compute=module.inverse_dynamics: compute(model, q)) for name, module in modules.items()},
    }, rounds=10, seconds=0.02)
    table = Table("Panda, order 2 (Q, Q', Q''), called from Python, against the fast path")
    for name, time in times.items():
        label = name if name.endswith(('compiled', 'path')) else f'{name}, numpy'
        table.add(label, time, times['fast path'], 3.0 if 'compiled' in name else None)
    table = Table('The same against what the papers print')
    for name, printed in PRINTED.items():
        table.add(f'{name}, numpy', times[name] / 1e6, printed, 0.5 / printed if name == 'closed_form' else None, 'ms')
    return table.rows


def compiled():
    table = Table('Compiled beside the recursion')
    humanoid = robot('icub')
    state, more, q = motion(humanoid, 0)[:2], motion(humanoid, 1)[:3], motion(humanoid, 0)
    times = nanoseconds({
        'order 0': lambda: inverse_dynamics(humanoid, q),
        'M, C, g': lambda: dynamics_matrices(humanoid, state),
        'derivatives too': lambda: dynamics_matrices(humanoid, more),
    })
    name = f'humanoid, {humanoid.n} joints'
    table.add(f'{name}: M, C, g against its order 0', times['M, C, g'], times['order 0'], 12.0)
    table.add(f'{name}: with M\', C\', g\' against its order 0', times['derivatives too'], times['order 0'], 1.42 * 12)
    table.add(f'{name}: with M\', C\', g\' against M, C, g', times['derivatives too'], times['M, C, g'], 1.42)
    panda = robot('our_panda')
    q = motion(panda, 2)
    Q, state = inverse_dynamics(panda, q), np.array(q[:2])
    times = nanoseconds({
        'inverse': lambda: inverse_dynamics(panda, q),
        'forward': lambda: forward_dynamics(panda, state, Q),
    })
    table.add('Panda: forward dynamics of order 2 against inverse dynamics', times['forward'], times['inverse'], 8.0)
    table.add('Panda: the same against the inverse dynamics kernel alone', times['forward'], kernel_time(panda, 2), 8.0)
    for joints in ('icub', 'talos_full_v2'):
        model = robot(joints)
        q = motion(model, 2)
        Q, state = inverse_dynamics(model, q), np.array(q[:2])
        pair = nanoseconds({'inverse': lambda m=model, q=q: inverse_dynamics(m, q),
                            'forward': lambda m=model, s=state, Q=Q: forward_dynamics(m, s, Q)})
        table.add(f'{joints}, {model.n} joints: forward dynamics of order 2', pair['forward'], pair['inverse'])
    return table.rows


def run():
    return side_by_side() + compiled()


if __name__ == '__main__':
    run()
