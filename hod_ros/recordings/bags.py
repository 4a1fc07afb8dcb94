# SPDX-License-Identifier: Apache-2.0
"""ROS 2 bags (MCAP, sqlite3) to samples, through the containers of `rosbags`: no ROS needed, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hod_ros.checks import arguments
from hod_ros.checks.optional import optional
from hod_ros.errors import InputError
from hod_ros.recordings import cdr
from hod_ros.recordings.samples import Samples

rosbag2 = optional('rosbags.rosbag2', 'recordings')

KINDS = (cdr.SETPOINT, cdr.STATE, cdr.TRAJECTORY)       # in the order of preference
MEASURED = (cdr.STATE, cdr.TRAJECTORY, cdr.SETPOINT)    # likewise, where what was measured is sought
_MESSAGES = 1024                # decoded at once: more are slower, for they leave the processor's cache


def is_bag(path: Path) -> bool:
    """Whether a path is one of a bag: its folder, or one of its files."""
    return path.suffix in ('.mcap', '.db3') or (path / 'metadata.yaml').is_file()


def read_bag(path: Path, topic: str | None = None, joint_names: tuple[str, ...] | None = None) -> Iterator[Samples]:
    """Samples of one topic; None: of the only one that has any of setpoints, joint states and trajectories, in this preference.

    joint_names: of these joints alone; messages that hold none of them, such as a gripper's on the same topic, are left out.
    """
    left_out: set[str] = set()
    found = False
    for connection, messages in _messages(path, topic):
        for piece in _samples(messages, connection.msgtype, path, connection.topic, joint_names, left_out):
            found = True
            yield piece
    if left_out and not found:
        raise InputError(
            f'{path.name!r} has none of the joints {arguments.listed(joint_names or ())}, only {arguments.listed(sorted(left_out))}; '
            'choose joints that it has')


def count(path: Path, topic: str | None = None) -> int:
    """How many messages of that topic there are."""
    with _opened(path) as reader:
        return _connection(reader, path, topic)[0].msgcount


def topic_of(path: Path, topic: str | None = None, kinds: Sequence[str] = KINDS) -> tuple[str, str]:
    """(topic that is read of a bag, its type); kinds: in the order of preference."""
    with _opened(path) as reader:
        chosen = _connection(reader, path, topic, kinds)[0]
        return chosen.topic, chosen.msgtype


def trajectories(path: Path, topic: str | None = None) -> int:
    """How many trajectories that topic holds, each a motion of its own; 0 where it holds samples of one motion."""
    with _opened(path) as reader:
        connections = _connection(reader, path, topic)
        return sum(c.msgcount for c in connections) if connections[0].msgtype == cdr.TRAJECTORY else 0


def _messages(path, topic):
    """(connection, [(connection, time of arrival [ns], bytes)]) some thousands at a time."""
    with _opened(path) as reader:
        connections = _connection(reader, path, topic)
        messages = reader.messages(connections=connections)
        try:
            while some := list(islice(messages, _MESSAGES)):
                yield connections[0], some
        except (rosbag2.ReaderError, EOFError, ValueError, TypeError, ArithmeticError, IndexError, LookupError, OSError) as error:
            raise _damaged(path, error) from None
        except Exception as error:          # of a decompressor, or of sqlite
            if type(error).__module__.split('.')[0] not in ('struct', 'apsw', 'compression', 'backports', 'lz4'):
                raise
            raise _damaged(path, error) from None


class _opened:
    """An open reader; what is wrong with the file is one InputError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_file() and path.suffix not in ('.mcap', '.db3'):
            raise InputError(f'{path.name!r} is no bag; name a folder with metadata.yaml, or a file .mcap or .db3')
        self.reader = rosbag2.Reader(path)

    def __enter__(self) -> Any:
        try:
            self.reader.open()
        except PermissionError:
            raise
        except Exception as error:
            raise _damaged(self.path, error) from None
        return self.reader

    def __exit__(self, *_: object) -> None:
        self.reader.close()


def _damaged(path, error):
    reason = ' '.join(str(error).split()) or type(error).__name__
    return InputError(
        f'the bag {path.name!r} is damaged or cut off: {reason.rstrip(".")}; `mcap recover` or `ros2 bag reindex` may save what is whole')


def _connection(reader, path, topic, kinds=KINDS):
    """The connections of the topic to be read."""
    known = [c for c in reader.connections if c.msgtype in KINDS]
    described = ', '.join(f'{c.topic} ({c.msgtype})' for c in reader.connections) or 'none'
    if topic is not None:
        chosen = [c for c in known if c.topic.strip('/') == topic.strip('/')]
        if not chosen:
            raise InputError(f'{path.name!r} has no topic {topic!r} of {arguments.listed(KINDS)}; its topics are {described}')
        return chosen
    for kind in kinds:
        topics = sorted({c.topic for c in known if c.msgtype == kind})
        if len(topics) > 1:
            raise InputError(f'{path.name!r} has several topics of {kind}: {arguments.listed(topics)}; choose one')
        if topics:
            return [c for c in known if c.topic == topics[0] and c.msgtype == kind]
    raise InputError(f'{path.name!r} has no topic of {arguments.listed(KINDS)}; its topics are {described}')


