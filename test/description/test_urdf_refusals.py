# SPDX-License-Identifier: Apache-2.0
"""Descriptions that are wrong: each is refused with one sentence that names the culprit, the value and the remedy."""

import pytest
from small_urdfs import INERTIAL
from small_urdfs import arm
from small_urdfs import joint
from small_urdfs import link
from small_urdfs import robot

from hod_ros import DescriptionError
from hod_ros import InputError
from hod_ros import RobotModel


def refusal(text, **options):
    with pytest.raises(DescriptionError) as caught:
        RobotModel.from_urdf(text, **options)
    return str(caught.value)


TWO = (joint('one', 'base', 'a'), joint('two', 'a', 'b'))


@pytest.mark.parametrize('text, words', [
    ('', ['empty']),
    ('  \n', ['empty']),
    (b'', ['empty']),
    ('<!-- nothing -->', ['empty']),
    (None, ['NoneType', 'str or bytes']),
    (3.0, ['float', 'str or bytes']),
    ('robots/arm.urdf', ['path', 'robots/arm.urdf']),
    ('name: panda', ['not XML', 'name: panda']),
    ('<robot name="r"><link name="a">', ['well-formed', 'line 1']),
    ('<robot name="r"/>rest', ['well-formed', 'junk']),
    ('<robot name="r">\0</robot>', ['well-formed']),
    ('<robot name="\ud800"/>', ['UTF-8']),
    (b'<robot name="\xff"/>', ['utf-8', 'byte 13']),
    (b'<?xml version="1.0" encoding="utf-7"?><robot/>', ['utf-7', 'UTF-8']),
    ('<sdf version="1.9"><model name="m"/></sdf>', ['<sdf>', 'SDF']),
    ('<mujoco model="m"/>', ['<mujoco>', 'MJCF']),
    ('<robots/>', ['<robots>', '<robot>']),
    ('<robot name="r" xmlns:xacro="x"><xacro:include filename="f"/></robot>', ['xacro:include', 'expand']),
    ('<robot name="r"><xacro:arm/></robot>', ['xacro:arm', 'expand']),
    ('<robot name="r"/>', ['no links']),
    (robot(joint('j', 'a', 'b')), ['no links']),
])
def test_a_text_that_is_no_urdf_is_refused_with_what_it_is(text, words):
    message = refusal(text)
    assert all(word in message for word in words), message


@pytest.mark.parametrize('encoding, data, words', [
    ('gb2312', '机器人'.encode('gb2312'), ["'gb2312'", 'not read']),
    ('iso-2022-jp', 'ロボット'.encode('iso-2022-jp'), ["'iso-2022-jp'", 'not read']),
    ('us-ascii', '45°'.encode('latin-1'), ['us-ascii', 'byte 47']),
    ('UTF-8', '45°'.encode('latin-1'), ['UTF-8', 'byte 44']),
])
def test_a_text_of_another_encoding_than_is_read_is_refused_with_a_remedy_that_works(encoding, data, words):
    declared = f'<?xml version="1.0" encoding="{encoding}"?><!--'
    message = refusal(declared.encode() + data + b'-->' + arm().encode())
    remedy = 'save it as UTF-8 and write encoding="UTF-8" in its first line'
    assert all(word in message for word in [remedy, *words]), message
    RobotModel.from_urdf(declared.replace(encoding, 'UTF-8').encode() + '机器人'.encode() + b'-->' + arm().encode())


def test_a_path_that_cannot_be_read_is_refused_with_the_reason(tmp_path):
    assert 'No such file' in refusal(tmp_path / 'robot.urdf')
    assert 'directory' in refusal(tmp_path)
    assert 'null byte' in refusal(tmp_path / 'a\0b')


