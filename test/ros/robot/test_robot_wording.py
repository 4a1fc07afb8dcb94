# SPDX-License-Identifier: Apache-2.0
"""A bad description or parameter is told in the node's words: its parameters, never Python's arguments."""

import re

import pytest
from rclpy.parameter import Parameter
from ros_harness import arm_urdf
from small_urdfs import INERTIAL
from small_urdfs import joint
from small_urdfs import link
from small_urdfs import robot

from hod_ros.errors import HodError
from hod_ros.ros.lifecycle import ManagedNode
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.robot.settings import robot_settings

PYTHON = re.compile(r"locked=|locked\[|armature\[|joints=|base=|from_urdf|RobotModel|pathlib\b|in joints\b|str or bytes")
LIFTED = INERTIAL.replace('<mass', '<origin xyz="0 0 0.3"/><mass')
IDLE = robot(link('base'), joint('swing', 'base', 'arm'), link('arm', LIFTED), joint('tool', 'arm', 'tip'), link('tip', ''))
FLOATING = robot(
    link('world', ''), joint('float', 'world', 'base', kind='floating'), link('base'), joint('swing', 'base', 'arm'), link('arm'))


def built(text, **given):
    node = ManagedNode('robot', parameter_overrides=[Parameter(name, value=value) for name, value in given.items()])
    try:
        return Robot.build(text, 'a test', robot_settings(Parameters(node, 'hod')))
    finally:
        node.destroy_node()


def test_an_idle_joint_is_a_warning_that_names_its_parameter(ros):
    warning, = built(IDLE).warnings
    assert "joint 'tool' moves has any inertia" in warning and 'set locked_positions.tool to 0.0' in warning
    assert not PYTHON.search(warning)
    assert built(IDLE, **{'locked_positions.tool': 0.0}).warnings == ()


@pytest.mark.parametrize('text, given, words', [
    (FLOATING, {}, ["'float' is floating", 'set locked_positions.float to 0.0', 'Python library']),
    (arm_urdf(2).replace('"revolute"', '"planar"'), {}, ['planar', 'set locked_positions.joint1 to 0.0']),
    (arm_urdf(2), {'joints': ['elbow']}, ["the parameter joints names 'elbow'", "'joint1', 'joint2'"]),
    (arm_urdf(2), {'locked_positions.elbow': 0.0}, ["locked_positions names 'elbow'"]),
    (arm_urdf(2), {'joints': ['joint1'], 'locked_positions.joint1': 0.5}, ['both in the parameter joints and in locked_pos']),
    (arm_urdf(2), {'armature.elbow': 1.0}, ["armature names 'elbow'"]),
    (FLOATING, {'locked_positions.float': 0.5}, ['locked_positions.float is 0.5', 'at 0 only']),
    (re.sub('(?s)<inertial>.*?</inertial>', '', arm_urdf(2)), {}, ['has any inertia', 'dynamics are refused']),
    ('robots/arm.urdf', {}, ['looks like a path', 'give the text']),
])
def test_refusals_speak_of_parameters(ros, text, given, words):
    with pytest.raises(HodError) as caught:
        built(text, **given)
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert not PYTHON.search(message), message
