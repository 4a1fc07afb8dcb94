# SPDX-License-Identifier: Apache-2.0
"""Setpoint to feedforward as a client sees it, both hops: hod_node against a node that only copies.

Usage: python -m bench.ros_latency [--seconds 5] [--pairs 5] [--joints 7] [--rate 1000] [--priority 20]
The full form: --seconds 60 --pairs 5.
"""

import argparse

import numpy as np

from bench.ros_peers import LATE
from bench.ros_peers import PRIORITY
from bench.ros_peers import SIDES
from bench.ros_peers import both_nodes
from bench.ros_peers import cpu_seconds
from bench.timing import Table

# (figure, joints) -> ratio to the echo that must not be exceeded
BOUNDS = {('p50', 7): 1.4, ('p99', 7): 2.0, ('cpu', 7): 1.5, ('p50', 30): 1.8}


def measure(joints=7, rate=1000.0, seconds=5.0, pairs=5, priority=PRIORITY):
    """Median figures of both sides over interleaved pairs of runs, and their ratios."""
    runs = {side: [] for side in SIDES}
    with both_nodes(joints, priority) as (client, processes):
        for pair in range(pairs):
            for side in SIDES if pair % 2 == 0 else SIDES[::-1]:
                before = cpu_seconds(processes[side].pid)
                latencies, lost = client.stream(side, rate, seconds)
                cpu = (cpu_seconds(processes[side].pid) - before) / seconds
                p50, p99 = np.percentile(latencies, (50, 99)) if len(latencies) else (np.nan, np.nan)
                runs[side].append({
                    'p50_ms': p50, 'p99_ms': p99, 'max_ms': latencies.max(initial=0.0), 'lost': lost,
                    'late': int(np.sum(latencies > LATE)), 'cpu': cpu})
    result = {'joints': joints, 'rate': rate, 'seconds': seconds, 'pairs': pairs}
    for side in SIDES:
        values = {key: [run[key] for run in runs[side]] for key in runs[side][0]}
        result[side] = {key: float(np.median(values[key])) for key in ('p50_ms', 'p99_ms', 'cpu')}
        result[side]['max_ms'] = float(max(values['max_ms']))
        result[side] |= {key: sum(values[key]) for key in ('lost', 'late')}
    for key in ('p50_ms', 'p99_ms', 'cpu'):
        ratios = [hod[key] / echo[key] for hod, echo in zip(runs['hod'], runs['echo'], strict=True)]
        result[f'{key.removesuffix("_ms")}_ratio'] = float(np.median(ratios))
    return result


def run():
    """The figures for the size that most robots have, and for a large one."""
    return [report(joints=7), report(joints=30)]


def report(**options):
    result = measure(**options)
    joints, rate, seconds, pairs = (result[key] for key in ('joints', 'rate', 'seconds', 'pairs'))
    hod, echo = result['hod'], result['echo']
    table = Table(
        f'Setpoint to feedforward, {joints} joints at {rate:g} Hz, {pairs} pairs of {seconds:g} s; against an echo')
    for key, what, scale, unit in (('p50', 'p50', 1e3, 'us'), ('p99', 'p99', 1e3, 'us'), ('cpu', 'CPU', 100.0, '% ')):
        name = key if key == 'cpu' else f'{key}_ms'
        bound = BOUNDS.get((key, joints))
        table.add(what, scale * hod[name], scale * echo[name], bound, unit, ratio=result[f'{key}_ratio'])
    for side in SIDES:
        row = result[side]
        print(f'{side}: {row["lost"]} lost, {row["late"]} later than {LATE:g} ms, the latest {row["max_ms"]:.2f} ms')
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--joints', type=int, default=7)
    parser.add_argument('--rate', type=float, default=1000.0, help='[Hz]')
    parser.add_argument('--seconds', type=float, default=5.0, help='of each run')
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--priority', type=int, default=PRIORITY, help='real-time priority of both nodes; 0: an ordinary one')
    arguments = parser.parse_args()
    report(**vars(arguments))


if __name__ == '__main__':
    main()
