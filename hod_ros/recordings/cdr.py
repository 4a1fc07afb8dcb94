# SPDX-License-Identifier: Apache-2.0
"""Messages of joints as bytes (CDR), a whole batch at once: messages of equal structure have their numbers at equal places.

The first message of a batch is walked field by field; that gives the places of its numbers and of what must be equal in others: lengths
and names. All messages with these same bytes are then one array, of which stamps and numbers are strided views. Writing goes the same way
round: one message is laid out, copied, and its numbers filled in.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hod_ros.errors import InputError

SETPOINT = 'hod_interfaces/msg/JointSetpoint'
STATE = 'sensor_msgs/msg/JointState'
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'

_POINT = ('positions', 'velocities', 'accelerations', 'effort')
ARRAYS = {
    SETPOINT: ('positions', 'velocities', 'accelerations', 'jerks', 'snaps', 'higher', 'stiffnesses', 'stiffness_rates',
               'stiffness_accelerations'),
    STATE: ('position', 'velocity', 'effort'),
    TRAJECTORY: (),
}
_HEAD = 4               # bytes before what alignment counts from
_PADDING = 3            # bytes behind a message that is padded to whole words
_MOST_NAMES = 100_000   # joints or points of one message: more is no message


class NotThisLayout(Exception):
    """The bytes are not what they should be."""


@dataclass
class Layout:
    """Where everything is in one message."""

    order: str                                  # '<' or '>'
    names: tuple[str, ...]
    arrays: dict[str, tuple[int, int]]          # {field: (offset, count)}
    points: list[dict[str, tuple[int, int]]]    # of a trajectory, 'time' at the offset of its seconds
    fixed: list[tuple[int, int]]                # stretches of bytes that are equal in messages of this layout


def layout(data: bytes, kind: str) -> Layout:
    """The layout of a message of a kind; InputError where the bytes are none."""
    walked, problem = [], ''
    for align_empty in (False, True):           # what precedes no numbers is not aligned, except by some writers
        walk = _Walk(data, align_empty)
        try:
            found = walk.layout(kind)
        except (NotThisLayout, struct.error, UnicodeDecodeError) as error:
            problem = problem or str(error)
            continue
        if walk.left <= _PADDING:
            return found
        walked.append(found)                    # rclpy's serialize_message leaves more behind the end
    if not walked:
        raise InputError(f'a message of {len(data)} bytes is no {kind}: {problem}')
    return walked[0]


class _Walk:
    def __init__(self, data, align_empty):
        self.data, self.align_empty = data, align_empty
        self.order = '<' if data[1:2] == b'\1' else '>'
        self.at = _HEAD
        self.fixed = [(0, 2)]

    @property
    def left(self):
        """Bytes behind the message's end."""
        return len(self.data) - self.at

    def layout(self, kind):
        if self.data[:2] not in (b'\0\0', b'\0\1'):
            raise NotThisLayout('its first bytes announce another encoding than plain CDR')
        self.at += 8            # the stamp
        self._text()
        names = tuple(self._text() for _ in range(self._length()))
        arrays, points = {}, []
        for field in ARRAYS[kind]:
            arrays[field] = self._doubles()
        if kind == TRAJECTORY:
            for _ in range(self._length()):
                point = {field: self._doubles() for field in _POINT}
                self._align(4)
                point['time'] = (self.at, 2)
                self.at += 8
                points.append(point)
        if self.left < 0:
            raise NotThisLayout(f'it would end at byte {self.at}')
        return Layout(self.order, names, arrays, points, self.fixed)

    def _equal(self, begin, end):
        if begin == self.fixed[-1][1]:          # what pads between two may hold anything
            begin = self.fixed.pop()[0]
        self.fixed.append((begin, end))

    def _align(self, size):
        self.at += -(self.at - _HEAD) % size

    def _length(self):
        self._align(4)
        value, = struct.unpack_from(self.order + 'I', self.data, self.at)
        self._equal(self.at, self.at + 4)
        self.at += 4
        if value > max(_MOST_NAMES, len(self.data)):
            raise NotThisLayout(f'a length of {value} stands at byte {self.at - 4}')
        return value

    def _text(self):
        size = self._length()
        end = self.at + size
        if end > len(self.data):
            raise NotThisLayout(f'a text at byte {self.at} ends beyond it')
        self._equal(self.at, end)
        text = self.data[self.at:end].rstrip(b'\0').decode()
        self.at = end
        return text

    def _doubles(self):
        count = self._length()
        if count or self.align_empty:
            self._align(8)
        start = self.at
        self.at += 8 * count
        if self.at > len(self.data):
            raise NotThisLayout(f'{count} numbers at byte {start} end beyond it')
        return start, count


