# SPDX-License-Identifier: Apache-2.0
"""The process that interpolates: it takes pickled jobs from its input, one after the other, and writes pickled results to its output.

Started by planner.py.
"""

import os
import pickle
import signal
import sys
from struct import Struct

LENGTH = Struct('=Q')
NICENESS = 5            # less than services give way, for a trajectory waits for it


def read_exactly(descriptor: int, count: int) -> bytes:
    """EOFError where the other side has closed."""
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b''.join(parts)


def receive(descriptor: int):
    return pickle.loads(read_exactly(descriptor, LENGTH.unpack(read_exactly(descriptor, LENGTH.size))[0]))


def send(descriptor: int, value) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    data = memoryview(LENGTH.pack(len(data)) + data)
    while data:
        data = data[os.write(descriptor, data):]


def main() -> int:
    os.nice(NICENESS)
    for name in ('SIGINT', 'SIGHUP'):       # the node's affair
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    output = os.dup(1)
    os.dup2(2, 1)       # what a library prints is no result

    import numpy as np
    from rclpy.serialization import deserialize_message
    from trajectory_msgs.msg import JointTrajectory

    from hod_ros.errors import HodError
    np.seterr(all='ignore')     # what is not finite is refused by rule, not by a warning on stderr

    def read(data):
        return deserialize_message(data, JointTrajectory)

    robot = None
    while True:
        try:
            told, job = receive(0)
        except EOFError:
            return 0
        robot = told or robot
        try:
            result = job.run(robot, read)
        except HodError as error:
            result = error
        except Exception as error:
            result = HodError(f'internal error, please report it: {error!r}')
        try:
            send(output, result)
        except BrokenPipeError:
            return 0


if __name__ == '__main__':
    sys.exit(main())
