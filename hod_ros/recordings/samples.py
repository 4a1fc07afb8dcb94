# SPDX-License-Identifier: Apache-2.0
"""Recorded samples of joints: positions and whatever derivatives and torques came with them, a piece of a recording at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.errors import InputError

# Rows of q by their names in files and messages; what follows is 'd5', 'd6', ...
ROWS = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
FORCE_ROWS = ('effort', 'effort_rate', 'effort_acceleration')


def row_name(k: int) -> str:
    """Of the k-th derivative of a position."""
    return ROWS[k] if k < len(ROWS) else f'd{k}'


def force_row_name(k: int) -> str:
    """Of the k-th derivative of an effort."""
    return FORCE_ROWS[k] if k < len(FORCE_ROWS) else f'effort_d{k}'


@dataclass(frozen=True, eq=False)
class Samples:
    """Successive samples of some joints.

    What read_samples returns.

    Raises InputError where names, stamps and arrays do not match.

        >>> s = Samples(('a', 'b'), np.array([0, 1_000_000]), np.zeros((2, 3, 2)))
        >>> s.times.tolist(), s.of_joints(['b']).q.shape
        ([0.0, 0.001], (2, 3, 1))
    """

    joint_names: tuple[str, ...]
    stamps: NDArray[np.int64]       # (samples,) [ns]
    q: Array                        # (samples, rows, n): row k is the k-th time derivative of the positions
    efforts: Array | None = None    # (samples, n) [N m] or [N]

    def __post_init__(self) -> None:
        names = arguments.names(self.joint_names, 'joint_names')
        stamps, q = _array(self.stamps, 'stamps', np.int64), _array(self.q, 'q')
        efforts = None if self.efforts is None else _array(self.efforts, 'efforts')
        samples, n = len(stamps) if stamps.ndim else -1, len(names)
        right = {'stamps': (samples,), 'q': (samples, q.shape[1] if q.ndim == 3 else 'rows', n), 'efforts': (samples, n)}
        for what, value in (('stamps', stamps), ('q', q), ('efforts', efforts)):
            if value is not None and value.shape != right[what]:
                raise InputError(
                    f'{what} has the shape {value.shape}, but needs ({", ".join(map(str, right[what]))}) for {samples} stamps and '
                    f'{n} joint_names')
            object.__setattr__(self, what, value)
        object.__setattr__(self, 'joint_names', names)

    @property
    def times(self) -> Array:
        """(samples,) [s]"""
        return self.stamps * 1e-9

    def of_joints(self, joint_names: tuple[str, ...] | list[str]) -> Samples:
        """The columns of some joints, in this order; all others are left out."""
        names = arguments.names(joint_names, 'joint_names')
        if names == self.joint_names:
            return self
        missing = [name for name in names if name not in self.joint_names]
        if missing:
            raise InputError(
                f'the recording has no joint {missing[0]!r}, only {arguments.listed(self.joint_names)}; choose joints that it has, and '
                'lock the others')
        columns = [self.joint_names.index(name) for name in names]
        return Samples(names, self.stamps, self.q[:, :, columns], None if self.efforts is None else self.efforts[:, columns])

    def __len__(self) -> int:
        return len(self.stamps)


def _array(value, what, kind=np.float64):
    """Numbers, which may be NaN where nothing was measured; as they are where they are of this kind already."""
    array = value if isinstance(value, np.ndarray) else arrays.numbers(value, what)
    if array.dtype == kind and not arguments.masked(array):
        return array
    array = arrays.floats(array, what)
    if kind is np.int64:
        arrays.finite(array, what)
        if np.abs(array).max(initial=0) >= 2.0**63:
            raise InputError(f'{what} holds {array.flat[np.argmax(np.abs(array))]:g}; give nanoseconds')
        fractions = array != np.round(array)
        if fractions.any():
            raise InputError(f'{what} holds {array[fractions][0]:.9g}; give whole nanoseconds')
    return array.astype(kind)


def joined(parts: list[Samples]) -> Samples:
    """All parts as one, which must be of the same joints and rows."""
    if not parts:
        raise InputError('the recording holds no samples')
    first = parts[0]
    parts = [part.of_joints(first.joint_names) for part in parts]
    rows = min(part.q.shape[1] for part in parts)
    efforts = None if any(part.efforts is None for part in parts) else np.concatenate([part.efforts for part in parts])
    return Samples(
        first.joint_names, np.concatenate([part.stamps for part in parts]), np.concatenate([part.q[:, :rows] for part in parts]), efforts)