@dataclass
class Batch:
    """Messages of one layout: `rows` says which of those given."""

    layout: Layout
    rows: np.ndarray
    data: np.ndarray        # (messages, bytes)

    def numbers(self, place: tuple[int, int]) -> np.ndarray:
        """(messages, count) of a field of doubles."""
        return self._view(place[0], place[1], 'f8')

    @property
    def stamps(self) -> np.ndarray:
        """(messages,) [ns]"""
        return self._seconds(_HEAD)

    def durations(self, place: tuple[int, int]) -> np.ndarray:
        """(messages,) [ns] of a field of seconds and nanoseconds."""
        return self._seconds(place[0])

    def _seconds(self, at):
        return self._view(at, 1, 'i4')[:, 0].astype(np.int64) * 1_000_000_000 + self._view(at + 4, 1, 'u4')[:, 0]

    def _view(self, offset, count, kind):
        kind = np.dtype(self.layout.order + kind)
        return self.data[:, offset:offset + kind.itemsize * count].view(kind)


def batches(messages: Sequence[bytes], kind: str) -> Iterator[Batch]:
    """The messages in batches of one layout each, in the order of their first messages."""
    sizes = np.fromiter(map(len, messages), np.intp, len(messages))
    left = np.arange(len(messages))
    while len(left):
        first = messages[left[0]]
        same = left[sizes[left] == len(first)]
        data = np.frombuffer(b''.join([messages[i] for i in same] if len(same) < len(messages) else messages), np.uint8)
        data = data.reshape(len(same), len(first))
        found = layout(bytes(first), kind)
        alike = np.ones(len(data), bool)
        for begin, end in found.fixed:
            alike &= (data[:, begin:end] == data[0, begin:end]).all(axis=1)
        rows = same[alike]
        yield Batch(found, rows, data if alike.all() else data[alike])
        left = np.setdiff1d(left, rows, assume_unique=True)


class Writer:
    """Messages of one layout from arrays: fields are ('stamp' | 'text' | 'texts' | 'doubles' | 'bytes' | 'bool', value or count)."""

    def __init__(self, fields: Sequence[tuple[str, object]]) -> None:
        out, self._doubles = bytearray(b'\0\1\0\0'), []
        for kind, value in fields:
            if kind == 'stamp':
                self._stamp = len(out)
                out += bytes(8)
            elif kind == 'text':
                _add_text(out, value)
            elif kind == 'texts':
                _pad(out, 4)
                out += struct.pack('<I', len(value))
                for text in value:
                    _add_text(out, text)
            elif kind == 'doubles':
                _pad(out, 4)
                out += struct.pack('<I', value)
                if value:
                    _pad(out, 8)
                self._doubles.append((len(out), value))
                out += bytes(8 * value)
            elif kind == 'bytes':
                _pad(out, 4)
                out += struct.pack('<I', len(value)) + value
            elif kind == 'bool':
                out += bytes([bool(value)])
        self._template = np.frombuffer(bytes(out), np.uint8)

    def messages(self, stamps: np.ndarray, *arrays: np.ndarray) -> np.ndarray:
        """(messages, bytes) for stamps (messages,) [ns] and one array (messages, count) for each field of doubles."""
        out = np.tile(self._template, (len(stamps), 1))
        seconds = np.stack([stamps // 1_000_000_000, stamps % 1_000_000_000], axis=1).astype('<u4')
        out[:, self._stamp:self._stamp + 8] = seconds.view(np.uint8)
        for (offset, count), values in zip(self._doubles, arrays, strict=True):
            if count:
                out[:, offset:offset + 8 * count] = np.ascontiguousarray(values, dtype='<f8').view(np.uint8)
        return out


def _pad(out, size):
    out += bytes(-(len(out) - _HEAD) % size)


def _add_text(out, text):
    _pad(out, 4)
    data = text.encode() + b'\0'
    out += struct.pack('<I', len(data)) + data
