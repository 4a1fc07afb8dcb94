# SPDX-License-Identifier: Apache-2.0
"""Faults at random instants of an arm that moves under the node's commands: no command jumps or exceeds its limit, the arm is held.

Usage: python -m bench.guards [--times 100 | --minutes 25] [--arms 2] [--seed 1] [--faults jump,timeout,...] [--kill] [--json FILE]

One arm and one node take all faults, one after another, each with its way back to an arm that moves. Only what says nothing, because
this process was held up meanwhile, and what failed is followed by a new beginning. Several arms work side by side, each with its node.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.guarded_arm import HOME
from bench.guarded_arm import PARAMETERS
from bench.guarded_arm import PERIOD
from bench.guarded_arm import GuardedArm
from bench.ros_peers import ROOT
from bench.ros_peers import discover_quickly
from bench.ros_peers import heed_hangups
from bench.ros_peers import isolate
from hod_ros.ros.scheduling import run_in_real_time

HEAVIER = '<mass value="1'      # in place of '<mass value="'
FOLLOWING = 1.0                 # [s] after a fault in spite of which the arm goes on
EFFECT = 0.4                    # [s] at least after one that stops it
SETTLING = 2.5                  # [s] at most until it is at rest
REST = 0.15                     # [s] at rest that is no turning point
AT_REST = 0.05                  # [rad/s]
STANDING = 0.01                 # [rad/s] at which a planner takes a robot as standing
ROUNDING = 1e-6
LONGEST_END = 5.0               # [s] of a node, from its signal
PATIENCE = 60.0                 # [s] for what must come: a node that starts on a busy machine takes long
ATTEMPTS = 5                    # at a trial, where the machine stands still
USUAL = {
    'gravity': [0.0, 0.0, -9.81], 'payload.link': '', 'payload.mass': 0.0, 'joint_friction': True,
    'limits.panda_joint1.effort_rate': PARAMETERS['limits.panda_joint1.effort_rate']}
MANY = 10**6
TRANSITIONS = {'configure': 1, 'cleanup': 2, 'activate': 3, 'deactivate': 4}


def parameter(name, value):
    from rclpy.parameter import Parameter
    return Parameter(name, value=value).to_parameter_msg()


class Trials:
    """Injects faults, one a trial, judges what became of commands and arm, and leads back to an arm that moves."""

    def __init__(self, arm, restart=None):
        from lifecycle_msgs.srv import ChangeState
        from lifecycle_msgs.srv import GetState
        from rcl_interfaces.srv import SetParameters
        from std_srvs.srv import Trigger

        from hod_interfaces.msg import JointSetpoint
        from hod_interfaces.srv import SetPayload
        self.arm, self.restart = arm, restart
        node = arm.node
        self._types = {
            'reset': Trigger, 'set_parameters': SetParameters, 'set_payload': SetPayload, 'change_state': ChangeState,
            'get_state': GetState}
        self._clients = {name: node.create_client(kind, f'/hod/{name}') for name, kind in self._types.items()}
        self.usual = [parameter(name, value) for name, value in USUAL.items()]
        self._other = node.create_publisher(JointSetpoint, '/hod/setpoint', 100)

    # Services, while real time goes on

    def call(self, name, **fields):
        client = self._clients[name]
        if not self.arm.run(PATIENCE, client.service_is_ready):
            raise RuntimeError(f'{name} is not offered')
        future = client.call_async(self._types[name].Request(**fields))
        if not self.arm.run(PATIENCE, future.done):
            raise RuntimeError(f'{name} did not answer')
        return future.result()

    def cast(self, name, **fields):
        """Without waiting for an answer."""
        self._clients[name].call_async(self._types[name].Request(**fields))

    def change(self, name, value):
        self.cast('set_parameters', parameters=[parameter(name, value)])

    def transition(self, name):
        from lifecycle_msgs.msg import Transition
        return self.call('change_state', transition=Transition(id=TRANSITIONS[name])).success

    # A trial

    def begin(self, rng):
        """A robot that moves from HOME under commands, for a random time."""
        self.anew()
        self.drive(1.0 + 1.5 * rng.random())

    def anew(self):
        """The robot at HOME, moved there by hand, and about to move."""
        arm = self.arm
        arm.planning_since = None
        arm.measuring, arm.corrupt = True, None
        arm.run(0.2)
        self.restore()
        arm.place(HOME)
        arm.run(0.4)                # until it is measured there
        self.reset()
        self.move()

    def drive(self, seconds):
        """It moves under commands, for so long, and then follows its planner."""
        arm = self.arm
        arm.commands.clear()
        arm.run(seconds)
        if not arm.run(PATIENCE, lambda: len(arm.commands) >= 50 and arm.error < 0.1):
            raise RuntimeError(f'the arm is not commanded, or does not follow: fault {arm.fault!r}, error {arm.error:.3g}')

    def undisturbed(self, name, rng):
        """A trial; one that fails where this process was held up, which is arm, planner and clock at once, says nothing and is repeated."""
        for _ in range(ATTEMPTS):
            try:
                figures = self.trial(name, rng)
            except RuntimeError as error:
                figures = {'step': 0.0, 'effort': 0.0, 'held': False, 'within': False, 'back': False, 'error': str(error)}
            if good(figures):
                break
            disturbed = self.arm.stood_still
            self.after_all()
            if not disturbed:
                break
        return figures

    def after_all(self):
        """Anew, though it takes several attempts on a machine that has much to do."""
        for _ in range(ATTEMPTS):
            try:
                return self.anew()
            except RuntimeError as error:
                reason = error
        raise reason

    def trial(self, name, rng):
        """{figure: value} of one fault at a random instant of an arm that moves, as it does afterwards."""
        arm = self.arm
        arm.stood_still = False
        self.drive(0.3 + 0.7 * rng.random())
        error = arm.error
        follows = getattr(self, name)(rng)
        if follows:
            arm.run(FOLLOWING)
        else:
            self.stop()
        step, effort = arm.judge()
        held = arm.error < 0.1 if follows else arm.slower_than(AT_REST)
        return {
            'step': step, 'effort': effort, 'held': held, 'within': arm.within_limits, 'fault': arm.fault, 'follows': follows,
            'error [rad] or [rad/s]': arm.error if follows else float(np.abs(arm.plant.velocities).max()), 'error before': error,
            'back': self.back(name, follows)}

    def stop(self):
        """Until the arm is at rest. A planner that hears of a fault sends no more."""
        self.arm.run(EFFECT)
        self.settle(AT_REST)

    def settle(self, speed):
        """Until no joint has been faster than this [rad/s] for a while, or SETTLING has gone by."""
        arm, since = self.arm, None

        def rests():
            nonlocal since
            if arm.fault:
                arm.planner = None
            now = time.monotonic()
            since = (since or now) if arm.slower_than(speed) else None
            return since is not None and now - since > REST

        arm.run(SETTLING, rests)

    # The ways back

    def back(self, name, follows):
        """Whether the arm moves again as it is wanted to: after what docs/bringup.md says that starts it again."""
        arm = self.arm
        if arm.corrupt is not None:
            arm.corrupt = None
            arm.run(0.4)            # until a second jump, to what is right, is believed
        try:
            if name in CHANGES:
                self.restore()
            elif name == 'deactivation':
                self.transition('activate')
            elif name == 'signal':
                self.wait_for_activity()
                if not arm.within_limits:       # nothing held it for as long as a node takes to start
                    self.anew()
                    return True
            elif follows:
                return True
            arm.planner = None
            self.reset()
            self.move()
            return True
        except RuntimeError as error:
            print(f'{name}: no way back: {error}', flush=True)
            return False

    def restore(self):
        """Everything is as at first, from the next activation on, which is this one."""
        arm = self.arm
        arm.describe()
        self.transition('deactivate')
        arm.planner = None
        self.call('set_parameters', parameters=self.usual)
        arm.run(0.3)                # until the description is loaded
        if not self.transition('activate'):
            self.wait_for_activity()

    def wait_for_activity(self):
        end = time.monotonic() + PATIENCE
        while self.call('get_state').current_state.label != 'active':
            if time.monotonic() > end:
                raise RuntimeError('the node does not become active')
            self.arm.run(0.05)

    def reset(self):
        end = time.monotonic() + PATIENCE
        while not self.call('reset').success:
            if time.monotonic() > end:
                raise RuntimeError(f'the fault remains: {self.arm.fault}')
            self.arm.run(0.05)

    def move(self):
        """The planner begins where the arm stands, which is commanded and follows."""
        arm = self.arm
        self.settle(STANDING)
        arm.commands.clear()
        arm.plan()
        if not arm.run(PATIENCE, lambda: len(arm.commands) >= 50) or arm.error > 0.1 or arm.fault:
            raise RuntimeError(f'the arm is not commanded, or does not follow: fault {arm.fault!r}, error {arm.error:.3g}')

    # Faults. Each returns whether the arm is still to follow the planner.

    def description(self, rng):
        self.arm.describe(self.arm.text.replace('<mass value="', HEAVIER))
        return True

    def payload(self, rng):
        self.cast('set_payload', link='panda_link7', mass=5.0, center=[0.0, 0.0, 0.1])
        return True

    def gravity(self, rng):
        self.change('gravity', [0.0, 9.81, 0.0])
        return True

    def friction(self, rng):
        self.change('joint_friction', False)
        return True

    def limit(self, rng):
        self.change('limits.panda_joint1.effort_rate', 100.0)
        return True

    def jump(self, rng):
        q = self.arm.desired
        q[0] += rng.uniform(-1, 1, 7) * 0.8
        self.arm.publish(q)
        return False

    def jump_that_stays(self, rng):
        self.arm.displaced = 0.4
        return False

    def wild_efforts(self, rng):
        """Accelerations that need more than any motor has."""
        q = self.arm.desired
        q[2] += rng.uniform(-1, 1, 7) * 500.0
        for _ in range(5):
            self.arm.publish(q)
        return True

    def second_planner(self, rng):
        arm, offset, began = self.arm, rng.uniform(-0.5, 0.5, 7), time.monotonic()

        def both():
            arm._plan()
            q = arm.desired
            q[0] += offset
            if time.monotonic() - began < 1.0:
                arm.publish(q, self._other)

        arm.planner = both
        return True

    def timeout(self, rng):
        self.arm.planner = None
        return False

    def short_gap(self, rng):
        self.arm.planner = None
        self.arm.run(0.05)
        self.arm.planner = self.arm._plan
        return True

    def joint_states_stop(self, rng):
        """And then the planner: nothing is measured by which to brake at first."""
        arm = self.arm
        arm.measuring = False
        arm.run(0.3)
        arm.planner = None
        arm.run(0.3)
        arm.measuring = True
        return False

    def joint_states_jump(self, rng):
        def corrupt(message):
            message.position[3] += 1.0
        self.arm.corrupt = corrupt
        return False

    def joint_states_nan(self, rng):
        def corrupt(message):
            message.velocity[2] = np.nan
        self.arm.corrupt = corrupt
        self.arm.run(0.3)
        self.arm.planner = None
        self.arm.run(0.3)
        self.arm.corrupt = None
        return False

    def backlog(self, rng):
        """The network is out: half a second of setpoints arrives at once, with their own stamps."""
        arm, waiting = self.arm, []
        arm.planner = lambda: waiting.append((arm.desired, time.time_ns()))
        arm.run(0.5)
        arm.planner = None
        for q, stamp in waiting:
            arm.publish(q, stamp=stamp)
        return False

    def position_limit(self, rng):
        q = self.arm.desired
        q[0, 3] = 0.5
        self.arm.publish(q)
        return False

    def velocity_limit(self, rng):
        q = self.arm.desired
        q[1, rng.integers(7)] = 4.0
        self.arm.publish(q)
        return False

    def not_finite(self, rng):
        arm = self.arm

        def broken():
            q = arm.desired
            q[2, 1] = np.nan
            arm.publish(q)

        arm.planner = broken
        return False

    def push(self, rng):
        """Somebody pushes the arm beyond its speed."""
        arm = self.arm
        arm.plant.set_state(arm.plant.positions, arm.plant.velocities + 5.0 * np.eye(7)[0])
        return False

    def deactivation(self, rng):
        self.cast('change_state', transition=_transition('deactivate'))
        self.arm.planner = None
        return False

    def signal(self, rng):
        """The node is ended, and started again."""
        self.restart(self.arm, int(rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])))
        return False


FAULTS = (
    'description', 'payload', 'gravity', 'friction', 'limit', 'jump', 'jump_that_stays', 'wild_efforts', 'second_planner', 'timeout',
    'short_gap', 'joint_states_stop', 'joint_states_jump', 'joint_states_nan', 'backlog', 'position_limit', 'velocity_limit', 'not_finite',
    'push', 'deactivation', 'signal')
CHANGES = ('description', 'payload', 'gravity', 'friction', 'limit')        # which wait for the next activation


def _transition(name):
    from lifecycle_msgs.msg import Transition
    return Transition(id=TRANSITIONS[name])


class Node:
    """hod_node as a process that can be ended in the middle of a run."""

    def __init__(self):
        self._options = [part for name, value in PARAMETERS.items() for part in ('-p', f'{name}:={str(value).lower()}')]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'hod_ros.ros.process', '--ros-args', *self._options], cwd=ROOT, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, 'ROS_PYTHON_CHECK_FIELDS': '0'})

    def end(self, arm, number):
        """By a signal; then another process takes its place."""
        self.process.send_signal(number)
        arm.planner = None
        ended = arm.run(LONGEST_END, lambda: self.process.poll() is not None)
        self.process.kill()
        self.process.wait()
        self.start()
        if not ended:
            raise RuntimeError(f'the node did not end within {LONGEST_END:g} s of {signal.Signals(number).name}')

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)


@contextmanager
def guarded_arm(commands='/hod/commands'):
    """(GuardedArm, Node) over DDS; commands: the topic that the arm's controller hears."""
    import rclpy

    from hod_ros.ros.process import make_executor
    heed_hangups()
    isolate()
    discover_quickly()
    rclpy.init()
    node, executor, process = rclpy.create_node('guarded_arm'), make_executor(), Node()
    executor.add_node(node)
    try:
        yield GuardedArm(node, executor, commands), process
    finally:
        process.stop()
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()


