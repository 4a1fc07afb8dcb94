# SPDX-License-Identifier: Apache-2.0
"""What urdf_parser_py would take in silence or refuse without need: spelling, duplicates, leftovers; and lines in messages."""

import numpy as np
import pytest
from small_urdfs import INERTIAL
from small_urdfs import arm
from small_urdfs import joint
from small_urdfs import link
from small_urdfs import robot

from hod_ros import DescriptionError
from hod_ros import RobotModel

PLAIN = RobotModel.from_urdf(arm('<axis xyz="0 0 1"/>'))


def refusal(text, **options):
    with pytest.raises(DescriptionError) as caught:
        RobotModel.from_urdf(text, **options)
    return str(caught.value)


@pytest.mark.parametrize('inside, words', [
    ('<axis xyzx="0 0 1"/>', ['<axis>', 'no xyz, but xyzx', 'write xyz']),
    ('<axis xzy="0 0 1"/>', ['no xyz, but xzy']),
    ('<axis XYZ="0 0 1"/>', ['no xyz, but XYZ']),
    ('<axis value="0 0 1"/>', ["'value'", 'no xyz']),
    ('<origin pos="0 0 1"/>', ["'pos'", 'no xyz or rpy']),
    ('<origin xyz="0 0 1" rpyy="0 0 1"/>', ['no rpy, but rpyy']),
    ('<limit lower="0" uper="1"/>', ['no upper, but uper']),
    ('<dynamics dampning="1"/>', ['no damping, but dampning']),
    ('<mimic joint="swing" multipler="2"/>', ['no multiplier, but multipler']),
    ('<axes xyz="0 0 1"/>', ['no <axis>, but <axes>']),
    ('<orgin xyz="0 0 1"/>', ['no <origin>, but <orgin>']),
    ('<Limit lower="0"/>', ['no <limit>, but <Limit>']),
])
def test_misspelt_parts_of_a_joint_are_refused_with_what_was_probably_meant(inside, words):
    message = refusal(arm(inside))
    assert all(word in message for word in ["'swing'", 'line 1', *words]), message


@pytest.mark.parametrize('inside, words', [
    (INERTIAL.replace('inertial', 'inertal'), ['no <inertial>, but <inertal>']),
    ('<mass value="1"/><inertia ixx="1"/>', ['no <inertial>, but <inertia>']),
    (INERTIAL.replace('ixz', 'izx'), ['no ixz, but izx']),
    (INERTIAL.replace('value', 'Value'), ['no value, but Value']),
])
def test_misspelt_parts_of_a_link_are_refused_with_what_was_probably_meant(inside, words):
    message = refusal(arm(child=inside))
    assert all(word in message for word in ["'arm'", *words]), message


@pytest.mark.parametrize('inside, words', [
    ('<axis>0 0 1</axis>', ["<axis> holds '0 0 1'", "write <axis xyz='...'/>"]),
    ('<axis><xyz>0 0 1</xyz></axis>', ['<axis> holds <xyz>', "write <axis xyz='...'/>"]),
    ('<origin>1 2 3</origin>', ["<origin> holds '1 2 3'"]),
    ('<origin rpy="1 2 3"><!-- m -->1 2 3</origin>', ["<origin> holds '1 2 3'"]),
    ('<limit><lower>0</lower></limit>', ['<limit> holds <lower>']),
    ('<pose>1 2 3 0 0 0</pose>', ['no <origin>, but <pose>', 'write <origin>']),
    ('<place xyz="1 2 3" rpy="0 0 0"/>', ['no <origin>, but <place>']),
    ('<mimicJoint name="swing" multiplier="2"/>', ['no <mimic>, but <mimicJoint>']),
    ('<sensor><axis xyz="0 0 1"/></sensor>', ['<axis> stands in <sensor>', 'move it into <joint>']),
    (INERTIAL, ['<inertial> stands in <joint>', 'move it into a <link>']),
])
def test_figures_of_a_joint_that_stand_where_they_are_not_read_are_refused_with_their_place(inside, words):
    message = refusal(arm(inside))
    assert all(word in message for word in ["'swing'", 'line 1', *words]), message


