# SPDX-License-Identifier: Apache-2.0
"""Which process of this machine has an output: by locks on files, which end with their process, however that ends.

The graph of ROS shows a new node after a while, the longer the busier the machine is, and one that was killed for another 20 s. Processes
of one user and one network see each other's claims at once, and learn from them which publishers in the graph are those of a dead process.
"""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PARTICIPANT = 12        # bytes at the beginning of an endpoint's identifier, which all endpoints of a process share
MOST = 1024             # bytes that are read of a file


class Claims:
    """network: names what sets those apart who don't hear one another; participant: those bytes of our endpoints; node: our full name.
    Where files can't be locked there are no claims."""

    def __init__(self, network: str, participant: bytes, node: str) -> None:
        self._network = network
        self._text = f'{participant.hex()} {node}'.encode()
        self._ours: dict[str, int] = {}             # topic -> descriptor of its locked file
        self._dead: set[str] = set()                # participants

    def others(self, topics: Iterable[str]) -> list[tuple[str, str]]:
        """(topic, full name of its node) of those topics that other living processes claim."""
        found = []
        for topic in topics:
            if topic in self._ours:
                continue
            descriptor, owner = self._open(topic)
            if descriptor is not None:
                os.close(descriptor)
            elif owner:
                found.append((topic, owner))
        return found

    def take(self, topics: Iterable[str]) -> list[tuple[str, str]]:
        """Claims them all, until `release` or the end of this process; or none, where others claim one: those."""
        for topic in topics:
            if topic in self._ours:
                continue
            descriptor, owner = self._open(topic)
            if descriptor is not None:
                self._ours[topic] = descriptor
                self._write(descriptor, self._text)
            elif owner:
                self.release()
                return [(topic, owner)]
        return []

    def release(self) -> None:
        for descriptor in self._ours.values():
            self._write(descriptor, b'')
            os.close(descriptor)
        self._ours.clear()

    def is_dead(self, endpoint: bytes) -> bool:
        """Whether this endpoint of the graph is known to be of a process that has ended while it had a claim."""
        return endpoint[:PARTICIPANT].hex() in self._dead

    def _open(self, topic):
        """(descriptor of the locked file of a topic, ''), or (None, full name of the node of another process that has it, '': none)."""
        try:
            descriptor = os.open(self._folder() / self._name(topic), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError:
            return None, ''
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _, _, owner = self._read(descriptor).partition(' ')
            os.close(descriptor)
            return None, owner or 'of another process'
        except OSError:                 # a file system without locks
            os.close(descriptor)
            return None, ''
        participant, _, _ = self._read(descriptor).partition(' ')
        if participant:
            self._dead.add(participant)     # else it would have released it
        return descriptor, ''

    @staticmethod
    def _folder():
        folder = Path(tempfile.gettempdir()) / f'hod_ros_{os.getuid()}'
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            raise OSError(f'{folder} is not ours')
        return folder

    def _name(self, topic):
        return hashlib.sha256(f'{self._network} {topic}'.encode()).hexdigest()[:32]

    @staticmethod
    def _read(descriptor):
        return os.pread(descriptor, MOST, 0).decode(errors='replace')

    @staticmethod
    def _write(descriptor, text):
        with suppress(OSError):         # a disk that is full: the lock holds without it
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text, 0)
