# SPDX-License-Identifier: Apache-2.0
"""The process: how it starts, how quickly, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import ros_harness
from builtin_interfaces.msg import Duration
from ros_harness import PATIENCE
from ros_harness import NodeProcess
from ros_harness import arm_urdf
from ros_harness import running_node
from ros_harness import setpoint
from slowness import slowness
from trajectory_msgs.msg import JointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

from hod_interfaces.msg import JointSetpoint

NAMES = ('joint1', 'joint2', 'joint3')
LEASE = 20.0            # [s] for which the middleware waits for one that left without a word


def wait_for_python(node):
    """Until our first line has run: what a signal does to an interpreter that starts is not ours."""
    status, end = Path(f'/proc/{node.pid}/status'), time.monotonic() + PATIENCE
    while not int(re.search(r'SigCgt:\s*(\w+)', status.read_text())[1], 16) & 1 << signal.SIGTERM - 1:
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('delay', [0.0, 0.1, 0.25, 0.4, 0.7, 1.3])
def test_signal_at_any_moment_of_the_start_ends_the_node_cleanly(number, delay):
    node = NodeProcess()
    wait_for_python(node)
    time.sleep(delay)
    assert node.stop(number) == 0, node.output
    assert 'Traceback' not in node.output


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_in_the_middle_of_a_stream_ends_the_node_cleanly_and_soon(client, number):
    q = np.ones((5, 3))
    client.describe(arm_urdf(3))
    with running_node() as node:
        client.wait_for_state('active')
        client.connect()
        for k in range(200):
            client.send(setpoint(q, NAMES))
            client.spin(0.001)
            if k == 100:
                node.send(number)
                sent = time.monotonic()
        assert node.wait() == 0
        assert time.monotonic() - sent < 2.0 * slowness()
        assert not [line for line in node.output.splitlines() if 'ERROR' in line or 'rror:' in line], node.output
    client.withdraw_description()


WITH_ACTIONS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1] / 'trajectories')!r})
from hod_ros.ros.process import leave, run_process
leave(run_process('hod_node', 'action_node', 'ActionNode'))
"""


@pytest.mark.parametrize(('options', 'actions'), [
    ({}, 0),
    ({'code': WITH_ACTIONS, 'parameters': {'forward_to': '/controller/follow'}}, 2)])
def test_the_node_takes_leave_as_it_ends(client, options, actions):
    """Else others send to it until its lease is over, and the next node on this host waits for seconds for what is sent to it."""
    def known():
        graph = client.node
        return (graph.count_publishers('/hod/transition_event') + graph.count_publishers('/hod/feedforward')
                + graph.count_services('/hod/follow_joint_trajectory/_action/send_goal')
                + graph.count_clients('/controller/follow/_action/send_goal'))

    client.describe(arm_urdf(3))
    with running_node(**options):
        client.wait_for_state('active')
        assert client.wait_until(lambda: known() == 2 + actions)
    assert client.wait_until(lambda: not known(), timeout=LEASE / 2)
    client.withdraw_description()


def test_a_node_that_stops_half_made_takes_leave_as_well(client):
    """The longer it goes on before it stops, the more of it others know."""
    code = """
import sys, time
from hod_ros.errors import InputError
from hod_ros.ros.nodes.hod import HodNode
from hod_ros.ros.process import leave, run_process

class Stopped(HodNode):
    def __init__(self):
        super().__init__()
        while not self.count_publishers('/seen'):
            time.sleep(0.01)
        raise InputError('a parameter is bad')

leave(run_process('hod_node', '__main__', 'Stopped'))
"""
    def known():
        return client.node.count_publishers('/hod/fault')

    node = NodeProcess(code=code)
    assert client.wait_until(known)
    seen = client.node.create_publisher(ros_harness.String, '/seen', 1)
    assert node.wait() == 1 and node.output.endswith('hod_node: a parameter is bad\n')
    assert client.wait_until(lambda: not known(), timeout=LEASE / 2)
    client.node.destroy_publisher(seen)


def test_parameter_file_that_is_none_ends_the_node_with_a_sentence(tmp_path):
    node = NodeProcess(parameters_file=tmp_path / 'missing.yaml')
    assert node.wait() == 1
    assert 'missing.yaml' in node.output and 'Traceback' not in node.output


def test_missing_interfaces_are_named_with_the_way_to_build_them():
    code = 'import sys; sys.modules["hod_interfaces"] = None; from hod_ros.ros.process import main; sys.exit(main())'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=900, env=os.environ)
    assert done.returncode == 1
    assert 'hod_interfaces' in done.stderr and 'colcon build --base-paths src src/hod_ros/hod_interfaces' in done.stderr
    assert 'Traceback' not in done.stderr


