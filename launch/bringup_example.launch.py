# SPDX-License-Identifier: Apache-2.0
"""A robot's bringup in small: robot_state_publisher, the node `hod`, and a consumer of its feedforwards.

Copy it and put your robot's description, planner and controller in. Here nothing feeds ~/setpoint yet.
"""

import shlex
import sys
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import Command
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

SHARE = Path(__file__).resolve().parent.parent


def generate_launch_description():
    namespace = LaunchConfiguration('namespace')
    use_sim_time = LaunchConfiguration('use_sim_time')
    description = ParameterValue(
        Command([LaunchConfiguration('xacro'), ' ', LaunchConfiguration('robot')]), value_type=str)
    return LaunchDescription([
        DeclareLaunchArgument('namespace', default_value='', description='Namespace of all three nodes.'),
        DeclareLaunchArgument(
            'robot', default_value=shlex.quote(str(SHARE / 'config' / 'robots' / 'panda.urdf')),
            description='URDF or xacro file of the robot, followed by arguments of xacro.'),
        DeclareLaunchArgument('xacro', default_value='xacro', description='Command that prints the description.'),
        DeclareLaunchArgument(
            'params_file', default_value=str(SHARE / 'config' / 'hod.yaml'), description='Parameters of hod.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=['true', 'false'], description='Take the time from /clock.'),

        # Publishes robot_description, which hod takes from the topic: both always have the same robot.
        Node(
            package='robot_state_publisher',
            executable='robot_state_publisher',
            namespace=namespace,
            parameters=[{
                'robot_description': description, 'use_sim_time': ParameterValue(use_sim_time, value_type=bool)}],
            output='both',
        ),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(SHARE / 'launch' / 'hod.launch.py')),
            launch_arguments={
                'namespace': namespace,
                'params_file': LaunchConfiguration('params_file'),
                'use_sim_time': use_sim_time,
                'respawn': 'true',
            }.items(),
        ),
        # Your controller in its place.
        Node(
            executable=sys.executable,
            arguments=[str(SHARE / 'examples' / 'consume_feedforward.py')],
            exec_name='consume_feedforward',
            namespace=namespace,
            output='screen',
        ),
    ])
