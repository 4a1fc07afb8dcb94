# SPDX-License-Identifier: Apache-2.0
"""What a user types who has no launch: help, and the node with a robot from a file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import ros_harness

from hod_ros import example_robot

ROOT = Path(__file__).parents[3]
XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="{name}"><xacro:property name="m" value="2"/>{links}</robot>'
LINKS = (
    '<link name="base"/><link name="arm"><inertial><mass value="${m}"/><origin xyz="0.1 0 0"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint>')


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=900)


@pytest.mark.parametrize('main', ['main', 'controller_main', 'plant_main'])
def test_the_executables_say_how_they_are_used(main):
    done = run('-c', f"import sys; sys.argv[1:] = ['--help']; from hod_ros.ros.process import {main}; sys.exit({main}())")
    assert done.returncode == 0
    assert done.stdout.startswith('usage: hod_') and '--params-file' in done.stdout


@pytest.mark.parametrize('name, text', [
    ('arm.urdf', example_robot('panda')), ('arm.xacro', XACRO.format(name='arm', links=LINKS))], ids=['urdf', 'xacro'])
def test_the_node_runs_with_a_robot_from_a_file(name, text, tmp_path):
    if name.endswith('.xacro'):
        pytest.importorskip('xacro')
    (tmp_path / name).write_text(text)
    process = subprocess.Popen(
        [sys.executable, 'tools/run_node.py', str(tmp_path / name), '--ros-args', '-r', '__node:=from_a_file'], cwd=ROOT, env=os.environ,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    client = ros_harness.Client('asks', '/from_a_file')
    try:
        client.wait_for_state('active')
    finally:
        client.close()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output


def test_a_file_that_is_not_there_is_named():
    done = run('tools/run_node.py', '/no/such.urdf')
    assert done.returncode == 1
    assert '/no/such.urdf cannot be read' in done.stderr and 'Traceback' not in done.stderr
