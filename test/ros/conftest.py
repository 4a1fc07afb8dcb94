# SPDX-License-Identifier: Apache-2.0
import os

import numpy as np
import pytest

try:
    import rclpy

    import hod_interfaces  # noqa: F401
except ImportError:
    if os.environ.get('HOD_ROS_TESTS') == 'required':
        raise
    collect_ignore_glob = ['test_*.py', '*/test_*.py']
else:
    os.environ['ROS_PYTHON_CHECK_FIELDS'] = '1'
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ.pop('ROS_STATIC_PEERS', None)

    import ros_harness
    from domains import claim_domain

    os.environ['ROS_DOMAIN_ID'] = str(claim_domain())


@pytest.fixture(scope='session', autouse=True)
def ros():
    """rclpy in this process; afterwards nothing of ours is left in shared memory."""
    before = ros_harness.shared_memory()
    rclpy.init()
    yield
    rclpy.shutdown()
    ros_harness.remove_orphaned_shared_memory(before)


@pytest.fixture(scope='module')
def client():
    client = ros_harness.Client()
    yield client
    client.close()


@pytest.fixture
def motion():
    """q (5, 7) of a plausible motion."""
    return np.random.default_rng(1).uniform(-1.0, 1.0, (5, 7))
