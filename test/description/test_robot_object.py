# SPDX-License-Identifier: Apache-2.0
"""Descriptions that come as urdf_parser_py's Robot or as a path, checked as texts are."""

import math
import pathlib

import numpy as np
import pytest
import robots
from small_urdfs import INERTIAL
from small_urdfs import arm
from urdf_parser_py import urdf

from hod_ros import DescriptionError
from hod_ros import RobotModel

TEXT = arm('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/><limit lower="-1" upper="2" effort="3" velocity="4"/>'
           '<dynamics damping="0.5" friction="0.25"/>')


def parsed(text=TEXT):
    return urdf.URDF.from_xml_string(text.encode())


def by_hand():
    """The same robot as TEXT, made with numbers of other types."""
    robot = urdf.Robot('r')
    inertial = urdf.Inertial(1, urdf.Inertia(1, 0, 0, np.float64(1), 0, 1))
    for name in ('base', 'arm'):
        robot.add_link(urdf.Link(name, inertial=inertial))
    robot.add_joint(urdf.Joint(
        'swing', 'base', 'arm', 'revolute', axis=np.array([0, 3, 4]), origin=urdf.Pose((1, 2, 3), [0.1, 0.2, 0.3]),
        limit=urdf.JointLimit(3, 4, -1, 2), dynamics=urdf.JointDynamics(0.5, 0.25)))
    return robot


@pytest.mark.parametrize('robot', [parsed(), by_hand()], ids=['parsed', 'by hand'])
def test_a_robot_object_gives_the_model_of_its_text(robot):
    assert RobotModel.from_urdf(robot).hash == RobotModel.from_urdf(TEXT).hash


def test_a_public_robot_as_object_gives_the_model_of_its_text():
    text = robots.robot_text('our_panda')
    assert RobotModel.from_urdf(parsed(text.decode())).hash == RobotModel.from_urdf(text).hash


def test_an_edited_robot_object_gives_the_edited_model():
    robot = parsed()
    robot.link_map['arm'].inertial.mass = 7.0
    assert RobotModel.from_urdf(robot).masses.tolist() == [7]


def test_a_path_is_read(tmp_path):
    path = tmp_path / 'robot.urdf'
    path.write_text(TEXT)
    assert RobotModel.from_urdf(path).hash == RobotModel.from_urdf(pathlib.PurePath(path)).hash == RobotModel.from_urdf(TEXT).hash


def test_a_missing_limit_of_an_object_is_none():
    robot = parsed()
    robot.joints[0].limit = urdf.JointLimit()
    model = RobotModel.from_urdf(robot)
    assert model.position_limits.tolist() == [[-math.inf, math.inf]] and model.effort_limits[0] == model.velocity_limits[0] == math.inf


def set_at(robot, path, value):
    *owners, last = path.split('.')
    for name in owners:
        robot = robot[int(name)] if name.isdigit() else getattr(robot, name)
    setattr(robot, last, value)


