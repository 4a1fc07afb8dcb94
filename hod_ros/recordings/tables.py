# SPDX-License-Identifier: Apache-2.0
"""Way points in tables: CSV with a header, NPZ."""

from __future__ import annotations

import csv
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from hod_ros.checks.arguments import some
from hod_ros.errors import InputError
from hod_ros.recordings import stamps
from hod_ros.recordings.headers import HIGHER
from hod_ros.recordings.headers import csv_header
from hod_ros.recordings.headers import in_utf16
from hod_ros.recordings.headers import names_in
from hod_ros.trajectories.waypoints import Waypoints

_KINDS = {'position': 'positions', 'velocity': 'velocities', 'acceleration': 'accelerations', 'effort': 'efforts'}


def read_csv(path: Path) -> Waypoints:
    """A header `time, <joint>, <joint>.velocity, <joint>.acceleration, <joint>.effort, ...` and a row for each point.

    Empty cells are not given. `<joint>` alone is `<joint>.position`. In place of `time` [s], `stamp` [ns]; without either the points have
    no times.
    """
    with open(path, newline='', encoding='utf-8-sig') as file:
        try:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
        except (csv.Error, UnicodeDecodeError) as error:
            if getattr(error, 'object', b'')[:2] in (b'\xff\xfe', b'\xfe\xff'):
                raise InputError(in_utf16(path.name)) from None
            raise InputError(f'the file {path.name!r} is no CSV: {error}; is it another kind of file?') from None
    header = csv_header(rows[0] if rows else [''], path.name)
    values = np.full((len(rows) - 1, len(header)), np.nan)
    for i, row in enumerate(rows[1:]):
        if len(row) != len(header):
            raise InputError(
                f'row {i + 1} of {path.name!r} has {len(row)} cells, but the header {len(header)}; give as many, empty where not given')
        for j, cell in enumerate(row):
            if cell.strip():
                values[i, j] = _number(cell, f'row {i + 1}, column {header[j]!r} of {path.name!r}')
    clock = next((label for label in ('stamp', 'time') if label in header), None)
    times = None
    if clock is not None:
        j = header.index(clock)
        times = _times(clock, [row[j] for row in rows[1:]], values[:, j], path.name)
    return _of_columns(header, values, times, path.name)


def _times(label: str, cells: list[str], values: np.ndarray, name: str) -> np.ndarray:
    """[s]; those of a clock since the first."""
    if np.isnan(values).any() or label not in stamps.NAMES and not (np.abs(values) > stamps.CLOCK).any():
        return values
    exact = np.array([stamps.nanoseconds_of_text(cell, label, name) for cell in cells], np.int64)
    return (exact - exact[:1]) * 1e-9


def _of_columns(header: list[str], values: np.ndarray, times: np.ndarray | None, name: str) -> Waypoints:
    names = []
    columns: dict[str, dict[str, int]] = {kind: {} for kind in _KINDS.values()}
    for j, label in enumerate(header):
        if label in ('stamp', 'time', ''):
            continue
        joint, _, kind = label.rpartition('.')
        if joint and HIGHER.fullmatch(kind):        # of samples, which way points do not take
            continue
        if kind not in _KINDS or not joint:
            joint, kind = label, 'position'
        if joint in columns[_KINDS[kind]]:
            raise InputError(f'{name!r} has two columns of the {kind} of {joint!r}; leave one of them out')
        columns[_KINDS[kind]][joint] = j
        if joint not in names:
            names.append(joint)
    missing = [joint for joint in names if joint not in columns['positions']]
    if missing or not names:
        joint = missing[0] if missing else '<joint>'
        raise InputError(f'{name!r} has no column {joint!r} with positions; its header is {some(header)}')
    arrays = {}
    for kind, found in columns.items():
        if found:
            arrays[kind] = np.stack(
                [values[:, found[joint]] if joint in found else np.full(len(values), np.nan) for joint in names], axis=1)
    return Waypoints(tuple(names), times, **arrays)


def read_npz(path: Path) -> Waypoints:
    """Arrays joint_names, times, positions and, where they are given, velocities, accelerations, efforts."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, BadZipFile, ValueError, EOFError) as error:
        raise InputError(f'the file {path.name!r} is not readable as NPZ ({error}); write it by numpy.savez') from None
    for name in ('joint_names', 'positions'):
        if name not in arrays:
            raise InputError(f'the file {path.name!r} holds {some(arrays) or "nothing"}, but no {name}')
    optional_arrays = {name: arrays[name] for name in ('velocities', 'accelerations', 'efforts') if name in arrays}
    return Waypoints(names_in(arrays['joint_names'], path.name), arrays.get('times'), arrays['positions'], **optional_arrays)


def _number(cell: str, where: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise InputError(f'{where} is {cell[:40]!r}; give a finite number, or nothing')
    return number
