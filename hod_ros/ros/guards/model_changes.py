"""A robot in motion keeps its model: whether a new one may take the old one's place while its torque is in use."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import HodError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.guards.record import Record

KEEP, SMALL, ANY = 'keep', 'small', 'any'


class ModelChanges:
    """how: KEEP, SMALL (the torque step at the last setpoint is bounded) or ANY. largest_step: in effort limits."""

    def __init__(self, how: str, largest_step: float) -> None:
        self.record = Record('model')
        self.use(how, largest_step)

    def use(self, how: str, largest_step: float) -> None:
        self._how, self._largest_step = how, largest_step

    def hindrance(self, old: RobotModel, new: RobotModel, motion: NDArray[np.float64], limit: NDArray[np.float64]) -> str:
        """Why the new model must wait for the next activation, or ''. motion: q (rows, n) of the last setpoint; limit (n,) of effort."""
        if self._how == ANY:
            return ''
        if new.joint_names != old.joint_names:
            return f'its joints are {", ".join(new.joint_names)} in place of {", ".join(old.joint_names)}'
        if self._how == KEEP:
            return "model_changes is 'keep'"
        try:
            steps = np.abs(inverse_dynamics(new, motion[:3])[0] - inverse_dynamics(old, motion[:3])[0])
        except HodError as error:
            return str(error)
        bounds = self._largest_step * limit
        beyond = ~(steps <= bounds)
        if not beyond.any():
            return ''
        joint = int(np.argmax(beyond))
        return (f'the torque of joint {old.joint_names[joint]!r} would step by {steps[joint]:.4g}, more than {bounds[joint]:.4g} '
                f'(largest_model_step times its effort limit)')