@pytest.mark.parametrize('text, words', [
    (robot(link('base'), link('a'), link('a'), joint('one', 'base', 'a')), ["'a'", 'more than one link']),
    (robot(link('base'), link('a'), link('b'), joint('one', 'base', 'a'), joint('one', 'a', 'b')),
     ["'one'", 'more than one joint']),
    (robot(link('base'), link('a'), joint('one', 'base', 'ghost')), ["'one'", 'child', "'ghost'", 'does not exist']),
    (robot(link('base'), link('a'), joint('one', 'ghost', 'a')), ["'one'", 'parent', "'ghost'", 'does not exist']),
    (robot(link('base'), link('a'), link('b'), *TWO, joint('three', 'base', 'b')), ["'b'", "'two'", "'three'", 'loop']),
    (robot(link('a'), link('b'), joint('one', 'a', 'b'), joint('two', 'b', 'a')), ["'one'", "'two'", 'loop']),
    (robot(link('base'), link('a'), link('b'), joint('one', 'a', 'b'), joint('two', 'b', 'a')),
     ["'one', 'two'", 'loop']),
    (robot(link('base'), link('a'), joint('one', 'a', 'a')), ["'one'", 'loop']),
    (robot(link('base'), link('a'), link('stray'), joint('one', 'base', 'a')), ["'base'", "'stray'", 'root']),
    (robot('<link/>'), ['link', 'no name']),
    (robot('<link name=""/>'), ['link', 'no name']),
    (robot(link('base'), '<joint type="fixed"/>'), ['joint', 'no name']),
])
def test_links_and_joints_that_form_no_tree_are_refused(text, words):
    message = refusal(text)
    assert all(word in message for word in words), message


@pytest.mark.parametrize('inside, words', [
    ('<axis xyz="0 0 0"/>', ['axis', 'zero']),
    ('<axis xyz="0 0"/>', ['xyz', '<axis>', "'0 0'", '3 finite numbers']),
    ('<axis xyz="0 0 nan"/>', ['<axis>', "'0 0 nan'"]),
    ('<axis xyz="inf 0 0"/>', ['<axis>', "'inf 0 0'"]),
    ('<axis xyz=""/>', ['<axis>', "''"]),
    ('<axis xyz="0, 0, 1"/>', ['<axis>', "'0, 0, 1'"]),
    ('<axis xyz="0 0 1_0"/>', ['<axis>', "'0 0 1_0'"]),
    ('<axis xyz="0 0 ${z}"/>', ['<axis>', 'xacro']),
    ('<origin xyz="0 0 1e400"/>', ['xyz', '<origin>', "'0 0 1e400'"]),
    ('<origin rpy="0 0 1,5"/>', ['rpy', '<origin>', "'0 0 1,5'"]),
    ('<origin rpy="NaN 0 0"/>', ['rpy', '<origin>', 'NaN']),
    ('<origin quat_xyzw="0 0 0 0"/>', ['quat_xyzw', 'length 0']),
    ('<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>', ['rpy', 'quat_xyzw', 'both']),
    ('<limit lower="nan" upper="1"/>', ['lower', '<limit>', "'nan'"]),
    ('<limit lower="0" upper="inf"/>', ['upper', '<limit>', "'inf'"]),
    ('<limit effort="" velocity="1"/>', ['effort', '<limit>', "''"]),
    ('<limit effort="1" velocity="fast"/>', ['velocity', '<limit>', "'fast'"]),
    ('<dynamics damping="nan"/>', ['damping', '<dynamics>', "'nan'"]),
    ('<dynamics friction="x"/>', ['friction', '<dynamics>', "'x'"]),
    ('<mimic joint="swing" multiplier="nan"/>', ['multiplier', '<mimic>', "'nan'"]),
    ('<mimic joint="swing" offset="-inf"/>', ['offset', '<mimic>', "'-inf'"]),
    ('<mimic multiplier="1"/>', ['<mimic>', 'names no joint']),
    ('<mimic joint="swing"/>', ["'swing'", 'circle']),
    ('<axis xyz="0 0 1"/><axis xyz="0 1 0"/>', ['more than one <axis>', 'differ']),
    ('<child link="b"/>', ['more than one <child>', 'differ']),
])
def test_a_bad_field_of_a_joint_is_named_with_its_value(inside, words):
    message = refusal(arm(inside))
    assert all(word in message for word in ["'swing'", *words]), message


