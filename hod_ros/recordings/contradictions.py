# SPDX-License-Identifier: Apache-2.0
"""Whether the derivatives in a recording are those of its positions over its times: in other units they look as right as in theirs.

Over parts of the recording, what a derivative adds up to by the trapezoidal rule is compared with what the row before changes by. Where the
two go together, yet one is a multiple of the other, a unit is wrong; noise, filters and coarse samples make them go together less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.recordings.samples import row_name

_PARTS = 50
_FEWEST = 8             # parts
_TOGETHER = 0.95        # correlation
_FACTOR = 3.0           # between what is said and what is done
_GAP = 5.0              # times the usual step: what lies in it is not judged
_MOVED = 0.01           # [rad] or [m] and its derivatives, below which a row of zeros is believed
_RUNS = 0.05            # [rad/s] or [m/s] and its derivatives over whole parts, below which a row that stands still is believed
_STANDS = 1e-3          # of what it would change by


def contradiction(times: NDArray[np.float64], q: NDArray[np.float64], joint_names: Sequence[str], *, dense: bool = True) -> str:
    """A sentence about rows of q (samples, rows, n) that belie each other, '' where none do.

    dense: samples of a motion, none of which moves while its derivatives are zero throughout, as way points may.
    """
    return _found(times, q, joint_names, dense)[0]


def _found(times, q, joint_names, dense=True):
    """(sentence, by how much a derivative is too large; 0 where no positions are there, NaN where it is something else)."""
    parts = min(_PARTS, len(times) - 1)
    if parts < _FEWEST:
        return '', np.nan
    begins = np.arange(parts) * (len(times) - 1) // parts
    steps = np.diff(times)[:, None]
    judged = (steps > 0) & (steps <= _GAP * np.median(steps))
    for k in range(q.shape[1] - 1):
        value, slope = q[:, k], q[:, k + 1]
        done = np.add.reduceat(np.diff(value, axis=0) * judged, begins)
        said = np.add.reduceat((slope[1:] + slope[:-1]) / 2 * steps * judged, begins)
        both, square, own = ((a * b).sum(axis=0) for a, b in ((done, said), (said, said), (done, done)))
        with np.errstate(divide='ignore', invalid='ignore'):        # NaN where nothing is given, or nothing moves
            together, factor = both / np.sqrt(square * own), square / both
        wrong = np.flatnonzero((np.abs(together) > _TOGETHER) & ((factor > _FACTOR) | (factor < 1 / _FACTOR)))
        if wrong.size:
            j = wrong[0]
            return (f'{row_name(k + 1)} of joint {joint_names[j]!r} is {factor[j]:.4g} times what its {row_name(k)} changes by a second'
                    f'{_hint(factor[j])}'), factor[j]
        whole = dense and parts == _PARTS
        way = np.abs(said).sum(axis=0)
        stands = np.flatnonzero((way > _RUNS * (steps * judged).sum()) & (np.ptp(value, axis=0) < _STANDS * way)) if whole else ()
        if len(stands):
            j = stands[0]
            return (f'{row_name(k)} of joint {joint_names[j]!r} stands at {value[0, j]:.4g}, while its {row_name(k + 1)} is up to '
                    f'{np.abs(slope[:, j]).max():.4g}'), np.nan if k else 0.0
        still = np.flatnonzero((slope == 0).all(axis=0) & (np.ptp(value, axis=0) > _MOVED)) if whole else ()
        if len(still):
            return (f'{row_name(k + 1)} of joint {joint_names[still[0]]!r} is 0 throughout, while its {row_name(k)} changes by '
                    f'{np.ptp(value[:, still[0]]):.4g}'), np.nan
    return '', np.nan


def refuse_contradiction(
        times: NDArray[np.float64], q: NDArray[np.float64], joint_names: Sequence[str], name: str, *, dense: bool = True) -> None:
    """InputError where rows in a file belie each other."""
    sentence, factor = _found(times, q, joint_names, dense)
    if sentence:
        made = '' if factor == 0 else ', or leave out what is wrong and have it made of the positions (--differentiate)'
        raise InputError(f'{name!r} contradicts itself: {sentence}; {_of_times(factor) or f"mend it{made}"}')


def refuse_wrong_times(times: NDArray[np.float64], q: NDArray[np.float64], joint_names: Sequence[str], name: str) -> None:
    """InputError where velocities say that the times are in another unit, of which no derivative can be made."""
    sentence, factor = _found(times, q[:, :2], joint_names)
    if _of_times(factor):
        raise InputError(f'{name!r} contradicts itself: {sentence}; {_of_times(factor)}')


def _of_times(factor):
    """What helps where times are in another unit, '' where it is something else."""
    thousands = np.log10(factor) / 3 if factor > 0 else 0.0
    if not round(thousands) or abs(thousands - round(thousands)) >= 0.03:
        return ''
    return f'multiply the times by 1e{-3 * round(thousands)}, or leave out the velocities where these are what is wrong'


def _hint(factor):
    if factor < 0:
        return ': is its sign right?'
    if abs(np.log(factor * np.pi / 180)) < 0.2:
        return ': is it in degrees?'
    if _of_times(factor):
        return ': are the times in seconds?'
    return ': are all in rad (m) and seconds?'