def _samples(messages, kind, path, topic, joint_names, left_out):
    """Samples of messages in their order: one piece for each stretch of one layout. left_out: gets the joints of messages without any."""
    arrivals = np.array([arrival for _, arrival, _ in messages], np.int64)
    data = [message for _, _, message in messages]
    try:
        found = list(cdr.batches(data, kind))
    except InputError as error:
        raise InputError(f'{topic} in {path.name!r}: {error}') from None
    if joint_names is not None:
        others = [batch for batch in found if set(joint_names).isdisjoint(batch.layout.names)]
        left_out.update(name for batch in others for name in batch.layout.names)
        found = [batch for batch in found if batch not in others]
    pieces = [_of_batch(batch, kind, arrivals[batch.rows]) for batch in found]
    if joint_names is not None:
        pieces = [_of_joints(piece, joint_names, topic, path) for piece in pieces]
    if kind == cdr.TRAJECTORY or not pieces:
        yield from pieces
        return
    if len({(piece.joint_names, piece.q.shape[1], piece.efforts is None) for piece in pieces}) == 1:
        order = np.argsort(np.concatenate([batch.rows for batch in found]), kind='stable')
        efforts = None if pieces[0].efforts is None else np.concatenate([piece.efforts for piece in pieces])[order]
        yield Samples(
            pieces[0].joint_names, np.concatenate([piece.stamps for piece in pieces])[order],
            np.concatenate([piece.q for piece in pieces])[order], efforts)
        return
    owner = np.full(len(data), -1)            # messages of several layouts, in turns
    place = np.empty(len(data), np.intp)
    for i, batch in enumerate(found):
        owner[batch.rows], place[batch.rows] = i, np.arange(len(batch.rows))
    kept = np.flatnonzero(owner >= 0)
    for stretch in np.split(kept, np.flatnonzero(np.diff(owner[kept])) + 1):
        piece, rows = pieces[owner[stretch[0]]], place[stretch]
        yield Samples(piece.joint_names, piece.stamps[rows], piece.q[rows], None if piece.efforts is None else piece.efforts[rows])


def _of_joints(piece, joint_names, topic, path):
    missing = [name for name in joint_names if name not in piece.joint_names]
    if missing:
        raise InputError(
            f'a message of {topic} in {path.name!r} has no joint {missing[0]!r}, only {arguments.listed(piece.joint_names)}; joints that '
            'come in several messages are not put together: choose joints of one, and lock the others')
    return piece.of_joints(joint_names)


def _of_batch(batch, kind, arrivals):
    if kind == cdr.TRAJECTORY:
        return _of_trajectories(batch, arrivals)
    names, n = batch.layout.names, len(batch.layout.names)
    stamps = batch.stamps
    stamps = np.where(stamps == 0, arrivals, stamps)
    fields = cdr.ARRAYS[kind]
    rows = []
    for field in fields[:6] if kind == cdr.SETPOINT else fields[:2]:
        place = batch.layout.arrays[field]
        if place[1] == 0:
            break
        if place[1] % max(n, 1) or (field != 'higher' and place[1] != n):
            raise InputError(f'a {kind} of {n} joints has {place[1]} {field}; give {n}, or none')
        rows.append(batch.numbers(place).reshape(len(stamps), -1, n))
    if not rows:
        raise InputError(f'a {kind} of {arguments.listed(names) or "no joints"} has no positions')
    effort = batch.layout.arrays.get('effort', (0, 0))
    if effort[1] not in (0, n):
        raise InputError(f'a {kind} of {n} joints has {effort[1]} efforts; give {n}, or none')
    return Samples(names, stamps, np.concatenate(rows, axis=1), batch.numbers(effort) if effort[1] else None)


def _of_trajectories(batch, arrivals):
    """The points of each trajectory, one after another."""
    n, points = len(batch.layout.names), batch.layout.points
    if not points or not n:
        raise InputError(f'a {cdr.TRAJECTORY} has {len(points)} points of {n} joints; give one or more of either')
    fields = ['positions', 'velocities', 'accelerations']
    rows = next((k for k, field in enumerate(fields) if any(point[field][1] != n for point in points)), 3)
    if rows == 0:
        at = next(i for i, point in enumerate(points) if point['positions'][1] != n)
        raise InputError(f'point {at} of a {cdr.TRAJECTORY} has {points[at]["positions"][1]} positions for {n} joints; give {n}')
    begins = np.where(batch.stamps == 0, arrivals, batch.stamps)
    stamps = begins[:, None] + np.stack([batch.durations(point['time']) for point in points], axis=1)
    q = np.stack([np.stack([batch.numbers(point[field]) for field in fields[:rows]], axis=1) for point in points], axis=1)
    effort = None
    if all(point['effort'][1] == n for point in points):
        effort = np.stack([batch.numbers(point['effort']) for point in points], axis=1).reshape(-1, n)
    return Samples(batch.layout.names, stamps.ravel(), q.reshape(-1, rows, n), effort)
