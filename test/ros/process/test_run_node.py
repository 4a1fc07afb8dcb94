# SPDX-License-Identifier: Apache-2.0
"""What a user types who has no launch: help, and the node with a robot from a file."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import ros_harness
import yaml

from hod_ros import RobotModel
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
    ('arm.urdf', example_robot('panda')), ('arm.xacro', XACRO.format(name='arm', links=LINKS)),
    ('robot.urdf', f'<!-- \U0001f916 "\\ud83e" \x7f\u2028 -->\n{example_robot("panda")}')], ids=['urdf', 'xacro', 'all characters'])
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


@pytest.fixture(scope='module')
def run_node():
    specification = importlib.util.spec_from_file_location('run_node', ROOT / 'tools' / 'run_node.py')
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16', 'iso-8859-1'])
def test_a_file_is_read_in_the_encodings_in_which_the_library_reads_it(run_node, encoding, tmp_path):
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><robot name="bras_é">{LINKS.replace("${m}", "2")}</robot>'
    path = tmp_path / 'arm.urdf'
    path.write_bytes(text.encode(encoding))
    assert run_node.description_of(path) == text


@pytest.mark.parametrize('name', ['arm.XACRO', 'arm.xml', 'arm.urdf'])
def test_a_xacro_is_expanded_whatever_its_file_is_called(run_node, name, tmp_path):
    pytest.importorskip('xacro')
    path = tmp_path / name
    path.write_text(XACRO.format(name='arm', links=LINKS))
    assert RobotModel.from_urdf(run_node.description_of(path)).masses.tolist() == [2.0]


def test_what_is_expanded_already_is_left_as_it_is(run_node, tmp_path):
    text = XACRO.format(name='arm', links='').replace('<xacro:property name="m" value="2"/>', '<gazebo><xacro:sensor/></gazebo>')
    (tmp_path / 'arm.urdf').write_text(text)
    assert run_node.description_of(tmp_path / 'arm.urdf') == text


def test_a_parameter_file_holds_every_character(run_node):
    text = ''.join(map(chr, [*range(1, 0x300), 0x2028, 0x2029, 0xfeff, 0xfffd, 0x1f916, 0x10ffff]))
    read = yaml.safe_load(run_node.parameter_file(text))
    assert read['/**']['ros__parameters']['robot_description'] == text


def test_a_file_in_another_encoding_is_refused_with_the_remedy(tmp_path):
    (tmp_path / 'arm.urdf').write_bytes('<?xml version="1.0" encoding="gb2312"?><robot name="机器人"/>'.encode('gb2312'))
    done = run('tools/run_node.py', str(tmp_path / 'arm.urdf'))
    assert done.returncode == 1
    assert "arm.urdf: the robot description declares the encoding 'gb2312'" in done.stderr and 'save it as UTF-8' in done.stderr


def test_a_file_that_is_not_there_is_named():
    done = run('tools/run_node.py', '/no/such.urdf')
    assert done.returncode == 1
    assert '/no/such.urdf cannot be read' in done.stderr and 'Traceback' not in done.stderr
