# SPDX-License-Identifier: Apache-2.0
"""Starts the node `hod` in a namespace of its own choice.

ros2 launch hod_ros hod.launch.py --show-args
"""

import shlex
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import Command
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    DeclareLaunchArgument(
        'namespace', default_value='', description='Namespace of the node and of its relative topic names.'),
    DeclareLaunchArgument(
        'params_file', default_value='',
        description='YAML file with parameters; share/hod_ros/config/hod.yaml documents them all.'),
    DeclareLaunchArgument(
        'robot_description', default_value='',
        description='URDF text. Empty, as robot_description_file: from params_file or the topic robot_description.'),
    DeclareLaunchArgument(
        'robot_description_file', default_value='',
        description='A URDF file, or a xacro file (named *.xacro), instead of robot_description.'),
    DeclareLaunchArgument(
        'xacro_arguments', default_value='', description='For a xacro file: name:=value ...'),
    DeclareLaunchArgument(
        'autostart', default_value='', choices=['', 'true', 'false'],
        description='false: a lifecycle manager configures and activates. Empty: as in params_file, else true.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='', choices=['', 'true', 'false'],
        description='Take the time from /clock. Empty: as in params_file, else false.'),
    DeclareLaunchArgument(
        'log_level', default_value='info', description='debug, info, warn, error, fatal, or logger:=level.'),
    DeclareLaunchArgument(
        'remaps', default_value='', description='Remappings, from:=to, separated by blanks.'),
    DeclareLaunchArgument(
        'respawn', default_value='false', choices=['true', 'false'],
        description='Start the node again, one second after it has ended unexpectedly.'),
)


def generate_launch_description():
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start_node)])


def start_node(context):
    """The node, given the values of the arguments; those that are empty leave the decision to params_file."""
    def value(name):
        return LaunchConfiguration(name).perform(context)

    overrides = {}
    description = robot_description(value)
    if description is not None:
        overrides['robot_description'] = ParameterValue(description, value_type=str)
    for name in ('autostart', 'use_sim_time'):
        if value(name):
            overrides[name] = value(name) == 'true'
    parameters = [existing_file('params_file', value('params_file'))] if value('params_file') else []
    if overrides:
        parameters.append(overrides)
    return [Node(
        package='hod_ros',
        executable='hod_node',
        name='hod',
        namespace=value('namespace'),
        parameters=parameters,
        remappings=remappings(value('remaps')),
        ros_arguments=['--log-level', value('log_level')],
        output='both',
        respawn=IfCondition(value('respawn')).evaluate(context),
        respawn_delay=1.0,
    )]


def robot_description(value):
    """Text or a command that prints it; None where the arguments name no description."""
    text, file = value('robot_description'), value('robot_description_file')
    if text and file:
        raise ValueError('robot_description and robot_description_file are both given; give one of them')
    if not file:
        return text or None
    path = existing_file('robot_description_file', file)
    if path.endswith('.xacro'):
        return Command(['xacro ', shlex.quote(path), ' ', value('xacro_arguments')])
    return Path(path).read_text()


def existing_file(argument, path):
    if not Path(path).is_file():
        raise ValueError(f'{argument} is {path!r}, but there is no such file; give an absolute path')
    return path


def remappings(text):
    """[(from, to), ...] of `from:=to from:=to`."""
    rules = [rule.split(':=') for rule in text.split()]
    for rule in rules:
        if len(rule) != 2 or not all(rule):
            raise ValueError(f'remaps: {":=".join(rule)!r} is not of the form from:=to')
    return [tuple(rule) for rule in rules]
