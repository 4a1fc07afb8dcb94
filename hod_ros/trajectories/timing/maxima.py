# SPDX-License-Identifier: Apache-2.0
"""Maxima between the points of a grid."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_HALVINGS = 3


def refined_maxima(
        function: Callable[[Array], Array], grid: Array, values: Array, floor: float | Array) -> tuple[Array, NDArray[np.intp], Array]:
    """Where columns of a function (points,) -> (points, columns) have maxima above `floor`: places, columns and values.

    values: the function's on the grid. floor: for all columns, or each. Every local maximum on the grid is halved towards three times and
    its top taken from a parabola. At least one is returned for every column that has values above the floor.
    """
    padded = np.pad(values, ((1, 1), (0, 0)), constant_values=-np.inf)
    i, column = np.nonzero((values >= padded[:-2]) & (values >= padded[2:]) & (values > floor))
    place, top = grid[i], values[i, column]
    if not len(i):
        return place, column, top
    lowest, highest = grid[0], grid[-1]
    gaps = np.diff(grid)
    half = np.maximum(gaps[np.maximum(i - 1, 0)], gaps[np.minimum(i, len(gaps) - 1)])

    def at(u):
        return function(u)[np.arange(len(u)), column]

    for _ in range(_HALVINGS):
        half = half / 2
        left, right = np.maximum(place - half, lowest), np.minimum(place + half, highest)
        below, above = at(left), at(right)
        best = np.where(below > top, left, np.where(above > top, right, place))
        place, top = best, np.maximum(top, np.maximum(below, above))
    left, right = np.maximum(place - half, lowest), np.minimum(place + half, highest)
    below, above = at(left), at(right)
    bend = below - 2 * top + above
    with np.errstate(all='ignore'):
        vertex = np.clip(place + np.where(bend < 0, 0.5 * half * (below - above) / bend, 0.0), left, right)
    vertex = np.where(np.isfinite(vertex), vertex, place)
    summit = at(vertex)
    place, top = np.where(summit > top, vertex, place), np.maximum(top, summit)
    return place, column, top
