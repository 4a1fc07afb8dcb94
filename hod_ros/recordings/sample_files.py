# SPDX-License-Identifier: Apache-2.0
"""Samples from CSV, NPZ and Parquet files, some thousands at a time, so that a file may be larger than memory.

Columns of CSV and Parquet: `time` [s] or `stamp` [ns], `<joint>` or `<joint>.position`, `<joint>.velocity`, `.acceleration`, `.jerk`,
`.snap`, `.d5`, ..., `<joint>.effort`. Arrays of NPZ: joint_names, times [s] or stamps [ns], and positions, velocities, accelerations,
jerks, snaps, efforts (samples, n), or q (samples, rows, n).
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hod_ros.checks import arguments
from hod_ros.checks.optional import optional
from hod_ros.errors import InputError
from hod_ros.recordings import stamps
from hod_ros.recordings.headers import HIGHER
from hod_ros.recordings.headers import clock_hint
from hod_ros.recordings.headers import csv_header
from hod_ros.recordings.headers import in_utf16
from hod_ros.recordings.headers import names_in
from hod_ros.recordings.samples import ROWS
from hod_ros.recordings.samples import Samples

parquet = optional('pyarrow.parquet', 'recordings')

ENDINGS = ('.csv', '.npz', '.parquet')
_SAMPLES = 8192
_LONGEST_ROW = 1 << 20       # bytes
_FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')


def read_file(path: Path, joint_names: tuple[str, ...] | None = None) -> Iterator[Samples]:
    """Samples of a file whose ending is one of ENDINGS: of these joints, whatever else it holds, or of all."""
    return {'.csv': _csv, '.npz': _npz, '.parquet': _parquet}[path.suffix](path, joint_names)


def count(path: Path) -> int | None:
    """How many samples there are, where that is known without reading them."""
    if path.suffix == '.parquet':
        return int(_parquet_file(path).metadata.num_rows)
    if path.suffix == '.npz':
        file = _Npz(path)
        return next((int(file.shape(key)[0]) for key in ('stamps', 'times') if file.has(key)), None)
    return None


def unended(path: Path) -> str:
    """A sentence about the last row of a CSV that does not end its line, as in a file that was cut off; '' where there is none."""
    if path.suffix != '.csv':
        return ''
    with open(path, 'rb') as file:
        file.seek(max(0, file.seek(0, 2) - _LONGEST_ROW))
        tail = file.read()
    if tail[-1:] in (b'', b'\n', b'\r', b'"'):
        return ''
    cells = tail.splitlines()[-1].decode('utf-8', 'replace').split(',')
    return (f'the last row of {path.name!r}, from {cells[0].strip()[:40]!r} to {cells[-1].strip()[:40]!r}, does not end its line: was the '
            'file cut off, that last number is wrong')


def has_snaps(path: Path) -> bool:
    """Whether an NPZ holds samples with all derivatives up to the snap."""
    file = _Npz(path)
    return file.has(_FIELDS[-1]) or file.has('q') and len(file.shape('q')) == 3 and file.shape('q')[1] >= len(_FIELDS)


class _Columns:
    """What the columns of a table mean that hold the time and the joints of interest; None: all joints."""

    def __init__(self, header: list[str], name: str, joint_names: tuple[str, ...] | None) -> None:
        self.name = name
        self.time = next((header.index(label) for label in ('stamp', 'time') if label in header), None)
        if self.time is None:
            raise InputError(
                f'{name!r} has no column time [s] or stamp [ns]; its columns are {arguments.some(header, 12)}{clock_hint(header)}')
        self.time_label = header[self.time]
        places: dict[str, dict[str, int]] = {}
        for at, label in enumerate(header):
            if label in ('stamp', 'time', ''):
                continue
            joint, _, kind = label.rpartition('.')
            if not joint or not (kind in (*ROWS, 'effort') or HIGHER.fullmatch(kind)):
                joint, kind = label, 'position'
            if joint_names is not None and joint not in joint_names:
                continue
            own = places.setdefault(joint, {})
            if kind in own:
                raise InputError(f'{name!r} has two columns of the {kind} of {joint!r}; leave one of them out')
            own[kind] = at
        if joint_names is not None:
            places = {joint: places.get(joint, {}) for joint in joint_names}
        missing = [joint for joint, own in places.items() if 'position' not in own]
        if missing or not places:
            raise InputError(f'{name!r} has no column {missing[0] if missing else "<joint>"!r} with positions; its columns are '
                             f'{arguments.some(header, 12)}; choose joints that it has, and lock the others')
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
        self.used = sorted({self.time, *(at for row in self.rows for at in row), *(self.efforts or ())})
        self.places = {at: place for place, at in enumerate(self.used)}

    def samples(self, values: np.ndarray, times: np.ndarray) -> Samples:
        """Of a table (samples, used columns)."""
        q = np.stack([values[:, self._places_of(columns)] for columns in self.rows], axis=1)
        return Samples(self.joint_names, times, q, None if self.efforts is None else values[:, self._places_of(self.efforts)])

    def _places_of(self, columns):
        return [self.places[at] for at in columns]


def _csv(path, joint_names):
    with open(path, newline='', encoding='utf-8-sig') as file:
        lines = _lines(file, path.name)
        header = csv_header(next(lines, [''])[0].split(','), path.name)
        columns = _Columns(header, path.name, joint_names)
        done = 1
        for some in lines:
            values = _numbers(some, columns.used, done, header, path.name)
            yield columns.samples(values, _stamps(some, values, columns))
            done += len(some)


def _lines(file, name):
    """The first line by itself, then some thousands at a time."""
    done, size = 0, 1
    while True:
        try:
            some = list(islice(file, size))
        except UnicodeDecodeError as error:
            if error.object[:2] in (b'\xff\xfe', b'\xfe\xff'):
                raise InputError(in_utf16(name)) from None
            raise InputError(f'{name!r} is no text in UTF-8 behind line {done} ({error.reason}); is it another kind of file?') from None
        if not some:
            return
        yield [_unquoted(line) if '"' in line else line for line in some]
        done, size = done + len(some), _SAMPLES


def _unquoted(line):
    """The same cells without quotes; a comma in one is part of a text, which nobody reads."""
    return ','.join(cell.replace(',', ';') for cell in next(csv.reader([line]), []))


def _numbers(lines, used, done, header, name):
    """(samples, used columns); what is wrong is found again cell by cell, to be told."""
    complete = len(used) == len(header)     # else nobody counts the cells
    try:
        values = np.loadtxt(lines, delimiter=',', ndmin=2, comments=None, usecols=None if complete else used)
        if values.shape == (len(lines), len(used)) and np.isfinite(values).all() and (
                complete or all(line.count(',') == len(header) - 1 for line in lines)):
            return values
    except ValueError:
        pass
    kept = []
    for i, line in enumerate(lines):
        cells = line.split(',')
        if not line.strip():
            continue
        where = f'line {done + i + 1} of {name!r}'
        if len(cells) != len(header):
            raise InputError(f'{where} has {len(cells)} cells, but the header {len(header)}; is the file cut off?')
        for at in used:
            try:
                if np.isfinite(float(cells[at])):
                    continue
            except ValueError:
                pass
            raise InputError(f'{where}, column {header[at]!r} is {cells[at].strip()[:40]!r}; give a finite number')
        kept.append(line)
    return np.loadtxt(kept, delimiter=',', ndmin=2, comments=None, usecols=used) if kept else np.zeros((0, len(used)))


def _stamps(lines, values, columns):
    """Nanoseconds since 1970 do not fit a float: they are read from the text."""
    times = values[:, columns.places[columns.time]]
    if columns.time_label not in stamps.NAMES and not (np.abs(times) > stamps.CLOCK).any():
        return stamps.nanoseconds(times, columns.time_label, columns.name)
    cells = (line.split(',')[columns.time] for line in lines if line.strip())
    return np.array([stamps.nanoseconds_of_text(cell, columns.time_label, columns.name) for cell in cells], np.int64)


def _parquet_file(path):
    try:
        return parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        if isinstance(error, (FileNotFoundError, PermissionError)):
            raise
        raise InputError(f'{path.name!r} is no Parquet file, or is cut off: {" ".join(str(error).split())[:200]}') from None


def _parquet(path, joint_names):
    file = _parquet_file(path)
    header = file.schema_arrow.names
    columns = _Columns(header, path.name, joint_names)
    done = 0
    for batch in file.iter_batches(_SAMPLES, columns=[header[at] for at in columns.used]):
        place = batch.schema.names.index
        each = [batch.column(place(header[at])).to_numpy(zero_copy_only=False) for at in columns.used]
        times = stamps.nanoseconds(each[columns.places[columns.time]], columns.time_label, path.name)
        for at, column in zip(columns.used, each, strict=True):
            if at != columns.time and column.dtype.kind not in 'iuf':
                raise InputError(f'column {header[at]!r} of {path.name!r} holds no numbers; leave it out')
        values = np.stack([column.astype(np.float64) for column in each], axis=1)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            label = header[columns.used[column]]
            raise InputError(f'row {done + row} of {path.name!r}, column {label!r} is {values[row, column]}; give a finite number')
        yield columns.samples(values, times)
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
            try:
                return np.lib.format.read_array(file, allow_pickle=False)
            except ValueError as error:
                raise InputError(f'array {key} of {self.name!r} is not readable ({error}); give plain numbers, or texts') from None

    def names(self) -> list[str]:
        return [key.removesuffix('.npy') for key in self._zip.namelist()]

    def _open(self, key):
        file = self._zip.open(f'{key}.npy')
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, kind = read(file)
        if not shape or kind.kind not in ('fiumM' if key in ('times', 'stamps') else 'fiu'):
            raise InputError(f'array {key} of {self.name!r} is {kind} {shape}; give plain numbers, a row for each sample')
        if fortran and len(shape) > 1:
            raise InputError(f'array {key} of {self.name!r} is in Fortran order; save numpy.ascontiguousarray of it')
        return file, shape, kind


def _npz(path, joint_names):
    file = _Npz(path)
    try:
        for piece in _npz_samples(file, path.name):
            yield piece if joint_names is None else piece.of_joints(joint_names)
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f'the file {path.name!r} is not readable as NPZ ({error}); write it by numpy.savez') from None


def _npz_samples(file, name):
    time = 'stamps' if file.has('stamps') else 'times'
    keys = ['q'] if file.has('q') else [key for key in _FIELDS if file.has(key)]
    for key in ('joint_names', time, keys[0] if keys else 'positions'):
        if not file.has(key):
            raise InputError(f'{name!r} has no array {key}; its arrays are {arguments.some(file.names()) or "none"}')
    if keys != ['q'] and keys != list(_FIELDS[:len(keys)]):
        raise InputError(f'{name!r} has {", ".join(keys)}, but not what comes before them; give every order up to the highest')
    joint_names = names_in(file.whole('joint_names'), name)
    wanted = [time, *keys, *(['efforts'] if file.has('efforts') else [])]
    samples, n = file.shape(time)[0], len(joint_names)
    for key in wanted:
        shape = file.shape(key)
        rows = shape[1:2] if key == 'q' and len(shape) == 3 else ()
        if shape != ((samples,) if key == time else (samples, *rows, n)) or key == 'q' and not rows:
            raise InputError(f'array {key} of {name!r} has the shape {shape}, for {samples} {time} and {n} joint_names')
    for parts in zip(*(file.pieces(key) for key in wanted), strict=True):
        values = [np.asarray(part, np.float64) for part in parts[1:]]
        for key, part in zip(wanted[1:], values, strict=True):
            if not np.isfinite(part).all():
                raise InputError(f'array {key} of {name!r} holds a value that is not finite; every number must be finite')
        q = values[0] if keys == ['q'] else np.stack(values[:len(keys)], axis=1)
        yield Samples(joint_names, stamps.nanoseconds(parts[0], time, name), q, values[-1] if file.has('efforts') else None)