def test_two_nodes_under_namespaces_answer_for_their_own_robots(client):
    texts = {'left': arm_urdf(2), 'right': arm_urdf(3)}
    others = {side: ros_harness.Client(f'client_{side}', f'/{side}/hod') for side in texts}
    latched = ros_harness.LATCHED
    arguments = {side: ('-r', f'__ns:=/{side}') for side in texts}
    with running_node(arguments=arguments['left']), running_node(arguments=arguments['right']):
        for side, text in texts.items():
            publisher = client.node.create_publisher(ros_harness.String, f'/{side}/robot_description', latched)
            publisher.publish(ros_harness.String(data=text))
        for side, other in others.items():
            other.wait_for_state('active')
            count = 2 if side == 'left' else 3
            response = other.compute(np.ones((3, count)), order=0)
            assert list(response.joint_names) == list(NAMES[:count])
            other.close()


def stream_of_a_trajectory(client):
    """The setpoints that the node streams of one that it interpolates, until it stands at 0.1."""
    streamed = []
    subscription = client.node.create_subscription(JointSetpoint, '/hod/setpoint_stream', streamed.append, 1000)
    publisher = client.node.create_publisher(JointTrajectory, '/hod/joint_trajectory', 1)
    assert client.wait_until(publisher.get_subscription_count)
    client.spin(0.2)
    publisher.publish(JointTrajectory(joint_names=NAMES, points=[
        JointTrajectoryPoint(positions=3 * [place], time_from_start=Duration(nanosec=nanosec))
        for place, nanosec in ((0.0, 0), (0.1, 500_000_000))]))
    arrived = client.wait_until(lambda: streamed and streamed[-1].positions[0] > 0.1 - 1e-9)
    for destroy, entity in ((client.node.destroy_subscription, subscription), (client.node.destroy_publisher, publisher)):
        destroy(entity)
    client.spin(0.05)
    assert arrived, f'{len(streamed)} setpoints were streamed'
    return streamed


@pytest.mark.slow
def test_nothing_in_the_working_directory_is_executed(client, tmp_path, monkeypatch):
    """By the node, by the process of its services, and by the one that interpolates."""
    mark = tmp_path / 'executed'
    for module in ('numpy', 'queue', 'struct', 'rclpy', 'trajectory_msgs', 'hod_ros'):
        (tmp_path / f'{module}.py').write_text(
            f'import os\nos.close(os.open({str(mark)!r}, os.O_CREAT | os.O_WRONLY))\nraise SystemExit({module!r})\n')
    root = str(Path(__file__).parents[3])
    code = f'import sys; sys.path[:] = [entry for entry in sys.path if entry]; sys.path.append({root!r}); ' \
           'from hod_ros.ros.process import main; sys.exit(main())'
    monkeypatch.chdir(tmp_path)
    client.describe(arm_urdf(3))
    with running_node(code=code) as node:
        client.wait_for_state('active')
        assert client.compute(np.ones((3, 3)), order=0).success
        streamed = stream_of_a_trajectory(client)
        np.testing.assert_allclose(streamed[-1].positions, 0.1, atol=1e-9)
    assert not mark.exists(), node.output
    client.withdraw_description()


@pytest.mark.parametrize('rule', ['__node:=' + 260 * 'a', '__ns:=/' + 300 * 'a', '__ns:=/' + 240 * 'a'])
def test_names_that_are_too_long_end_the_node_with_a_sentence(rule):
    node = NodeProcess(arguments=('-r', rule))
    assert node.wait() == 1
    assert 'look at its name, namespace and remappings' in node.output and 'Traceback' not in node.output


def test_two_topics_on_one_name_are_refused_by_name(client):
    remappings = ('-r', '~/commands:=/shared', '-r', '~/feedforward:=/shared')
    with running_node(arguments=remappings, parameters={'publish_commands': True}) as node:
        client.describe(arm_urdf(3))
        node.wait_for_output('~/commands is remapped onto /shared, which this node has as a TorqueFeedforward already')
        assert client.state == 'unconfigured'
    client.withdraw_description()


def test_a_parameter_that_is_put_right_starts_a_node_that_waits(client):
    client.describe(arm_urdf(3))
    with running_node(parameters={'payload.link': 'nope', 'payload.mass': 1.0}) as node:
        node.wait_for_output('waiting for .*nope')
        assert client.state == 'unconfigured'
        assert client.set_parameter('payload.link', 'link3') == (True, '')
        client.wait_for_state('active')
        assert client.diagnostics('model')[1] == 'active'
    client.withdraw_description()


def test_a_node_that_was_configured_by_hand_waits_for_nothing(client):
    with running_node(parameters={'robot_description': "''"}) as node:
        node.wait_for_output('waiting for a robot description')
        client.describe(arm_urdf(3).replace('mass value="', 'mass value="-'))
        node.wait_for_output('waiting for .*refused')
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        assert client.change_state('deactivate') and client.diagnostics('model')[1] == 'inactive'
    client.withdraw_description()
