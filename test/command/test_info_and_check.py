# SPDX-License-Identifier: Apache-2.0
"""`hod info` and `hod check`: robots from files, xacros, names and standard input; errors with their lines."""

import numpy as np
import pytest
from running import hod
from running import refusal
from running import report

from hod_ros import RobotModel
from hod_ros import centre_of_mass
from hod_ros import example_robot

XACRO = '''<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm"><xacro:property name="m" value="2"/>
<link name="base"/><link name="arm"><inertial><mass value="${m}"/><origin xyz="0.1 0 0"/>
<inertia ixx="1e-2" iyy="1e-2" izz="1e-2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'''
PLAIN = XACRO.replace('${m}', '2').replace('<xacro:property name="m" value="2"/>', '')


def test_info_tells_the_models_own_figures():
    told, model = report('info', 'panda'), RobotModel.from_urdf(example_robot('panda'))
    assert told['hash'] == model.hash
    assert told['mass'] == pytest.approx(model.masses.sum())
    assert told['centre_of_mass'] == pytest.approx(centre_of_mass(model, np.zeros((1, 7)))[0])
    moving = [joint for joint in told['joints'] if joint['moves']]
    assert [joint['name'] for joint in moving] == list(model.joint_names)
    assert [joint['effort_limit'] for joint in moving] == model.effort_limits.tolist()


def test_a_robot_comes_from_a_file_a_xacro_or_standard_input(tmp_path):
    (tmp_path / 'arm.urdf').write_text(PLAIN)
    (tmp_path / 'arm.xacro').write_text(XACRO)
    pytest.importorskip('xacro')
    hashes = {report('info', robot, cwd=tmp_path, stdin=PLAIN)['hash'] for robot in ('arm.urdf', 'arm.xacro', '-')}
    assert len(hashes) == 1


def test_a_joint_without_limits_has_none(tmp_path):
    joint, = report('info', '-', stdin=PLAIN)['joints']
    assert joint['effort_limit'] is None and joint['position_limits'] == [None, None]


def test_joints_are_chosen_and_locked():
    told = report('info', 'panda', '--joints', 'panda_joint2,panda_joint1', '--lock', 'panda_joint4=-1.5')
    expected = RobotModel.from_urdf(example_robot('panda'), joints=['panda_joint2', 'panda_joint1'], locked={'panda_joint4': -1.5})
    assert told['hash'] == expected.hash


def test_check_names_the_line_of_an_error(tmp_path):
    text = PLAIN.replace('value="2"', 'value="-2"')
    (tmp_path / 'arm.urdf').write_text(text)
    done = hod('check', 'arm.urdf', cwd=tmp_path, code=1)
    assert done.stdout.startswith("arm.urdf:2: error: link 'arm' (line 2): its mass is -2.0 kg")
    assert report('check', '-', stdin=text, code=1)['errors'][0]['line'] == 2


def test_check_takes_warnings_for_errors_when_it_is_strict():
    doubtful = PLAIN.replace('1e-2', '0')
    assert 'taken as a point' in report('check', '-', stdin=doubtful)['warnings'][0]
    assert 'sound, 2 warnings' in hod('check', '-', stdin=doubtful).stdout
    hod('check', '-', '--strict', stdin=doubtful, code=1)


def test_a_xacro_that_does_not_expand_is_one_line(tmp_path):
    pytest.importorskip('xacro')
    (tmp_path / 'arm.xacro').write_text(XACRO.replace('${m}', '${n}'))
    assert 'xacro cannot expand' in refusal('info', 'arm.xacro', code=3, cwd=tmp_path)
