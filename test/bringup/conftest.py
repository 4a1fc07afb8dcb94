# SPDX-License-Identifier: Apache-2.0
import importlib.util
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / 'ros'))

try:
    import rclpy

    import hod_interfaces  # noqa: F401
except ImportError:
    if os.environ.get('HOD_ROS_TESTS') == 'required':
        raise
    collect_ignore_glob = ['test_cpp_consumer.py', 'test_launched.py', 'test_several_robots.py', 'test_two_hosts.py', 'test_reference.py',
        'test_documented_parameters.py']
else:
    import ros_harness
    from domains import claim_domain

    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ.pop('ROS_STATIC_PEERS', None)
    os.environ['ROS_DOMAIN_ID'] = str(claim_domain())


@pytest.fixture(scope='module')
def ros():
    """rclpy in this process; afterwards nothing of ours is left in shared memory."""
    before = ros_harness.shared_memory()
    if rclpy.ok():
        yield
    else:
        rclpy.init()
        yield
        rclpy.shutdown()
    ros_harness.remove_orphaned_shared_memory(before)


@pytest.fixture
def talk_to(ros):
    """A function that makes a client of the node with this name; all are closed afterwards."""
    clients = []

    def talk_to(node):
        clients.append(ros_harness.Client(f'client_{len(clients)}', node))
        return clients[-1]
    yield talk_to
    for client in clients:
        client.close()


def missing_launch():
    """Why launch files cannot be run here, or None. (Beside the folder launch/, `import launch` alone says nothing.)"""
    for name in ('launch', 'launch_ros'):
        if importlib.util.find_spec(name) is None:
            return f'{name} is not installed'
    import launch
    return None if hasattr(launch, 'LaunchDescription') else 'launch is not installed'
