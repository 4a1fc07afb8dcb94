"""From one setpoint to its efforts: what is computed with one robot, its limits and its friction."""

from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hod_interfaces.msg import JointSetpoint
from hod_ros.dynamics.friction import friction_forces
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.setpoints.conversions import Columns
from hod_ros.ros.setpoints.conversions import SetpointReader
from hod_ros.ros.setpoints.limits import EffortLimits
from hod_ros.ros.setpoints.limits import Limited


class Answer(NamedTuple):
    """To one setpoint, in the model's order."""

    q: NDArray[np.float64]          # (rows, n), the setpoint
    Q: NDArray[np.float64]          # (rows - 2, n), unlimited
    limited: Limited                # what is published of Q
    columns: Columns                # the setpoint's joints


class Computation:
    """Immutable but for its reader's memory: a change of robot or parameters makes a new one between two setpoints."""

    def __init__(self, model: RobotModel, limits: EffortLimits, parameters: Mapping[str, Any]) -> None:
        self.model = model
        self._limits = limits
        self._friction_width = parameters['joint_friction_width'] if parameters['joint_friction'] else None     # [rad/s] or [m/s]
        self._read = SetpointReader(model).read
        limits.use(model)

    def run(self, setpoint: JointSetpoint, order: int, rows: int, wrenches: Mapping[str, LinkWrench] | None) -> Answer:
        """order: the highest of Q that is shown; rows: of Q that are computed, if the setpoint has so many."""
        q, columns = self._read(setpoint, max(order, rows - 1))
        Q = inverse_dynamics(self.model, q, wrenches=wrenches, order=len(q) - 3)
        if self._friction_width is not None:
            Q = Q + friction_forces(self.model, q, width=self._friction_width, order=len(q) - 3)
        return Answer(q, Q, self._limits.apply(Q if len(Q) <= order + 1 else Q[:order + 1]), columns)

    def holding_efforts(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) what gravity needs at rest at these positions, with the payload but no external wrench."""
        q = np.zeros((3, self.model.n))
        q[0] = positions
        return self._limits.apply(inverse_dynamics(self.model, q)).Q[0]
