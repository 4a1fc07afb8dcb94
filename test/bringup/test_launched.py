# SPDX-License-Identifier: Apache-2.0
"""The launch files, run by the real `launch` and `launch_ros` where these are installed."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import ros_harness
from conftest import missing_launch
from sensor_msgs.msg import JointState

ROOT = Path(__file__).parents[2]
PANDA = ROOT / 'config' / 'robots' / 'panda.urdf'
EXECUTABLES = {'hod_node': 'main', 'hod_elastic_controller': 'controller_main', 'hod_elastic_plant': 'plant_main'}
REASON = missing_launch()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f'{REASON}: launch files run where ROS 2 is installed')

LAUNCH = '''
import sys
from launch import LaunchDescription
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service = LaunchService()
for item in sys.argv[1].split(';'):
    path, *arguments = item.split('|')
    service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path),
        launch_arguments=[tuple(argument.split(':=', 1)) for argument in arguments])]))
sys.exit(service.run())
'''

# Stands where robot_state_publisher is not installed: it puts its parameter robot_description on the topic.
PUBLISHER = '''#!{python}
import rclpy
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node('robot_state_publisher')
text = node.declare_parameter('robot_description', '').value
latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
publisher = node.create_publisher(String, 'robot_description', latched)
publisher.publish(String(data=text))
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
'''


@pytest.fixture(scope='module')
def prefix(tmp_path_factory):
    """Where `hod_ros` is to be found as colcon would have installed it."""
    prefix = tmp_path_factory.mktemp('prefix')
    for executable, function in EXECUTABLES.items():
        install(prefix, 'hod_ros', executable, f'#!{sys.executable}\nimport sys\nfrom hod_ros.ros.process import {function}\n'
                f'sys.exit({function}())\n')
    for folder in ('config', 'examples', 'launch'):
        shutil.copytree(ROOT / folder, prefix / 'share' / 'hod_ros' / folder)
    if not is_installed('robot_state_publisher'):
        install(prefix, 'robot_state_publisher', 'robot_state_publisher', PUBLISHER.format(python=sys.executable))
    return prefix


def install(prefix, package, executable, program):
    marker = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages' / package
    path = prefix / 'lib' / package / executable
    for file in (marker, path):
        file.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    path.write_text(program)
    path.chmod(0o755)


def is_installed(package):
    from ament_index_python import PackageNotFoundError
    from ament_index_python import get_package_prefix
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


class Launched:
    """A running launch of one or more of our files with their arguments."""

    def __init__(self, prefix, *files):
        items = ';'.join('|'.join([str(prefix / 'share/hod_ros/launch' / name), *rest]) for name, *rest in files)
        paths = [str(prefix), *filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)), sys.prefix]
        self._log = prefix / f'launch_{time.monotonic_ns()}.log'
        environment = {
            **os.environ, 'AMENT_PREFIX_PATH': os.pathsep.join(paths), 'ROS_LOG_DIR': str(prefix / 'log'),
            'PYTHONUNBUFFERED': '1'}
        with self._log.open('w') as log:
            self.process = subprocess.Popen(
                [sys.executable, '-c', LAUNCH, items], env=environment, cwd=prefix, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def output(self):
        return self._log.read_text()

    def wait_for_output(self, text, count=1, timeout=60.0):
        end = time.monotonic() + timeout
        while self.output.count(text) < count:
            assert time.monotonic() < end and self.process.poll() is None, f'{text!r} was not said:\n{self.output}'
            time.sleep(0.05)

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)      # as Ctrl-C in a terminal does
        try:
            return self.process.wait(20.0)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


@contextmanager
def launched(prefix, *files):
    """A launch that is over afterwards; the nodes must have ended by themselves and cleanly."""
    launch = Launched(prefix, *files)
    try:
        yield launch
    finally:
        launch.stop()
        print(launch.output)
    assert 'process has finished cleanly' in launch.output
    assert "sending signal 'SIGTERM'" not in launch.output
    assert not [line for line in launch.output.splitlines() if 'hod_node' in line and 'Traceback' in line]


def test_hod_launch_starts_the_node_in_a_namespace_on_a_description_file(prefix, talk_to):
    with launched(prefix, ('hod.launch.py', 'namespace:=left/arm', f'robot_description_file:={PANDA}')):
        client = talk_to('/left/arm/hod')
        client.wait_for_state('active')
        answer = client.compute(np.zeros((3, 7)), order=0)
        assert answer.success and answer.joint_names[0] == 'panda_joint1'


def test_hod_launch_takes_a_description_as_text_and_remappings(prefix, talk_to):
    text = ros_harness.arm_urdf(2).replace('\n', ' ')
    remaps = '~/setpoint:=/planner/setpoint ~/feedforward:=/control/feedforward'
    with launched(prefix, ('hod.launch.py', f'robot_description:={text}', f'remaps:={remaps}')):
        client = talk_to('/hod')
        client.wait_for_state('active')
        wanted = {'/planner/setpoint', '/control/feedforward'}
        assert client.wait_until(lambda: wanted <= {name for name, _ in client.node.get_topic_names_and_types()})
        assert client.node.count_publishers('/control/feedforward') == 1
        assert client.node.count_publishers('/hod/feedforward') == 0


def test_arguments_win_over_the_parameter_file_and_empty_ones_leave_it_alone(prefix, talk_to, tmp_path):
    file = tmp_path / 'hod.yaml'
    file.write_text('/**:\n  ros__parameters:\n    autostart: false\n    order: 1\n    use_sim_time: true\n')
    with launched(prefix, (
            'hod.launch.py', f'params_file:={file}', f'robot_description_file:={PANDA}', 'use_sim_time:=false')):
        client = talk_to('/hod')
        assert client.get_parameter('order') == 1
        assert client.get_parameter('autostart') is False
        assert client.get_parameter('use_sim_time') is False
        assert client.state == 'unconfigured'
        assert client.change_state('configure') and client.change_state('activate')


def test_several_robots_are_launched_under_namespaces_into_one_graph(prefix, talk_to):
    files = [
        ('hod.launch.py', f'namespace:=robot{n}', f'robot_description:={one_line(n)}') for n in (2, 3, 4)]
    with launched(prefix, *files):
        for n in (2, 3, 4):
            client = talk_to(f'/robot{n}/hod')
            client.wait_for_state('active')
            assert len(client.compute(np.zeros((3, n)), order=0).joint_names) == n


def one_line(joints):
    return ros_harness.arm_urdf(joints).replace('\n', ' ')


def test_a_node_that_is_killed_comes_back_when_respawn_is_asked_for(prefix, talk_to):
    with launched(prefix, ('hod.launch.py', f'robot_description_file:={PANDA}', 'respawn:=true')) as launch:
        launch.wait_for_output('active')
        pid = int(launch.output.partition('[hod_node-1]: process started with pid [')[2].partition(']')[0])
        os.kill(pid, signal.SIGKILL)
        launch.wait_for_output('process started with pid', 2)
        talk_to('/hod').wait_for_state('active')


@pytest.mark.skipif(shutil.which('xacro') is None, reason='xacro is not installed')
def test_hod_launch_expands_a_xacro_file_with_its_arguments(prefix, talk_to, tmp_path):
    robot = tmp_path / 'an arm.urdf.xacro'
    text = ros_harness.arm_urdf(2).replace(
        '<robot name="arm">', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:arg name="mass" default="1"/>', 1)
    robot.write_text(text.replace('mass value="1.5"', 'mass value="$(arg mass)"'))
    with launched(prefix, ('hod.launch.py', f'robot_description_file:={robot}', 'xacro_arguments:=mass:=7.25')):
        client = talk_to('/hod')
        client.wait_for_state('active')
        assert 'value="7.25"' in client.get_parameter('robot_description')


@pytest.mark.parametrize('arguments, sentence', [
    (['robot_description_file:=/nowhere/robot.urdf'], "there is no such file; give an absolute path"),
    (['params_file:=nowhere.yaml'], "params_file is 'nowhere.yaml', but there is no such file"),
    (['robot_description:=<robot/>', f'robot_description_file:={PANDA}'], 'are both given; give one of them'),
    (['remaps:=setpoint=there'], "'setpoint=there' is not of the form from:=to"),
    (['autostart:=maybe'], 'autostart'),
])
def test_a_wrong_argument_ends_the_launch_with_a_sentence(prefix, arguments, sentence):
    launch = Launched(prefix, ('hod.launch.py', *arguments))
    try:
        assert launch.process.wait(20.0) == 1, launch.output
    finally:
        launch.stop()
    assert sentence in launch.output
    assert 'process started' not in launch.output


def test_bringup_example_gives_the_node_the_description_of_robot_state_publisher(prefix, talk_to):
    expand = [] if shutil.which('xacro') else ['xacro:=cat']
    with launched(prefix, ('bringup_example.launch.py', 'namespace:=cell', *expand)) as launch:
        client = talk_to('/cell/hod')
        client.wait_for_state('active')
        launch.wait_for_output('no feedforward came within the last second')
        client.connect()
        names = [f'panda_joint{i}' for i in range(1, 8)]
        assert client.ask(ros_harness.setpoint(np.zeros((5, 7)), names)) is not None
        launch.wait_for_output('a second; the latest:')


@pytest.mark.skipif(importlib.util.find_spec('mujoco') is None, reason='mujoco is not installed')
def test_elastic_launch_moves_a_simulated_arm_to_where_the_setpoints_want_it(prefix, talk_to):
    expand = [] if shutil.which('xacro') else ['xacro:=cat']
    with launched(prefix, ('elastic.launch.py', 'namespace:=sea', 'simulate:=true', *expand)) as launch:
        client = talk_to('/sea/hod')
        client.wait_for_state('active')
        launch.wait_for_output('controls panda by motor_pd')
        assert talk_to('/sea/hod_elastic_controller').get_parameter('timeout') == 5.0
        assert talk_to('/sea/hod_elastic_plant').get_parameter('torque_timeout') == 5.0
        states = []
        client.node.create_subscription(JointState, '/sea/joint_states', states.append, 10)
        client.connect()
        names = [f'panda_joint{i}' for i in range(1, 8)]
        target = np.zeros((5, 7))
        target[0] = 0.1
        end = time.monotonic() + 4.0
        while time.monotonic() < end:
            client.send(ros_harness.setpoint(target, names))
            client.spin(0.002)
        assert np.abs(states[0].position).max() == 0.0
        assert np.abs(np.array(states[-1].position) - target[0]).max() < 0.01


def test_demo_streams_to_the_node_and_its_consumer(prefix, talk_to):
    with launched(prefix, ('demo.launch.py',)) as launch:
        talk_to('/hod_demo/hod').wait_for_state('active')
        launch.wait_for_output('a second; the latest:', 2)
        assert "panda_joint7: Q" in launch.output