@pytest.mark.parametrize('text, words', [
    ('<joint name="swing" type="revolute"><child link="arm"/></joint>', ['<parent>']),
    ('<joint name="swing" type="revolute"><parent link="base"/></joint>', ['<child>']),
    ('<joint name="swing" type="revolute"><parent/><child link="arm"/></joint>', ['<parent>', 'names no link']),
    ('<joint name="swing" type="revolute"><parent link=""/><child link="arm"/></joint>', ['<parent>', 'names no link']),
    ('<joint name="swing"><parent link="base"/><child link="arm"/></joint>', ['no type', 'revolute']),
    ('<joint name="swing" type="ball"><parent link="base"/><child link="arm"/></joint>', ["'ball'", 'revolute']),
])
def test_a_joint_without_its_parts_is_refused(text, words):
    message = refusal(robot(link('base'), text, link('arm')))
    assert all(word in message for word in ["'swing'", *words]), message


TENSOR = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


@pytest.mark.parametrize('inside, words', [
    (f'<inertial>{TENSOR}</inertial>', ['<mass>']),
    (f'<inertial><mass/>{TENSOR}</inertial>', ['<mass>', 'value']),
    (f'<inertial><mass value="-1"/>{TENSOR}</inertial>', ['mass', '-1']),
    (f'<inertial><mass value="nan"/>{TENSOR}</inertial>', ['<mass>', "'nan'"]),
    (f'<inertial><mass value="1e400"/>{TENSOR}</inertial>', ['<mass>', "'1e400'"]),
    (f'<inertial><mass value="1,5"/>{TENSOR}</inertial>', ['<mass>', "'1,5'"]),
    ('<inertial><mass value="1"/></inertial>', ['<inertia>']),
    ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>', ['<inertia>', 'ixy']),
    (f'<inertial><mass value="1"/>{TENSOR.replace("1", "inf", 1)}</inertial>', ['ixx', "'inf'"]),
    (f'<inertial><origin xyz="0 nan 0"/><mass value="1"/>{TENSOR}</inertial>', ['<origin>', "'0 nan 0'"]),
    (INERTIAL + INERTIAL.replace('"1"', '"2"'), ['more than one <inertial>', 'differ']),
])
def test_a_bad_field_of_a_link_is_named_with_its_value(inside, words):
    message = refusal(arm(child=inside))
    assert all(word in message for word in ["'arm'", *words]), message


@pytest.mark.parametrize('kind', ['floating', 'planar'])
def test_floating_and_planar_joints_are_refused_by_name_with_the_way_out(kind):
    message = refusal(arm(kind=kind))
    remedy = "remove it and its parent link 'base', and load with base='free'"
    assert all(word in message for word in ["'swing'", kind, remedy, 'locked']), message
    without = arm(kind=kind).replace(link('base'), '').replace(joint('swing', 'base', 'arm', kind=kind), '')
    assert RobotModel.from_urdf(without, base='free').base_link == 'arm'


@pytest.mark.parametrize('more', [
    (link('foot'), joint('step', 'foot', 'base', kind='fixed')), (link('camera'), joint('mount', 'base', 'camera', kind='fixed'))])
def test_the_way_out_to_a_free_base_is_shown_only_where_nothing_else_hangs_from_the_parent(more):
    message = refusal(robot(link('base'), *more, joint('swing', 'base', 'arm', kind='planar'), link('arm')))
    assert "'swing' is planar" in message and "base='free'" not in message, message


