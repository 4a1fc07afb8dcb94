# SPDX-License-Identifier: Apache-2.0
"""Requests that take long hold up nobody, and end: by their limit, where their caller leaves, and where the node stops."""

import os
import signal
import subprocess
import sys
import time
from array import array
from pathlib import Path

import numpy as np
import pytest
from lifecycle_msgs.srv import ChangeState
from rclpy.qos import QoSProfile
from ros_harness import arm_urdf
from ros_harness import node_with_arm
from slowness import slowness

from hod_interfaces.srv import ComputeInverseDynamics
from hod_interfaces.srv import ComputeInverseKinematics
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.ros.services.desk import MOST_LONG

pytestmark = pytest.mark.slow

MODEL = RobotModel.from_urdf(arm_urdf(3))
Q = np.random.default_rng(4).uniform(-1.0, 1.0, (3, 3))
ORDER, SAMPLES = 20, 10_000         # the longest that is permitted: minutes by a formulation in numpy

ASK_AND_WAIT = f'''
import sys
from array import array
import rclpy
from hod_interfaces.srv import ComputeInverseDynamics
rclpy.init()
node = rclpy.create_node('leaving')
client = node.create_client(ComputeInverseDynamics, '/hod/compute_inverse_dynamics')
assert client.wait_for_service(10.0)
client.call_async(ComputeInverseDynamics.Request(
    order={ORDER}, samples={SAMPLES}, derivatives=array('d', [0.1]) * ({SAMPLES} * {ORDER + 3} * 3), formulation='closed_form'))
print('asked', flush=True)
rclpy.spin(node)
'''


@pytest.fixture
def node(client):
    with node_with_arm(client) as node:
        assert client.compute(Q, order=0).success
        yield node


def long_request(formulation='closed_form', samples=SAMPLES):
    return ComputeInverseDynamics.Request(
        order=ORDER, samples=samples, formulation=formulation, derivatives=array('d', [0.1]) * (samples * (ORDER + 3) * 3))


def ask_soon(client, requests):
    """Futures of requests that the services' process has in hand."""
    service = client.node.create_client(ComputeInverseDynamics, '/hod/compute_inverse_dynamics')
    assert client.wait_until(service.service_is_ready)
    short, first = ComputeInverseDynamics.Request(derivatives=array('d', Q.tobytes())), []

    def answered():     # a node that does not know yet who asks loses its answer
        first.append(service.call_async(short))
        client.spin(0.1)
        return any(future.done() for future in first)
    assert client.wait_until(answered)
    futures = [service.call_async(request) for request in requests]
    client.spin(0.5)
    return service, futures


def service_process(node, none=None):
    children = Path(f'/proc/{node.pid}/task/{node.pid}/children').read_text().split()
    return next((int(child) for child in children if b'services.host' in Path(f'/proc/{child}/cmdline').read_bytes()), none)


def processor_seconds(pid):
    return sum(map(int, Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[11:13])) / os.sysconf('SC_CLK_TCK')


def test_a_short_request_is_answered_while_long_ones_are_computed(client, node):
    service, futures = ask_soon(client, [long_request(), long_request('hybrid'), long_request()])
    for _ in range(20):
        response = client.compute(Q, order=0)
        assert response.success
        np.testing.assert_allclose(response.efforts, inverse_dynamics(MODEL, Q)[0], atol=1e-10)
    assert not any(future.done() for future in futures)
    client.node.destroy_client(service)


