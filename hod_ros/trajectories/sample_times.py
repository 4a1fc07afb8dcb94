# SPDX-License-Identifier: Apache-2.0
"""When samples were taken, where their stamps are not that: receivers stamp late, after a delay that changes, and in bursts once held up.

Devices sample by a clock of their own. Sample k was taken at a(k), which is almost a straight line, and stamped some delay later. A step
between stamps that later ones do not make up for tells samples that were lost, so that k is known; a(k) is a spline of long pieces through
the stamps. Which times are true, the motion says: its noise is smaller at those. Delays that persist over some samples look like motion at
any cut-off, so that the stamps' own cross-validation cannot tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hod_ros.checks.optional import optional
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.trajectories.smoothing import smoothed_motion

interpolate = optional('scipy.interpolate', 'trajectories')

GAP = 5.0               # usual steps that are lost at once, over which no motion is known
_LATE = 1.5             # usual steps from one stamp to the next, beyond which samples may have been lost
_BURST = 100            # samples that may come at once
_BEFORE = 10            # samples of which one is not late
_EVEN = 1e-4            # of a step, within which stamps are even
_NOISIER = 1.2          # times the noise at even times, beyond which stamps are not believed
_CLOCK = 10.0           # [s] within which a clock's drift is a cubic
_ROUNDS = 6             # of weights by which few late stamps count less
_ROUNDING = 1e-12    # of positions, which is no noise
_ORDER = 2              # derivatives of the motion that tells
FEWEST = 50             # samples, below which stamps are believed


@dataclass(frozen=True, eq=False)
class SampleTimes:
    """Of one stretch. off: root mean square of its stamps about the times, farthest: at most; both are 0 where stamps are believed."""

    times: Array            # (samples,) [s]
    off: float = 0.0        # [s]
    farthest: float = 0.0   # [s]


def sample_times(stamps: Array, positions: Array) -> SampleTimes:
    """Of a stretch without gaps: stamps (samples,) [s], which increase, and positions (samples, n)."""
    if len(stamps) < FEWEST:
        return SampleTimes(stamps)
    even = _even(stamps)
    late = stamps - even
    step = (even[-1] - even[0]) / (len(even) - 1)
    if np.abs(late).max() < _EVEN * step or not (np.diff(even) > 0).all() or not _truer(even, stamps, positions):
        return SampleTimes(stamps)
    return SampleTimes(even, float(np.sqrt(np.mean(late**2))), float(np.abs(late).max()))


def off_text(found: Sequence[SampleTimes]) -> str:
    """A sentence about stretches whose stamps are not believed; '' where there are none."""
    off = [part for part in found if part.off]
    if not off:
        return ''
    root, most = np.sqrt(np.mean([part.off**2 for part in off])), max(part.farthest for part in off)
    where = '' if len(off) == len(found) else f', in {len(off)} of {len(found)} stretches'
    return (f'stamps jitter: the motion is smoother at even times, which are used; stamps are off these by {1e3 * root:.2g} ms '
            f'(root mean square), by {1e3 * most:.2g} ms at most{where}')


def gaps(stamps: Array) -> Array:
    """The samples behind each of which GAP usual steps and more are missing, for which no later ones make up."""
    return np.flatnonzero(_lost(stamps)[0] > GAP - 1)


def _truer(even, stamps, positions):
    """Whether the motion has less noise at even times, at the cut-off that they ask for."""
    try:
        smooth = smoothed_motion(even, positions, _ORDER)
    except InputError:
        return False
    try:
        own = smoothed_motion(stamps, positions, _ORDER, cutoff=smooth.cutoff).noise
    except InputError:
        return True
    rounding = _ROUNDING * (1 + np.abs(positions).max(axis=0))
    return bool(np.log((own + rounding) / (smooth.noise + rounding)).mean() > np.log(_NOISIER))


def _even(stamps):
    lost, step = _lost(stamps)
    k = np.arange(len(stamps)) + np.concatenate([[0], np.cumsum(lost)])
    spans = max(1, min(round((stamps[-1] - stamps[0]) / _CLOCK), len(stamps) // FEWEST))
    knots = np.concatenate([[0.0] * 3, np.linspace(0, k[-1], spans + 1), [float(k[-1])] * 3])
    weights = np.ones(len(stamps))
    for _ in range(_ROUNDS):
        even = interpolate.make_lsq_spline(k, stamps, knots, 3, w=weights)(k)
        late = np.abs(stamps - even)
        usual = max(float(np.median(late)), 1e-9 * step)
        weights = 1 / np.sqrt(np.maximum(late, usual))
    return even


def _lost(stamps):
    """(samples lost at each step, the usual step [s])"""
    steps = np.diff(stamps)
    if not len(steps):
        return np.zeros(0), 0.0
    step = float(np.median(steps))
    if len(stamps) > 2 * _BURST:
        mean = _mean_step(stamps)
        step = mean if step < 0.5 * mean else step      # most come in bursts
    lost = _behind(stamps, step)
    k = np.concatenate([[0], np.cumsum(1 + lost)])
    if lost.any():
        near = lost < GAP
        step = float(steps[near].sum() / np.diff(k)[near].sum())
        lost = _behind(stamps, step)
    return lost, step


def _mean_step(stamps):
    """Over bursts, but not over the few gaps."""
    spans = stamps[_BURST:] - stamps[:-_BURST]
    usual = np.median(spans)
    return float(spans[(spans > 0.5 * usual) & (spans < 1.5 * usual)].mean()) / _BURST


def _behind(stamps, step):
    """Samples lost at each step: by how many the stamps that follow stay behind, of which none makes up for it."""
    steps = np.diff(stamps)
    lost, total, done = np.zeros(len(steps)), 0.0, 0
    lateness = stamps - step * np.arange(len(stamps))
    for i in np.flatnonzero(steps > _LATE * step):
        lateness[done:i + 1] -= total * step
        done = i + 1
        rest = steps[i + 1:]
        if 0 < len(rest) < steps[i] / step and rest.max() < 0.5 * step:
            break           # a burst that the recording's end cuts off
        following = lateness[i + 1:i + 1 + _BURST + int(min(3 * steps[i] / step, len(stamps)))] - total * step
        behind = following.min() - lateness[max(0, i - _BEFORE):i + 1].min()
        lost[i] = max(0, round(min(behind, steps[i] - step) / step))
        total += lost[i]
    return lost
