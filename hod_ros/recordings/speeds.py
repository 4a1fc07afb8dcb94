# SPDX-License-Identifier: Apache-2.0
"""Speeds of measured positions that no robot with these limits has: times are in another unit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.model.far_positions import in_other_units
from hod_ros.model.robot_model import RobotModel

_SAMPLES = 50           # over which a speed is taken, so that noise is none
_MOST = 0.9             # of the speeds of a joint are lower than what is judged, so that no single jump counts
_FAST = 10.0            # times the velocity limit
_SLOW = 1e-3            # of it
_MOVED = 0.01           # [rad] or [m], within which a joint stands still
_WHAT = 'time holds seconds, stamp whole nanoseconds'


def refuse_too_fast(model: RobotModel, times: NDArray[np.float64], positions: NDArray[np.float64], name: str) -> None:
    """InputError where a joint is many times as fast as it can be: times (samples,) [s], positions (samples, n)."""
    speeds, limits = _speeds(times, positions), _limits(model)
    if not len(speeds) or in_other_units(model, positions):        # which is another sentence
        return
    fast = np.quantile(speeds, _MOST, axis=0)
    j = int(np.argmax(fast / limits))
    if fast[j] > _FAST * limits[j]:
        raise InputError(
            f'joint {model.joint_names[j]!r} of {name!r} moves at {fast[j]:.4g} a second, {fast[j] / limits[j]:.3g} times its velocity '
            f'limit of {limits[j]:g}; are the times or the positions in another unit? {_WHAT}')


def share_of_limits(model: RobotModel, times: NDArray[np.float64], positions: NDArray[np.float64]) -> float:
    """The largest speed in its limit; NaN where nothing moves, or moves without a limit."""
    speeds = _speeds(times, positions)
    moves = np.ptp(positions, axis=0) > _MOVED if len(positions) else np.zeros(model.n, bool)
    if not len(speeds) or not moves.any() or not np.isfinite(_limits(model)[moves]).all():
        return np.nan
    return float((speeds / _limits(model)).max())


def slow_text(share: float, name: str) -> str:
    """A sentence about a recording whose fastest joint is hardly moving, by its share of the limit; '' where that is none."""
    if not share < _SLOW:
        return ''
    return (f'the fastest joint of {name!r} never moves at more than {share:.2g} of its velocity limit; are the times in another unit? '
            f'{_WHAT}')


def _limits(model):
    limits = np.asarray(model.velocity_limits, float)
    return np.where(limits > 0, limits, np.inf)


def _speeds(times, positions):
    every = max(1, min(_SAMPLES, len(times) // 8))
    steps = np.diff(times[::every])[:, None]
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.abs(np.diff(positions[::every], axis=0)) / np.where(steps > 0, steps, np.inf)
