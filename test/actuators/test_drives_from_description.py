# SPDX-License-Identifier: Apache-2.0
"""The tag <hod_elastic>: drives from a robot description, and nothing from anybody else's attributes."""

import pytest
from urdf_parser_py.urdf import Robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import DescriptionError
from hod_ros import HodError
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import drives_from_urdf
from hod_ros.actuators.description_tag import foreign_stiffness

ROBOT = '''<robot name="arm"><link name="base"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/></joint>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>'''


def robot(*tags):
    return ROBOT.replace('</robot>', ''.join(f'<hod_elastic {tag}/>' for tag in tags) + '</robot>')


def drives(*tags, **options):
    text = robot(*tags)
    return drives_from_urdf(text, RobotModel.from_urdf(text), **options)


def test_a_description_without_the_tag_has_no_drives():
    assert drives() == {}


def test_a_path_and_a_parsers_own_robot_are_taken_too(tmp_path):
    text = robot('joint="elbow" type="series_elastic" stiffness="3e3" motor_inertia="0.2"')
    path = tmp_path / 'arm.urdf'
    path.write_text(text)
    model = RobotModel.from_urdf(path)
    expected = {'elbow': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
    assert drives_from_urdf(path, model) == drives_from_urdf(text.encode(), model) == expected
    parsed = Robot.from_xml_string(ROBOT.encode())
    assert drives_from_urdf(parsed, RobotModel.from_urdf(parsed)) == {} and foreign_stiffness(parsed) == []
    figures = {'elbow': {'type': 'series_elastic', 'stiffness': 3000.0, 'motor_inertia': 0.2}}
    assert drives_from_urdf(parsed, RobotModel.from_urdf(parsed), figures) == expected


def test_figures_are_read_by_their_names():
    assert drives('joint="elbow" type="series_elastic" stiffness="3e3" motor_inertia="0.2" damping="1.5" damping_terms="2"') == {
        'elbow': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=1.5, damping_terms=2)}


def test_pairs_are_two_numbers():
    found = drives(
        'joint="shoulder" type="adjustable" motor_inertia="0.1" stiffness_range="100 900"',
        'joint="elbow" type="antagonistic" spring="exponential" torque="1" rate="9 8" motor_inertia="0.1 0.2"')
    assert found['shoulder'] == AdjustableStiffness(motor_inertia=0.1, stiffness_range=(100.0, 900.0))
    assert isinstance(found['elbow'], Antagonistic) and found['elbow'].motor_inertia == (0.1, 0.2)
    assert [spring.rate for spring in found['elbow'].spring] == [9.0, 8.0]


def test_figures_given_beside_the_description_replace_all_that_it_says_of_that_joint():
    tag = 'joint="elbow" type="series_elastic" stiffness="3000" motor_inertia="0.2" gear_ratio="50"'
    figures = {'elbow': {'type': 'series_elastic', 'stiffness': 10.0, 'motor_inertia': 0.1}}
    assert drives(tag, figures=figures) == {'elbow': SeriesElastic(stiffness=10.0, motor_inertia=0.1)}


def test_a_drive_of_a_locked_joint_is_left_out():
    text = robot('joint="elbow" type="series_elastic" stiffness="3000" motor_inertia="0.2"')
    assert drives_from_urdf(text, RobotModel.from_urdf(text, joints=['shoulder'])) == {}


@pytest.mark.parametrize(('tags', 'fault'), [
    (['type="rigid"'], 'has no joint'),
    (['joint="wrist" type="rigid"'], "'wrist', which this robot description does not have"),
    (['joint="elbow" type="rigid"'] * 2, "two <hod_elastic> name the joint 'elbow'"),
    (['joint="elbow" stiffness="3"'], "'elbow' has no type"),
    (['joint="elbow" type="series_elastic" stiffness="soft" motor_inertia="1"'], "stiffness is 'soft'; give a number"),
    (['joint="elbow" type="series_elastic" stiffness="nan" motor_inertia="1"'], 'stiffness is nan'),
    (['joint="elbow" type="series_elastic" stiffness="0" motor_inertia="1"'], 'stiffness is 0; give a number above 0'),
    (['joint="elbow" type="series_elastic" stiffness="1 2" motor_inertia="1"'], 'one finite number'),
])
def test_a_bad_tag_is_refused_by_joint_and_figure(tags, fault):
    with pytest.raises(HodError, match=fault):
        drives(*tags)


