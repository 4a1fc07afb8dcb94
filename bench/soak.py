# SPDX-License-Identifier: Apache-2.0
"""The node at 1 kHz for long, while everything around it goes wrong: `make soak`, `make soak ARGS='--seconds 60'`.

Each answer is checked against the library. Counted are setpoints without answer, wrong answers, answers later than 50 ms, and the
growth of memory and descriptors after the first minute of each life of the node. The node is started in a directory with a numpy.py and a
queue.py that are none, killed at a third of the time, stopped for two seconds soon after that, and ended by three signals;
what was sent from a kill or stop until it answers again is its dead interval: excluded, and reported. So is what coincides with a moment
in which this process itself stood still, as it does when the machine has no time for it. At the end come the faults that cost setpoints by
their nature (bench/accounted.py): a robot of other joints, the node's own queue overflowing; and TMPDIR full, which may cost none. As many
as get no answer then, the node must tell of.

This process has the node's real-time priority, as a control loop has. Where the system lets us make one, all processes live in a
network of their own and talk over UDP. Elsewhere they use LOCALHOST discovery, with which rmw_fastrtps always takes shared memory:
there, the death of any process makes Fast DDS hold up every publisher for a third of a second, and setpoints are lost to that.
"""

import argparse
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

import numpy as np

from bench.accounted import accounted
from bench.accounted import faults_in
from bench.accounted import small_disk
from bench.node_life import WARM_UP
from bench.node_life import Life
from bench.ros_peers import PRIORITY
from bench.ros_peers import ROOT
from bench.ros_peers import isolate
from hod_ros.ros.scheduling import at_ordinary_priority
from hod_ros.ros.scheduling import run_in_real_time

RATE = 1000.0           # [Hz]
LATE = 0.050            # [s]
DEPTH = 100             # of the node's queues: twice LATE, so that what is lost is not merely late
STANDSTILL = 0.020      # [s] a gap in our own loop that long excuses what it touches
GROWTH = 1.0            # [MB]
SETTLED = 5.0           # [s] after its start
PATIENCE = 10.0         # [s] for an answer of the services
STOPPED = 2.0           # [s] for which the node is stopped then
SAMPLES = 64
FRAME = 'soak'
SEALED = 'HOD_SOAK_SEALED'     # set in the process that measures


