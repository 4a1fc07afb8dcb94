# SPDX-License-Identifier: Apache-2.0
"""Planner and node on different hosts: they find each other, and recover from a cable that was pulled out.

Needs root and the command `ip` (package iproute2); skipped elsewhere.
"""

import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import network
import numpy as np
import pytest
import ros_harness
from planned import NAMES
from planned import planned

from hod_ros import RobotModel
from hod_ros import inverse_dynamics

REASON = network.missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

NODE = [sys.executable, '-m', 'hod_ros.ros.process']
PLANNER = [sys.executable, Path(__file__).with_name('remote_planner.py')]
RATE = 100.0        # [Hz]
CUT = 5.0           # [s] the cable is out
PATIENCE = 30.0     # [s] longest wait for anything that must come


class Process:
    """A process on a host, and what it has said so far."""

    def __init__(self, host, command, **options):
        self._process = host.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(line)

    @property
    def output(self):
        return ''.join(self.lines[-200:])

    def answers(self):
        """{index of the setpoint: (time, efforts)}"""
        rows = [line.split() for line in list(self.lines) if line.startswith('answer ') and line.endswith('\n')]
        return {int(row[1]): (float(row[2]), np.array(row[3:], float)) for row in rows}

    def sent(self):
        """{index of the setpoint: time}"""
        rows = [line.split() for line in list(self.lines) if line.startswith('sent ') and line.endswith('\n')]
        return {int(row[1]): float(row[2]) for row in rows}

    def finish(self, timeout=PATIENCE):
        """The exit code, once the process has ended by itself."""
        try:
            return self._process.wait(timeout)
        finally:
            self.stop()

    def stop(self):
        """The exit code after SIGINT."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(PATIENCE)
        return self._process.returncode


@contextmanager
def running(host, command, **options):
    process = Process(host, command, **options)
    try:
        yield process
    finally:
        process.stop()
        print(process.output)


def wait_until(condition, what, timeout=PATIENCE):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f'{what} did not happen within {timeout} s'
        time.sleep(0.05)


@pytest.fixture(scope='module')
def hosts():
    with network.two_hosts() as hosts:
        yield hosts


@pytest.fixture(scope='module')
def model():
    return RobotModel.from_urdf(ros_harness.arm_urdf(len(NAMES)))


def discovery(kind, robot_host, planner_host):
    """How node and planner look for others: options of Host.start for each."""
    if kind == 'SUBNET':
        return {'discovery': 'SUBNET'}, {'discovery': 'SUBNET'}
    return {'discovery': 'LOCALHOST'}, {'discovery': 'LOCALHOST', 'peers': robot_host.address}


@pytest.mark.parametrize('kind', ['SUBNET', 'static peers'])
def test_node_and_planner_find_each_other_and_recover_from_a_cable_out_for_five_seconds(hosts, model, kind):
    robot, office = hosts
    of_node, of_planner = discovery(kind, robot, office)
    with running(robot, NODE, **of_node) as node, \
            running(office, [*PLANNER, RATE, 1.5 * PATIENCE], **of_planner) as planner:
        wait_until(lambda: len(planner.answers()) > RATE, 'a hundred answers')
        robot.plug(False)
        cut = time.monotonic()
        time.sleep(CUT)
        restored = time.monotonic()
        robot.plug(True)
        wait_until(lambda: max(planner.answers().values(), key=lambda a: a[0])[0] > restored + 3.0,
                   'an answer three seconds after the cable was back')
        code = node.stop()
        planner.stop()
    assert code == 0, node.output
    assert 'Traceback' not in node.output
    answers, sent = planner.answers(), planner.sent()
    assert not [t for t, _ in answers.values() if cut + 0.5 < t < restored], 'the cable was not out'
    recovered = min(t for t, _ in answers.values() if t > restored)
    print(f'{kind}: first answer {recovered - restored:.2f} s after the cable was back')
    late = {index for index, t in sent.items() if recovered + 1.0 < t < restored + 2.8}
    assert len(late) > 0.3 * RATE
    assert late <= set(answers), 'setpoints were lost after the recovery'
    expected = {index: inverse_dynamics(model, planned(index)).ravel() for index in answers}
    for index, (_, efforts) in answers.items():
        np.testing.assert_allclose(efforts, expected[index], rtol=1e-9, atol=1e-9)


def test_hosts_that_are_told_to_stay_by_themselves_do_not_meet(hosts):
    robot, office = hosts
    with running(robot, NODE, discovery='LOCALHOST') as node:
        wait_until(lambda: re.search('waiting for a robot description', node.output), 'the start of the node')
        with running(office, [*PLANNER, RATE, 4.0], discovery='LOCALHOST') as planner:
            assert planner.finish() == 0, planner.output
            assert planner.sent() and not planner.answers()
        assert 'configured' not in node.output
        assert node.stop() == 0


def test_nothing_of_the_hosts_outlives_them():
    with network.two_hosts() as (host, _):
        assert host.name in names()
        with running(host, NODE, discovery='SUBNET') as node:
            wait_until(lambda: 'waiting for' in node.output, 'the start of the node')
            assert processes(host)
        assert not processes(host)
    assert host.name not in names()
    assert host.link not in subprocess.run(['ip', 'link'], capture_output=True, text=True).stdout


def names():
    """The network namespaces that there are."""
    return subprocess.run(['ip', 'netns', 'list'], capture_output=True, text=True, check=True).stdout


def processes(host):
    return subprocess.run(['ip', 'netns', 'pids', host.name], capture_output=True, text=True, check=True).stdout