@pytest.mark.parametrize('attributes, words', [
    ('axis="0 0 1"', ['attribute axis', 'write it into <axis>']),
    ('xyz="1 2 3"', ['attribute xyz', 'write it into <origin> or <axis>']),
    ('rpy="1 2 3"', ['attribute rpy', 'write it into <origin>']),
    ('lower="0" upper="1"', ['attribute lower', 'write it into <limit>']),
])
def test_figures_in_attributes_of_a_joint_are_refused_with_their_place(attributes, words):
    message = refusal(arm().replace('<joint ', f'<joint {attributes} '))
    assert all(word in message for word in ["'swing'", *words]), message


@pytest.mark.parametrize('child, words', [
    ('<mass value="7"/>', ['<mass> stands in <link>', 'move it into <inertial>']),
    (f'<visual>{INERTIAL}</visual>', ['<inertial> stands in <visual>', 'move it into <link>']),
    (f'<collision><geometry>{INERTIAL}</geometry></collision>', ['<inertial> stands in <geometry>']),
    (INERTIAL.replace('<mass', '<com xyz="1 2 3"/><mass'), ['<inertial> has no <origin>, but <com>']),
    (INERTIAL.replace('<mass', '<pose>1 2 3 0 0 0</pose><mass'), ['<inertial> has no <origin>, but <pose>']),
    (INERTIAL.replace('<mass value="1"/>', '<mass>1</mass>'), ["<mass> holds '1'", "write <mass value='...'/>"]),
    (INERTIAL.replace('<inertial>', '<inertial xyz="1 2 3">'), ['attribute xyz', 'write it into <origin>']),
])
def test_masses_that_stand_where_they_are_not_read_are_refused_with_their_place(child, words):
    message = refusal(arm(child=child))
    assert all(word in message for word in ["'arm'", 'line 1', *words]), message
    message = refusal(arm(child='').replace('name="arm"', 'name="arm" mass="3"'))
    assert "link 'arm'" in message and 'write it into <mass> in <inertial>' in message, message


@pytest.mark.parametrize('inside, child, sentence', [
    ('', INERTIAL + '<mass value="7"/>', "<mass> in <link>, where it is not read: 'arm'"),
    ('', f'{INERTIAL}<visual>{INERTIAL}</visual>', "<inertial> in <visual>, where it is not read: 'arm'"),
    ('', INERTIAL + '<origin xyz="1 2 3"/>', "<origin> in <link>, where it is not read: 'arm'"),
    ('<origin xyz="0 0 0"/><sensor><origin xyz="1 2 3"/></sensor>', INERTIAL, "<origin> in <sensor>, where it is not read: 'swing'"),
])
def test_known_parts_in_other_places_are_a_warning_where_the_right_one_is_there(inside, child, sentence):
    model = RobotModel.from_urdf(arm('<axis xyz="0 0 1"/>' + inside, child=child))
    assert model.warnings == (sentence,)
    np.testing.assert_array_equal(model.M, PLAIN.M)
    assert RobotModel.from_urdf(arm('<axis xyz="0 0 1"/>').replace('<joint ', '<joint axis="0 1 0" ')).warnings == (
        "attributes 'axis' of <joint>, which are not read: 'swing'",)


EXTRA_LINK, EXTRA_JOINT = link('tool'), joint('mount', 'arm', 'tool', kind='fixed')