class Soak:
    """Streams to the node, checks what it answers, and keeps the node alive."""

    def __init__(self, seconds):
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from rclpy.qos import QoSDurabilityPolicy
        from rclpy.qos import QoSProfile
        from std_msgs.msg import String

        from bench.faults import MASSES
        from hod_interfaces.msg import JointSetpoint
        from hod_interfaces.msg import TorqueFeedforward
        from hod_interfaces.srv import ComputeInverseDynamics
        from hod_ros import RobotModel
        from hod_ros import inverse_dynamics
        from hod_ros.ros.process import make_executor

        models = [RobotModel.from_urdf(text) for text in MASSES.values()]
        q = np.random.default_rng(0).uniform(-1.0, 1.0, (SAMPLES, 5, models[0].n))
        self.expected = [inverse_dynamics(model, q) for model in models]
        self.tolerance = 1e-9 * max(np.abs(Q).max() for Q in self.expected)
        self.node = rclpy.create_node('soak')
        self.executor = make_executor()
        self.executor.add_node(self.node)
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self.descriptions = self.node.create_publisher(String, '/robot_description', latched)
        self.describe(next(iter(MASSES.values())))
        self.publisher = self.node.create_publisher(JointSetpoint, '/hod/setpoint', 1000)
        self.node.create_subscription(TorqueFeedforward, '/hod/feedforward', self.on_answer, 1000)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self.on_report, 10)
        self.services = self.node.create_client(ComputeInverseDynamics, '/hod/compute_inverse_dynamics')
        self.messages = [JointSetpoint(
            joint_names=list(models[0].joint_names),
            **{field: array('d', row) for field, row in zip(
                ('positions', 'velocities', 'accelerations', 'jerks', 'snaps'), motion, strict=True)}) for motion in q]
        for message in self.messages:
            message.header.frame_id = FRAME
        self.seconds = seconds
        self.sent = {}              # number -> time of those without answer
        self.number = 0
        self.answered = self.wrong = self.excused = 0
        self.late, self.largest = 0, 0.0
        self.standstills = []       # (begin, end)
        self.dead = []              # (begin, end) of the node
        self.accounted = []         # (begin, end) of faults that cost setpoints
        self.report = None          # what the node said of setpoints last
        self.lives = []
        self.process = None
        self._directory = tempfile.TemporaryDirectory()     # that the node is started in
        for module in ('numpy', 'queue'):
            (Path(self._directory.name) / f'{module}.py').write_text('raise SystemExit("executed from the working directory")')
        self._temporary = Path(self._directory.name) / 'tmp'
        self._temporary.mkdir()
        self.small_disk = small_disk(self._temporary) if os.environ.get(SEALED) else ''

    def describe(self, text):
        from std_msgs.msg import String
        self.descriptions.publish(String(data=text))

    def on_report(self, message):
        for status in message.status:
            if status.name == 'hod: setpoints':
                self.report = {item.key: item.value for item in status.values}

    def asks_in_vain(self):
        """Why a small request to the services was not answered, or ''."""
        message = self.messages[0]
        future = self.services.call_async(self.services.srv_type.Request(
            joint_names=message.joint_names, derivatives=message.positions + message.velocities + message.accelerations))
        end = time.perf_counter() + PATIENCE
        while not future.done() and time.perf_counter() < end:
            self.executor.spin_once(timeout_sec=0.05)
        return 'services do not answer' if not future.done() else '' if future.result().success else future.result().message

    def on_answer(self, message):
        if message.header.frame_id != FRAME:
            return
        now = time.perf_counter()
        sent = self.sent.pop((message.header.stamp.sec, message.header.stamp.nanosec), None)
        if sent is None:
            return
        self.answered += 1
        Q = np.array([message.efforts, message.effort_rates, message.effort_accelerations])
        k = message.header.stamp.nanosec % SAMPLES
        if not any(np.abs(Q - expected[k]).max() <= self.tolerance for expected in self.expected):
            self.wrong += 1
        if now - sent > LATE:
            if self.is_excused(sent, now):
                self.excused += 1
                return
            self.late += 1
        self.largest = max(self.largest, now - sent)

    def is_excused(self, begin, end):
        return any(b <= end and begin <= e + LATE for b, e in (*self.standstills[-50:], *self.dead[-2:], *self.accounted))

    def send(self):
        message = self.messages[self.number % SAMPLES]
        stamp = message.header.stamp
        stamp.sec, stamp.nanosec = divmod(self.number, SAMPLES * 1_000_000)
        self.sent[stamp.sec, stamp.nanosec] = time.perf_counter()
        self.number += 1
        self.publisher.publish(message)

    def start_node(self):
        """Starts it and waits for its first answer."""
        began = time.perf_counter()
        self.process = at_ordinary_priority(lambda: subprocess.Popen(
            [Path(sys.executable).with_name('hod_node'), '--ros-args', *(
                word for queue in ('setpoint.subscription', 'feedforward.publisher')
                for word in ('-p', f'qos_overrides./hod/{queue}.depth:={DEPTH}'))], cwd=self._directory.name,
            env=os.environ | {'TMPDIR': str(self._temporary)}))
        before = self.answered
        while self.answered == before:
            assert self.process.poll() is None and time.perf_counter() - began < 20.0, 'the node does not answer'
            self.send()
            self.spin_until(time.perf_counter() + 0.01)
        self.spin_until(time.perf_counter() + 1.0)      # the answers of what was sent in the meantime
        self.sent.clear()
        self.lives.append(Life(self.process.pid))

    def kill_node(self):
        began = time.perf_counter()
        self.sent.clear()
        self.process.kill()
        self.process.wait()
        self.dead.append((began, float('inf')))
        self.start_node()
        self.dead[-1] = (began, time.perf_counter())
        self.sent.clear()

    def stop_node(self):
        """For a while; what is sent meanwhile arrives late or not at all."""
        began = time.perf_counter()
        self.dead.append((began, float('inf')))
        self.process.send_signal(signal.SIGSTOP)
        self.stream(STOPPED)
        self.process.send_signal(signal.SIGCONT)
        answered = self.answered
        while self.answered - answered < 0.9 * RATE:        # of a second's
            assert time.perf_counter() - began < 20.0, 'the node that was stopped does not answer as before'
            answered = self.answered
            self.sent.clear()
            self.stream(1.0)
        self.dead[-1] = (began, time.perf_counter())
        self.sent.clear()

    def end_node(self):
        """The exit code."""
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            self.process.send_signal(number)
            time.sleep(0.02)
        return self.process.wait(10.0)

    def spin_until(self, due):
        while (left := due - time.perf_counter()) > 0:
            self.executor.spin_once(timeout_sec=left)

    def stream(self, seconds):
        end = time.perf_counter() + seconds
        due = time.perf_counter()
        before = due
        while before < end:
            self.spin_until(due)
            now = time.perf_counter()
            if now - before > STANDSTILL:
                self.standstills.append((before, now))
            before = now
            self.lives[-1].observe(now)
            self.send()
            due = max(due + 1.0 / RATE, now)

    def run(self):
        self.start_node()
        gc.collect()
        gc.freeze()
        faults = at_ordinary_priority(lambda: subprocess.Popen(
            [sys.executable, '-m', 'bench.faults'], cwd=ROOT, stdout=subprocess.PIPE, text=True))
        try:
            self.stream(self.seconds / 3.0)
            self.kill_node()
            self.stream(SETTLED)
            self.stop_node()
            self.stream(2.0 * self.seconds / 3.0 - SETTLED)
            self.spin_until(time.perf_counter() + 1.0)
            unanswered = list(self.sent.values())
            counts = end_faults(faults)
            natural = accounted(self)
        finally:
            end_faults(faults)
            code = self.end_node()
        end = time.perf_counter()
        lost = [sent for sent in unanswered if not self.is_excused(sent, sent + LATE)]
        return {
            'seconds': self.seconds, 'sealed': bool(os.environ.get(SEALED)), 'sent': self.number, 'answered': self.answered,
            'lost': len(lost), 'wrong': self.wrong, 'late': self.late, 'largest_ms': 1e3 * self.largest,
            'excused': self.excused + len(unanswered) - len(lost), 'accounted': natural,
            'standstills': len(self.standstills), 'standstill_s': float(sum(e - b for b, e in self.standstills)),
            'dead_s': float(sum(min(e, end) - b for b, e in self.dead)), 'exit_code': code,
            'lives': [life.growth() for life in self.lives], 'faults': counts}

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        if self.small_disk:
            subprocess.run(['umount', self.small_disk])
        self._directory.cleanup()


