# SPDX-License-Identifier: Apache-2.0
"""Derivatives that a recording does not hold, where they are asked for: by smoothing splines, stretch by stretch, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field

import numpy as np

from hod_ros.errors import InputError
from hod_ros.recordings.samples import Samples
from hod_ros.trajectories.sample_times import SampleTimes
from hod_ros.trajectories.sample_times import gaps
from hod_ros.trajectories.sample_times import off_text
from hod_ros.trajectories.sample_times import sample_times
from hod_ros.trajectories.smoothing import smoothed_motion

_WINDOW = 50_000            # samples that one spline goes through
_MARGIN = 1_500             # more on either side, so that what is kept is far from the ends


@dataclass
class Noise:
    """What was found of the positions' noise, over all splines."""

    cutoffs: list[float] = field(default_factory=list)      # [Hz]
    positions: list[np.ndarray] = field(default_factory=list)       # (n,) each
    deviations: list[np.ndarray] = field(default_factory=list)      # (rows, n) each
    taken: list[SampleTimes] = field(default_factory=list)

    def text(self) -> str:
        """A sentence."""
        noise = max(float(part.max()) for part in self.positions)
        rows = np.max([part.max(axis=1) for part in self.deviations], axis=0)
        cutoff = f'{min(self.cutoffs):.3g}' + (f' to {max(self.cutoffs):.3g}' if max(self.cutoffs) > 1.01 * min(self.cutoffs) else '')
        each = ', '.join(f"q{k * chr(39)} {value:.2g}" for k, value in enumerate(rows) if k)
        jitter = off_text(self.taken)
        return (f'differentiated by splines that follow {cutoff} Hz; noise of the positions {noise:.2g}, left of it in {each} '
                f'(standard deviations, worst joint){jitter and "; "}{jitter}')


def differentiated(pieces: Iterator[Samples], order: int, cutoff: float | None, noise: Noise) -> Iterator[Samples]:
    """The samples with derivatives of their positions up to `order`; those that they had are not used."""
    for stretch in _stretches(pieces):
        joint_names, kept, begin = None, [], 0
        for piece, last in stretch:
            joint_names = piece.joint_names
            kept.append((piece.stamps, piece.q[:, 0]))
            while sum(len(stamps) for stamps, _ in kept) >= begin + _WINDOW + _MARGIN or last:
                stamps, q = (np.concatenate(parts) for parts in zip(*kept, strict=True))
                end = len(stamps) if last else begin + _WINDOW
                yield _smoothed(joint_names, stamps, q, order, cutoff, noise, begin, end)
                keep = max(0, end - _MARGIN)
                kept, begin = [(stamps[keep:], q[keep:])], end - keep
                if last:
                    break


def _smoothed(joint_names, stamps, q, order, cutoff, noise, begin, end):
    taken = sample_times((stamps - stamps[0]) * 1e-9, q)
    try:
        motion = smoothed_motion(taken.times, q, order, cutoff=cutoff)
    except InputError as error:
        raise InputError(f'the stretch that starts at {stamps[0] * 1e-9:.9g} s cannot be differentiated: {error}') from None
    noise.cutoffs.append(motion.cutoff)
    noise.positions.append(motion.noise)
    noise.deviations.append(motion.deviations)
    noise.taken.append(taken)
    return Samples(joint_names, stamps[begin:end], motion.derivatives[begin:end])


def _stretches(pieces):
    """Iterators of (piece, whether it is the stretch's last): a gap in time ends a stretch."""
    source, step = _cut_at_gaps(pieces), None
    step = next(source, None)
    while step is not None:
        box = [step]
        yield _one_stretch(source, box)
        step = box[0]


def _one_stretch(source, box):
    while box[0] is not None:
        piece, ends = box[0]
        following = next(source, None)
        box[0] = following
        yield piece, ends or following is None
        if ends:
            return


def _cut_at_gaps(pieces):
    """(piece, whether a gap follows it)"""
    held = None
    for piece in pieces:
        if not len(piece):
            continue
        if held is not None:
            yield from _cut(held, piece.stamps)
        held = piece
    if held is not None:
        yield from _cut(held, held.stamps[:0])


def _cut(piece, following):
    """The parts of a piece between gaps, of which the stamps that follow are to tell."""
    stamps = np.concatenate([piece.stamps, following])
    found = gaps((stamps - stamps[0]) * 1e-9) + 1
    bounds = [0, *found[found < len(piece)], len(piece)]
    for a, b in zip(bounds[:-1], bounds[1:], strict=True):
        yield Samples(piece.joint_names, piece.stamps[a:b], piece.q[a:b]), b in found or not len(following) and b == len(piece)
