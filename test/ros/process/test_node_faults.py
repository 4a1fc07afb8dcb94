# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around a node on a robot, with real processes, while a stream of good setpoints goes on.

The queues are long: where a process is killed, Fast DDS' shared memory holds up every publisher for a third of a second.
"""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros_harness import NodeProcess
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import long_queues
from ros_harness import node_with_arm
from ros_harness import setpoint
from ros_harness import wait_for_line
from slowness import slowness

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

pytestmark = pytest.mark.slow

MODEL = RobotModel.from_urdf(arm_urdf(3))
NAMES = MODEL.joint_names
Q = np.random.default_rng(14).uniform(-1.0, 1.0, (50, 5, 3))
ANSWERS = inverse_dynamics(MODEL, Q)
PERIOD = 0.002      # [s]

OTHER_CLIENT = '''
import sys
import time
from array import array

import numpy as np
import rclpy

from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import ComputeInverseDynamics

rclpy.init()
node = rclpy.create_node('other')
if sys.argv[1] == 'ask':
    client = node.create_client(ComputeInverseDynamics, '/hod/compute_inverse_dynamics')
    assert client.wait_for_service(10.0)
    q = array('d', np.ones(10000 * 11 * 3))
    request = ComputeInverseDynamics.Request(order=8, samples=10000, derivatives=q, formulation=sys.argv[2])
    client.call_async(request)
else:
    node.create_subscription(TorqueFeedforward, '/hod/feedforward', lambda message: time.sleep(0.5), 10)
    rclpy.spin_once(node, timeout_sec=10.0)
print('ready', flush=True)
rclpy.spin(node)
'''


@pytest.fixture
def node(client):
    with node_with_arm(client, parameters=long_queues()) as node:
        yield node


class Stream:
    """Good setpoints at 500 Hz, each with its number in the stamp, until the block ends; then every one must be answered rightly."""

    def __init__(self, client, models=(MODEL,)):
        self._client = client
        self._expected = [inverse_dynamics(model, Q) for model in models]
        self._sent = 0
        self._before = len(client.answers)
        self._due = time.monotonic()

    def run(self, seconds=None, until=None, timeout=20.0):
        """Streams for some seconds, or until a condition holds."""
        end = time.monotonic() + (timeout if seconds is None else seconds)
        while time.monotonic() < end and not (until and until()):
            self._client.send(setpoint(Q[self._sent % len(Q)], NAMES, frame_id='good', nanosec=self._sent))
            self._sent += 1
            self._due = max(self._due + PERIOD, time.monotonic())
            self._client.spin(self._due - time.monotonic())
        assert until is None or until(), f'what was waited for did not come within {timeout} s'

    def good_answers(self):
        return [answer for answer in self._client.answers[self._before:] if answer.header.frame_id == 'good']

    def check(self):
        self._client.wait_until(lambda: len(self.good_answers()) >= self._sent, 2.0)
        answers = self.good_answers()
        assert [answer.header.stamp.nanosec for answer in answers] == list(range(self._sent))
        for number, answer in enumerate(answers):
            assert any(np.allclose(efforts(answer), Q_[number % len(Q)], rtol=1e-9, atol=1e-9) for Q_ in self._expected)


@contextmanager
def stream(client, **options):
    """A Stream that has lost nothing at the end of the block."""
    stream = Stream(client, **options)
    stream.run(0.2)
    yield stream
    stream.run(0.2)
    stream.check()


@contextmanager
def other_client(*arguments):
    """Another client's process, once it is ready."""
    process = subprocess.Popen([sys.executable, '-c', OTHER_CLIENT, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        wait_for_line(process, 'ready')
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        process.stdout.close()


def service_process(node_pid):
    """The id of the process that answers a node's services, or None."""
    for child in Path(f'/proc/{node_pid}/task/{node_pid}/children').read_text().split():
        with suppress(OSError):
            if b'services.host' in Path(f'/proc/{child}/cmdline').read_bytes():
                return int(child)
    return None


def is_running(pid):
    try:
        return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def memory(pid):
    """[MB] that a process holds for itself."""
    status = Path(f'/proc/{pid}/status').read_text()
    return int(status.split('RssAnon:')[1].split()[0]) / 1024


def assert_services_answer(client, model=MODEL):
    response = client.compute(Q[0], order=2)
    assert response.success, response.message
    np.testing.assert_allclose(np.reshape(response.efforts, (3, 3)), inverse_dynamics(model, Q[0]), atol=1e-10)


def bad_setpoints():
    """One of every kind."""
    yield setpoint(Q[0, :2], NAMES)
    yield setpoint(Q[0], ('joint1', 'joint2', 'joint2'))
    yield setpoint(Q[0], ('joint1', 'joint2', 'elbow'))
    yield setpoint(Q[0, :, :2], NAMES[:2])
    yield setpoint(np.full((5, 3), 1e200), NAMES)
    for field in ('positions', 'velocities', 'accelerations', 'jerks', 'snaps'):
        for value in (np.nan, np.inf):
            message = setpoint(Q[0], NAMES)
            getattr(message, field)[0] = value
            yield message
    gap = setpoint(Q[0], NAMES)
    gap.jerks = []
    yield gap


def test_flood_of_bad_setpoints_costs_no_good_one(client, node):
    with stream(client) as good:
        for _ in range(20):
            for message in bad_setpoints():
                client.send(message)
                good.run(0.001)
    assert not any(answer.header.frame_id == '' for answer in good.good_answers())


def test_client_killed_in_the_middle_of_a_call_disturbs_nobody(client, node):
    with stream(client) as good:
        for _ in range(2):
            with other_client('ask', '') as other:
                other.kill()
                good.run(0.3)
        assert_services_answer(client)


def test_stopped_and_slow_subscribers_hold_up_nobody(client, node):
    with stream(client) as good:
        started = subprocess.Popen([sys.executable, '-c', OTHER_CLIENT, 'listen'], stdout=subprocess.PIPE, text=True)
        try:
            good.run(until=lambda: select.select([started.stdout], [], [], 0)[0], timeout=10.0)
            good.run(1.0)
            started.send_signal(signal.SIGSTOP)
            good.run(1.5)
        finally:
            started.kill()
            started.wait()
            started.stdout.close()


def test_absurd_requests_are_refused_before_memory_is_taken(client, node):
    assert_services_answer(client)
    pid = service_process(node.pid)
    before = memory(pid)
    with stream(client):
        for order in (21, 65_536, 4_294_967_295):
            response = client.compute(Q[0], order=order)
            assert not response.success and f'order is {order}' in response.message
        response = client.compute(np.zeros((20_000, 3, 3)), order=0)
        assert not response.success and 'samples is 20000' in response.message
    assert memory(pid) - before < 20.0
    assert_services_answer(client)


def test_killed_service_process_is_started_again_and_costs_no_setpoint(client, node):
    assert_services_answer(client)
    killed = service_process(node.pid)
    with stream(client) as good:
        os.kill(killed, signal.SIGKILL)
        good.run(until=lambda: service_process(node.pid) not in (None, killed), timeout=5.0)
        good.run(1.0)
    node.wait_for_output('the process that answers the services ended by itself')
    assert int(client.diagnostics('services')[2]['started again']) > 0
    told = [status for report in client.reports for status in report.status if status.name == 'hod: services']
    assert any(status.level == DiagnosticStatus.WARN for status in told)
    assert_services_answer(client)


def test_a_hundred_descriptions_under_load_cost_no_setpoint_and_the_last_one_stays(client, node):
    texts = [arm_urdf(3, name=f'arm{k}', mass=1.5 + k) for k in range(2)]
    models = [RobotModel.from_urdf(text) for text in texts]
    with stream(client, models=models) as good:
        for k in range(1, 101):
            client.describe(texts[k % 2])
            good.run(0.01)
    client.describe(texts[1])
    client.wait_until(lambda: np.allclose(efforts(client.ask(setpoint(Q[0], NAMES))), inverse_dynamics(models[1], Q[0])))
    assert_services_answer(client, models[1])
    client.describe(arm_urdf(3))
    assert client.wait_until(lambda: np.allclose(efforts(client.ask(setpoint(Q[0], NAMES))), ANSWERS[0]))


def test_long_request_holds_up_neither_the_stream_nor_the_end_of_the_node(client, node):
    assert_services_answer(client)
    with other_client('ask', 'closed_form'), stream(client) as good:
        good.run(0.5)
    pid = service_process(node.pid)
    sent = time.monotonic()
    assert node.stop(signal.SIGINT) == 0
    assert time.monotonic() - sent < 2.5 * slowness()
    assert not is_running(pid)


def test_consumers_recover_by_themselves_when_the_node_is_killed_and_started_again(client):
    client.describe(arm_urdf(3))
    for _ in range(2):
        node = NodeProcess(parameters=long_queues())
        try:
            client.wait_for_state('active')
            client.connect()
            assert_services_answer(client)
            helper = service_process(node.pid)
            with stream(client):
                pass
        finally:
            node.send(signal.SIGKILL)
            node.wait()
        assert client.wait_until(lambda helper=helper: not is_running(helper), 5.0), 'the process for services outlived its node'
    client.withdraw_description()
