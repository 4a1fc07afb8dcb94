# SPDX-License-Identifier: Apache-2.0
"""Samples from CSV, NPZ and Parquet files, some thousands at a time, so that a file may be larger than memory.

Columns of CSV and Parquet: `time` [s] or `stamp` [ns], `<joint>` or `<joint>.position`, `<joint>.velocity`, `.acceleration`, `.jerk`,
`.snap`, `.d5`, ..., `<joint>.effort`. Arrays of NPZ: joint_names, times [s] or stamps [ns], and positions, velocities, accelerations,
jerks, snaps, efforts (samples, n), or q (samples, rows, n).
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hod_ros.checks.optional import optional
from hod_ros.errors import InputError
from hod_ros.recordings.samples import ROWS
from hod_ros.recordings.samples import Samples

parquet = optional('pyarrow.parquet', 'recordings')

ENDINGS = ('.csv', '.npz', '.parquet')
_SAMPLES = 8192
_FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')
_HIGHER = re.compile(r'd([5-9]|[1-9]\d)')


def read_file(path: Path) -> Iterator[Samples]:
    """Samples of a file whose ending is one of ENDINGS."""
    return {'.csv': _csv, '.npz': _npz, '.parquet': _parquet}[path.suffix](path)


def count(path: Path) -> int | None:
    """How many samples there are, where that is known without reading them."""
    if path.suffix == '.parquet':
        return int(_parquet_file(path).metadata.num_rows)
    if path.suffix == '.npz':
        return int(_Npz(path).shape('times' if _Npz(path).has('times') else 'stamps')[0])
    return None


class _Columns:
    """What the columns of a table mean."""

    def __init__(self, header: list[str], name: str) -> None:
        self.time = next((header.index(label) for label in ('stamp', 'time') if label in header), None)
        if self.time is None:
            raise InputError(f'{name!r} has no column time [s] or stamp [ns]; its columns are {", ".join(header[:12])}')
        self.unit = 1 if header[self.time] == 'stamp' else 1e9
        places: dict[str, dict[str, int]] = {}
        for at, label in enumerate(header):
            if at == self.time or label in ('stamp', 'time'):
                continue
            joint, _, kind = label.rpartition('.')
            if not joint or not (kind in (*ROWS, 'effort') or _HIGHER.fullmatch(kind)):
                joint, kind = label, 'position'
            own = places.setdefault(joint, {})
            if kind in own:
                raise InputError(f'{name!r} has two columns of the {kind} of {joint!r}; leave one of them out')
            own[kind] = at
        missing = [joint for joint, own in places.items() if 'position' not in own]
        if missing or not places:
            raise InputError(f'{name!r} has no column {missing[0] if missing else "<joint>"!r} with positions; its columns are '
                             f'{", ".join(header[:12])}')
        self.joint_names = tuple(places)
        names = [*ROWS, *(f'd{k}' for k in range(len(ROWS), 100))]
        self.rows = []
        for kind in names:
            given = [own.get(kind) for own in places.values()]
            if all(at is None for at in given):
                later = [k for k in names[names.index(kind):] if any(k in own for own in places.values())]
                if later:
                    raise InputError(f'{name!r} has columns of {later[0]}, but none of {kind}, which comes before; add them')
                break
            if None in given:
                joint = self.joint_names[given.index(None)]
                raise InputError(f'{name!r} has no column {joint + "." + kind!r}, as other joints have; add it')
            self.rows.append(given)
        efforts = [own.get('effort') for own in places.values()]
        self.efforts = None if None in efforts else efforts

    def samples(self, values: np.ndarray, stamps: np.ndarray | None = None) -> Samples:
        """Of a table (samples, columns)."""
        if stamps is None:
            stamps = np.round(values[:, self.time] * self.unit).astype(np.int64)
        q = np.stack([values[:, columns] for columns in self.rows], axis=1)
        return Samples(self.joint_names, stamps, q, None if self.efforts is None else values[:, self.efforts])


def _csv(path):
    with open(path, newline='', encoding='utf-8-sig') as file:
        header = [cell.strip().strip('"') for cell in file.readline().split(',')]
        if header == ['']:
            raise InputError(f'the file {path.name!r} is empty; its first line names the columns: time, <joint>, <joint>.velocity, ...')
        columns = _Columns(header, path.name)
        done = 1
        while True:
            try:
                lines = list(islice(file, _SAMPLES))
            except UnicodeDecodeError as error:
                raise InputError(f'{path.name!r} is no text behind line {done} ({error.reason}); is it another kind of file?') from None
            if not lines:
                return
            yield columns.samples(_numbers(lines, len(header), done, header, path.name), _stamps(lines, columns))
            done += len(lines)


def _numbers(lines, width, done, header, name):
    """(samples, columns); what is wrong is found again cell by cell, to be told."""
    try:
        values = np.loadtxt(lines, delimiter=',', ndmin=2, comments=None)
        if values.shape == (len(lines), width) and np.isfinite(values).all():
            return values
    except ValueError:
        pass
    kept = []
    for i, line in enumerate(lines):
        cells = line.split(',')
        if not line.strip():
            continue
        where = f'line {done + i + 1} of {name!r}'
        if len(cells) != width:
            raise InputError(f'{where} has {len(cells)} cells, but the header {width}; is the file cut off?')
        for label, cell in zip(header, cells, strict=True):
            try:
                if np.isfinite(float(cell)):
                    continue
            except ValueError:
                pass
            raise InputError(f'{where}, column {label!r} is {cell.strip()[:40]!r}; give a finite number')
        kept.append(line)
    return np.loadtxt(kept, delimiter=',', ndmin=2, comments=None) if kept else np.zeros((0, width))


def _stamps(lines, columns):
    """Nanoseconds do not fit a float: they are read as integers."""
    if columns.unit != 1:
        return None
    return np.array([int(float(cell)) if '.' in cell or 'e' in cell else int(cell) for cell in (
        line.split(',')[columns.time] for line in lines if line.strip())], np.int64)


def _parquet_file(path):
    try:
        return parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        if isinstance(error, (FileNotFoundError, PermissionError)):
            raise
        raise InputError(f'{path.name!r} is no Parquet file, or is cut off: {" ".join(str(error).split())[:200]}') from None


def _parquet(path):
    file = _parquet_file(path)
    header = file.schema_arrow.names
    columns = _Columns(header, path.name)
    done = 0
    for batch in file.iter_batches(_SAMPLES):
        try:
            each = [batch.column(i).to_numpy(zero_copy_only=False).astype(np.float64) for i in range(len(header))]
        except (ValueError, TypeError):
            raise InputError(f'{path.name!r} has columns that hold no numbers; leave them out') from None
        values = np.stack(each, axis=1)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise InputError(f'row {done + row} of {path.name!r}, column {header[column]!r} is {values[row, column]}; give a finite number')
        exact = batch.column(columns.time).to_numpy(zero_copy_only=False) if columns.unit == 1 else None
        yield columns.samples(values, None if exact is None else exact.astype(np.int64))
        done += len(values)


class _Npz:
    """An NPZ whose arrays are read along their first axis, piece by piece."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            if isinstance(error, (FileNotFoundError, PermissionError)):
                raise
            raise InputError(f'the file {path.name!r} is not readable as NPZ ({error}); write it by numpy.savez') from None

    def has(self, key: str) -> bool:
        return f'{key}.npy' in self._zip.namelist()

    def shape(self, key: str) -> tuple[int, ...]:
        file, shape, _ = self._open(key)
        file.close()
        return shape

    def pieces(self, key: str) -> Iterator[np.ndarray]:
        file, shape, kind = self._open(key)
        with file:
            size = int(np.prod(shape[1:], dtype=int))
            for first in range(0, shape[0], _SAMPLES):
                rows = min(_SAMPLES, shape[0] - first)
                data = file.read(rows * size * kind.itemsize)
                if len(data) < rows * size * kind.itemsize:
                    raise InputError(f'array {key} of {self.name!r} is cut off')
                yield np.frombuffer(data, kind).reshape(rows, *shape[1:])

    def whole(self, key: str) -> Any:
        with self._zip.open(f'{key}.npy') as file:
            return np.lib.format.read_array(file, allow_pickle=False)

    def _open(self, key):
        file = self._zip.open(f'{key}.npy')
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, kind = read(file)
        if fortran and len(shape) > 1 or not shape or kind.kind not in 'fiu':
            raise InputError(f'array {key} of {self.name!r} is {kind} {shape}; give plain numbers in C order, a row for each sample')
        return file, shape, kind


