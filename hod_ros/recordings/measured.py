# SPDX-License-Identifier: Apache-2.0
"""What is to be known of samples that are taken for way points, though a robot that moved gave them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DENSE = 20             # points, whose first ones tell how a motion begins
_MANY = 100             # samples, of which noise is told
_CLOSE = 0.05           # [s] between samples that a recorder took; way points are farther apart
_ROUGH = 0.5            # of second differences in which the fourth ones are: a sine of nine samples has as much
_NOTED = 0.05           # [rad/s^2] or [m/s^2] of noise in accelerations


def as_way_points(times: NDArray[np.float64], positions: NDArray[np.float64], velocities: NDArray[np.float64] | None) -> str:
    """A sentence about points (samples, n) of which a motion from rest to rest is made, where it is not what the robot did; or ''."""
    return '; '.join(filter(None, (_noise(times, positions), _end_in_motion(times, positions, velocities))))


def _end_in_motion(times, positions, velocities):
    """Of points that move from the first on, or up to the last."""
    if len(times) < _DENSE:
        return ''
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=1) / np.diff(times)
    for at, first, does in ((0, speeds[:_DENSE // 2], 'begin'), (-1, speeds[:-_DENSE // 2:-1], 'end')):
        given = velocities is not None and np.isfinite(velocities[at]).all()
        if not given and first[0] > 0.5 * np.median(first) > 0:
            return (f'its points {does} at {first[0]:.3g} rad/s or m/s, yet the motion {does}s at rest, for no velocities are given there: '
                    'what it takes there is not what the robot did (--differentiate takes positions as they were measured)')
    return ''


def _noise(times, positions):
    """Of close samples whose second differences change from one to the next, as noise and missing digits make them."""
    if len(times) < _MANY or not (np.diff(times) > 0).all() or np.median(np.diff(times)) > _CLOSE:
        return ''
    steps = np.diff(times)[:, None]
    bends = np.diff(np.diff(positions, axis=0) / steps, axis=0) / ((steps[1:] + steps[:-1]) / 2)
    usual, rough = (np.quantile(np.abs(part), 0.75, axis=0) for part in (bends, np.diff(bends, 2, axis=0)))
    noise = np.where((rough > _ROUGH * usual) & (usual > 0), rough / np.sqrt(70 / 6), 0.0)      # what white noise has of either
    if not noise.max(initial=0.0) > _NOTED:
        return ''
    return (f'its positions look measured or rounded: a motion through all of them has accelerations that are wrong by about '
            f'{noise.max():.2g} rad/s^2 or m/s^2, and torques accordingly; --differentiate smooths')