ELASTIC = 'joint="elbow" type="series_elastic" stiffness="3000" motor_inertia="0.2"'


@pytest.mark.parametrize('tag', ['hod-elastic', 'HOD_elastic', 'hod_elastics', 'hodElastic', 'hod:elastic', 'hod_elasitc'])
def test_a_misspelt_tag_is_refused_by_its_line(tag):
    text = ROBOT.replace('</robot>', f'<{tag} {ELASTIC}/></robot>')
    with pytest.raises(DescriptionError, match=rf'<{tag}> in <robot> \(line 7\), which is not read; write <hod_elastic joint="elbow"'):
        drives_from_urdf(text, RobotModel.from_urdf(text))


@pytest.mark.parametrize('text', [
    ROBOT.replace('<child link="lower"/>', f'<child link="lower"/><hod_elastic {ELASTIC}/>'),
    ROBOT.replace('<child link="lower"/>', f'<child link="lower"/><hod_elastic {ELASTIC.partition(" ")[2]}/>'),
    ROBOT.replace('</robot>', f'<gazebo><hod_elastic {ELASTIC}/></gazebo></robot>'),
])
def test_a_tag_inside_of_another_element_is_refused_with_its_place(text):
    for source in (text, text.encode()):
        with pytest.raises(DescriptionError, match=r'line \d\), .* write <hod_elastic joint="elbow" \.\.\./> directly below <robot>'):
            drives_from_urdf(source, RobotModel.from_urdf(source))
    assert foreign_stiffness(text) == []


@pytest.mark.parametrize('tag', ['elastic', 'elastic_bands', 'hod_cart', 'method'])
def test_other_tags_of_like_names_are_passed_over(tag):
    text = ROBOT.replace('</robot>', f'<{tag} {ELASTIC}/></robot>')
    assert drives_from_urdf(text, RobotModel.from_urdf(text)) == {}


@pytest.mark.parametrize('old, new, fault', [
    ('<origin ', '<mimic joint="shoulder"/><origin ', "'elbow', which mimics 'shoulder' and has no drive of its own; name that joint"),
    ('continuous', 'fixed', "'elbow', which is fixed and has no drive; remove the tag"),
])
def test_a_tag_of_a_joint_that_has_no_drive_is_refused(old, new, fault):
    text = robot(ELASTIC).replace(old, new)
    with pytest.raises(DescriptionError, match=fault):
        drives_from_urdf(text, RobotModel.from_urdf(text))


def test_a_joint_whose_master_is_missing_has_a_drive():
    text = robot(ELASTIC).replace('<child link="lower"/>', '<child link="lower"/><mimic joint="ghost"/>')
    assert list(drives_from_urdf(text, RobotModel.from_urdf(text))) == ['elbow']


def test_a_joint_of_another_element_is_none_of_the_robot():
    text = robot(ELASTIC.replace('elbow', 'wrist')).replace('</robot>', '<transmission><joint name="wrist"/></transmission></robot>')
    with pytest.raises(DescriptionError, match="'wrist', which this robot description does not have"):
        drives_from_urdf(text, RobotModel.from_urdf(text))


@pytest.mark.parametrize('value', ['3_000', '٣٠٠٠', '0x10', '1,5', '1e', '3000 N'])
def test_figures_are_decimal_as_those_of_links_and_joints(value):
    with pytest.raises(DescriptionError, match=rf"stiffness is '{value}'; give a number"):
        drives(ELASTIC.replace('3000', value))


@pytest.mark.parametrize('attribute', [
    '<dynamics damping="1" spring_stiffness="40"/>', '<elasticity k="40"/>', '<dynamics spring_reference="1"/>'])
def test_foreign_stiffness_is_never_taken_but_named(attribute):
    text = ROBOT.replace('<child link="lower"/>', f'<child link="lower"/>{attribute}')
    assert drives_from_urdf(text, RobotModel.from_urdf(text)) == {}
    sentence, = foreign_stiffness(text)
    assert "joint 'elbow'" in sentence and 'is not used' in sentence and 'elastic.elbow.*' in sentence


def test_standard_descriptions_have_nothing_foreign():
    assert foreign_stiffness(ROBOT) == []
