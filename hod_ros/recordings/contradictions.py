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


def contradiction(times: NDArray[np.float64], q: NDArray[np.float64], joint_names: Sequence[str], *, dense: bool = True) -> str:
    """A sentence about rows of q (samples, rows, n) that belie each other, '' where none do.

    dense: samples of a motion, none of which moves while its derivatives are zero throughout, as way points may.
    """
    parts = min(_PARTS, len(times) - 1)
    if parts < _FEWEST:
        return ''
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
        wrong = np.flatnonzero((together > _TOGETHER) & ((factor > _FACTOR) | (factor < 1 / _FACTOR)))
        if wrong.size:
            j = wrong[0]
            return (f'{row_name(k + 1)} of joint {joint_names[j]!r} is {factor[j]:.4g} times what its {row_name(k)} changes by a second'
                    f'{_hint(factor[j])}')
        still = np.flatnonzero((slope == 0).all(axis=0) & (np.ptp(value, axis=0) > _MOVED)) if dense and parts == _PARTS else ()
        if len(still):
            return (f'{row_name(k + 1)} of joint {joint_names[still[0]]!r} is 0 throughout, while its {row_name(k)} changes by '
                    f'{np.ptp(value[:, still[0]]):.4g}')
    return ''


def refuse_contradiction(
        times: NDArray[np.float64], q: NDArray[np.float64], joint_names: Sequence[str], name: str, *, dense: bool = True) -> None:
    """InputError where rows in a file belie each other."""
    sentence = contradiction(times, q, joint_names, dense=dense)
    if sentence:
        raise InputError(
            f'{name!r} contradicts itself: {sentence}; mend it, or leave out what is wrong and have it made of the positions '
            '(hod compute --differentiate)')


def _hint(factor):
    degrees = abs(np.log(factor * np.pi / 180)) < 0.2
    thousands = np.log10(factor) / 3
    if degrees:
        return ': is it in degrees?'
    if round(thousands) and abs(thousands - round(thousands)) < 0.03:
        return ': are the times in seconds?'
    return ': are all in rad (m) and seconds?'
