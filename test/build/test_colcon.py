# SPDX-License-Identifier: Apache-2.0
"""colcon builds both packages where ROS is sourced: here, the virtual environment without what is ours."""

import os
import re
import signal
import subprocess
import time
import uuid

import checkout
import pytest
from domains import claim_domain
from slowness import slowness

DOMAIN = claim_domain()


class Workspace:
    """A colcon workspace with the repository in src/, and the ROS below it."""

    def __init__(self, folder):
        self.folder = folder / 'ws'
        self.python = checkout.ros_alone(folder / 'ros')
        checkout.copy_to(self.folder / 'src' / 'hod_ros')
        checkout.compiled_to(self.folder / 'build' / 'hod_ros' / 'build')
        ros = str(self.python.parent.parent)
        self.environment = checkout.bare_environment(
            AMENT_PREFIX_PATH=ros, CMAKE_PREFIX_PATH=ros, ROS_DOMAIN_ID=DOMAIN,
            ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
        self.environment['PATH'] = f'{ros}/bin{os.pathsep}{self.environment["PATH"]}'

    def colcon(self, *arguments, code=0):
        command = [self.python, self.python.parent / 'colcon', '--log-base', self.folder / 'log', *arguments]
        return checkout.run(command, self.folder, self.environment, code=code)

    def sourced(self, command):
        """The command of a shell that sources the workspace as a user would, then becomes `command`."""
        return ['bash', '-c', f'source install/setup.bash && exec {command}']


@pytest.fixture(scope='module')
def workspace(tmp_path_factory):
    return Workspace(tmp_path_factory.mktemp('colcon'))


@pytest.fixture(scope='module')
def plain(workspace):
    """The workspace after a plain `colcon build`, which does not find the nested interfaces."""
    workspace.colcon('build')
    return workspace


@pytest.fixture(scope='module')
def whole(plain):
    """The workspace after the build that README.md names."""
    plain.colcon('build', '--base-paths', 'src', 'src/hod_ros/hod_interfaces')
    return plain


def test_a_plain_colcon_build_leaves_a_node_that_says_what_is_missing_and_how_to_build_it(plain):
    assert not (plain.folder / 'install' / 'hod_interfaces').exists()
    done = checkout.run(
        plain.sourced('install/hod_ros/lib/hod_ros/hod_node'), plain.folder, plain.environment, code=1)
    sentence, = done.stderr.strip().splitlines()
    assert 'hod_interfaces' in sentence
    assert '`colcon build --base-paths src src/hod_ros/hod_interfaces`' in sentence


def test_colcon_installs_the_package_where_ros_looks(whole):
    installed = whole.folder / 'install' / 'hod_ros'
    for path in (
            'lib/hod_ros/hod_node', 'share/hod_ros/package.xml', 'share/hod_ros/config/robots/panda.urdf',
            'share/ament_index/resource_index/packages/hod_ros', 'share/hod_ros/launch/hod.launch.py',
            'share/hod_ros/launch/bringup_example.launch.py', 'share/hod_ros/launch/demo.launch.py',
            'share/hod_ros/examples/consume_feedforward.py'):
        assert (installed / path).is_file(), path
    program = 'import hod_interfaces, hod_ros; from hod_ros.kernel import _doorway; print(hod_ros.__file__)'
    done = checkout.run(whole.sourced(f'python -c "{program}"'), whole.folder, whole.environment)
    assert str(whole.folder) in done.stdout
    assert done.stderr == ''


def test_the_node_that_colcon_built_answers_and_ends_on_a_signal(whole):
    name = f'hod_{uuid.uuid4().hex[:8]}'
    robot = whole.folder / 'install/hod_ros/share/hod_ros/config/robots/panda.urdf'
    command = f'install/hod_ros/lib/hod_ros/hod_node --ros-args -r __node:={name}'
    client = f'''
import pathlib
import rclpy
from hod_interfaces.srv import ComputeInverseDynamics
from rclpy.qos import DurabilityPolicy
from rclpy.qos import QoSProfile
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node('client')
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
publisher = node.create_publisher(String, 'robot_description', latched)
publisher.publish(String(data=pathlib.Path({str(robot)!r}).read_text()))
ask = node.create_client(ComputeInverseDynamics, '{name}/compute_inverse_dynamics')
assert ask.wait_for_service(120.0)
for attempt in range(40):
    future = ask.call_async(ComputeInverseDynamics.Request(derivatives=[0.1] * 21))
    rclpy.spin_until_future_complete(node, future, timeout_sec=60.0)
    answer = future.result()
    if answer is not None and answer.success:
        break
    rclpy.spin_once(node, timeout_sec=0.25)
print(answer)
assert answer.success and len(answer.efforts) == 7
rclpy.shutdown()
'''
    with subprocess.Popen(
            whole.sourced(command), cwd=whole.folder, env=whole.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as node:
        try:
            (whole.folder / 'client.py').write_text(client)
            checkout.run(whole.sourced('python client.py'), whole.folder, whole.environment, timeout=600)
        finally:
            begun = time.monotonic()
            node.send_signal(signal.SIGINT)
            try:
                told, _ = node.communicate(timeout=60)
            finally:
                node.kill()
    assert node.returncode == 0, told
    assert time.monotonic() - begun < 5 * slowness()


def test_colcon_test_runs_pytest(whole):
    one = 'test_every_requirement_is_pinned_exactly'
    whole.colcon(
        'test', '--base-paths', 'src', 'src/hod_ros/hod_interfaces', '--packages-select', 'hod_ros',
        '--pytest-args', '-k', one)
    report = (whole.folder / 'build' / 'hod_ros' / 'pytest.xml').read_text()
    assert re.search(r'tests="[1-9]', report)
    assert one in report
    assert 'failures="0"' in report and 'errors="0"' in report
