# SPDX-License-Identifier: Apache-2.0
"""Bringup of a robot with elastic joints: robot_state_publisher, the nodes `hod` and `hod_elastic_controller`, and a simulated robot
in place of a real one where asked for.

ros2 launch hod_ros elastic.launch.py simulate:=true
"""

import shlex
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.actions import IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import Command
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

SHARE = Path(__file__).resolve().parent.parent


def generate_launch_description():
    namespace = LaunchConfiguration('namespace')
    params_file = LaunchConfiguration('params_file')
    description = ParameterValue(
        Command([LaunchConfiguration('xacro'), ' ', LaunchConfiguration('robot')]), value_type=str)
    return LaunchDescription([
        DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes.'),
        DeclareLaunchArgument(
            'robot', default_value=shlex.quote(str(SHARE / 'config' / 'robots' / 'panda.urdf')),
            description='URDF or xacro file of the robot, followed by arguments of xacro.'),
        DeclareLaunchArgument('xacro', default_value='xacro', description='Command that prints the description.'),
        DeclareLaunchArgument(
            'params_file', default_value=str(SHARE / 'config' / 'sea_demo.yaml'),
            description='Drives (elastic.<joint>.*), gains and all other parameters, for all nodes.'),
        DeclareLaunchArgument(
            'simulate', default_value='false', choices=['true', 'false'],
            description='Start a simulated robot (MuJoCo) that takes the motor torques and publishes joint_states and motor_states.'),

        # Publishes robot_description, which all others take from the topic: all have the same robot.
        Node(
            package='robot_state_publisher',
            executable='robot_state_publisher',
            namespace=namespace,
            parameters=[{'robot_description': description}],
            output='both',
        ),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(SHARE / 'launch' / 'hod.launch.py')),
            launch_arguments={'namespace': namespace, 'params_file': params_file}.items(),
        ),
        Node(
            package='hod_ros',
            executable='hod_elastic_controller',
            namespace=namespace,
            parameters=[params_file],
            remappings=[('motor_feedforward', 'hod/motor_feedforward')],
            output='both',
        ),
        Node(
            package='hod_ros',
            executable='hod_elastic_plant',
            namespace=namespace,
            parameters=[params_file],
            remappings=[('motor_feedforward', 'hod/motor_feedforward')],
            condition=IfCondition(LaunchConfiguration('simulate')),
            output='both',
        ),
    ])
