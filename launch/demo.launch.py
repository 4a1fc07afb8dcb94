# SPDX-License-Identifier: Apache-2.0
"""The node `hod` at work on a Franka Emika Panda: description, setpoints at 500 Hz, node and consumer, until Ctrl-C."""

import sys
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

SHARE = Path(__file__).resolve().parent.parent


def generate_launch_description():
    namespace = LaunchConfiguration('namespace')

    def example(name):
        return Node(
            executable=sys.executable,
            arguments=[str(SHARE / 'examples' / f'{name}.py')],
            exec_name=name,
            namespace=namespace,
            output='screen',
        )

    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace', default_value='hod_demo',
            description='Namespace of all nodes: apart from that of a robot which may run nearby.'),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(SHARE / 'launch' / 'hod.launch.py')),
            launch_arguments={'namespace': namespace}.items(),
        ),
        example('publish_description'),
        example('stream_setpoints'),
        example('consume_feedforward'),
    ])
