# SPDX-License-Identifier: Apache-2.0
"""MCAP files of messages that come as arrays of bytes, whole batches at a time: what PlotJuggler, Foxglove and `ros2 bag` open.

Follows the specification on mcap.dev: header, chunks without compression, each with its message index, and a summary with schemas,
channels, chunk indexes and statistics. A batch of messages of equal length becomes a chunk by two copies.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import IO
from typing import NamedTuple

import numpy as np

_MAGIC = b'\x89MCAP0\r\n'
_HEADER, _FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _MESSAGE_INDEX, _CHUNK_INDEX, _STATISTICS, _DATA_END = (
    1, 2, 3, 4, 5, 6, 7, 8, 11, 15)


class _Chunk(NamedTuple):
    begin: int
    end: int
    offset: int
    length: int
    index_offset: int
    index_length: int
    size: int


class McapWriter:
    """One topic of one type into a file that is open for writing."""

    def __init__(self, file: IO[bytes], topic: str, kind: str, definition: str, metadata: Mapping[str, str]) -> None:
        self._file, self._at, self._chunks, self._count = file, 0, [], 0
        self._range = (2**63 - 1, 0)
        self._schema = struct.pack('<H', 1) + _text(kind) + _text('ros2msg') + _text(definition)
        self._channel = struct.pack('<HH', 1, 1) + _text(topic) + _text('cdr') + _map(metadata)
        self._write(_MAGIC + _record(_HEADER, _text('ros2') + _text('hod_ros')))
        self._write(_record(_SCHEMA, self._schema) + _record(_CHANNEL, self._channel))

    def add(self, stamps: np.ndarray, messages: np.ndarray) -> None:
        """Messages (count, bytes) with their times (count,) [ns]: one chunk."""
        if not len(stamps):
            return
        size = messages.shape[1]
        out = np.empty((len(stamps), 31 + size), np.uint8)
        out[:, :11] = np.frombuffer(struct.pack('<BQH', _MESSAGE, 22 + size, 1), np.uint8)
        out[:, 11:15] = (self._count + np.arange(len(stamps))).astype('<u4')[:, None].view(np.uint8)
        out[:, 15:23] = out[:, 23:31] = stamps.astype('<u8')[:, None].view(np.uint8)
        out[:, 31:] = messages
        begin, end = int(stamps.min()), int(stamps.max())
        head = struct.pack('<QQQI', begin, end, out.size, 0) + _text('') + struct.pack('<Q', out.size)
        offset = self._at
        self._write(struct.pack('<BQ', _CHUNK, len(head) + out.size) + head)
        self._write(out.data)
        places = np.stack([stamps.astype('<u8'), np.arange(len(stamps), dtype='<u8') * out.shape[1]], axis=1)
        index_offset = self._at
        self._write(_record(_MESSAGE_INDEX, struct.pack('<HI', 1, places.nbytes) + places.tobytes()))
        self._chunks.append(_Chunk(begin, end, offset, index_offset - offset, index_offset, self._at - index_offset, out.size))
        self._count += len(stamps)
        self._range = min(begin, self._range[0]), max(end, self._range[1])

    def finish(self) -> None:
        """Writes the summary, without which the file is not whole."""
        self._write(_record(_DATA_END, struct.pack('<I', 0)))
        begin, end = self._range if self._count else (0, 0)
        summary = self._at
        self._write(_record(_SCHEMA, self._schema) + _record(_CHANNEL, self._channel))
        for chunk in self._chunks:
            self._write(_record(_CHUNK_INDEX, struct.pack('<QQQQ', chunk.begin, chunk.end, chunk.offset, chunk.length)
                                + struct.pack('<IHQ', 10, 1, chunk.index_offset) + struct.pack('<Q', chunk.index_length)
                                + _text('') + struct.pack('<QQ', chunk.size, chunk.size)))
        self._write(_record(_STATISTICS, struct.pack('<QHIIIIQQ', self._count, 1, 1, 0, 0, len(self._chunks), begin, end)
                            + struct.pack('<IHQ', 10, 1, self._count)))
        self._write(_record(_FOOTER, struct.pack('<QQI', summary, 0, 0)) + _MAGIC)

    def _write(self, data):
        self._file.write(data)
        self._at += len(data) if isinstance(data, bytes) else data.nbytes


def _record(kind, content):
    return struct.pack('<BQ', kind, len(content)) + content


def _text(text):
    data = text.encode()
    return struct.pack('<I', len(data)) + data


def _map(values):
    content = b''.join(_text(key) + _text(value) for key, value in values.items())
    return struct.pack('<I', len(content)) + content
