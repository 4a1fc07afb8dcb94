# SPDX-License-Identifier: Apache-2.0
"""Samples in the order of their times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hod_ros.errors import InputError
from hod_ros.recordings.samples import Samples


def increasing(pieces: Iterator[Samples], name: str) -> Iterator[Samples]:
    """The same pieces; InputError at the first sample of the file that is not later than the one before it."""
    done, last = 0, None
    for piece in pieces:
        stamps = piece.stamps if last is None else np.concatenate([[last], piece.stamps])
        _refuse(np.diff(stamps) <= 0, stamps, done - (last is not None), name)
        if len(piece):
            done, last = done + len(piece), piece.stamps[-1]
        yield piece


def without_repeats(samples: Samples, name: str) -> Samples:
    """Samples that were sent twice once; InputError where one is earlier than the one before it."""
    steps = np.diff(samples.stamps)
    _refuse(steps < 0, samples.stamps, 0, name)
    if (steps > 0).all():
        return samples
    keep = np.concatenate([[True], steps > 0])
    efforts = None if samples.efforts is None else samples.efforts[keep]
    return Samples(samples.joint_names, samples.stamps[keep], samples.q[keep], efforts)


def _refuse(wrong, stamps, first, name):
    if wrong.any():
        at = int(np.argmax(wrong)) + 1
        raise InputError(
            f'times[{first + at}] is {stamps[at] * 1e-9:.9g}, not later than {stamps[at - 1] * 1e-9:.9g} before it; times must increase: '
            f'sort the samples of {name!r} by time and drop the repeated ones')
