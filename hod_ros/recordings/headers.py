# SPDX-License-Identifier: Apache-2.0
"""Names in files: the header of a CSV, the joint_names of an NPZ."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hod_ros.errors import InputError

HIGHER = re.compile(r'jerk|snap|d([5-9]|[1-9]\d)')       # kinds of columns beyond accelerations
_CLOCKS = ('time', 'times', 't', 'timestamp', 'timestamps', 'time_s', 'time[s]', 'time [s]', 'sec', 'seconds', 'stamps', 'stamp')
_SEPARATORS = {';': 'semicolons', '\t': 'tabs'}


def csv_header(cells: list[str], name: str) -> list[str]:
    """The labels of the columns in the first line of a CSV; without the comment sign that numpy.savetxt puts before them."""
    labels = [cell.strip().strip('"').strip() for cell in cells]
    labels[0] = labels[0].removeprefix('#').strip()
    if '\0' in labels[0]:
        raise InputError(in_utf16(name))
    if labels == ['']:
        raise InputError(f'the file {name!r} is empty; its first line names the columns: time, <joint>, <joint>.velocity, ...')
    separator = next((sign for sign in _SEPARATORS if sign in labels[0]), None)
    if separator is not None:
        raise InputError(
            f'the columns of {name!r} are separated by {_SEPARATORS[separator]}; separate them by commas, with points in the numbers: '
            f'pandas.read_csv({name!r}, sep={separator!r}, decimal=...).to_csv(..., index=False)')
    return labels


def clock_hint(labels: Iterable[str]) -> str:
    """What to do about a column that looks like that of the times but is called otherwise; '' where none does."""
    found = next((label for label in labels if label.lower() in _CLOCKS and label not in ('time', 'stamp')), None)
    return '' if found is None else f'; rename {found!r} to time, where it holds seconds, or to stamp, where whole nanoseconds'


def in_utf16(name: str) -> str:
    """A sentence about such a text file."""
    return f'{name!r} is no text in UTF-8 but in UTF-16; convert it: iconv -f UTF-16 -t UTF-8'


def has_column(path: Path, label: str) -> bool:
    """Whether a CSV has a column of this label."""
    with open(path, encoding='utf-8-sig', errors='replace') as file:
        return label in [cell.strip().strip('"') for cell in file.readline().split(',')]


def names_in(array: Any, name: str) -> tuple[str, ...]:
    """The texts in the array joint_names of an NPZ."""
    array = np.atleast_1d(array)
    if array.ndim != 1 or array.dtype.kind not in 'US':
        raise InputError(f'array joint_names of {name!r} is {array.dtype} {array.shape}; give a list of texts, one for each joint')
    return tuple(text.decode('utf-8', 'replace') if isinstance(text, bytes) else str(text) for text in array.tolist())