def _npz(path):
    file = _Npz(path)
    try:
        yield from _npz_samples(file, path.name)
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f'the file {path.name!r} is not readable as NPZ ({error}); write it by numpy.savez') from None


def _npz_samples(file, name):
    time = 'stamps' if file.has('stamps') else 'times'
    keys = ['q'] if file.has('q') else [key for key in _FIELDS if file.has(key)]
    for key in ('joint_names', time, keys[0] if keys else 'positions'):
        if not file.has(key):
            raise InputError(f'{name!r} has no array {key}; see the help for what it needs')
    if keys != ['q'] and keys != list(_FIELDS[:len(keys)]):
        raise InputError(f'{name!r} has {", ".join(keys)}, but not what comes before them; give every order up to the highest')
    joint_names = tuple(map(str, file.whole('joint_names')))
    wanted = [time, *keys, *(['efforts'] if file.has('efforts') else [])]
    samples, n = file.shape(time)[0], len(joint_names)
    for key in wanted[1:]:
        shape = file.shape(key)
        if shape[0] != samples or shape[-1] != n or len(shape) != (3 if key == 'q' else 2):
            raise InputError(f'array {key} of {name!r} has the shape {shape}, for {samples} {time} and {n} joint_names')
    for parts in zip(*(file.pieces(key) for key in wanted), strict=True):
        values = [np.asarray(part, np.float64) for part in parts[1:]]
        for key, part in zip(wanted[1:], values, strict=True):
            if not np.isfinite(part).all():
                raise InputError(f'array {key} of {name!r} holds a value that is not finite; every number must be finite')
        q = values[0] if keys == ['q'] else np.stack(values[:len(keys)], axis=1)
        stamps = np.asarray(parts[0]) if time == 'stamps' else np.round(np.asarray(parts[0]) * 1e9)
        yield Samples(joint_names, stamps.astype(np.int64), q, values[-1] if file.has('efforts') else None)
