# SPDX-License-Identifier: Apache-2.0
"""Round trip of compute_inverse_dynamics: hod_node against a service of the same type that only copies.

Usage: python -m bench.ros_service [--calls 1000] [--pairs 5] [--joints 7] [--samples 1] [--order 2]
"""

import argparse
from array import array

import numpy as np

from bench.ros_peers import SIDES
from bench.ros_peers import both_nodes
from bench.timing import Table


def measure(joints=7, samples=1, order=2, calls=1000, pairs=5):
    """Median figures of both sides over interleaved pairs, and their ratio."""
    from hod_interfaces.srv import ComputeInverseDynamics

    medians = {side: [] for side in SIDES}
    tails = {side: [] for side in SIDES}
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (samples, order + 3, joints))
    with both_nodes(joints) as (client, _):
        request = ComputeInverseDynamics.Request(
            joint_names=client.names, order=order, samples=samples, derivatives=array('d', q.ravel()))
        for _ in range(pairs):
            for side in SIDES:
                times = []
                for _ in range(calls):
                    milliseconds, response = client.call(side, request)
                    assert response.success, response.message
                    times.append(milliseconds)
                medians[side].append(np.median(times))
                tails[side].append(np.percentile(times, 99))
    result = {'joints': joints, 'samples': samples, 'order': order, 'calls': calls, 'pairs': pairs}
    for side in SIDES:
        result[side] = {'p50_ms': float(np.median(medians[side])), 'p99_ms': float(np.median(tails[side]))}
    result['p50_ratio'] = float(np.median(np.divide(medians['hod'], medians['echo'])))
    result['p99_ratio'] = float(np.median(np.divide(tails['hod'], tails['echo'])))
    return result


def run(joints=7, samples=1, order=2, calls=1000, pairs=5):
    result = measure(joints, samples, order, calls, pairs)
    table = Table(
        f'Service round trip, {samples} samples of {joints} joints at order {order}, {pairs} pairs of {calls} calls; '
        'against an echo')
    for key in ('p50', 'p99'):
        bound = 1.3 if (key, samples) == ('p50', 1) else None
        hod, echo = (1e3 * result[side][f'{key}_ms'] for side in SIDES)
        table.add(key, hod, echo, bound, 'us', ratio=result[f'{key}_ratio'])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--joints', type=int, default=7)
    parser.add_argument('--samples', type=int, default=1)
    parser.add_argument('--order', type=int, default=2)
    parser.add_argument('--calls', type=int, default=1000)
    parser.add_argument('--pairs', type=int, default=5)
    arguments = parser.parse_args()
    run(arguments.joints, arguments.samples, arguments.order, arguments.calls, arguments.pairs)


if __name__ == '__main__':
    main()
