# SPDX-License-Identifier: Apache-2.0
"""From one setpoint to its efforts: what is computed with one robot, its limits and its friction."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hod_interfaces.msg import JointSetpoint
from hod_ros.dynamics.friction import friction_forces
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.dynamics.prepared_loads import PreparedLoads
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.setpoints.answer import Answer
from hod_ros.ros.setpoints.setpoint_limits import SetpointLimits
from hod_ros.ros.setpoints.setpoint_reader import SetpointReader


class Computation:
    """Immutable but for what it remembers of the setpoint before: a change of robot or parameters makes a new one between two setpoints."""

    def __init__(self, model: RobotModel, limits: SetpointLimits, friction_width: float | None) -> None:
        """friction_width: [rad/s] or [m/s], None: without friction."""
        self.model = model
        self.friction_width = friction_width
        self._limits = limits
        self._read = SetpointReader(model).read
        self._wrenches = None           # of the setpoint before
        self._loads = PreparedLoads(model, ())
        self._values = np.zeros((0, 0, 6))

    def run(self, setpoint: JointSetpoint, order: int, rows: int, wrenches: Mapping[str, LinkWrench] | None) -> Answer:
        """order: the highest of Q that is shown; rows: of Q that are computed, if the setpoint has so many."""
        q, columns = self._read(setpoint, max(order, rows - 1))
        Q, friction = self.forces(q, wrenches)
        return Answer(q, Q, self._limits.apply(q, Q if len(Q) <= order + 1 else Q[:order + 1]), columns, friction)

    def efforts(self, motion: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) of a motion (3, n), with payload and friction but no external wrench."""
        return self.forces(motion)[0][0]

    def forces(
            self, q: NDArray[np.float64],
            wrenches: Mapping[str, LinkWrench] | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """(rows - 2, n) of a motion q (rows, n): Q with the joints' friction, and that friction or None."""
        if wrenches is None:
            Q = inverse_dynamics(self.model, q, order=len(q) - 3)
        else:
            if wrenches is not self._wrenches:
                self._prepare(wrenches)
            Q = self._loads.inverse_dynamics(q, self._values[:len(q) - 2])
        if self.friction_width is None:
            return Q, None
        friction = friction_forces(self.model, q, width=self.friction_width, order=len(q) - 3)
        return Q + friction, friction

    def _prepare(self, wrenches):
        """Another set of wrenches: their values side by side, and, where their links or frames are others, loads prepared for these."""
        links = tuple((link, wrench.frame) for link, wrench in wrenches.items())
        if self._loads.links != links:
            self._loads = PreparedLoads(self.model, links)
        rows = min(len(wrench.values) for wrench in wrenches.values())
        self._values = np.stack([wrench.values[:rows] for wrench in wrenches.values()], axis=1)
        self._wrenches = wrenches
