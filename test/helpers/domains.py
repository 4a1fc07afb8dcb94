# SPDX-License-Identifier: Apache-2.0
"""ROS domains that processes of tests and benches don't share with one another."""

import fcntl
import socket
import tempfile
from pathlib import Path

_locks = []


def claim_domain():
    """A ROS domain that nobody on this machine uses; it is ours until this process ends."""
    for domain in range(1, 100):
        lock = open(Path(tempfile.gettempdir()) / f'hod_ros_domain_{domain}.lock', 'w')
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind(('', 7400 + 250 * domain + 10))
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        return domain
    raise RuntimeError('no free ROS domain')
