# SPDX-License-Identifier: Apache-2.0
"""The node at work: a robot, a motion and a listener around it, for some seconds; ends with a table and a picture.

The node runs as a process of its own. This process publishes the robot's description, streams setpoints of a motion at
500 Hz, receives the feedforwards and compares every one with what the library computes itself.
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from typing import Any
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from sine_motion import PANDA
from sine_motion import ROOT
from sine_motion import SineMotion

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

try:
    import rclpy
    from rclpy.qos import QoSDurabilityPolicy
    from rclpy.qos import QoSProfile
    from rclpy.signals import SignalHandlerOptions
    from rclpy.utilities import try_shutdown
    from std_msgs.msg import String

    from hod_interfaces.msg import JointSetpoint
    from hod_interfaces.msg import TorqueFeedforward
    from hod_interfaces.srv import ComputeInverseDynamics
except ImportError as error:
    sys.exit(f'demo: {error}; run `make demo`, or source ROS 2 and the workspace that holds hod_interfaces')

from hod_ros.ros.process import StopRequest
from hod_ros.ros.process import make_executor

RATE = 500.0            # [Hz]
ROWS = 5                # q to its snap, hence Q, Q' and Q''
SERVICE_ORDER = 4
PATIENCE = 30.0         # [s] longest wait for the node
TOLERANCE = 1e-12       # of an answer against the library, relative to the largest value of that order
HEADER = "  joint            q [rad]     Q [N m]     Q' [N m/s]   Q'' [N m/s^2]"
WARM_UP = 'warm-up'     # frame_id of setpoints that only find out whether answers arrive
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DEPTH = 1000            # of all queues of the stream: a machine that stands still for a second loses nothing
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


class Failure(Exception):
    """What went wrong, in a sentence."""


class Stop(Exception):
    """Ctrl-C or SIGTERM came. Raised between two callbacks: in the middle of one rclpy would make another error of it."""


class Peer:
    """The other end of the node: sends the description and setpoints, keeps the answers."""

    def __init__(self, motion: SineMotion, description: str, stop: StopRequest) -> None:
        self.motion = motion
        self._stop = stop
        self.sent: list[int] = []                           # [ns] when each setpoint left
        self.latencies: dict[int, float] = {}               # index of the setpoint -> [ms]
        self.answers: dict[int, NDArray[np.float64]] = {}   # index of the setpoint -> (3, n) Q, Q', Q''
        self.warm = False
        self.node = rclpy.create_node('demo')
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self._descriptions = self.node.create_publisher(String, 'robot_description', LATCHED)
        self._descriptions.publish(String(data=description))
        self._setpoints = self.node.create_publisher(JointSetpoint, 'hod/setpoint', DEPTH)
        self.node.create_subscription(TorqueFeedforward, 'hod/feedforward', self._on_feedforward, DEPTH)
        self._service = self.node.create_client(ComputeInverseDynamics, 'hod/compute_inverse_dynamics')

    def _on_feedforward(self, message: TorqueFeedforward) -> None:
        now = time.perf_counter_ns()
        if message.header.frame_id == WARM_UP:
            self.warm = True
            return
        index = message.header.stamp.sec * int(RATE) + round(message.header.stamp.nanosec * 1e-9 * RATE)
        self.latencies[index] = (now - self.sent[index]) * 1e-6
        rows = message.efforts + message.effort_rates + message.effort_accelerations
        self.answers[index] = np.reshape(np.asarray(rows, float), (3, -1))

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()

    def spin(self, seconds: float) -> None:
        self._executor.spin_once(timeout_sec=max(seconds, 0.0))
        if self._stop.made:
            raise Stop

    def wait_until(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Failure(f'{what} did not come within {seconds:g} s')
            self.spin(0.05)

    def send(self, index: int, frame_id: str = '') -> None:
        q = self.motion.derivatives(index / RATE, ROWS)
        setpoint = JointSetpoint(joint_names=list(self.motion.joint_names))
        setpoint.header.frame_id = frame_id
        setpoint.header.stamp.sec = index // int(RATE)
        setpoint.header.stamp.nanosec = round(index % int(RATE) / RATE * 1e9)
        setpoint.positions = array('d', q[0])
        setpoint.velocities = array('d', q[1])
        setpoint.accelerations = array('d', q[2])
        setpoint.jerks = array('d', q[3])
        setpoint.snaps = array('d', q[4])
        if frame_id != WARM_UP:
            self.sent.append(time.perf_counter_ns())
        self._setpoints.publish(setpoint)

    def connect(self) -> None:
        """Sends setpoints until one is answered: discovery is over then, in both directions."""
        end = time.monotonic() + PATIENCE
        while not self.warm:
            if time.monotonic() > end:
                raise Failure(f'the node answered no setpoint within {PATIENCE:g} s')
            self.send(0, WARM_UP)
            self.spin(0.05)
        self.spin(0.1)

    def stream(self, duration: float, show: Callable[['Peer'], None]) -> None:
        """Setpoints at RATE for `duration` seconds; show(peer) ten times a second."""
        due = shown = time.perf_counter()
        for index in range(round(duration * RATE)):
            while (left := due - time.perf_counter()) > 0:
                self.spin(left)
            self.send(index)
            now = time.perf_counter()
            due = max(due + 1.0 / RATE, now)        # after a pause of this machine no burst
            if now > shown:
                show(self)
                shown = now + 0.1
        self.wait_until(lambda: len(self.answers) == len(self.sent), PATIENCE, 'the last answer')

    def ask(self, t: float) -> NDArray[np.float64]:
        """(order + 1, n) from the service at time t of the motion."""
        q = self.motion.derivatives(t, SERVICE_ORDER + 3)
        request = ComputeInverseDynamics.Request(
            joint_names=list(self.motion.joint_names), order=SERVICE_ORDER, derivatives=array('d', q.ravel()))
        self.wait_until(self._service.service_is_ready, PATIENCE, 'the service')
        futures: list[Any] = []
        end = time.monotonic() + PATIENCE
        while not any(future.done() for future in futures):     # one may be lost where the two have only just found each other
            if time.monotonic() > end:
                raise Failure(f'the answer of the service did not come within {PATIENCE:g} s')
            futures.append(self._service.call_async(request))
            with suppress(Failure):
                self.wait_until(futures[-1].done, PATIENCE / 5, 'the answer')
        response = next(future.result() for future in futures if future.done())
        assert response is not None         # done
        if not response.success:
            raise Failure(f'the service refused: {response.message}')
        return np.reshape(np.asarray(response.efforts, float), (SERVICE_ORDER + 1, -1))


class Display:
    """The live table: redrawn in a terminal, a line each second elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()
        self._drawn = 0
        self._next_line = 0.0

    def __call__(self, peer: Peer) -> None:
        if not peer.answers:
            return
        if self._live:
            self.draw(peer)
        elif (t := len(peer.sent) / RATE) >= self._next_line:
            print(f'  {t:5.1f} s   {summary(peer)}', file=self._stream, flush=True)
            self._next_line = t + 1.0

    def draw(self, peer: Peer) -> None:
        index = max(peer.answers)
        q = peer.motion.derivatives(index / RATE, 1)[0]
        rows = [HEADER]
        for name, position, efforts in zip(peer.motion.joint_names, q, peer.answers[index].T, strict=True):
            rows.append(f'  {name:<14}{position:10.3f}{efforts[0]:12.3f}{efforts[1]:15.2f}{efforts[2]:16.1f}')
        rows += ['', f'  t = {index / RATE:.2f} s   {summary(peer)}']
        up = f'\033[{self._drawn}A' if self._live and self._drawn else ''
        clear = '\033[K' if self._live else ''
        print(up + '\n'.join(row + clear for row in rows), file=self._stream, flush=True)
        self._drawn = len(rows)


