# SPDX-License-Identifier: Apache-2.0
"""Floods of setpoints while processors burn: `make floods`, `make floods ARGS='--trials 20'`.

In each trial three or four planners publish as fast as they can, two to six processes burn the processors, and the node commands, at
real-time or ordinary priority. Then a signal ends it. It must have answered all the while, end within two seconds of the signal, with
exit code 0, and what ~/commands carries last must be the torque that holds the last position. Of an end that takes longer than a
second the record says where all threads of the node stood, and for how long the machine let nobody run.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from array import array
from contextlib import ExitStack
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.ros_peers import PRIORITY
from bench.ros_peers import ROOT
from bench.ros_peers import discover_quickly
from bench.ros_peers import heed_hangups
from bench.ros_peers import isolate
from bench.ros_peers import robot
from bench.ros_peers import wait_for_line
from hod_ros.ros.scheduling import at_ordinary_priority
from hod_ros.ros.scheduling import run_in_real_time

SILENCE = 2.0           # [s] without an answer that counts as a hang
LONGEST_END = 2.0       # [s] from the signal to the end of the process
LOOKS = (1.0, 1.4, 1.8) # [s] after the signal: what is still there tells where it stands
PATIENCE = 20.0         # [s] for starts
TURN = 0.05             # [s] longest wait of the watch
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

BURNER = 'while True: pass'
NODE = '''
import faulthandler, signal
faulthandler.register(signal.SIGUSR1)
from hod_ros.ros.process import main
main()
'''
PLANNER = '''
import sys
import rclpy
from bench.floods import motion, setpoint
from hod_interfaces.msg import JointSetpoint
rclpy.init()
node = rclpy.create_node(f'planner{sys.argv[1]}')
publisher = node.create_publisher(JointSetpoint, '/hod/setpoint', 10)
message = setpoint(motion(int(sys.argv[1])))
while not publisher.get_subscription_count():
    rclpy.spin_once(node, timeout_sec=0.05)
print('ready', flush=True)
sys.stdin.readline()
while True:
    try:
        publisher.publish(message)
    except Exception:       # rmw's queue is full
        pass
'''


def motion(planner=0):
    """q (5, 7): all planners are at the same position, for which one torque holds the arm."""
    q = np.random.default_rng(planner).uniform(-0.3, 0.3, (5, 7))
    q[0] = np.array([0.0, -0.3, 0.0, -1.8, 0.0, 1.5, 0.7])
    return q


def setpoint(q):
    from hod_interfaces.msg import JointSetpoint
    message = JointSetpoint(joint_names=[f'panda_joint{k}' for k in range(1, 8)])
    for field, row in zip(('positions', 'velocities', 'accelerations', 'jerks', 'snaps'), q, strict=True):
        setattr(message, field, array('d', row))
    return message


class Watch:
    """Publishes the robot, and sees what the node answers and commands."""

    def __init__(self):
        import rclpy
        from rclpy.qos import QoSDurabilityPolicy
        from rclpy.qos import QoSProfile
        from std_msgs.msg import Float64MultiArray
        from std_msgs.msg import String

        from hod_interfaces.msg import JointSetpoint
        from hod_interfaces.msg import TorqueFeedforward
        from hod_ros import RobotModel
        from hod_ros import inverse_dynamics
        from hod_ros.ros.process import make_executor

        text = robot(7)
        q = motion()
        q[1:] = 0.0
        self.holding = inverse_dynamics(RobotModel.from_urdf(text), q[:3])[0]
        self.node = rclpy.create_node('watch')
        self.executor = make_executor()
        self.executor.add_node(self.node)
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_publisher(String, '/robot_description', latched).publish(String(data=text))
        self.publisher = self.node.create_publisher(JointSetpoint, '/hod/setpoint', 10)
        self.node.create_subscription(TorqueFeedforward, '/hod/feedforward', self._on_answer, 100)
        self.node.create_subscription(Float64MultiArray, '/hod/commands', self._on_command, 100)
        self.answers = 0
        self.answered = time.perf_counter()     # when the last one came
        self.silence = 0.0                      # [s] the longest
        self.standstill = 0.0                   # [s] the longest in which this process, of the highest priority, did not run
        self.command = None

    def _on_answer(self, message):
        now = time.perf_counter()
        self.silence = max(self.silence, now - self.answered)
        self.answers += 1
        self.answered = now

    def _on_command(self, message):
        self.command = np.array(message.data)

    def spin(self, seconds, until=lambda: False):
        now = time.perf_counter()
        end = now + seconds
        while now < end and not until():
            self.executor.spin_once(timeout_sec=min(end - now, TURN))
            before, now = now, time.perf_counter()
            self.standstill = max(self.standstill, now - before - TURN)
        return until()

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()


@contextmanager
def process(command, **options):
    """One that is gone afterwards."""
    started = at_ordinary_priority(lambda: subprocess.Popen(command, cwd=ROOT, **options))
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        for stream in filter(None, (started.stdin, started.stdout)):
            stream.close()


def trial(watch, planners, burners, priority, seconds, number):
    """What happened, as figures."""
    watch.command, watch.answers = None, 0
    node_command = [
        sys.executable, '-c', NODE, '--ros-args', '-p', f'realtime_priority:={priority}', '-p', 'publish_commands:=true']
    with ExitStack() as stack:
        errors = stack.enter_context(tempfile.TemporaryFile('w+'))
        node = stack.enter_context(process(node_command, stdout=subprocess.DEVNULL, stderr=errors))
        flood = [
            stack.enter_context(process([sys.executable, '-c', PLANNER, str(k)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for k in range(planners)]
        end = time.perf_counter() + PATIENCE
        while not watch.answers and time.perf_counter() < end:
            watch.publisher.publish(setpoint(motion()))
            watch.spin(0.1)
        for planner in flood:
            wait_for_line(planner, 'ready')
        for _ in range(burners):
            stack.enter_context(process([sys.executable, '-c', BURNER]))
        before = watch.answers
        watch.answered, watch.silence = time.perf_counter(), 0.0
        for planner in flood:
            planner.stdin.write('go\n')
            planner.stdin.flush()
        watch.spin(seconds)
        silence = max(watch.silence, time.perf_counter() - watch.answered)
        watch.standstill = 0.0
        sent = time.perf_counter()
        node.send_signal(number)
        for look in LOOKS:
            if watch.spin(sent + look - time.perf_counter(), lambda: node.poll() is not None):
                break
            node.send_signal(signal.SIGUSR1)
        watch.spin(sent + 10.0 - time.perf_counter(), lambda: node.poll() is not None)
        took, code = time.perf_counter() - sent, node.poll()
        errors.seek(0)
        told = errors.read()[-10_000:]
    watch.spin(0.3)
    held = watch.command is not None and bool(np.allclose(watch.command, watch.holding, rtol=0.0, atol=1e-6))
    return {
        'planners': planners, 'burners': burners, 'priority': priority, 'seconds': seconds, 'signal': signal.Signals(number).name,
        'answers_per_s': (watch.answers - before) / seconds, 'silence_s': silence, 'end_s': took, 'standstill_s': watch.standstill,
        'exit_code': code, 'last_command': held, 'last words': told if code != 0 or took > LOOKS[0] else ''}


def fault(result):
    """What is not as it must be in a trial, or ''."""
    if result['exit_code'] is None or result['silence_s'] > SILENCE:
        return 'the node hung'
    if result['exit_code'] != 0:
        return f'exit code {result["exit_code"]}'
    if result['end_s'] > LONGEST_END:
        return f'the end took {result["end_s"]:.1f} s'
    return '' if result['last_command'] else 'the last command was not what holds the arm'


def run(trials=400, seconds=10.0, seed=0):
    """{'trials': results, 'faults': {sentence: count}}"""
    import rclpy
    random = np.random.default_rng(seed)
    heed_hangups()
    isolate()
    discover_quickly()
    rclpy.init()
    watch = Watch()
    run_in_real_time(PRIORITY + 1)
    results = []
    try:
        for number in range(trials):
            result = trial(
                watch, int(random.integers(3, 5)), int(random.integers(2, 7)), int(random.choice((0, PRIORITY))), seconds,
                SIGNALS[number % len(SIGNALS)])
            results.append(result)
            print(f'{number + 1}: {result} {fault(result) or "as it must be"}', flush=True)
    finally:
        watch.close()
        rclpy.try_shutdown()
    faults = [fault(result) for result in results]
    return {
        'trials': len(results), 'as_it_must_be': faults.count(''),
        'faults': {text: faults.count(text) for text in sorted(set(faults) - {''})},
        'largest': {key: max(result[key] for result in results) for key in ('silence_s', 'end_s', 'standstill_s')},
        'smallest': {'answers_per_s': min(result['answers_per_s'] for result in results)}, 'results': results}


def main():
    parser = argparse.ArgumentParser(prog='make floods', description=__doc__.splitlines()[0])
    parser.add_argument('--trials', type=int, default=400)
    parser.add_argument('--seconds', type=float, default=10.0)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--json', metavar='FILE', help='write the figures there')
    arguments = parser.parse_args()
    result = run(arguments.trials, arguments.seconds, arguments.seed)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(result, indent=1))
    print(json.dumps({key: value for key, value in result.items() if key != 'results'}, indent=1))
    return 0 if result['as_it_must_be'] == result['trials'] else 1


if __name__ == '__main__':
    sys.exit(main())
