# SPDX-License-Identifier: Apache-2.0
"""What two processes tell each other without either waiting for the other: the latest value of one, and signs of life of the other."""

import errno
import os
import pickle
import tempfile
import time
from struct import Struct
from typing import Any
from zlib import crc32

from hod_ros.errors import HodError

HEADER = Struct('=QQQL')    # generation, place, length and checksum of the latest pickled value
MOMENT = Struct('=d')       # [s] on the steady clock, which is the same for all processes
PATIENCE = 2.0              # [s] a write takes far less
RETRY = 1e-3                # [s]


class Blackboard:
    """An unnamed file; the reader inherits its descriptor. What was written before a message left is seen after it came."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._own = descriptor is None
        self.descriptor = _unnamed_file() if descriptor is None else descriptor
        self._generation = 0
        self._used = HEADER.size, HEADER.size       # from and to of the value that the header names

    def write(self, value: Any) -> None:
        """OSError, with the value before left in place, where there is no room."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        begin, end = self._used
        place = HEADER.size if HEADER.size + len(data) <= begin else end        # beside the value that may be being read
        self._put(data, place)
        self._put(HEADER.pack(self._generation + 1, place, len(data), crc32(data)), 0)
        self._generation += 1
        self._used = place, place + len(data)

    def _put(self, data, place):
        if os.pwrite(self.descriptor, data, place) != len(data):
            raise OSError(errno.ENOSPC, f'no room for {len(data)} bytes')

    def changed(self) -> bool:
        """Whether something was written since the last read."""
        return self._header()[0] != self._generation

    def read(self) -> Any:
        """The latest value. A write in the middle of the read is seen by the checksum, and the read done again."""
        end = time.monotonic() + PATIENCE
        while True:
            generation, place, length, checksum = self._header()
            data = os.pread(self.descriptor, length, place)
            if len(data) == length and crc32(data) == checksum:
                self._generation = generation
                return pickle.loads(data)
            if time.monotonic() > end:
                raise HodError('the robot that the node computes with cannot be read by its services; please report it')
            time.sleep(RETRY)

    def _header(self):
        return HEADER.unpack(os.pread(self.descriptor, HEADER.size, 0))

    def close(self) -> None:
        if self._own:
            os.close(self.descriptor)


class SignsOfLife:
    """When a process was last seen alive: an unnamed file as well."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._own = descriptor is None
        self.descriptor = _unnamed_file() if descriptor is None else descriptor

    def give(self) -> None:
        os.pwrite(self.descriptor, MOMENT.pack(time.monotonic()), 0)

    def forget(self) -> None:
        os.ftruncate(self.descriptor, 0)

    def age(self) -> float | None:
        """[s] of the last one; None where there was none yet."""
        moment = os.pread(self.descriptor, MOMENT.size, 0)
        return time.monotonic() - MOMENT.unpack(moment)[0] if len(moment) == MOMENT.size else None

    def close(self) -> None:
        if self._own:
            os.close(self.descriptor)


def _unnamed_file():
    """In memory where the system has such files: a disk that is full is not in its way."""
    if hasattr(os, 'memfd_create'):
        return os.memfd_create('hod_ros')
    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())