def good(figures):
    return max(figures['step'], figures['effort']) <= 1 + ROUNDING and figures['held'] and figures['within'] and figures['back']


def run(times=1, seed=1, faults=FAULTS, minutes=None):
    """{fault: figures of its trials}: `times` of each, or as many as can be within so many minutes."""
    rng = np.random.default_rng(seed)
    run_in_real_time(20)
    results = {name: [] for name in faults}
    end = time.monotonic() + (np.inf if minutes is None else 60.0 * minutes)
    with guarded_arm() as (arm, process):
        trials = Trials(arm, process.end)
        trials.after_all()
        for name in (name for _ in range(times) for name in rng.permutation(faults)):
            if time.monotonic() > end:
                break
            results[name].append(trials.undisturbed(name, rng))
            if not good(results[name][-1]):
                print(f'{name}, trial {len(results[name])}: {results[name][-1]}', flush=True)
    return results


def side_by_side(arms, times, minutes, seed, faults):
    """The same by several processes, each with its arm and node."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f'{arm}.json' for arm in range(arms)]
        shares = [times // arms + (arm < times % arms) for arm in range(arms)]
        started = [subprocess.Popen([
            sys.executable, '-m', 'bench.guards', '--trials-to', str(file), '--times', str(share), '--seed', str(1000 * seed + arm),
            '--faults', ','.join(faults), *(['--minutes', str(minutes)] if minutes is not None else [])], cwd=ROOT)
            for arm, (file, share) in enumerate(zip(files, shares, strict=True))]
        for process in started:
            if process.wait():
                raise RuntimeError('an arm ended with an error')
        parts = [json.loads(file.read_text()) for file in files]
    return {name: [row for part in parts for row in part[name]] for name in faults}


def summary(results):
    """Figures of all trials of each fault."""
    return {
        name: {key: max((row[key] for row in rows), default=0.0) for key in ('step', 'effort')}
        | {key: sum(row[key] for row in rows) for key in ('held', 'within', 'back')} | {'trials': len(rows)}
        for name, rows in results.items()}


def show(figures):
    print(f'Faults at random instants of an arm in motion, every {1e3 * PERIOD:g} ms a setpoint; worst step in what its rate allows, worst '
          'effort in its limit (both at most 1), and how often the arm was held or followed, and led back to its motion')
    for name, row in figures.items():
        counts = '  '.join(f'{text} {row[key]}/{row["trials"]}' for key, text in (
            ('held', 'held'), ('within', 'within limits'), ('back', 'back')))
        print(f'{name:18} step {row["step"]:.3f}  effort {row["effort"]:.3f}  {counts}')
    trials = sum(row['trials'] for row in figures.values())
    right = all(
        max(row['step'], row['effort']) <= 1 + ROUNDING and row['held'] == row['within'] == row['back'] == row['trials']
        for row in figures.values())
    print(f'{trials} trials of {len(figures)} faults, at least {min(row["trials"] for row in figures.values())} of each: '
          f'{"as it must be" if right else "not as it must be"}')


def kill(watched):
    """What becomes of an arm in motion whose node is killed: commands that still come, how far it moves and how fast it is afterwards.

    watched: whether a watchdog stands between node and controller.
    """
    run_in_real_time(20)
    watchdog = None
    with guarded_arm('/safe_commands' if watched else '/hod/commands') as (arm, process):
        try:
            arm.describe()
            if watched:
                watchdog = subprocess.Popen([
                    sys.executable, str(ROOT / 'examples' / 'command_watchdog.py'), '--ros-args', '-r', 'commands:=/hod/commands',
                    '-p', f'joints:={arm.names}', '-p', f'damping:={[30.0] * 4 + [0.3] * 3}'])
                node = arm.node
                if not arm.run(PATIENCE, lambda: node.count_publishers('/safe_commands') and node.count_subscribers('/hod/commands')):
                    raise RuntimeError('the watchdog does not come up')
            Trials(arm).begin(np.random.default_rng(1))
            process.process.kill()
            process.process.wait()
            arm.planner = None
            arm.run(0.1)
            place = np.array(arm.plant.positions)
            arm.commands.clear()
            arm.run(0.8)
            return {
                'commands': len(arm.commands), 'moved': float(np.abs(arm.plant.positions - place).max()),
                'speed': float(np.abs(arm.plant.velocities).max())}
        finally:
            if watchdog is not None:
                watchdog.send_signal(signal.SIGINT)
                watchdog.wait(10.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--times', type=int, help='trials of each fault; 1, or as many as can be where --minutes is given')
    parser.add_argument('--minutes', type=float, help='no trial begins later')
    parser.add_argument('--arms', type=int, default=1, help='that work side by side')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--faults', type=lambda text: tuple(text.split(',')), default=FAULTS)
    parser.add_argument('--json', metavar='FILE', help='write the figures there')
    parser.add_argument('--trials-to', metavar='FILE', help=argparse.SUPPRESS)
    parser.add_argument('--kill', action='store_true', help='kill the node instead, with a watchdog behind it and without')
    arguments = parser.parse_args()
    times = arguments.times or (1 if arguments.minutes is None else MANY)
    if arguments.kill:
        figures = {'without': kill(False), 'watched': kill(True)}
        print(figures)
    elif arguments.trials_to:
        results = run(times, arguments.seed, arguments.faults, arguments.minutes)
        Path(arguments.trials_to).write_text(json.dumps(results, default=bool))
        return
    else:
        results = side_by_side(arguments.arms, times, arguments.minutes, arguments.seed, arguments.faults) if arguments.arms > 1 else run(
            times, arguments.seed, arguments.faults, arguments.minutes)
        figures = summary(results)
        show(figures)
    if arguments.json:
        with open(arguments.json, 'w') as file:
            json.dump(figures, file, indent=1, default=bool)


if __name__ == '__main__':
    main()
