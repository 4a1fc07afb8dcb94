# SPDX-License-Identifier: Apache-2.0
"""The scripts in examples/: clients of rclpy alone, and the demo."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ros_harness import running_node

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / 'examples'


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, '-u', EXAMPLES / script, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process, timeout=30.0):
    """(exit code, output)"""
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        raise AssertionError(f'{process.args} did not end:\n{output}') from None
    return process.returncode, output


def interrupted(process):
    """(exit code, output) after a SIGINT"""
    process.send_signal(signal.SIGINT)
    return finish(process)


def test_clients_of_rclpy_alone_feed_and_query_the_node():
    with running_node() as node:
        clients = [start(f'{name}.py') for name in ('publish_description', 'stream_setpoints', 'consume_feedforward')]
        try:
            node.wait_for_output('active')
            code, output = finish(start('ask_inverse_dynamics.py'))
            assert code == 0 and output.count('panda_joint7') == 3, output
            time.sleep(2.5)
        finally:
            outcomes = [interrupted(client) for client in reversed(clients)]        # the consumer in the middle of the stream
        for code, output in outcomes:
            assert code == 0 and 'Traceback' not in output, output
        assert "a second; the latest:" in outcomes[0][1] and "Q''" in outcomes[0][1]


STREAMING = """
import sys
import numpy as np
import ruckig_motion
from hod_ros import RobotModel, Trajectory, example_robot
names = RobotModel.from_urdf(example_robot('panda')).joint_names
points = np.array([ruckig_motion.FROM, ruckig_motion.FROM])
points[1] += 0.2
sys.exit(ruckig_motion.stream(Trajectory.interpolate([0, 1], points, joint_names=names), sys.argv[1]))
"""


@pytest.mark.parametrize('topic', ['setpoint', 'joint_trajectory'])
def test_a_planned_motion_is_streamed_to_a_running_node(topic):
    with running_node() as node:
        description = start('publish_description.py')
        try:
            node.wait_for_output('active')
            process = subprocess.Popen(
                [sys.executable, '-c', STREAMING, topic], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=os.environ | {'PYTHONPATH': os.pathsep.join([str(EXAMPLES), os.environ.get('PYTHONPATH', '')])})
            code, output = finish(process)
        finally:
            interrupted(description)
    assert code == 0, output + node.output
    answers, rate = re.fullmatch(r'(\d+) feedforwards from the node, effort rates up to (\S+) N m/s\n', output).groups()
    assert int(answers) > 100 and float(rate) > 1


def test_demo_checks_its_answers_draws_them_and_leaves_nothing_behind(tmp_path):
    code, output = finish(start('demo.py', '--duration', '2', '--picture', tmp_path / 'demo.png'))
    assert code == 0, output
    assert '1000 setpoints, 1000 answers' in output and 'agree with the library' in output
    assert (tmp_path / 'demo.png').stat().st_size > 20_000
    assert not children_named('hod_ros.ros.process')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_demo_ends_cleanly_on_a_signal_and_takes_its_node_along(number):
    demo = start('demo.py')
    end = time.monotonic() + 10.0
    while not children_named('hod_ros.ros.process', demo.pid) and time.monotonic() < end:
        time.sleep(0.05)
    nodes = children_named('hod_ros.ros.process', demo.pid)
    assert nodes
    time.sleep(1.5)
    demo.send_signal(number)
    code, output = finish(demo)
    assert code == 0 and 'Traceback' not in output and 'Stopped' in output, output
    assert not [pid for pid in nodes if os.path.exists(f'/proc/{pid}')]


def children_named(name, parent=None):
    """Process ids whose command line holds this name, of a parent process (ours, if not given)."""
    found = []
    for status in Path('/proc').glob('[0-9]*/status'):
        try:
            ppid = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith('PPid'))
            command = (status.parent / 'cmdline').read_text()
        except OSError:
            continue
        if int(ppid) == (parent or os.getpid()) and name in command:
            found.append(int(status.parent.name))
    return found
