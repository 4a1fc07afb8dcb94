# SPDX-License-Identifier: Apache-2.0
"""What the ROS tests share: the node as a process of its own, and a client that talks to it over DDS."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from array import array
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.srv import ChangeState
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import DescribeParameters
from rcl_interfaces.srv import GetParameters
from rcl_interfaces.srv import ListParameters
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import ComputeInverseDynamics
from hod_ros.ros.reporting.quality import WithoutEvents

FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
TRANSITIONS = {'configure': 1, 'cleanup': 2, 'activate': 3, 'deactivate': 4}
PATIENCE = 60.0         # [s] longest wait for anything that must come
SILENCE = 0.5           # [s] wait for what must not come



def long_queues(node='/hod'):
    """Parameters with which a standstill of the whole machine loses nothing of a stream."""
    return {f'qos_overrides.{node}/{queue}.depth': 1000 for queue in ('setpoint.subscription', 'feedforward.publisher')}



def remove_orphaned_shared_memory(before):
    """Removes what killed processes left in /dev/shm since `before`; what a living process uses stays."""
    orphans = shared_memory() - before
    for _ in range(2):
        used = segments_in_use()
        orphans = {file for file in orphans if segment_of(file) not in used}
        time.sleep(0.2)
    for file in orphans:
        file.unlink(missing_ok=True)


def segments_in_use():
    """The segments that any living process has mapped or open (a lock file is open but not mapped)."""
    used = set()
    for maps in Path('/proc').glob('[0-9]*/maps'):
        with suppress(OSError):
            used |= set(re.findall(r'/dev/shm/(\S+)', maps.read_text()))
    for descriptor in Path('/proc').glob('[0-9]*/fd/*'):
        with suppress(OSError):
            used.add(os.path.basename(os.readlink(descriptor)))
    return {segment_of(Path(name)) for name in used}


def segment_of(file):
    """The segment that a file belongs to: itself, its lock file or its semaphore."""
    return file.name.removeprefix('sem.').removesuffix('_mutex').removesuffix('_el')


def shared_memory():
    patterns = ('fastdds_*', 'sem.fastdds_*', 'fastrtps_*', 'sem.fastrtps_*')     # Kilted's and Jazzy's names
    return {file for pattern in patterns for file in Path('/dev/shm').glob(pattern)}


class NodeProcess:
    """A running hod_node; under: a command that runs it; code: a program in its place."""

    def __init__(self, *, parameters=None, arguments=(), parameters_file=None, module='hod_ros.ros.process', under=(), code=None):
        program = ('-c', code) if code else ('-m', module)
        command = [*under, sys.executable, *program, '--ros-args', *arguments]
        for name, value in (parameters or {}).items():
            command += ['-p', f'{name}:={value}']
        if parameters_file:
            command += ['--params-file', str(parameters_file)]
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        self.pid = self._process.pid
        self._lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.append(line)

    @property
    def output(self):
        return ''.join(self._lines)

    def wait_for_output(self, pattern, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while not re.search(pattern, self.output):
            if time.monotonic() > end:
                raise AssertionError(f'{pattern!r} was not said within {timeout} s, but:\n{self.output}')
            time.sleep(0.02)

    def send(self, number):
        self._process.send_signal(number)

    def wait(self, timeout=PATIENCE):
        """The exit code; a process that does not end by then is killed."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self._reader.join(timeout)
            raise AssertionError(f'the node did not end within {timeout} s:\n{self.output}') from None
        self._reader.join(timeout)
        return code

    def stop(self, number=signal.SIGINT):
        """Ends the node by a signal and returns its exit code."""
        if self._process.poll() is None:
            self.send(number)
        return self.wait()


def wait_for_line(process, line):
    """Until a process prints a line of its own: the middleware writes its errors on standard output too."""
    assert f'{line}\n' in iter(process.stdout.readline, ''), f'the process ended without {line!r}'


@contextmanager
def running_node(**options):
    """A NodeProcess that is gone afterwards and must have ended without a traceback."""
    node = NodeProcess(**options)
    try:
        yield node
    finally:
        code = node.stop()
        print(node.output)
    assert code == 0, node.output
    assert 'Traceback' not in node.output, node.output


