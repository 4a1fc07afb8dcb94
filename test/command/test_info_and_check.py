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


def test_a_mimic_joint_is_told_with_its_master(tmp_path):
    finger = '<joint name="finger" type="prismatic"><parent link="arm"/><child link="tip"/><mimic joint="hinge" multiplier="0.5"/></joint>'
    text = PLAIN.replace('</robot>', f'<link name="tip"/>{finger}</robot>')
    told = report('info', '-', stdin=text)['joints'][1]
    assert told['mimic'] == {'joint': 'hinge', 'multiplier': 0.5, 'offset': 0.0} and not told['moves']
    assert 'prismatic, mimics hinge' in hod('info', '-', stdin=text).stdout


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


MANY = """<robot name="arm">
<link name="base"/>
<link name="upper"><inertial><mass value="1"/>
<inertia ixx="1" iyy="x" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><mas value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0"/></inertial></link>
<link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><inertial><mass value="-3"/><origin rpy="0 0 1" quat_xyzw="0 0 0 2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="one" type="revolut"><parent link="base"/><child link="upper"/></joint>
<joint name="two" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 0 0"/></joint>
<joint name="three" type="revolute"><parent link="lower"/><child link="nowhere"/><limit lower="1" upper="-1"/></joint>
<joint name="four" type="continuous"><parent link="lower"/><child link="tool"/></joint>
<joint name="five" type="continuous"><parent link="hand"/><child link="tool"/></joint>
</robot>"""


def test_check_names_all_errors_and_warnings_at_once_each_with_its_line_and_its_link_or_joint():
    told = report('check', '-', stdin=MANY, code=1)
    expected = {
        (4, "link 'upper' (line 4): iyy"), (5, "link 'lower' (line 5): its <inertial> has no <mass>, but <mas>"),
        (5, "link 'lower' (line 5): its <inertia> has no iyz"), (7, "link 'tool' (line 7): its mass is -3"),
        (7, "link 'tool' (line 7): its <origin> has both"), (7, "link 'tool' (line 7): quat_xyzw of its <origin> has the length 2"),
        (9, "joint 'one' (line 9): its type 'revolut'"), (10, "joint 'two' (line 10): its axis is zero"),
        (11, "joint 'three': its child link 'nowhere' does not exist"), (13, "link 'tool' is the child of two joints, 'four' and 'five'")}
    assert {(line, said) for error in told['errors'] for line, said in expected
            if error['line'] == line and error['message'].startswith(said)} == expected
    assert len(told['errors']) == len(expected)
    doubts = [(warning['line'], warning['message'].partition(':')[0]) for warning in told['warnings']]
    assert doubts == [(6, "link 'hand'"), (11, "joint 'three'")]


STAGES = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"/><link name="hand"/><link name="left"/><link name="right"/>
<joint name="one" type="continuous"><parent link="base"/><child link="upper"/></joint>
<joint name="two" type="continuous"><parent link="upper"/><child link="lower"/><mimic joint="four"/></joint>
<joint name="three" type="planar"><parent link="lower"/><child link="hand"/></joint>
<joint name="four" type="revolut"><parent link="lower"/><child link="left"/></joint>
<joint name="five" type="continuous"><parent link="lower"/><child link="right"/><mimic joint="five"/></joint>
</robot>"""
ERRORS = [(2, "link 'upper' (line 2): its mass"), (6, "joint 'three' is planar"), (7, "joint 'four' (line 7): its type"),
          (8, "joint 'five' closes a circle")]


@pytest.mark.parametrize(('text', 'options', 'more'), [
    (STAGES, (), []),
    (STAGES, ('--joints', 'hip'), [(None, "--joints names 'hip'")]),
    (STAGES, ('--joints', 'four'), []),                 # which is wrong anyway
    (STAGES.replace('child link="right"', 'child link="rite"'), (), [(8, "joint 'five': its child link 'rite' does not exist")])])
def test_check_names_errors_of_links_of_joints_of_the_tree_and_of_options_together(text, options, more):
    errors = report('check', '-', *options, stdin=text, code=1)['errors']
    expected = sorted([*ERRORS, *more], key=lambda error: error[0] or 0)
    found = sorted([(error['line'], error['message']) for error in errors], key=lambda error: error[0] or 0)
    assert len(found) == len(expected)
    assert all(any(line == at and message.startswith(said) for at, message in found) for line, said in expected)


def test_a_choice_of_joints_that_a_sound_robot_has_not_is_a_wrong_input():
    assert "--joints names 'hip'" in refusal('check', 'panda', '--joints', 'hip', code=3)


def test_check_names_every_joint_of_several_axes_and_every_circle_of_mimic_joints():
    kinds = ('planar', ''), ('floating', ''), ('revolute', '<mimic joint="j3"/>'), ('revolute', '<mimic joint="j2"/>')
    joints = ''.join(
        f'<link name="l{k}"/><joint name="j{k}" type="{kind}"><parent link="base"/><child link="l{k}"/>{more}</joint>'
        for k, (kind, more) in enumerate(kinds))
    told = report('check', '-', stdin=f'<robot name="arm">\n<link name="base"/>\n{joints}</robot>', code=1)
    assert [error['message'][:12] for error in told['errors']] == ["joint 'j0' i", "joint 'j1' i", "joint 'j3' c"]
    assert {error['line'] for error in told['errors']} == {3}


@pytest.mark.parametrize('command', ['info {}', 'check {}', 'export {} --out made', 'evaluate {} panda'])
@pytest.mark.parametrize('name', ['m.csv', 'm.npz', 'm.mcap'])
def test_a_motion_in_a_robots_place_is_called_one_with_the_commands_that_take_it(tmp_path, command, name):
    (tmp_path / name).write_bytes(b'\x89MCAP0\r\n')
    said = refusal(*command.format(name).split(), code=3, cwd=tmp_path)
    assert f"'{name}' holds a motion" in said and 'hod compute panda motion.mcap' in said


@pytest.mark.parametrize('command', [
    'compute panda {} -o Q.csv', 'plot panda {} --out q.png', 'evaluate panda {}', 'retime panda {}', 'view panda {} --html q.html',
    'identify panda {}'])
@pytest.mark.parametrize('robot', ['arm.urdf', 'panda'])
def test_a_robot_in_a_motions_place_is_called_one(tmp_path, command, robot):
    (tmp_path / 'arm.urdf').write_text(PLAIN)
    assert f"'{robot}' is a robot, where a motion is expected" in refusal(*command.format(robot).split(), code=3, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ['arm.urdf']


def test_check_takes_warnings_for_errors_when_it_is_strict():
    doubtful = PLAIN.replace('1e-2', '0')
    assert 'taken as a point' in report('check', '-', stdin=doubtful)['warnings'][0]['message']
    assert 'sound, 2 warnings' in hod('check', '-', stdin=doubtful).stdout
    hod('check', '-', '--strict', stdin=doubtful, code=1)


def test_a_xacro_that_does_not_expand_is_one_line(tmp_path):
    pytest.importorskip('xacro')
    (tmp_path / 'arm.xacro').write_text(XACRO.replace('${m}', '${n}'))
    assert 'xacro cannot expand' in refusal('info', 'arm.xacro', code=3, cwd=tmp_path)
