# SPDX-License-Identifier: Apache-2.0
"""The 1 kHz stream while another client asks for 10,000 samples at order 8 without pause; against the stream alone.

The streaming client has the node's real-time priority, as a control loop has; the other one has none, as a planner.

Usage: python -m bench.ros_beside [--seconds 5] [--pairs 5] [--joints 7] [--samples 10000] [--order 8] [--priority 20]
"""

import argparse
import signal
import subprocess
import sys
import time
from array import array
from contextlib import contextmanager

import numpy as np

from bench.ros_peers import LATE
from bench.ros_peers import PRIORITY
from bench.ros_peers import ROOT
from bench.ros_peers import both_nodes
from bench.ros_peers import wait_for_line
from bench.timing import Table
from hod_ros.ros.scheduling import at_ordinary_priority
from hod_ros.ros.scheduling import run_as_others
from hod_ros.ros.scheduling import run_in_real_time
from hod_ros.ros.services.desk import STOPPED

BOUND = 3.0


def measure(joints=7, samples=10000, order=8, seconds=5.0, pairs=5, rate=1000.0, priority=PRIORITY):
    """Median p50 and p99 of the stream alone and beside the requests, the largest latency of all, and the requests' rate."""
    runs = {'alone': [], 'beside': []}
    calls = []
    with both_nodes(joints, priority) as (client, _), real_time(priority):
        client.stream('hod', rate, 1.0)
        for _ in range(pairs):
            runs['alone'].append(client.stream('hod', rate, seconds))
            with requests_without_pause(joints, samples, order) as asker:
                runs['beside'].append(client.stream('hod', rate, seconds))
            calls.append(float(asker.stdout.read().split()[-1]))
    result = {
        'joints': joints, 'samples': samples, 'order': order, 'seconds': seconds, 'pairs': pairs, 'calls_per_s': float(np.median(calls))}
    for name, streams in runs.items():
        result[name] = {
            'p50_ms': float(np.median([np.percentile(latencies, 50) for latencies, _ in streams])),
            'p99_ms': float(np.median([np.percentile(latencies, 99) for latencies, _ in streams])),
            'max_ms': float(max(latencies.max() for latencies, _ in streams)),
            'lost': sum(lost for _, lost in streams),
            'late': int(sum(np.sum(latencies > LATE) for latencies, _ in streams))}
    result['p99_ratio'] = result['beside']['p99_ms'] / result['alone']['p99_ms']
    return result


@contextmanager
def requests_without_pause(joints, samples, order):
    """A process that asks for inverse dynamics again and again, from its first answer to the end of the block."""
    command = [sys.executable, '-m', 'bench.ros_beside', '--ask', '--joints', str(joints), '--samples', str(samples), '--order', str(order)]
    process = at_ordinary_priority(lambda: subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
    try:
        wait_for_line(process, 'asking')
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(15.0)


def ask(service, joints, samples, order, may_end):
    """Asks until SIGTERM; prints a line after the first answer, and the answers a second at the end."""
    import rclpy

    from bench.ros_peers import robot
    from hod_interfaces.srv import ComputeInverseDynamics
    from hod_ros import RobotModel
    from hod_ros.ros.process import StopRequest
    from hod_ros.ros.process import make_executor

    rclpy.init()
    stop = StopRequest()
    node = rclpy.create_node('asker')
    executor = make_executor()
    executor.add_node(node)
    client = node.create_client(ComputeInverseDynamics, service)
    while not (client.service_is_ready() or stop.made):
        executor.spin_once(timeout_sec=0.05)
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (samples, order + 3, joints))
    names = list(RobotModel.from_urdf(robot(joints)).joint_names)
    request = ComputeInverseDynamics.Request(joint_names=names, order=order, samples=samples, derivatives=array('d', q.tobytes()))
    answers, began = 0, time.perf_counter()
    while not stop.made:
        future = client.call_async(request)
        end = time.perf_counter() + 5.0
        while not (future.done() or stop.made) and time.perf_counter() < end:
            executor.spin_once(timeout_sec=0.05)
        if future.done():
            response = future.result()
            assert response.success or (may_end and response.message == STOPPED), response.message
            answers += response.success
        if answers == 1:
            print('asking', flush=True)
    print(answers / (time.perf_counter() - began), flush=True)
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()


@contextmanager
def real_time(priority):
    """This process at a priority; what it starts at an ordinary one."""
    refusal = run_in_real_time(priority) if priority else None
    if refusal:
        print(f'no real-time priority: {refusal}')
    try:
        yield
    finally:
        if priority and not refusal:
            run_as_others()


def run(**options):
    result = measure(**options)
    joints, samples, order, seconds, pairs = (result[key] for key in ('joints', 'samples', 'order', 'seconds', 'pairs'))
    alone, beside = result['alone'], result['beside']
    table = Table(
        f'Stream of 1 kHz, {joints} joints, beside requests of {samples} samples at order {order} without pause '
        f'({result["calls_per_s"]:.1f} a second), {pairs} pairs of {seconds:g} s; against the stream alone')
    for key, bound in (('p50_ms', None), ('p99_ms', BOUND), ('max_ms', None)):
        table.add(key.removesuffix('_ms'), 1e3 * beside[key], 1e3 * alone[key], bound, 'us')
    for name, row in (('alone', alone), ('beside', beside)):
        print(f'{name}: {row["lost"]} lost, {row["late"]} later than {LATE:g} ms, the latest {row["max_ms"]:.2f} ms')
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--joints', type=int, default=7)
    parser.add_argument('--samples', type=int, default=10000)
    parser.add_argument('--order', type=int, default=8)
    parser.add_argument('--seconds', type=float, default=5.0, help='of each run')
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--priority', type=int, default=PRIORITY, help='real-time priority of the node and the stream; 0: none')
    parser.add_argument('--ask', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('--may-end', action='store_true', help=argparse.SUPPRESS)       # the node, while we ask
    parser.add_argument('--service', default='/hod/hod/compute_inverse_dynamics', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ask:
        ask(arguments.service, arguments.joints, arguments.samples, arguments.order, arguments.may_end)
    else:
        run(**{key: value for key, value in vars(arguments).items() if key not in ('ask', 'service', 'may_end')})


if __name__ == '__main__':
    main()