@pytest.mark.parametrize('kind', ['floating', 'planar'])
def test_the_axis_of_a_floating_or_planar_joint_that_is_locked_may_be_zero(kind):
    text = arm('<axis xyz="0 0 0"/>', kind=kind)
    assert RobotModel.from_urdf(text, locked={'swing': 0}).hash == RobotModel.from_urdf(arm(kind=kind), locked={'swing': 0}).hash


@pytest.mark.parametrize('inside, remedy', [
    ('<limit lower="0" upper="inf"/>', "upper of its <limit> is 'inf'; where there is no limit, leave out lower and upper both, or"),
    ('<limit lower="-Infinity" upper="1"/>', 'such as 1e9'),
    ('<limit effort="+INF"/>', "effort of its <limit> is '+INF'; where there is no limit, leave it out"),
    ('<limit velocity=" inf "/>', 'leave it out'),
])
def test_limits_that_are_infinite_are_to_be_left_out(inside, remedy):
    assert remedy in refusal(arm(inside))


@pytest.mark.parametrize('kind', ['floating', 'planar'])
@pytest.mark.parametrize('options', [{'locked': {'swing': 0}}, {'joints': ['wrist']}])
def test_an_excluded_floating_or_planar_joint_stays_at_its_origin(kind, options):
    text = robot(link('base'), joint('swing', 'base', 'arm', '<origin xyz="1 2 3"/>', kind), link('arm'),
                 joint('wrist', 'arm', 'hand'), link('hand'))
    model = RobotModel.from_urdf(text, **options)
    assert model.joint_names == ('wrist',)
    assert model.links['arm'][1][:3, 3].tolist() == [1, 2, 3]


def test_a_floating_joint_cannot_be_locked_elsewhere_nor_selected_nor_mimicked():
    with pytest.raises(InputError, match="'swing'.* 0.5.* at 0 only"):
        RobotModel.from_urdf(arm(kind='floating'), locked={'swing': 0.5})
    assert "'swing' is floating" in refusal(arm(kind='floating'), joints=['swing'])
    text = robot(link('base'), joint('swing', 'base', 'arm', kind='floating'), link('arm'),
                 joint('wrist', 'arm', 'hand', '<mimic joint="swing"/>'), link('hand'))
    assert "'wrist'" in refusal(text, locked={'swing': 0})


def test_mimic_joints_in_a_circle_are_refused_with_the_circle():
    text = robot(link('base'), *(link(name) for name in 'abc'),
                 joint('one', 'base', 'a', '<mimic joint="three"/>'), joint('two', 'a', 'b', '<mimic joint="one"/>'),
                 joint('three', 'b', 'c', '<mimic joint="two"/>'))
    assert 'one -> three -> two -> one' in refusal(text)


def test_a_massless_link_is_fine_where_what_follows_it_has_inertia():
    text = robot(link('base'), joint('one', 'base', 'a'), link('a', ''), joint('two', 'a', 'b'), link('b'))
    assert RobotModel.from_urdf(text).n == 2


def test_figures_whose_products_would_overflow_are_refused_by_name():
    message = refusal(arm(child=INERTIAL.replace('<mass value="1"/>', '<mass value="1e200"/>')))
    assert all(word in message for word in ["'arm'", '<mass>', "'1e200'", 'below 1e+100']), message
    text = robot(link('base'), link('a'), link('b'), link('c'), joint('one', 'base', 'a'),
                 joint('two', 'a', 'b', '<mimic joint="one" multiplier="1e90"/>'),
                 joint('three', 'b', 'c', '<mimic joint="two" multiplier="1e90"/>'))
    message = refusal(text)
    assert all(word in message for word in ["'three'", "'one'", '1e+180']), message


def test_a_loop_is_named_without_what_hangs_from_it():
    text = robot(*(link(name) for name in ('base', 'a', 'b', 'c')), joint('hanging', 'b', 'c'), joint('one', 'a', 'b'),
                 joint('two', 'b', 'a'))
    message = refusal(text)
    assert "'one', 'two'" in message and 'hanging' not in message, message
