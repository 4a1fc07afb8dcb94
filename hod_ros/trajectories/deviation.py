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


def from_chords(
        coefficients: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """(pieces,) bounds of each piece's distance from the line between its start and end (pieces, n); close where above `largest`."""
    along = (end - start)[:, None]
    length = _squared_length(along)
    return _bounds(coefficients, largest, lambda points, which: _from_line(points - start[which, None], along[which], length[which]))


def of_middles(times: NDArray[np.float64], derivatives: NDArray[np.float64]) -> NDArray[np.float64]:
    """(points - 1,) distances, at the middle of the time between two points, from their line; derivatives: (points, rows, n) there."""
    along = np.diff(derivatives[:, :1], axis=0)
    weights = polynomials.middle_weights(derivatives.shape[1]) * (times[1:] - times[:-1])[:, None, None]**np.arange(derivatives.shape[1])
    at = np.einsum('pk,pkn->pn', weights[:, 0, 1:], derivatives[:-1, 1:]) + np.einsum('pk,pkn->pn', weights[:, 1, 1:], derivatives[1:, 1:])
    return _from_line(at[:, None] + along / 2, along, _squared_length(along))[:, 0]


def _from_line(points, along, squared_length):
    """(pieces, places) distances of points (pieces, places, n) from the lines between 0 and along (pieces, 1, n)."""
    part = points @ along.swapaxes(1, 2) / squared_length
    off = points - np.minimum(np.maximum(part, 0.0), 1.0) * along
    return np.sqrt(np.einsum('pij,pij->pi', off, off))


def _squared_length(along):
    """(pieces, 1, 1), 1 where it is 0."""
    length = np.einsum('pij,pij->pi', along, along)[:, :, None]
    length[length == 0] = 1.0
    return length


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
