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


@pytest.mark.parametrize('inside', [
    '<limit lower="0" upper="1" effort="1" velocity="1" acceleration="5" k_velocity="7"/>',
    '<dynamics damping="0" friction="0" spring_reference="0" D="1"/>',
    '<safety_controller k_velocity="1"/><calibration rising="0"/><joint_properties damping="3"/>',
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