@pytest.mark.parametrize('extra, words', [
    (EXTRA_LINK.replace('link', 'Link'), ["<Link name='tool'>", 'write <link>']),
    (EXTRA_LINK.replace('link', 'lnik'), ["<lnik name='tool'>", 'write <link>']),
    (EXTRA_LINK.replace('<link', '<u:link').replace('</link', '</u:link'), ["<u:link name='tool'>", 'write <link>']),
    (EXTRA_LINK.replace('link', 'body'), ["<body name='tool'>", 'write <link>']),
    ('<Link name="tool"/>', ["<Link name='tool'>", 'write <link>']),
    (EXTRA_JOINT.replace('joint', 'JOINT'), ["<JOINT name='mount'>", 'write <joint>']),
    (EXTRA_JOINT.replace('joint', 'jiont'), ["<jiont name='mount'>", 'write <joint>']),
    (f'<group><a>{EXTRA_LINK}</a></group>', ["<link name='tool'>", 'inside <group>', 'move it up into <robot>']),
    (f'<group>{EXTRA_JOINT}</group>', ["<joint name='mount'>", 'inside <group>']),
    (f'<robot>{EXTRA_LINK}{EXTRA_JOINT}</robot>', ["<link name='tool'>", 'inside <robot>']),
    (link('camera', EXTRA_LINK), ["<link name='tool'>", 'inside <link>']),
])
def test_what_is_made_like_a_link_or_joint_and_not_read_as_one_is_refused(extra, words):
    message = refusal(arm().replace('</robot>', f'\n{extra}</robot>'))
    assert all(word in message for word in ['line 2', *words]), message


@pytest.mark.parametrize('extra', [
    '<gazebo><model><link name="tool"><inertial/></link><joint name="j"><parent>arm</parent><child>tool</child></joint></model></gazebo>',
    '<point name="a"/><RefLink ref="arm"/><links/><joints/>',
    '<loop_joint name="j"><link1 link="arm"/><link2 link="base"/><axis xyz="0 0 1"/></loop_joint>',
    '<unknown><link name="tool"><visual/></link><joint name="swing"/></unknown>',
])
def test_dialects_may_speak_of_links_and_joints(extra):
    model = RobotModel.from_urdf(arm('<axis xyz="0 0 1"/>').replace('</robot>', f'{extra}</robot>'))
    assert model.hash == PLAIN.hash and model.warnings == ()


@pytest.mark.parametrize('inside', [
    '<limit lower="0" upper="1" effort="1" velocity="1" acceleration="5" k_velocity="7"/>',
    '<dynamics damping="0" friction="0" spring_reference="0" D="1"/>',
    '<safety_controller k_velocity="1"/><calibration rising="0"/><joint_properties damping="3"/>',
    '<origin xyz="0 0 0"/><anchor xyz="0 0 0"/>',
])
def test_what_dialects_add_is_passed_over(inside):
    model = RobotModel.from_urdf(arm('<axis xyz="0 0 1"/>' + inside))
    np.testing.assert_array_equal(model.X, PLAIN.X)
    assert model.warnings == ()


def test_attributes_that_are_not_read_are_named_once_for_all_links():
    odd = INERTIAL.replace('ixy="0"', 'ixy="0" iyx="0"')
    links, joints = [link(f'l{k}', odd) for k in range(20)], [joint(f'j{k}', f'l{k}', f'l{k + 1}') for k in range(19)]
    model = RobotModel.from_urdf(robot(*links, *joints))
    assert model.warnings == (
        "attributes 'iyx' of <inertia>, which are not read: 'l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7' and 12 more",)


def test_parts_that_stand_outside_of_links_and_joints_are_a_warning():
    warning, = RobotModel.from_urdf(arm().replace('</robot>', INERTIAL + '</robot>')).warnings
    assert '<inertial>' in warning and 'not read' in warning


@pytest.mark.parametrize('inside, child, tag', [
    ('<axis xyz="0 0 1"/><axis xyz="0 0 1"/>', INERTIAL, 'axis'),
    ('<axis xyz="0 0 1"/>', INERTIAL + '\n' + INERTIAL.replace('><', '> <'), 'inertial'),
    ('<axis xyz="0 0 1"/>', INERTIAL.replace('<mass value="1"/>', 2 * '<mass value="1"/>'), 'mass'),
])
def test_of_parts_that_are_alike_the_first_is_read_with_a_warning(inside, child, tag):
    model = RobotModel.from_urdf(arm(inside, child=child))
    assert model.hash == PLAIN.hash
    warning, = model.warnings
    assert f'more than one <{tag}>, all alike' in warning


def test_an_axis_that_says_nothing_is_x_with_a_warning():
    model = RobotModel.from_urdf(arm('<axis/>'))
    assert model.X.tolist() == [[1, 0, 0, 0, 0, 0]] and "xyz='1 0 0': 'swing'" in model.warnings[0]