def end_faults(process):
    """{name of a fault: how often}"""
    process.send_signal(signal.SIGTERM)
    return json.loads(process.communicate(timeout=30.0)[0] or '{}')


def verdict(result):
    """What is not as it must be, as sentences."""
    faults = [f'{result[key]} setpoints {text}' for key, text in (
        ('lost', 'lost'), ('wrong', 'answered wrongly'), ('late', f'answered later than {1e3 * LATE:g} ms')) if result[key]]
    for life in result['lives']:
        if life['from_s'] >= WARM_UP and life['memory_growth_MB'] >= GROWTH:
            faults.append(f'memory grew by {life["memory_growth_MB"]:.2f} MB')
        if life['descriptor_growth'] > 0:
            faults.append(f'{life["descriptor_growth"]} descriptors more')
    faults += faults_in(result['accounted'])
    if result['exit_code']:
        faults.append(f'the node ended with {result["exit_code"]}')
    return faults


def run(seconds=1800.0):
    import rclpy
    if not os.environ.get(SEALED):
        isolate()
    rclpy.init()
    soak = Soak(seconds)
    run_in_real_time(PRIORITY)
    try:
        return soak.run()
    finally:
        soak.close()
        rclpy.try_shutdown()


def sealed(command):
    """Runs a command in a network of its own, where only it is heard, and over UDP; as it is where that can't be made."""
    lone = ['sh', '-c', 'ip link set lo up && ip link set lo multicast on && ip route add 224.0.0.0/4 dev lo && exec "$@"', 'sh']
    own = ['unshare', '--net', '--mount']
    networks = ([*own, *lone], [*own, '--map-root-user', *lone])        # the latter costs real-time priority
    environment = dict(os.environ)
    network = next((network for network in networks if succeeds([*network, 'true'])), None)
    if network:
        environment |= {
            SEALED: '1', 'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4', 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET', 'ROS_DOMAIN_ID': '1'}
        environment.pop('ROS_STATIC_PEERS', None)
        command = [*network, *command]
    else:
        environment[SEALED] = ''
        print('no network of our own can be made here (unshare --map-root-user --net): shared memory may cost setpoints', flush=True)
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def succeeds(command):
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def main():
    if SEALED not in os.environ:
        return sealed([sys.executable, '-m', 'bench.soak', *sys.argv[1:]])
    parser = argparse.ArgumentParser(prog='make soak', description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=1800.0)
    parser.add_argument('--json', metavar='FILE', help='write the figures there')
    arguments = parser.parse_args()
    result = run(arguments.seconds)
    print(json.dumps(result, indent=1))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(result, indent=1))
    faults = verdict(result)
    print('as it must be' if not faults else f'not as it must be: {"; ".join(faults)}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
