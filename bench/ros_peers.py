# SPDX-License-Identifier: Apache-2.0
"""The node and its yardstick as processes side by side, and a client that measures both."""

import gc
import os
import signal
import subprocess
import sys
import time
from array import array
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from domains import claim_domain

ROOT = Path(__file__).resolve().parent.parent
SIDES = ('hod', 'echo')         # the namespaces of the two nodes
LATE = 5.0                      # [ms]
PRIORITY = 20                   # realtime_priority's default


def wait_for_line(process, line):
    """Until a process prints a line of its own, or ends: the middleware writes its errors on standard output too."""
    return f'{line}\n' in iter(process.stdout.readline, '')


def isolate():
    """A ROS domain of our own on this machine only; before rclpy.init."""
    os.environ['ROS_DOMAIN_ID'] = str(claim_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ.pop('ROS_PYTHON_CHECK_FIELDS', None)


def heed_hangups():
    """Else nodes that inherit our ignoring SIGHUP, as under nohup, ignore it too."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def discover_quickly():
    """Processes that start later are found at once; before rclpy.init."""
    for variable in ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE'):        # Jazzy's and Kilted's
        os.environ[variable] = str(ROOT / 'config' / 'quick_discovery.xml')


def robot(joints):
    """A URDF of this many joints: the Panda for 7, else a serial chain."""
    if joints == 7:
        return (ROOT / 'config' / 'robots' / 'panda.urdf').read_text()
    parts = ['<link name="link0"/>']
    for i in range(1, joints + 1):
        axis = ('1 0 0', '0 1 0', '0 0 1')[i % 3]
        parts.append(f'''
            <joint name="joint{i}" type="continuous"><parent link="link{i - 1}"/><child link="link{i}"/>
              <origin xyz="0.05 0.02 0.1" rpy="0.3 0.2 0.1"/><axis xyz="{axis}"/></joint>
            <link name="link{i}"><inertial><origin xyz="0.01 0.02 0.05"/><mass value="0.4"/>
              <inertia ixx="0.002" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>''')
    return f'<robot name="chain{joints}">{"".join(parts)}</robot>'


@contextmanager
def running(side, module, *arguments):
    """A node's process under the namespace of its side."""
    command = [sys.executable, '-m', module, '--ros-args', '-r', f'__ns:=/{side}', *arguments]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def both_nodes(joints, priority=PRIORITY):
    """(client, {side: process}) with hod_node and the echo answering, both at this real-time priority (0: an ordinary one)."""
    parameter = ('-p', f'realtime_priority:={priority}')
    import rclpy
    isolate()
    rclpy.init()
    try:
        with running('hod', 'hod_ros.ros.process', *parameter) as hod, running('echo', 'bench.ros_echo', *parameter) as echo:
            client = Client(joints)
            try:
                client.connect()
                gc.collect()
                gc.freeze()
                gc.disable()
                yield client, {'hod': hod, 'echo': echo}
            finally:
                client.close()
    finally:
        gc.enable()
        rclpy.try_shutdown()


class Client:
    """Streams setpoints to one side at a time and takes the time until the answer arrives."""

    def __init__(self, joints):
        import rclpy
        from rclpy.qos import QoSDurabilityPolicy
        from rclpy.qos import QoSProfile
        from std_msgs.msg import String

        from hod_interfaces.msg import JointSetpoint
        from hod_interfaces.msg import TorqueFeedforward
        from hod_ros import RobotModel
        from hod_ros.ros.process import make_executor

        text = robot(joints)
        self.names = list(RobotModel.from_urdf(text).joint_names)
        self.node = rclpy.create_node('bench')
        self._executor = make_executor()
        self._executor.add_node(self.node)
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.node.create_publisher(String, '/hod/robot_description', latched)
        self._description.publish(String(data=text))
        self._publishers = {s: self.node.create_publisher(JointSetpoint, f'/{s}/hod/setpoint', 10) for s in SIDES}
        for side in SIDES:
            self.node.create_subscription(TorqueFeedforward, f'/{side}/hod/feedforward', self._on_answer, 10)
        self._services = {}
        self._sent = {}
        self._latencies = []
        q = np.random.default_rng(0).uniform(-1.0, 1.0, (5, joints))
        self._setpoint = JointSetpoint(
            joint_names=self.names, positions=array('d', q[0]), velocities=array('d', q[1]),
            accelerations=array('d', q[2]), jerks=array('d', q[3]), snaps=array('d', q[4]))

    def close(self):
        self._executor.shutdown()
        self.node.destroy_node()

    def _on_answer(self, message):
        now = time.perf_counter_ns()
        sent = self._sent.pop(message.header.stamp.nanosec, None)
        if sent is not None:
            self._latencies.append((now - sent) * 1e-6)

    def connect(self):
        """Until both sides answer."""
        for side in SIDES:
            self.wait_for_answer(side)
        self.spin(1.0)

    def wait_for_answer(self, side, poll=0.05, patience=15.0):
        """Sends setpoints until one is answered."""
        end = time.monotonic() + patience
        self._latencies = []
        while not self._latencies:
            if time.monotonic() > end:
                raise RuntimeError(f'{side} answered nothing within {patience} s')
            self._send(side, 0)
            self.spin(poll)

    def spin(self, seconds):
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._executor.spin_once(timeout_sec=left)

    def _send(self, side, stamp):
        self._setpoint.header.stamp.nanosec = stamp
        self._sent[stamp] = time.perf_counter_ns()
        self._publishers[side].publish(self._setpoint)

    def stream(self, side, rate, seconds):
        """Latencies [ms] of the answers that came, and how many did not."""
        self._sent, self._latencies = {}, []
        due = time.perf_counter()
        for index in range(round(rate * seconds)):
            while (left := due - time.perf_counter()) > 0:
                self._executor.spin_once(timeout_sec=left)
            self._send(side, index)
            due += 1.0 / rate
        end = time.perf_counter() + 1.0
        while self._sent and time.perf_counter() < end:
            self._executor.spin_once(timeout_sec=0.01)
        return np.array(self._latencies), len(self._sent)

    def call(self, side, request):
        """(milliseconds, response)"""
        client = self._service(side)
        began = time.perf_counter_ns()
        future = client.call_async(request)
        while not future.done():
            self._executor.spin_once(timeout_sec=1.0)
        return (time.perf_counter_ns() - began) * 1e-6, future.result()

    def _service(self, side):
        """Made when it is needed: every client of a service receives the answers to all."""
        from hod_interfaces.srv import ComputeInverseDynamics
        if side not in self._services:
            self._services[side] = self.node.create_client(ComputeInverseDynamics, f'/{side}/hod/compute_inverse_dynamics')
            assert self._services[side].wait_for_service(15.0), f'{side} offers no service'
            self.spin(0.5)
        return self._services[side]


def cpu_seconds(pid):
    """Processor time of a process so far [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