def test_what_takes_more_than_its_seconds_is_ended_with_a_sentence(client, node):
    assert client.set_parameter('max_seconds', 0.5) == (True, '')
    service, futures = ask_soon(client, [long_request()])
    assert client.wait_until(futures[0].done)
    response = futures[0].result()
    assert not response.success and 'takes more than the 0.5 s that max_seconds allows' in response.message
    assert not len(response.efforts)
    pose = [30.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    response = client.call(ComputeInverseKinematics, 'compute_inverse_kinematics', ComputeInverseKinematics.Request(
        link='link3', pose=pose, attempts=1000))
    assert not response.success and 'max_seconds' in response.message
    client.node.destroy_client(service)


def test_what_a_caller_that_left_asked_for_is_not_computed_to_its_end(client, node):
    client.forget('compute_inverse_dynamics')       # whose caller could have sent the request as well
    process = subprocess.Popen([sys.executable, '-c', ASK_AND_WAIT], stdout=subprocess.PIPE, text=True)
    try:
        assert any(line == 'asked\n' for line in process.stdout)
        pid = service_process(node)
        before = processor_seconds(pid)
        assert client.wait_until(lambda: processor_seconds(pid) - before > 0.3), 'the request is not computed'
    finally:
        process.terminate()         # its participant says good-bye
        process.wait()
        process.stdout.close()

    def idle():
        before = processor_seconds(pid)
        client.spin(0.5)
        return processor_seconds(pid) - before < 0.1
    assert client.wait_until(idle), 'the request is still computed'


def test_whoever_waits_is_answered_when_the_node_stops_answering(client, node):
    service, futures = ask_soon(client, [long_request(samples=500) for _ in range(5)])
    change = client.node.create_client(ChangeState, '/hod/change_state')
    assert client.wait_until(change.service_is_ready)
    began = time.monotonic()
    assert client.change_state('deactivate') and client.change_state('cleanup')
    assert time.monotonic() - began < 5.0 * slowness()
    assert client.wait_until(lambda: all(future.done() for future in futures))
    for future in futures:
        assert 'has stopped answering services' in future.result().message
    client.node.destroy_client(service)
    client.node.destroy_client(change)


def test_more_long_requests_than_can_be_open_are_refused_at_once(client, node):
    service, futures = ask_soon(client, [])
    for _ in range(MOST_LONG + 2):
        futures.append(service.call_async(long_request(samples=500)))
        client.spin(0.05)       # the middleware keeps no more than ten

    def refused():
        return [future.result() for future in futures if future.done() and not future.result().success]
    assert client.wait_until(lambda: len(refused()) >= 2)
    assert all(answer.message == f'{MOST_LONG} long requests are open already; ask again later' for answer in refused())
    assert client.compute(Q, order=0).success
    client.node.destroy_client(service)


# A node whose services may be silent for two seconds only.
IMPATIENT = '''
import sys
from hod_ros.ros.services import host_process
host_process.LONGEST_SILENCE = 2.0
from hod_ros.ros.process import main
sys.exit(main())
'''


def test_a_services_process_that_stands_still_for_long_is_killed_and_started_again(client):
    with node_with_arm(client, code=IMPATIENT) as node:
        assert client.compute(Q, order=0).success
        pid = service_process(node)
        os.kill(pid, signal.SIGSTOP)
        node.wait_for_output('has given no sign of life for [23] s: killed')
        node.wait_for_output(r'ended by itself \(exit code -9\) and is started again')
        assert client.compute(Q, order=0).success and service_process(node) != pid


def test_a_services_process_that_starts_slowly_is_not_killed_for_it(client):
    slowly = "host_process.PROGRAM = 'import time; time.sleep(5.0); ' + host_process.PROGRAM\nfrom hod_ros.ros.process import main"
    with node_with_arm(client, code=IMPATIENT.replace('from hod_ros.ros.process import main', slowly)) as node:
        assert client.compute(Q, order=0).success
        assert 'killed' not in node.output


def test_a_services_process_that_dies_again_and_again_is_started_after_longer_and_longer_pauses(client, node):
    for pause in (1, 2):
        pid = service_process(node)
        os.kill(pid, signal.SIGKILL)
        died = time.monotonic()
        node.wait_for_output(f'is started again in {pause} s;')
        assert client.wait_until(lambda pid=pid: service_process(node, none=pid) != pid)
        assert time.monotonic() - died >= pause
    assert client.compute(Q, order=0).success


def test_a_services_process_that_stands_still_is_no_more_called_answering(client, node):
    def says(text):
        level, message, values = client.diagnostics('services')
        return text in message and level == (b'\0' if text == 'answering' else b'\1')
    assert client.wait_until(lambda: says('answering'))
    pid = service_process(node)
    os.kill(pid, signal.SIGSTOP)
    try:
        assert client.wait_until(lambda: says('no sign of life'))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert client.wait_until(lambda: says('answering'))


def test_requests_that_come_while_the_services_process_stands_still_are_all_answered(client, node):
    service = client.node.create_client(ComputeInverseDynamics, '/hod/compute_inverse_dynamics', qos_profile=QoSProfile(depth=200))
    assert client.wait_until(service.service_is_ready)
    assert client.compute(Q, order=0).success
    pid = service_process(node)
    os.kill(pid, signal.SIGSTOP)
    try:
        futures = [service.call_async(ComputeInverseDynamics.Request(derivatives=array('d', [i / 100] * 9))) for i in range(100)]
        client.spin(0.3)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert client.wait_until(lambda: all(future.done() for future in futures))
    for i, future in enumerate(futures):
        expected = inverse_dynamics(MODEL, np.full((3, 3), i / 100))[0]
        np.testing.assert_allclose(future.result().efforts, expected, rtol=1e-12)
    client.node.destroy_client(service)


def test_the_parameter_threads_bounds_those_of_a_request(client):
    with node_with_arm(client, parameters={'threads': 1}) as node:
        pid = service_process(node)
        assert b'HOD_ROS_THREADS=1' in Path(f'/proc/{pid}/environ').read_bytes().split(b'\0')
        assert client.compute(np.tile(Q, (2000, 1, 1)), order=0).success
