# SPDX-License-Identifier: Apache-2.0
"""The process that interpolates: it takes pickled jobs from its input, one after the other, and writes pickled results to its output.

Started by planner.py.
"""

import os
import pickle
import signal
import sys
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.scheduling import stand_behind_the_node

LENGTH = Struct('=Q')


def in_place(data: bytes) -> NDArray[np.uint8]:
    """As an array, which `send` does not copy."""
    return np.frombuffer(data, np.uint8)


def read_exactly(descriptor: int, count: int) -> memoryview:
    """EOFError where the other side has closed. Its bytes are copied, and its memory is first touched, without the interpreter's lock."""
    whole = memoryview(np.empty(count, np.uint8))
    left = whole
    while left:
        read = os.readv(descriptor, [left])
        if not read:
            raise EOFError
        left = left[read:]
    return whole.toreadonly()


def receive(descriptor: int):
    count, = LENGTH.unpack(read_exactly(descriptor, LENGTH.size))
    lengths = [length for length, in LENGTH.iter_unpack(read_exactly(descriptor, count * LENGTH.size))]
    data, *arrays = [read_exactly(descriptor, length) for length in lengths]
    return pickle.loads(data, buffers=arrays)


def send(descriptor: int, value) -> None:
    """Arrays go as they are, beside the pickled rest: to copy some megabytes would hold up setpoints."""
    arrays: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    parts = [memoryview(data), *(array.raw() for array in arrays)]
    lengths = b''.join(LENGTH.pack(length) for length in (len(parts), *(part.nbytes for part in parts)))
    for part in (memoryview(lengths), *parts):
        while part:
            part = part[os.write(descriptor, part):]


def main() -> int:
    stand_behind_the_node()
    for name in ('SIGINT', 'SIGHUP'):       # the node's affair
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    output = os.dup(1)
    os.dup2(2, 1)       # what a library prints is no result

    from trajectory_msgs.msg import JointTrajectory

    from hod_ros.errors import HodError
    from hod_ros.ros.serialized import message_of
    np.seterr(all='ignore')     # what is not finite is refused by rule, not by a warning on stderr

    def read(data):
        return message_of(bytes(data), JointTrajectory)

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