def summary(peer: Peer) -> str:
    recent = list(peer.latencies.values())[-int(RATE):]
    p50, p99 = np.percentile(recent, (50, 99))
    return f'{len(peer.sent)} setpoints, {len(peer.answers)} answers, latency {p50:.2f} ms (p50), {p99:.2f} ms (p99)'


def check(peer: Peer, model: RobotModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compares every answer with the library; returns times (samples,) and Q (samples, 3, n)."""
    lost = len(peer.sent) - len(peer.answers)
    if lost:
        raise Failure(f'{lost} of {len(peer.sent)} setpoints got no answer')
    times = np.arange(len(peer.sent)) / RATE
    answers = np.stack([peer.answers[index] for index in range(len(times))])
    compare(answers, inverse_dynamics(model, peer.motion.derivatives(times, ROWS)), 'an answer')
    return times, answers


def compare(actual: NDArray[np.float64], expected: NDArray[np.float64], what: str) -> None:
    if not np.isfinite(actual).all():
        raise Failure(f'{what} is not finite')
    scale = np.abs(expected).max(axis=(*range(expected.ndim - 2), -1), keepdims=True)
    error = (np.abs(actual - expected) / scale).max()
    if error > TOLERANCE:
        raise Failure(f'{what} differs from the library by {error:.1e} of the largest value')


def draw_picture(path: Path, motion: SineMotion, times: NDArray[np.float64], answers: NDArray[np.float64]) -> None:
    from hod_ros.pictures.rows import save_rows
    labels = ('Q [N m]', "Q' [N m/s]", "Q'' [N m/s²]")
    title = 'Joint torques and their time derivatives, as the node published them'
    save_rows(path, times, [answers], labels, [title], motion.joint_names)


def claim_domain() -> int:
    """A ROS domain that no participant on this machine uses: a demo must not talk to a robot that runs nearby."""
    for domain in random.sample(range(1, 100), 99):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', 7400 + 250 * domain + 10))
            except OSError:
                continue
        return domain
    raise Failure('all ROS domains of this machine are in use')


@contextmanager
def running_node(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The node as a process of its own, its output in a file; ended by SIGTERM, which it heeds in the background of a shell too."""
    queues = 'setpoint.subscription', 'feedforward.publisher'
    depths = [part for queue in queues for part in ('-p', f'qos_overrides./hod/{queue}.depth:={DEPTH}')]
    command = [sys.executable, '-m', 'hod_ros.ros.process', '--ros-args', *depths]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open('w') as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            yield process
        finally:
            process.terminate()
            try:
                code = process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
    if code != 0:
        raise Failure(f'the node ended with exit code {code}; see {log}')


def run(duration: float, picture: Path, stop: StopRequest) -> None:
    motion = SineMotion.from_yaml()
    description = PANDA.read_text()
    model = RobotModel.from_urdf(description)
    domain = claim_domain()
    os.environ |= {'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    print(f'Robot {model.name}, {model.n} joints; setpoints at {RATE:g} Hz for {duration:g} s. To watch it:')
    print(f'  export ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST\n')
    began = time.monotonic()
    with running_node(ROOT / 'build' / 'demo' / 'node.log'):
        peer = Peer(motion, description, stop)
        try:
            peer.connect()
            print(f'The node answered its first setpoint {time.monotonic() - began:.1f} s after its start.\n')
            display = Display()
            peer.stream(duration, display)
            display.draw(peer)
            t = len(peer.sent) / RATE
            high = peer.ask(t)
        finally:
            peer.close()
    times, answers = check(peer, model)
    compare(high, inverse_dynamics(model, motion.derivatives(t, SERVICE_ORDER + 3)), "the service's answer")
    print(f'\nOrder {SERVICE_ORDER} from the service, at t = {t:g} s:')
    for k in (3, 4):
        print(f'  Q^({k}) [N m/s^{k}]  ' + '  '.join(f'{value:10.0f}' for value in high[k]))
    print(f'\nAll {len(answers)} answers and the service agree with the library to {TOLERANCE:g} of the largest value.')
    draw_picture(picture, motion, times, answers)
    print(f'Picture: {picture}')


def main() -> int:
    stop = StopRequest(SIGNALS)
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--duration', type=float, default=12.0, help='of the motion [s]')
    parser.add_argument('--picture', type=Path, default=ROOT / 'build' / 'demo' / 'demo.png', help='file to draw')
    arguments = parser.parse_args()
    try:
        run(arguments.duration, arguments.picture, stop)
    except Stop:
        print('\nStopped.')
    except Failure as failure:
        print(f'\ndemo: {failure}', file=sys.stderr)
        return 1
    finally:
        try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
