# SPDX-License-Identifier: Apache-2.0
"""What the guards cost on the way of a setpoint: hod_node with commands behind its guards, against the same with the gate left open.

Usage: python -m bench.ros_guards [--seconds 5] [--pairs 5] [--rate 1000]
"""

import argparse
import sys

import numpy as np

from bench.ros_peers import PRIORITY
from bench.ros_peers import SIDES
from bench.ros_peers import Client
from bench.ros_peers import cpu_seconds
from bench.ros_peers import isolate
from bench.ros_peers import running
from bench.timing import Table

BOUND = 1.1
OPEN = 'bench.ros_guards'       # this module as the node whose gate is open


def open_gate():
    """hod_node, but every setpoint's efforts are commanded as they are."""
    from hod_ros.ros.process import main
    from hod_ros.ros.setpoints.commands import Commands

    def take(commands, setpoint, answer, source, information, now):
        commands._publish(answer.Q[0])

    Commands.take = take
    return main()


def measure(rate=1000.0, seconds=5.0, pairs=5):
    """Median figures of both over interleaved pairs of runs, and their ratios. The side 'echo' is the open gate."""
    import rclpy
    isolate()
    rclpy.init()
    arguments = ('-p', f'realtime_priority:={PRIORITY}', '-p', 'publish_commands:=true', '-p', 'setpoint_timeout:=0.5')
    runs = {side: [] for side in SIDES}
    try:
        with running('hod', 'hod_ros.ros.process', *arguments) as hod, running(
                'echo', OPEN, *arguments, '-r', 'robot_description:=/hod/robot_description') as echo:
            processes = {'hod': hod, 'echo': echo}
            client = Client(7)
            client._setpoint.velocities = client._setpoint.accelerations = client._setpoint.jerks = client._setpoint.snaps
            client.connect()
            for pair in range(pairs):
                for side in SIDES if pair % 2 == 0 else SIDES[::-1]:
                    before = cpu_seconds(processes[side].pid)
                    latencies, _ = client.stream(side, rate, seconds)
                    runs[side].append((np.percentile(latencies, 50), (cpu_seconds(processes[side].pid) - before) / seconds))
            client.close()
    finally:
        rclpy.try_shutdown()
    result = {'rate': rate, 'seconds': seconds, 'pairs': pairs}
    for column, key in enumerate(('p50_ms', 'cpu')):
        result[key] = float(np.median([run[column] for run in runs['hod']]))
        result[f'{key}_open'] = float(np.median([run[column] for run in runs['echo']]))
        result[f'{key}_ratio'] = float(np.median([a[column] / b[column] for a, b in zip(runs['hod'], runs['echo'], strict=True)]))
    return result


def run(**options):
    result = measure(**options)
    table = Table('Setpoint to feedforward with commands, 7 joints at 1 kHz: guarded, against an open gate')
    table.add('p50', 1e3 * result['p50_ms'], 1e3 * result['p50_ms_open'], BOUND, 'us', ratio=result['p50_ms_ratio'])
    table.add('CPU', 100 * result['cpu'], 100 * result['cpu_open'], BOUND, '% ', ratio=result['cpu_ratio'])
    return result


if __name__ == '__main__':
    if '--ros-args' in sys.argv:
        sys.exit(open_gate())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=5.0)
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--rate', type=float, default=1000.0)
    run(**vars(parser.parse_args()))
