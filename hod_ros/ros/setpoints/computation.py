# SPDX-License-Identifier: Apache-2.0
"""From one setpoint to its efforts: what is computed with one robot, its limits and its friction."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hod_interfaces.msg import JointSetpoint
from hod_ros.dynamics.friction import friction_forces
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.setpoints.answer import Answer
from hod_ros.ros.setpoints.setpoint_limits import SetpointLimits
from hod_ros.ros.setpoints.setpoint_reader import SetpointReader


class Computation:
    """Immutable but for its reader's memory: a change of robot or parameters makes a new one between two setpoints."""

    def __init__(self, model: RobotModel, limits: SetpointLimits, friction_width: float | None) -> None:
        """friction_width: [rad/s] or [m/s], None: without friction."""
        self.model = model
        self.friction_width = friction_width
        self._limits = limits
        self._read = SetpointReader(model).read

    def run(self, setpoint: JointSetpoint, order: int, rows: int, wrenches: Mapping[str, LinkWrench] | None) -> Answer:
        """order: the highest of Q that is shown; rows: of Q that are computed, if the setpoint has so many."""
        q, columns = self._read(setpoint, max(order, rows - 1))
        Q, friction = self._forces(q, wrenches)
        return Answer(q, Q, self._limits.apply(q, Q if len(Q) <= order + 1 else Q[:order + 1]), columns, friction)

    def efforts(self, motion: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) of a motion (3, n), with payload and friction but no external wrench."""
        return self._forces(motion, None)[0][0]

    def _forces(self, q, wrenches):
        """Q with the joints' friction, and that friction or None."""
        Q = inverse_dynamics(self.model, q, wrenches=wrenches, order=len(q) - 3)
        if self.friction_width is None:
            return Q, None
        friction = friction_forces(self.model, q, width=self.friction_width, order=len(q) - 3)
        return Q + friction, friction
