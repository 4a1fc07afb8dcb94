# SPDX-License-Identifier: Apache-2.0
"""Torques that bring a robot to rest where it is and hold it there, from what joint_states measure.

Each joint is a spring and a damper of bandwidth w: q'' = w^2 (h - q) - 2 w q', critically damped. With h = q + q'/w at the beginning the
joint comes to rest exponentially, without overshoot. Inverse dynamics makes torques of it; measured velocities enter it nowhere else.
"""

import numpy as np
from numpy.typing import NDArray

from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.model.robot_model import RobotModel

SHARE = 0.5             # of what effort limit and rate allow, that braking makes use of
SOFTEST = 1.0           # [1/s] least bandwidth


def at_rest(model: RobotModel, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) what gravity needs at these positions [N m] or [N]."""
    motion = np.zeros((3, model.n))
    motion[0] = positions
    return inverse_dynamics(model, motion)[0]


class Holding:
    """Begins where the robot is and as it moves now, q and q' (n,). effort, effort_rate: limits (n,); bandwidth [1/s] at most;
    stopping_place: MotionLimits'."""

    def __init__(
            self, model: RobotModel, positions: NDArray[np.float64], velocities: NDArray[np.float64], effort: NDArray[np.float64],
            effort_rate: NDArray[np.float64], bandwidth: float, stopping_place) -> None:
        self._positions, self._velocities = positions.copy(), velocities.copy()
        self.use(model, effort, effort_rate, bandwidth)
        self._w = self._free = self._quick_enough(velocities)
        self.place = stopping_place(positions + velocities / self._w, positions)

    def use(self, model: RobotModel, effort: NDArray[np.float64], effort_rate: NDArray[np.float64], bandwidth: float) -> None:
        """Another model of the same joints or other limits from now on: the place stays."""
        self._model, self._rate, self._bandwidth = model, effort_rate, bandwidth
        matrices = dynamics_matrices(model, np.stack([self._positions, np.zeros(model.n)]))
        self._inertia = np.diagonal(matrices.M[0]).copy()
        self._headroom = np.maximum(effort - np.abs(matrices.g[0]), 0.0)

    def efforts(
            self, positions: NDArray[np.float64], velocities: NDArray[np.float64], most: float = np.inf) -> NDArray[np.float64]:
        """(n,) [N m] or [N] for what is measured now; most: the bandwidth that measurements bear."""
        w = self._w = np.maximum(np.minimum(self._w, self._bandwidth), self._quick_enough(velocities))
        w = np.minimum(w, most)
        acceleration = w * w * (self.place - positions) - 2 * w * velocities
        return inverse_dynamics(self._model, np.stack([positions, np.zeros(self._model.n), acceleration]))[0]

    def expected(self, elapsed: float) -> NDArray[np.float64]:
        """(n,) the same, that long after the beginning [s], for a robot that is not measured: as its joints come to rest by themselves."""
        decay = np.exp(-self._free * elapsed)
        positions, velocities = self.place + (self._positions - self.place) * decay, self._velocities * decay
        return inverse_dynamics(self._model, np.stack([positions, velocities, -self._free * velocities]))[0]

    def _quick_enough(self, velocities: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) the bandwidths with which braking stays within effort limit (inertia w |q'|) and effort rate (inertia w^2 |q'|)."""
        momentum = self._inertia * np.abs(velocities) + 1e-12
        w = np.minimum(SHARE * self._headroom / momentum, np.sqrt(SHARE * self._rate / momentum))
        return np.minimum(np.maximum(w, min(SOFTEST, self._bandwidth)), self._bandwidth)
