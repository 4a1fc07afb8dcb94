# SPDX-License-Identifier: Apache-2.0
"""Faults at random instants of an arm that moves under the node's commands: no command jumps or exceeds its limit, the arm is held.

Usage: python -m bench.guards [--times 100] [--seed 1] [--faults jump,timeout,...] [--kill] [--json FILE]
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np

from bench.guarded_arm import HOME
from bench.guarded_arm import PARAMETERS
from bench.guarded_arm import PERIOD
from bench.guarded_arm import GuardedArm
from bench.ros_peers import ROOT
from bench.ros_peers import isolate
from hod_ros.ros.scheduling import run_in_real_time

HEAVIER = '<mass value="1'      # in place of '<mass value="'
SETTLING = 2.0                  # [s] after a fault, until the arm is at rest or follows
ROUNDING = 1e-6
PATIENCE = 10.0                 # [s]
ATTEMPTS = 5                    # at a trial, where the machine stands still
USUAL = {
    'gravity': [0.0, 0.0, -9.81], 'payload.link': '', 'payload.mass': 0.0, 'joint_friction': True,
    'limits.panda_joint1.effort_rate': PARAMETERS['limits.panda_joint1.effort_rate']}
TRANSITIONS = {'configure': 1, 'cleanup': 2, 'activate': 3, 'deactivate': 4}


def parameter(name, value):
    from rclpy.parameter import Parameter
    return Parameter(name, value=value).to_parameter_msg()


class Trials:
    """Injects faults, one a trial, and judges what became of commands and arm."""

    def __init__(self, arm, restart=None):
        from lifecycle_msgs.srv import ChangeState
        from rcl_interfaces.srv import SetParameters
        from std_srvs.srv import Trigger

        from hod_interfaces.msg import JointSetpoint
        from hod_interfaces.srv import SetPayload
        self.arm, self.restart = arm, restart
        node = arm.node
        self._types = {
            'reset': Trigger, 'set_parameters': SetParameters, 'set_payload': SetPayload, 'change_state': ChangeState}
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
        arm = self.arm
        arm.planning_since = None
        arm.measuring, arm.corrupt = True, None
        arm.run(0.2)
        self.transition('deactivate')
        self.call('set_parameters', parameters=self.usual)
        arm.describe()
        arm.run(0.5)                # until it is loaded
        self.transition('activate')
        end = time.monotonic() + PATIENCE
        arm.place(HOME)
        arm.run(0.4)                # it was moved there by hand: until it is measured there
        while not self.call('reset').success:
            if time.monotonic() > end:
                raise RuntimeError(f'the fault remains: {arm.fault}')
            arm.run(0.1)
        arm.commands.clear()
        arm.plan()
        arm.run(1.0 + 1.5 * rng.random())
        if not arm.run(PATIENCE, lambda: len(arm.commands) >= 50):
            raise RuntimeError(f'the arm is not commanded; fault: {arm.fault!r}')

    def undisturbed(self, name, rng):
        """A trial; one that fails where this process was held up, which is arm, planner and clock at once, says nothing and is repeated."""
        for _ in range(ATTEMPTS):
            figures = self.trial(name, rng)
            if good(figures) or not self.arm.stood_still:
                break
        return figures

    def trial(self, name, rng):
        """{figure: value} of one fault at a random instant."""
        arm = self.arm
        self.begin(rng)
        arm.stood_still = False
        error = arm.error
        follows = getattr(self, name)(rng)
        arm.run(SETTLING)
        step, effort = arm.judge()
        held = arm.error < 0.1 if follows else arm.at_rest
        return {
            'step': step, 'effort': effort, 'held': held, 'within': arm.within_limits, 'fault': arm.fault, 'follows': follows,
            'error [rad] or [rad/s]': arm.error if follows else float(np.abs(arm.plant.velocities).max()), 'error before': error}

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
        self.arm.start = self.arm.start + 0.4
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
        return True

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
        if not arm.run(5.0, lambda: self.process.poll() is not None):
            self.process.kill()
            raise RuntimeError('the node did not end')
        self.start()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(10.0)


@contextmanager
def guarded_arm(commands='/hod/commands'):
    """(GuardedArm, Node) over DDS; commands: the topic that the arm's controller hears."""
    import rclpy

    from hod_ros.ros.process import make_executor
    isolate()
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
    return max(figures['step'], figures['effort']) <= 1 + ROUNDING and figures['held'] and figures['within']


def run(times=1, seed=1, faults=FAULTS):
    """Figures of `times` trials a fault."""
    rng = np.random.default_rng(seed)
    run_in_real_time(20)
    results = {name: [] for name in faults}
    with guarded_arm() as (arm, process):
        trials = Trials(arm, process.end)
        arm.describe()
        for k in range(times):
            for name in rng.permutation(faults):
                results[name].append(trials.undisturbed(name, rng))
                bad = results[name][-1]
                if not good(bad):
                    print(f'{name}, round {k + 1}: {bad}', flush=True)
    print(f'Faults at random instants of an arm in motion, {times} of each, every {1e3 * PERIOD:g} ms a setpoint; '
          'worst step in what its rate allows, worst effort in its limit (both at most 1), and how often the arm was held or followed')
    for name, rows in results.items():
        step, effort = (max(row[key] for row in rows) for key in ('step', 'effort'))
        held, within = (sum(row[key] for row in rows) for key in ('held', 'within'))
        print(f'{name:18} step {step:.3f}  effort {effort:.3f}  held {held}/{len(rows)}  within limits {within}/{len(rows)}')
    return {name: {'step': max(row['step'] for row in rows), 'effort': max(row['effort'] for row in rows),
                   'held': sum(row['held'] for row in rows), 'within': sum(row['within'] for row in rows), 'trials': len(rows)}
            for name, rows in results.items()}


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
    parser.add_argument('--times', type=int, default=1)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--faults', type=lambda text: tuple(text.split(',')), default=FAULTS)
    parser.add_argument('--json', metavar='FILE', help='write the figures there')
    parser.add_argument('--kill', action='store_true', help='kill the node instead, with a watchdog behind it and without')
    arguments = parser.parse_args()
    if arguments.kill:
        figures = {'without': kill(False), 'watched': kill(True)}
        print(figures)
    else:
        figures = run(arguments.times, arguments.seed, arguments.faults)
    if arguments.json:
        with open(arguments.json, 'w') as file:
            json.dump(figures, file, indent=1)


if __name__ == '__main__':
    main()
