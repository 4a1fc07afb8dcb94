"""From the start of the process to the first answered setpoint; against a node that only copies. At most 2 s."""

import time

import numpy as np

from bench.ros_peers import SIDES
from bench.ros_peers import Client
from bench.ros_peers import isolate
from bench.ros_peers import running
from bench.timing import Table

MODULES = {'hod': 'hod_ros.ros.node', 'echo': 'bench.ros_echo'}


def run(starts=5):
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
    table = Table('Start of the process to its first answer, a description being there; at most 2000 ms')
    table.add('median', *(1e3 * np.median(times[side]) for side in SIDES), unit='ms')
    table.add('longest', *(1e3 * np.max(times[side]) for side in SIDES), unit='ms')
    return table.rows


if __name__ == '__main__':
    run()