class ClientNode(WithoutEvents, Node):
    """rclpy's executor fails where an event comes to an entity that is being destroyed."""


class Client:
    """Talks to one hod node as any other ROS node would."""

    def __init__(self, name='client', node='/hod', context=None):
        self._hod = node
        self.node = ClientNode(name, context=context)
        from hod_ros.ros.process import make_executor
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self.answers = []
        self.reports = []
        self._clients = {}
        self.node.create_subscription(TorqueFeedforward, f'{node}/feedforward', self.answers.append, 1000)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on_report, 10)
        self._setpoints = self.node.create_publisher(JointSetpoint, f'{node}/setpoint', 1000)
        self._descriptions = None

    def close(self):
        self._executor.shutdown()
        self.node.destroy_node()

    def _on_report(self, message):
        if message.status and message.status[0].name.startswith(f'{self._hod.lstrip("/")}: '):
            self.reports.append(message)

    def spin(self, seconds):
        self.wait_until(lambda: False, seconds)

    def wait_until(self, condition, timeout=PATIENCE):
        """Spins until the condition holds; its value, or false after the timeout."""
        end = time.monotonic() + timeout
        while not (value := condition()):
            left = end - time.monotonic()
            if left <= 0:
                return value
            self._executor.spin_once(timeout_sec=min(left, 0.02))
        return value

    def describe(self, text):
        """Publishes a robot description as robot_state_publisher does."""
        if self._descriptions is None:
            self._descriptions = self.node.create_publisher(String, '/robot_description', LATCHED)
        self._descriptions.publish(String(data=text))

    def withdraw_description(self):
        if self._descriptions is not None:
            self.node.destroy_publisher(self._descriptions)
            self._descriptions = None
            self.spin(0.05)     # EventsExecutor crashes on an event of a destroyed entity that it has not yet dropped

    def call(self, service_type, service, request, timeout=PATIENCE):
        """The response. A request without answer is sent again: discovery of both directions takes time."""
        client = self._client(service_type, service)
        end = time.monotonic() + timeout
        futures = []
        try:
            while time.monotonic() < end:
                if not client.service_is_ready():
                    assert self.wait_until(client.service_is_ready, timeout), f'{service} did not come up'
                    self.spin(0.1)
                futures.append(client.call_async(request))
                if self.wait_until(lambda: any(future.done() for future in futures), 2.0):
                    return next(future for future in futures if future.done()).result()
            raise AssertionError(f'{service} did not answer')
        finally:
            for future in futures:
                client.remove_pending_request(future)

    def offers(self, service_type, service):
        return self._client(service_type, service).service_is_ready()

    def _client(self, service_type, service):
        if service not in self._clients:
            self._clients[service] = self.node.create_client(service_type, f'{self._hod}/{service}')
        return self._clients[service]

    def forget(self, service):
        """Is no client of this service any more, until the next call."""
        self.node.destroy_client(self._clients.pop(service))
        self.spin(0.05)

    @property
    def state(self):
        return self.call(GetState, 'get_state', GetState.Request()).current_state.label

    def change_state(self, transition):
        """Whether the node says that it did this. An answer may be lost while discovery is under way: then its state tells."""
        before = self.state
        request = ChangeState.Request()
        request.transition.id = TRANSITIONS[transition]
        client = self._client(ChangeState, 'change_state')
        assert self.wait_until(client.service_is_ready), 'change_state did not come up'
        self.spin(0.1)
        future = client.call_async(request)
        if self.wait_until(future.done, 3.0):
            return future.result().success
        client.remove_pending_request(future)
        return self.state != before

    def wait_for_state(self, state, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while (now := self.state) != state:
            assert time.monotonic() < end, f'the node is {now}, not {state}'
            self.spin(0.05)

    def set_parameter(self, name, value):
        """(successful, reason)"""
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        result = self.call(SetParameters, 'set_parameters', request).results[0]
        return result.successful, result.reason

    def get_parameter(self, name):
        value = self.call(GetParameters, 'get_parameters', GetParameters.Request(names=[name])).values[0]
        return rclpy.parameter.parameter_value_to_python(value)

    def parameter_descriptors(self):
        names = self.call(ListParameters, 'list_parameters', ListParameters.Request()).result.names
        request = DescribeParameters.Request(names=names)
        return {d.name: d for d in self.call(DescribeParameters, 'describe_parameters', request).descriptors}

    def connect(self):
        """Waits until setpoints reach the node and answers reach us."""
        matched = self.wait_until(
            lambda: self._setpoints.get_subscription_count() and self.node.count_publishers(f'{self._hod}/feedforward'))
        assert matched, 'the node has no setpoint subscription'
        self.spin(0.2)

    def send(self, setpoint):
        self._setpoints.publish(setpoint)

    def ask(self, setpoint, timeout=PATIENCE):
        """The feedforward that answers this setpoint; None where none came."""
        before = len(self.answers)
        self.send(setpoint)
        self.wait_until(lambda: len(self.answers) > before, timeout)
        return self.answers[before] if len(self.answers) > before else None

    def is_refused(self, setpoint, next_good):
        """Whether this setpoint goes unanswered while one sent after it is answered."""
        before = len(self.answers)
        self.send(setpoint)
        next_good.header.frame_id = 'after'
        self.send(next_good)
        assert self.wait_until(lambda: len(self.answers) > before), 'the good setpoint got no answer'
        self.spin(0.02)
        return len(self.answers) == before + 1 and self.answers[before].header.frame_id == 'after'

    def compute(self, derivatives, *, order, names=(), formulation='', wrenches=()):
        request = ComputeInverseDynamics.Request(
            joint_names=list(names), order=order, samples=len(derivatives) if np.ndim(derivatives) == 3 else 0,
            derivatives=array('d', np.asarray(derivatives, float).tobytes()), formulation=formulation, wrenches=list(wrenches))
        return self.call(ComputeInverseDynamics, 'compute_inverse_dynamics', request)

    def diagnostics(self, task, timeout=PATIENCE):
        """(level, message, values) of the next report on this task."""
        before = len(self.reports)
        assert self.wait_until(lambda: len(self.reports) > before, timeout), 'no diagnostics came'
        status = next(s for s in self.reports[-1].status if s.name.endswith(f': {task}'))
        return status.level, status.message, {item.key: item.value for item in status.values}


def setpoint(q, names, *, frame_id='', sec=0, nanosec=0):
    """A JointSetpoint of q (rows, n)."""
    message = JointSetpoint(joint_names=list(names))
    message.header.frame_id = frame_id
    message.header.stamp.sec = sec
    message.header.stamp.nanosec = nanosec
    for field, row in zip(FIELDS, q, strict=False):
        setattr(message, field, array('d', row))
    if len(q) > 5:
        message.higher = array('d', np.ravel(q[5:]))
    return message


def efforts(feedforward):
    """(order + 1, n) of a TorqueFeedforward."""
    rows = [*feedforward.efforts, *feedforward.effort_rates, *feedforward.effort_accelerations, *feedforward.higher]
    return np.reshape(rows, (-1, len(feedforward.joint_names)))


def arm_urdf(joints=3, *, name='arm', mass=1.5, prefix='joint'):
    """A serial arm of our own with joints <prefix>1, <prefix>2, ... about changing axes."""
    links = '<link name="base"/>'
    axes = ('0 0 1', '0 1 0', '1 0 0')
    for i in range(1, joints + 1):
        parent = f'link{i - 1}' if i > 1 else 'base'
        links += f'''
        <joint name="{prefix}{i}" type="revolute">
          <parent link="{parent}"/><child link="link{i}"/><axis xyz="{axes[i % 3]}"/>
          <origin xyz="0.1 0 0.3" rpy="0.2 0 0.1"/>
          <limit lower="-3" upper="3" effort="100" velocity="3"/>
        </joint>
        <link name="link{i}">
          <inertial><origin xyz="0.02 0.01 0.1"/><mass value="{mass / i}"/>
            <inertia ixx="0.02" iyy="0.025" izz="0.01" ixy="0.001" ixz="0" iyz="0"/></inertial>
        </link>'''
    return f'<robot name="{name}">{links}</robot>'


@contextmanager
def node_with_arm(client, joints=3, **options):
    """A node that has activated itself on the description of an arm."""
    with running_node(**options) as node:
        client.describe(arm_urdf(joints))
        client.wait_for_state('active')
        client.connect()
        try:
            yield node
        finally:
            client.withdraw_description()
