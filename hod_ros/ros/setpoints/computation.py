"""From one setpoint to its efforts: what is computed with one model and one choice of limits and friction."""

import numpy as np

from hod_ros.dynamics.friction import friction_forces
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.ros.setpoints.conversions import SetpointReader


class Computation:
    """Immutable but for its reader's memory: a change of model or parameters makes a new one between two setpoints."""

    def __init__(self, model, limits, friction_width):
        self.model = model
        self.has_limits = limits is not None
        self._limits = limits
        self._friction_width = friction_width       # [rad/s] or [m/s]; None: no friction
        self._read = SetpointReader(model).read

    def run(self, setpoint, order, motor_order, wrenches):
        """(q, Q, shown, columns, flags, clipped) in the model's order: q (rows, n), Q (rows - 2, n) up to the higher order, flags (n,) or
        None; shown: what is published of Q, up to `order` and within limits."""
        q, columns = self._read(setpoint, max(order, motor_order))
        Q = inverse_dynamics(self.model, q, wrenches=wrenches)
        if self._friction_width is not None:
            Q = Q + friction_forces(self.model, q, width=self._friction_width)
        shown = Q if len(Q) <= order + 1 else Q[:order + 1]
        if self._limits is None:
            return q, Q, shown, columns, None, False
        shown, flags, clipped = self._limits.apply(shown)
        return q, Q, shown, columns, flags, clipped

    def holding_efforts(self, positions):
        """(n,) what gravity needs at rest at these positions, with the payload but no external wrench."""
        q = np.zeros((3, self.model.n))
        q[0] = positions
        Q = inverse_dynamics(self.model, q)
        return (self._limits.apply(Q)[0] if self._limits else Q)[0]
