# SPDX-License-Identifier: Apache-2.0
"""How far a motion leaves straight lines and position limits: bounds that hold between points too.

A polynomial on [0, 1] lies in the convex hull of its control points, and the distance from a straight line is convex: it is nowhere larger
than at the farthest control point. Where that does not settle it, the polynomial is cut into parts, whose control points are nearer to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hod_ros.trajectories import polynomials

_PARTS = (1, 4, 16, 64)
_CHUNK = 1 << 16                # numbers of coefficients handled at a time


def distance_to_chord(points: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """(...,) Euclidean distance of points (..., n) from the straight lines between start and end (..., n)."""
    along, offset = end - start, points - start
    length = np.sum(along * along, axis=-1)
    part = np.sum(offset * along, axis=-1) / np.where(length > 0, length, 1.0)
    foot = np.where(part[..., None] < 0.5, start + np.clip(part, 0, 1)[..., None] * along, end - np.clip(1 - part, 0, 1)[..., None] * along)
    return np.sqrt(np.sum((points - foot)**2, axis=-1))


def from_chords(
        coefficients: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """(pieces,) bounds of each piece's distance from the line between its start and end (pieces, n); close where above `largest`."""
    return _bounds(
        coefficients, largest, lambda points, which: distance_to_chord(points, start[which, None], end[which, None]))


def beyond(coefficients: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """(pieces,) bounds of how far each piece leaves the box from lower to upper (n,); 0 or less: nowhere."""
    return _bounds(coefficients, 0.0, lambda points, which: np.maximum(points - upper, lower - points).max(axis=2))


def _bounds(coefficients, largest, measure):
    """A bound for each piece: finer where it is above `largest`, but no place that is known to be on the curve."""
    out = np.empty(len(coefficients))
    known = np.zeros(len(coefficients))
    left = np.arange(len(coefficients))
    rows = coefficients.shape[1]
    for parts in _PARTS:
        step = max(1, _CHUNK // (parts * coefficients[0].size))
        for first in range(0, len(left), step):
            which = left[first:first + step]
            sizes = measure(polynomials.control_points(coefficients[which], parts), which)
            out[which], known[which] = sizes.max(axis=1), sizes[:, ::rows].max(axis=1)
        left = left[(out[left] > largest) & (known[left] <= largest)]
    return out