@pytest.mark.parametrize('number', ['1_0', '1e', '--1', '0x10', '١', 'True', '1.0.0', '+-1', 'infinity', '1d3'])
def test_numbers_are_decimal(number):
    assert f"'{number}'" in refusal(arm(child=INERTIAL.replace('value="1"', f'value="{number}"')))


@pytest.mark.parametrize('number', ['1', '+1.', '.1e1', '1E+0', '10e-1', '001'])
def test_decimal_numbers_are_read_in_every_spelling(number):
    assert RobotModel.from_urdf(arm(child=INERTIAL.replace('value="1"', f'value="{number}"'))).masses.tolist() == [1]


def test_messages_know_the_line_of_the_element():
    text = arm('\n\n<axis xyz="0 0 0"/>', child=INERTIAL.replace('<mass', '\n<mass').replace('value="1"', '\nvalue="1"'))
    assert "joint 'swing' (line 3): its axis is zero" in refusal(text)
    text = text.replace('0 0 0', '0 0 1').replace('\nvalue="1"', '\nvalue="x"')
    assert "link 'arm' (line 4): value of its <mass> is 'x'" in refusal(text)


# What can't change a number does not stop a robot.

@pytest.mark.parametrize('text', [
    arm('<axis xyz="0 0 1"/>', child=INERTIAL + '<visual><xacro:blue/><geometry/></visual><collision><xacro:x/></collision>'),
    arm('<axis xyz="0 0 1"/>').replace('</robot>', '<gazebo><xacro:sensor/></gazebo></robot>'),
    '\n  <?xml version="1.0"?>' + arm('<axis xyz="0 0 1"/>'),
    '<!-- Copyright\n of somebody -->\n<?xml version="1.0"?>\n' + arm('<axis xyz="0 0 1"/>'),
    '<?xml verison="1.0"?>' + arm('<axis xyz="0 0 1"/>'),
    '<?XML version=1.0 ?>' + arm('<axis xyz="0 0 1"/>'),
    arm('<axis xyz="0 0 1"/>') + '\0',
    arm('<axis xyz="0 0 1"/>').encode() + b'\n\0\0',
    arm('<axis xyz="0 0 1"/>') + '\n\0\n',
    b'<!-- licence --><?xml version="1.0" encoding="iso-8859-1"?><!-- \xe9 -->' + arm('<axis xyz="0 0 1"/>').encode(),
], ids=range(10))
def test_leftovers_and_sloppy_declarations_do_not_stop_a_robot(text):
    assert RobotModel.from_urdf(text).hash == PLAIN.hash


def test_lines_count_from_the_beginning_of_the_file_even_behind_a_licence():
    text = '<!-- one\ntwo -->\n<?xml version="1.0"\n?>\n' + arm('<axis xyz="0 0 0"/>')
    assert '(line 5)' in refusal(text)


@pytest.mark.parametrize('text', [
    arm('<xacro:limits/>'),
    arm('<axis xyz="0 0 1"><xacro:x/></axis>'),
    arm(child='<inertial><xacro:box_inertia/></inertial>'),
    arm().replace('</robot>', '\n<xacro:hand/></robot>'),
])
def test_leftovers_where_numbers_are_read_are_refused_with_the_remedy(text):
    message = refusal(text)
    assert '<xacro:' in message and 'line' in message and 'expand it first' in message


@pytest.mark.parametrize('text, words', [
    ('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n', ['Git LFS', 'git lfs pull']),
    ('<robot name="r"><group name="arm"><joint name="a"/></group><disable_collisions link1="a" link2="b"/></robot>', ['SRDF', 'URDF']),
    ('<sdf version="1.9"><model name="m"/></sdf>', ['SDF', 'sdformat_urdf']),
    ('<!DOCTYPE html><html><body/></html>', ['page of the web', 'raw']),
    ('<html><body/></html>', ['page of the web', 'raw']),
])
def test_other_files_are_named_as_what_they_are_with_the_remedy(text, words):
    for source in (text, text.encode(), '\ufeff' + text):
        message = refusal(source)
        assert all(word in message for word in words), message
