# SPDX-License-Identifier: Apache-2.0
"""Torques and their time derivatives to files, piece by piece: CSV, NPZ, Parquet, and MCAP with TorqueFeedforward messages."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from typing import Any

import numpy as np

from hod_ros.checks.optional import optional
from hod_ros.checks.types import Array
from hod_ros.recordings import cdr
from hod_ros.recordings.mcap_writer import McapWriter
from hod_ros.recordings.samples import force_row_name

pyarrow = optional('pyarrow', 'recordings')
parquet = optional('pyarrow.parquet', 'recordings')

TOPIC = '/hod/feedforward'
TYPE = 'hod_interfaces/msg/TorqueFeedforward'
_BETWEEN = '\n' + '=' * 80 + '\n'
DEFINITION = _BETWEEN.join((
    'std_msgs/Header header\nstring[] joint_names\nfloat64[] efforts\nfloat64[] effort_rates\nfloat64[] effort_accelerations\n'
    'float64[] higher\nuint8[] limit_flags\nbool clipped',
    'MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id',
    'MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec'))


class Csv:
    """`stamp` [ns], then `<joint>.effort`, `.effort_rate`, ..."""

    def __init__(self, file: IO[bytes], joint_names: tuple[str, ...], order: int, comment: str) -> None:
        self._file = file
        file.write((','.join(['stamp', *_columns(joint_names, order)]) + '\n').encode())

    def add(self, stamps: np.ndarray, Q: Array) -> None:
        rows = Q.reshape(len(Q), -1).tolist()
        lines = [f'{stamp},{",".join(map(repr, row))}\n' for stamp, row in zip(stamps.tolist(), rows, strict=True)]
        self._file.write(''.join(lines).encode())

    def finish(self) -> None:
        pass


class Npz:
    """joint_names, stamps [ns], Q (samples, order + 1, n)."""

    def __init__(self, file: IO[bytes], joint_names: tuple[str, ...], order: int, comment: str) -> None:
        self._file, self._names, self._order, self._comment = file, joint_names, order, comment
        folder = Path(file.name).parent if isinstance(file.name, str) else None
        self._parts = {key: TemporaryFile(dir=folder) for key in ('stamps', 'Q')}      # the length stands before the numbers
        self._count = 0

    def add(self, stamps: np.ndarray, Q: Array) -> None:
        self._parts['stamps'].write(np.ascontiguousarray(stamps, '<i8').data)
        self._parts['Q'].write(np.ascontiguousarray(Q, '<f8').data)
        self._count += len(stamps)

    def finish(self) -> None:
        shapes = {'stamps': ('<i8', (self._count,)), 'Q': ('<f8', (self._count, self._order + 1, len(self._names)))}
        with zipfile.ZipFile(self._file, 'w', allowZip64=True) as archive:
            for key, text in (('joint_names', np.array(self._names)), ('model', np.array(self._comment))):
                with archive.open(_entry(key), 'w') as out:
                    np.lib.format.write_array(out, text, allow_pickle=False)
            for key, part in self._parts.items():
                part.seek(0)
                with archive.open(_entry(key), 'w', force_zip64=True) as out:
                    kind, shape = shapes[key]
                    np.lib.format.write_array_header_1_0(out, {'descr': kind, 'fortran_order': False, 'shape': shape})
                    while piece := part.read(2**20):
                        out.write(piece)
                part.close()


def _entry(key):
    return zipfile.ZipInfo(f'{key}.npy', (1980, 1, 1, 0, 0, 0))     # equal results are equal files


class Parquet:
    """`stamp` [ns], then `<joint>.effort`, `.effort_rate`, ..."""

    def __init__(self, file: IO[bytes], joint_names: tuple[str, ...], order: int, comment: str) -> None:
        columns = _columns(joint_names, order)
        self._schema = pyarrow.schema(
            [('stamp', pyarrow.int64()), *((name, pyarrow.float64()) for name in columns)], metadata={'model': comment})
        self._writer = parquet.ParquetWriter(file, self._schema)

    def add(self, stamps: np.ndarray, Q: Array) -> None:
        columns = np.ascontiguousarray(Q.reshape(len(Q), -1).T)
        self._writer.write_table(pyarrow.table([stamps, *columns], schema=self._schema))

    def finish(self) -> None:
        self._writer.close()


class Mcap:
    """hod_interfaces/TorqueFeedforward on /hod/feedforward, each with its sample's stamp."""

    def __init__(self, file: IO[bytes], joint_names: tuple[str, ...], order: int, comment: str) -> None:
        n = len(joint_names)
        self._writer = McapWriter(file, TOPIC, TYPE, DEFINITION, {'model': comment})
        counts = [n if k <= order else 0 for k in range(3)] + [max(0, order - 2) * n]
        numbers = [('doubles', count) for count in counts]
        self._messages = cdr.Writer([('stamp', None), ('text', ''), ('texts', joint_names), *numbers, ('bytes', b''), ('bool', False)])

    def add(self, stamps: np.ndarray, Q: Array) -> None:
        rows = [Q[:, k] if k < Q.shape[1] else None for k in range(3)] + [Q[:, 3:].reshape(len(Q), -1)]
        self._writer.add(stamps, self._messages.messages(stamps, *rows))

    def finish(self) -> None:
        self._writer.finish()


WRITERS: dict[str, Callable[..., Any]] = {'.csv': Csv, '.npz': Npz, '.parquet': Parquet, '.mcap': Mcap}


def _columns(joint_names, order):
    return [f'{joint}.{force_row_name(k)}' for k in range(order + 1) for joint in joint_names]
