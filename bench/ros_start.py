# SPDX-License-Identifier: Apache-2.0
"""From the start of the process to the first answered setpoint, against a node that only copies. At most 2 s.

With Fast DDS's defaults a client that was there first may hear of a new process only at its own next announcement, 3 s apart; so the time
is taken with config/quick_discovery.xml on all sides too.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np

from bench.ros_peers import ROOT
from bench.ros_peers import SIDES
from bench.ros_peers import Client
from bench.ros_peers import isolate
from bench.ros_peers import running
from bench.timing import Table

MODULES = {'hod': 'hod_ros.ros.process', 'echo': 'bench.ros_echo'}
PROFILES = {'default discovery': None, 'quick discovery': str(ROOT / 'config' / 'quick_discovery.xml')}


def start_times(starts):
    """{side: [seconds]}, in a process whose environment decides on discovery."""
    import rclpy
    isolate()
    rclpy.init()
    try:
        client = Client(7)
        times = {side: [] for side in SIDES}
        for _ in range(starts):
            for side in SIDES:
                began = time.perf_counter()
                with running(side, MODULES[side]):
                    client.wait_for_answer(side, poll=0.005)
                    times[side].append(time.perf_counter() - began)
        client.close()
    finally:
        rclpy.try_shutdown()
    return times


def run(starts=5):
    table = Table('Start of the process to its first answer, a description being there; at most 2000 ms')
    for discovery, profile in PROFILES.items():
        environment = dict(os.environ)
        environment.pop('FASTRTPS_DEFAULT_PROFILES_FILE', None)
        if profile:
            environment['FASTRTPS_DEFAULT_PROFILES_FILE'] = profile
        done = subprocess.run(
            [sys.executable, '-m', 'bench.ros_start', str(starts)], cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
        times = json.loads(done.stdout.splitlines()[-1])
        table.add(f'{discovery}: median', *(1e3 * np.median(times[side]) for side in SIDES), unit='ms')
        table.add(f'{discovery}: longest', *(1e3 * np.max(times[side]) for side in SIDES), unit='ms')
    return table.rows


if __name__ == '__main__':
    print(json.dumps(start_times(int(sys.argv[1]))))
