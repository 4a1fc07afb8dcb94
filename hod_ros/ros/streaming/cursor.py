# SPDX-License-Identifier: Apache-2.0
"""A trajectory evaluated at one time after the other, a thousand times a second."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.trajectories import polynomials
from hod_ros.trajectories.trajectory import Trajectory


class Cursor:
    """rows: how many of q, q', ... are wanted. Before its start and after its end, where it stands, the trajectory stays as it is there."""

    def __init__(self, trajectory: Trajectory, rows: int) -> None:
        self.trajectory = trajectory
        self.rows = rows
        self._breaks = trajectory.breaks
        self._half = -1                         # of a piece: its matrix is at hand
        self._exponents = np.arange(trajectory.coefficients.shape[1])

    def at(self, time: float) -> NDArray[np.float64]:
        """(rows, n)"""
        breaks = self._breaks
        piece = min(max(int(np.searchsorted(breaks, time, side='right')) - 1, 0), len(breaks) - 2)
        start, step = breaks[piece], breaks[piece + 1] - breaks[piece]
        u = min(max((time - start) / step, 0.0), 1.0)
        later = u > 0.5
        if self._half != 2 * piece + later:
            self._half = 2 * piece + later
            c = self.trajectory.of_half(piece, later)
            self._matrix = np.zeros((len(c), self.rows, c.shape[1]))
            for k in range(min(self.rows, len(c))):
                self._matrix[:len(c) - k, k] = polynomials.derivative(c, k) / step**k
            self._matrix = self._matrix.reshape(len(c), -1)
        return ((u - later)**self._exponents @ self._matrix).reshape(self.rows, -1)
