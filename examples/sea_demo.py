# SPDX-License-Identifier: Apache-2.0
"""A robot with elastic joints, tracked over DDS: with all of its motor feedforward, with parts of it, and with a stiffness that is wrong.

Four processes at 1 kHz: a plant on MuJoCo in lock-step, the node `hod`, the controller, and this one, the planner, which answers each state
with a setpoint for the middle of the period that follows, over which the torque is held. The controller adds the same PD control of the
motors in all cases; config/sea_demo.yaml holds drives and gains. Beside that ideal the same is shown with the faults of a laboratory
(laboratory.py). Ends with a table and a picture, and with exit code 0 only if full feedforward tracks as much better as it must.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import TypeAlias

import numpy as np
import yaml
from demo import LATCHED
from demo import SIGNALS
from demo import Failure
from demo import Stop
from demo import claim_domain
from laboratory import Arm
from laboratory import errors
from numpy.typing import NDArray
from sine_motion import PANDA
from sine_motion import ROOT

from hod_ros import PreparedDrives
from hod_ros import RobotModel
from hod_ros import drives_from_figures
from hod_ros import inverse_dynamics

try:
    import rclpy
    from rclpy.signals import SignalHandlerOptions
    from rclpy.utilities import try_shutdown
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String

    from hod_interfaces.msg import JointSetpoint
    from hod_interfaces.msg import MotorFeedforward
    from hod_interfaces.msg import TorqueFeedforward
except ImportError as error:
    sys.exit(f'sea_demo: {error}; run `make sea-demo`, or source ROS 2 and the workspace that holds hod_interfaces')

from hod_ros.ros.process import StopRequest
from hod_ros.ros.process import make_executor

CONFIG = ROOT / 'config' / 'sea_demo.yaml'
LOGS = ROOT / 'build' / 'sea_demo'
AMPLITUDE, FREQUENCY, SHIFT = 0.4, 4.0, 0.7         # q = 0.4 sin(4 t + 0.7 i): [rad], [rad/s], [rad]
PATIENCE = 30.0                                     # [s] longest wait for the next state
SECOND = 1_000_000_000                              # [ns]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    name: str
    feedforward: str            # 'full', from the node; 'efforts', 'differences', 'rigid' or 'none', made here in its place
    stiffness: float = 1.0      # factor of the stiffness that the node believes
    lock_step: bool = True


CASES = (
    Case('full feedforward', 'full'),
    Case("Q alone, without Q', Q''", 'efforts'),
    Case('rigid feedforward', 'rigid'),
    Case('PD alone', 'none'),
    Case('full, stiffness +10 %', 'full', 1.1),
    Case('full, stiffness -10 %', 'full', 0.9),
    Case('full, stiffness +30 %', 'full', 1.3),
    Case('full, stiffness -30 %', 'full', 0.7),
    Case('full, plant free-running', 'full', lock_step=False),
    Case('Q, differenced', 'differences'),
)
FULL, EFFORTS, RIGID, _, STIFFER, SOFTER = (case.name for case in CASES[:6])


def motion(times: Array, n: int) -> Array:
    """q (samples, 5, n) and its derivatives at times (samples,) [s]."""
    phase = FREQUENCY * times[:, None] + SHIFT * np.arange(n)
    return np.stack([AMPLITUDE * FREQUENCY ** k * np.sin(phase + k * np.pi / 2) for k in range(5)], axis=1)


class Robot:
    """What the configuration says of the arm, its drives and the control period."""

    def __init__(self) -> None:
        self.description = PANDA.read_text()
        self.model = RobotModel.from_urdf(self.description)
        parameters = yaml.safe_load(CONFIG.read_text())
        self.figures: dict[str, dict[str, Any]] = parameters['/**']['ros__parameters']['elastic']
        self.drives = drives_from_figures(self.figures)
        self.stiffness = np.array([self.figures[name]['stiffness'] for name in self.model.joint_names], float)
        self.rotor = np.array([self.drives[name].motor_inertia for name in self.model.joint_names])
        self.period: float = parameters['/**/hod_elastic_plant']['ros__parameters']['period']


class Planner:
    """Answers every state of the plant with the next setpoint, and keeps the tracking errors."""

    def __init__(self, robot: Robot, case: Case, periods: int) -> None:
        self._robot, self._case, self._periods = robot, case, periods
        self._names = list(robot.model.joint_names)
        times = np.arange(periods, dtype=np.float64) * robot.period
        self._wanted = motion(times, robot.model.n)[:, 0]
        self._nanoseconds = round(robot.period * SECOND)
        # A free-running controller does not wait: it answers a state with the setpoint that the state before it brought about.
        self._lead = self._nanoseconds // 2 + (0 if case.lock_step else self._nanoseconds)
        self._setpoints = motion(times + self._lead / SECOND, robot.model.n)
        self.errors = np.full((periods, robot.model.n), np.nan)     # [rad]
        self.delays: list[float] = []                               # [s] from a state to the torques that answer it, as seen here
        earlier = motion(self._lead / SECOND - robot.period * np.arange(1, 3, dtype=np.float64), robot.model.n)
        self._before = [inverse_dynamics(robot.model, q[:3])[0] for q in earlier]       # Q of the last two setpoints
        self.done = False
        self._last: int | None = None                               # index of the latest state
        self._came: tuple[Any, float] = None, 0.0                   # stamp of the latest state of the motors, and when it came
        self.node = rclpy.create_node('planner')
        self._executor = make_executor()
        self._executor.add_node(self.node)
        node = self.node
        self._description = node.create_publisher(String, 'robot_description', LATCHED)
        self._description.publish(String(data=robot.description))
        self._publisher = node.create_publisher(JointSetpoint, 'hod/setpoint', 10)
        node.create_subscription(JointState, 'joint_states', self._on_state, 10)
        if case.feedforward != 'full':
            self._reference = node.create_publisher(MotorFeedforward, 'planner/motor_feedforward', 10)
            node.create_subscription(TorqueFeedforward, 'hod/feedforward', self._on_feedforward, 10)
        if not case.lock_step:
            node.create_subscription(JointState, 'motor_states', self._on_motor_state, 10)
            node.create_subscription(JointState, 'motor_torques', self._on_torques, 10)

    def run(self, stop: StopRequest) -> None:
        heard = time.monotonic()
        last = None
        while not self.done:
            self._executor.spin_once(timeout_sec=0.2)
            if stop.made:
                raise Stop
            if self._last != last:
                last, heard = self._last, time.monotonic()
            elif time.monotonic() - heard > PATIENCE:
                raise Failure(f'{self._case.name}: nothing moved for {PATIENCE:g} s; see the logs in {LOGS}')

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()

    def _on_state(self, message: JointState) -> None:
        stamp = message.header.stamp.sec * SECOND + message.header.stamp.nanosec
        index = stamp // self._nanoseconds
        self._last = index
        if index >= self._periods:
            self.done = True
            return
        self.errors[index] = np.asarray(message.position) - self._wanted[index]
        q = self._setpoints[index]
        setpoint = JointSetpoint(
            joint_names=self._names, positions=array('d', q[0]), velocities=array('d', q[1]), accelerations=array('d', q[2]),
            jerks=array('d', q[3]), snaps=array('d', q[4]))
        setpoint.header.stamp.sec, setpoint.header.stamp.nanosec = divmod(stamp + self._lead, SECOND)
        self._publisher.publish(setpoint)

    def _on_feedforward(self, message: TorqueFeedforward) -> None:
        """What a controller that knows less than the node would get."""
        stamp = message.header.stamp.sec * SECOND + message.header.stamp.nanosec
        q, Q = self._setpoints[(stamp - self._lead) // self._nanoseconds], np.asarray(message.efforts)
        K, B = self._robot.stiffness, self._robot.rotor
        theta, rate, tau = q[0], q[1], Q + B * q[2]
        if self._case.feedforward == 'efforts':
            theta = q[0] + Q / K
        elif self._case.feedforward == 'differences':
            (one, two), h = self._before, self._robot.period
            theta, rate = q[0] + Q / K, q[1] + (Q - one) / h / K
            tau = Q + B * (q[2] + (Q - 2 * one + two) / h**2 / K)
        elif self._case.feedforward == 'none':
            tau = 0.0 * Q
        self._before = [Q, *self._before][:2]
        self._reference.publish(MotorFeedforward(
            header=message.header, motor_names=message.joint_names, positions=array('d', theta), velocities=array('d', rate),
            accelerations=array('d', q[2]), efforts=array('d', tau)))

    def _on_motor_state(self, message: JointState) -> None:
        self._came = message.header.stamp, time.perf_counter()

    def _on_torques(self, message: JointState) -> None:
        stamp, came = self._came
        if message.header.stamp == stamp:
            self.delays.append(time.perf_counter() - came)


@contextmanager
def process(name: str, module: str, *arguments: str) -> Iterator[None]:
    """A node as a process of its own, its output in a file; ended by SIGTERM, which it heeds in the background of a shell too."""
    log = LOGS / f'{name}.log'
    command = [sys.executable, '-m', module, '--ros-args', '--params-file', str(CONFIG), *arguments]
    with log.open('a') as output:
        running = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            yield
        finally:
            running.terminate()
            try:
                code = running.wait(10.0)
            except subprocess.TimeoutExpired:
                running.kill()
                code = running.wait()
    if code != 0:
        raise Failure(f'{name} ended with exit code {code}; see {log}')


def parameters_file(folder: str, node: str, values: Mapping[str, Any]) -> tuple[str, str]:
    path = Path(folder) / f'{node}.yaml'
    path.write_text(yaml.safe_dump({f'/{node}': {'ros__parameters': values}}))
    return '--params-file', str(path)


def track(robot: Robot, case: Case, duration: float, stop: StopRequest) -> tuple[Array, list[float]]:
    """(errors (periods, n) [rad], delays [s]) of one case."""
    start = motion(np.zeros(1), robot.model.n)[0]
    motors = PreparedDrives(robot.model, robot.drives).motor_feedforward(start)
    initial = {
        'lock_step': case.lock_step, 'realtime_priority': 0 if case.lock_step else 20,
        'initial_positions': start[0].tolist(), 'initial_velocities': start[1].tolist(),
        'initial_motor_positions': motors.positions.tolist(), 'initial_motor_velocities': motors.velocities.tolist(),
        'initial_motor_torques': motors.efforts.tolist()}
    believed = {'elastic': {
        joint: figures | {'stiffness': case.stiffness * figures['stiffness']} for joint, figures in robot.figures.items()}}
    source = 'hod' if case.feedforward == 'full' else 'planner'
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(process('plant', 'hod_ros.ros.nodes.hod_elastic_plant', *parameters_file(folder, 'hod_elastic_plant', initial)))
        stack.enter_context(process('hod', 'hod_ros.ros.process', *parameters_file(folder, 'hod', believed)))
        stack.enter_context(process(
            'controller', 'hod_ros.ros.nodes.hod_elastic_controller', '-p', f'synchronous:={str(case.lock_step).lower()}',
            '-r', f'motor_feedforward:={source}/motor_feedforward'))
        planner = Planner(robot, case, round(duration / robot.period))
        stack.callback(planner.close)
        planner.run(stop)
    return planner.errors, planner.delays


def rms(errors: Array) -> float:
    return float(np.sqrt(np.nanmean(errors ** 2)))


def verdict(results: Mapping[str, Array]) -> list[tuple[str, bool, str]]:
    """Whether the figures hold: sentences with the ratio and the least that it must be."""
    full, efforts, rigid = (rms(results[name]) for name in (FULL, EFFORTS, RIGID))
    wrong = max(rms(results[STIFFER]), rms(results[SOFTER]))
    return [
        (f'full feedforward is {efforts / full:.0f} times better than Q alone', efforts / full >= 10, 'at least 10'),
        (f'full feedforward is {rigid / full:.0f} times better than rigid feedforward', rigid / full >= 100, 'at least 100'),
        (f'with a stiffness wrong by 10 % it is {rigid / wrong:.1f} times better than rigid feedforward', rigid / wrong >= 3, 'at least 3'),
    ]


def draw(robot: Robot, results: Mapping[str, Array], laboratory: Mapping[str, float], path: Path) -> None:
    from hod_ros.pictures import style
    rows = 2 if laboratory else 1
    figure, axes = style.subplots(rows, 1, (style.WIDTH, 4 if rows == 1 else 6.4), height_ratios=(5, 3)[:rows])
    above = axes[0, 0]
    above.set_prop_cycle(style.line_styles())
    for name, deviations in results.items():
        times = np.arange(len(deviations)) * robot.period
        above.semilogy(times, 1e3 * np.maximum(np.abs(deviations).max(axis=1), 1e-9), linewidth=1.0, label=name)
    above.set(xlabel='t [s]', ylabel='largest joint error [mrad]')
    above.set_title('Over DDS at 1 kHz, with a model that is exact but for what is named', loc='left', fontsize=style.TITLE)
    above.yaxis.set_major_formatter('{x:g}')
    above.grid(alpha=0.25)
    above.legend(frameon=False, fontsize=style.TYPE, loc='center left', bbox_to_anchor=(1, 0.5))
    if laboratory:
        beside = axes[1, 0]
        beside.barh(list(laboratory), [1e3 * error for error in laboratory.values()], height=0.5, color='#B8D4EA', edgecolor='black')
        beside.set(xscale='log', xlabel='rms joint error [mrad]')
        beside.xaxis.set_major_formatter('{x:g}')
        beside.invert_yaxis()
        beside.set_title('With the faults of a laboratory', loc='left', fontsize=style.TITLE)
        beside.grid(axis='x', alpha=0.25)
    path.parent.mkdir(parents=True, exist_ok=True)
    style.save(figure, path)


def laboratory_errors(robot: Robot, stop: StopRequest) -> dict[str, float]:
    """What the same is worth where the model is wrong, in this process."""
    print('\nWith the faults of a laboratory (stiffness +-10 %, inertias +-5 %, 0.2 kg of payload, friction, torque ripple, encoders, one\n'
          'period of delay, lag; PD of 15 Hz: examples/laboratory.py):\n')
    results: dict[str, float] = {}
    for kind, error in errors(Arm(robot.model)):
        results[kind] = error
        print(f'  {kind:38}{error:10.1e}', flush=True)
        if stop.made:
            raise Stop
    print("\nSo what limits a real arm is its stiffness and its friction: identify them, then Q' and Q'' are worth something.")
    return results


def run(duration: float, picture: Path, cases: Sequence[Case], stop: StopRequest) -> int:
    robot = Robot()
    domain = claim_domain()
    os.environ |= {'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    LOGS.mkdir(parents=True, exist_ok=True)
    for log in LOGS.glob('*.log'):
        log.unlink()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    print(f'Robot {robot.model.name}, {robot.model.n} elastic joints, {duration:g} s of motion in each case. To watch it:')
    print(f'  export ROS_DOMAIN_ID={domain} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST\n')
    print('  errors of the joints [rad]       rms    largest')
    results: dict[str, Array] = {}
    for case in cases:
        began = time.monotonic()
        deviations, delays = track(robot, case, duration, stop)
        results[case.name] = deviations
        took = time.monotonic() - began
        more = ''
        if not case.lock_step:
            p50, p99 = np.percentile(delays, (50, 99)) * 1e3 if delays else (np.nan, np.nan)
            missing = int(np.isnan(deviations[:, 0]).sum())
            more = f'   torques come {p50:.2f} ms (p50), {p99:.2f} ms (p99) after their state; {missing} states not seen'
        print(f'  {case.name:26}{rms(deviations):10.1e}{np.nanmax(np.abs(deviations)):11.1e}   {took:5.1f} s{more}', flush=True)
    draw(robot, results, laboratory_errors(robot, stop) if cases == CASES else {}, picture)
    print(f'\nPicture: {picture}')
    if not results.keys() >= {FULL, EFFORTS, RIGID, STIFFER, SOFTER}:
        return 0
    print()
    figures = verdict(results)
    for text, holds, least in figures:
        print(f'  {"holds" if holds else "FAILS"}: {text} ({least})')
    return 0 if all(holds for _, holds, _ in figures) else 1


def main() -> int:
    stop = StopRequest(SIGNALS)
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--duration', type=float, default=3.0, help='of the motion in each case [s]')
    parser.add_argument('--picture', type=Path, default=LOGS / 'tracking.png', help='file to draw')
    parser.add_argument('--cases', type=int, nargs='*', help='only those with these numbers; judged where 0 1 2 4 5 are among them')
    arguments = parser.parse_args()
    cases = CASES if arguments.cases is None else tuple(CASES[i] for i in arguments.cases)
    try:
        return run(arguments.duration, arguments.picture, cases, stop)
    except Stop:
        print('\nStopped.')
        return 0
    except Failure as failure:
        print(f'\nsea_demo: {failure}', file=sys.stderr)
        return 1
    finally:
        try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