@pytest.mark.parametrize('path, value, words', [
    ('links.1.name', None, ['link', 'no name']),
    ('links.1.name', 5, ['5', 'no text']),
    ('links.1.inertial', 3.0, ["'arm'", 'inertial', '3.0', 'Inertial']),
    ('links.1.inertial.mass', None, ["'arm'", 'value of its <mass> is None', 'one finite number']),
    ('links.1.inertial.mass', -1.0, ["'arm'", '-1.0', '0 or more']),
    ('links.1.inertial.mass', True, ["'arm'", 'True']),
    ('links.1.inertial.mass', math.nan, ["'arm'", 'nan']),
    ('links.1.inertial.mass', 1e200, ["'arm'", '1e+200', 'below 1e+100']),
    ('links.1.inertial.mass', 1j, ["'arm'", '1j']),
    ('links.1.inertial.inertia', None, ["'arm'", 'no <inertia>']),
    ('links.1.inertial.inertia.ixy', 'x', ["'arm'", 'ixy of its <inertia>', "'x'"]),
    ('links.1.inertial.origin', [0, 0, 0], ["'arm'", 'origin', 'Pose']),
    ('joints.0.name', '', ['joint', 'no name']),
    ('joints.0.type', 'unknown', ["'swing'", "'unknown'", 'revolute']),
    ('joints.0.parent', None, ["'swing'", '<parent> names no link']),
    ('joints.0.child', 'ghost', ["'swing'", 'ghost', 'does not exist']),
    ('joints.0.axis', [0, 0, 0], ["'swing'", 'axis is zero']),
    ('joints.0.axis', [0, 1], ["'swing'", 'xyz of its <axis>', '[0, 1]']),
    ('joints.0.axis', 'z', ["'swing'", "'z'"]),
    ('joints.0.axis', [0, math.inf, 0], ["'swing'", 'inf']),
    ('joints.0.origin.rpy', [0, 0, math.nan], ["'swing'", 'rpy of its <origin>', 'nan']),
    ('joints.0.origin.xyz', 3, ["'swing'", 'xyz of its <origin> is 3']),
    ('joints.0.origin.quat_xyzw', [0, 0, 0, 1], ["'swing'", 'both rpy and quat_xyzw']),
    ('joints.0.limit.effort', math.nan, ["'swing'", 'effort of its <limit> is nan']),
    ('joints.0.limit.lower', 'low', ["'swing'", 'lower of its <limit>', "'low'"]),
    ('joints.0.dynamics', {}, ["'swing'", 'dynamics', 'JointDynamics']),
    ('joints.0.dynamics.damping', math.inf, ["'swing'", 'damping', 'inf']),
    ('joints.0.mimic', urdf.JointMimic('swing', 'x'), ["'swing'", 'multiplier', "'x'"]),
    ('joints.0.mimic', urdf.JointMimic(), ["'swing'", '<mimic> names no joint']),
    ('joints', [5], ["robot's joints", 'add_joint']),
    ('links', None, ["robot's links", 'add_link']),
    ('name', 5, ["robot's name is 5"]),
])
def test_a_bad_field_of_an_object_is_named_with_its_value_and_the_rule(path, value, words):
    robot = parsed()
    set_at(robot, path, value)
    with pytest.raises(DescriptionError) as caught:
        RobotModel.from_urdf(robot)
    message = str(caught.value)
    assert all(word in message for word in words) and 'line' not in message, message


def test_a_quaternion_which_the_parser_does_not_know_is_carried_over():
    half = 0.5**0.5
    turned = f'<origin xyz="1 2 3" quat_xyzw="{half!r} 0 0 {half!r}"/>'
    inertial = INERTIAL.replace('<inertial>', f'<inertial>{turned}').replace('iyy="1"', 'iyy="1.5"')
    text = arm(turned + '<axis xyz="0 0 1"/>', child=inertial)
    by_angles = text.replace(f'quat_xyzw="{half!r} 0 0 {half!r}"', f'rpy="{math.pi / 2!r} 0 0"')
    for other in (text, text.replace('type="revolute"', 'type="fixed"')):
        np.testing.assert_allclose(RobotModel.from_urdf(other).links['arm'][1], RobotModel.from_urdf(
            other.replace(text, by_angles)).links['arm'][1], atol=1e-15)
    model, expected = RobotModel.from_urdf(text), RobotModel.from_urdf(by_angles)
    np.testing.assert_allclose(model.B, expected.B, atol=1e-15)
    np.testing.assert_allclose(model.M, expected.M, atol=1e-14)
    assert not np.allclose(model.B[0, :3, :3], np.eye(3))

    robot = parsed(by_angles)
    robot.joints[0].origin = urdf.Pose([1, 2, 3])
    robot.joints[0].origin.quat_xyzw = [half, 0, 0, half]
    np.testing.assert_allclose(RobotModel.from_urdf(robot).B, expected.B, atol=1e-15)


def test_other_things_are_refused_with_what_to_give():
    for thing in (None, 3, [TEXT], urdf.Link('a')):
        with pytest.raises(DescriptionError, match=f'of type {type(thing).__name__}; give the text of a URDF .*urdf_parser_py'):
            RobotModel.from_urdf(thing)
