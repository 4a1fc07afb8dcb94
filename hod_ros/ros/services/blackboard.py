"""One value that one process writes and another reads, always the latest, without either waiting for the other."""

import os
import pickle
import tempfile
from struct import Struct
from zlib import crc32

HEADER = Struct('=QQL')     # generation, length and checksum of the pickled value that follows


class Blackboard:
    """An unnamed file; the reader inherits its descriptor. What was written before a message left is seen after it came."""

    def __init__(self, descriptor=None):
        self._file = tempfile.TemporaryFile(buffering=0) if descriptor is None else None
        self.descriptor = self._file.fileno() if descriptor is None else descriptor
        self._generation = 0

    def write(self, value):
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        self._generation += 1
        os.pwrite(self.descriptor, HEADER.pack(self._generation, len(data), crc32(data)) + data, 0)

    def changed(self):
        """Whether something was written since the last read."""
        return HEADER.unpack(os.pread(self.descriptor, HEADER.size, 0))[0] != self._generation

    def read(self):
        """The latest value. A write in the middle of the read is seen by the checksum, and the read done again."""
        while True:
            generation, length, checksum = HEADER.unpack(os.pread(self.descriptor, HEADER.size, 0))
            data = os.pread(self.descriptor, length, HEADER.size)
            if len(data) == length and crc32(data) == checksum:
                self._generation = generation
                return pickle.loads(data)

    def close(self):
        if self._file is not None:
            self._file.close()
