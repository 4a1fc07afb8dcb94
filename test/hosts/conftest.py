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
    collect_ignore_glob = ['test_*.py']
else:
    import ros_harness

    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ.pop('ROS_STATIC_PEERS', None)
    os.environ['ROS_DOMAIN_ID'] = str(ros_harness.claim_domain())


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
