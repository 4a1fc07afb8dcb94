# SPDX-License-Identifier: Apache-2.0
"""~/motor_feedforward: what the motors of elastic joints must do for a setpoint.

A setpoint's stiffness fields hold one value for each variable-stiffness joint, in the order of its joint_names.
"""

from array import array
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import MotorFeedforward
from hod_ros.actuators.damping_filter import DampingFilter
from hod_ros.actuators.motor_friction import bounded_joint_friction
from hod_ros.actuators.motor_motion import MotorFeedforward as Motion
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.ros.elastic.stamped_filter import LONGEST_STEP
from hod_ros.ros.elastic.stamped_filter import StampedFilter
from hod_ros.ros.elastic.stamped_filter import damped_joint
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.setpoints.answer import Answer
from hod_ros.ros.setpoints.bad_setpoints import stiffness_motion


class Asked(NamedTuple):
    """q (rows, n) in the model's order, and the stiffness motion (3, v) of variable joints or None."""

    q: NDArray[np.float64]
    stiffness: NDArray[np.float64] | None


class MotorFeedforwards:
    """Answers setpoints for one robot with drives."""

    def __init__(self, prepared: PreparedDrives, logger: RcutilsLogger) -> None:
        self.prepared = prepared
        self._filter = StampedFilter(self.prepared) if damped_joint(self.prepared) else None
        self.rows = prepared.rows - 2       # of the efforts that drives need
        self._logger = logger
        self._message = MotorFeedforward(
            motor_names=list(self.prepared.motor_names), joint_names=list(self.prepared.elastic_joints))
        self.published = self.too_short = 0
        self.asked: Asked | None = None     # what was answered last, since `forget`
        self.saturated = {}                 # motor -> setpoints that need more than its torque_limit
        self._before = 0, 0, 0

    def answer(self, setpoint: JointSetpoint, answer: Answer) -> MotorFeedforward | None:
        """The message for a setpoint and the answer to it, which was not clipped; None where it has too few rows."""
        q, Q, rows = answer.q, answer.Q, self.rows
        if len(q) < rows + 2 or len(Q) < rows:
            self.too_short += 1
            self._logger.warning(
                f'no motor feedforward for setpoints of which {min(len(q), len(Q) + 2)} rows can be used: drives need {rows + 2}, '
                "q to its snap or higher; give them, with the wrenches' rows to match", **ONCE_A_SECOND)
            return None
        stiffness = stiffness_motion(setpoint, answer.columns.names, self.prepared.variable_joints)
        result = self._compute(setpoint, q[:rows + 2], self._for_motors(Q[:rows], answer.friction), stiffness)
        self.asked = Asked(q[:rows + 2], stiffness)
        saturated = result.saturated
        if saturated.any():
            self._note_saturation(result, saturated)
        message = self._message
        message.header = setpoint.header
        message.positions = array('d', result.positions.tobytes())
        message.velocities = array('d', result.velocities.tobytes())
        message.accelerations = array('d', result.accelerations.tobytes())
        message.efforts = array('d', result.efforts.tobytes())
        message.effort_rates = array('d', self.prepared.effort_rates(q, result).tobytes())
        message.stiffnesses = array('d', result.stiffnesses.tobytes())
        self.published += 1
        return message

    def _for_motors(self, Q, friction):
        """Q with the derivatives of its friction bounded, which motors would differentiate twice."""
        if friction is None:
            return Q
        friction = friction[:len(Q)]
        return Q + (bounded_joint_friction(self.prepared, friction) - friction)

    def _compute(self, setpoint, q, Q, stiffness):
        if self._filter is None:
            return self.prepared.motor_feedforward_of(q, Q, stiffness)
        result, step = self._filter.answer(setpoint.header.stamp, q, Q, stiffness)
        if step is not None:
            self._logger.warning(
                f'the damping filter began anew: the stamps of two setpoints are {step:g} s apart; it follows steps above 0 s, '
                f'up to {LONGEST_STEP:g} s', **ONCE_A_SECOND)
        return result

    def rehearsed(self, asked: 'Asked', forces: Callable) -> Motion:
        """What motors would do for that, as the first setpoint of a motion; nothing is remembered. forces(q): Q, and the joints' friction
        or None."""
        q = np.zeros((max(self.rows + 2, len(asked.q)), asked.q.shape[1]))
        q[:len(asked.q)] = asked.q
        q = q[:self.rows + 2]
        Q = self._for_motors(*forces(q))
        if self._filter is None:
            return self.prepared.motor_feedforward_of(q, Q, asked.stiffness)
        return DampingFilter(self.prepared.model, self.prepared).motor_feedforward_of(q, Q, stiffness=asked.stiffness)

    def forget(self) -> None:
        """The next setpoint is the first of a motion."""
        self.asked = None
        if self._filter is not None:
            self._filter.forget()

    def continue_from(self, before: 'MotorFeedforwards') -> None:
        """Goes on where the one of another model or other drives stands."""
        self.published, self.too_short, self.saturated = before.published, before.too_short, before.saturated
        self._before, self.asked = before._before, before.asked
        if self._filter is not None and before._filter is not None:
            self._filter.continue_from(before._filter)

    def status(self) -> Status:
        counts = sum(self.saturated.values()), self.too_short, 0 if self._filter is None else self._filter.restarts
        saturated, too_short, restarts = (now - before for now, before in zip(counts, self._before, strict=True))
        self._before = counts
        values = {
            'motors': ', '.join(self.prepared.motor_names), 'elastic joints': ', '.join(self.prepared.elastic_joints),
            'published': self.published, 'setpoints with too few rows': self.too_short}
        if self._filter is not None:
            values['damping filter began anew'] = self._filter.restarts
        values |= {f'{motor}: torque limit, times exceeded': count for motor, count in sorted(self.saturated.items())}
        if too_short:
            return Status('motors', WARN, f'{too_short} setpoints with too few rows', values)
        if restarts:
            return Status('motors', WARN, f'the damping filter began anew {restarts} times', values)
        if saturated:
            return Status('motors', WARN, 'a motor needs more than its torque limit', values)
        return Status('motors', OK, f'{len(self.prepared.motor_names)} motors', values)

    def _note_saturation(self, result, flags):
        for motor in np.flatnonzero(flags):
            name = self.prepared.motor_names[motor]
            self.saturated[name] = self.saturated.get(name, 0) + 1
            self._logger.warning(
                f'motor {name!r} needs {result.efforts[motor]:.4g} [N m] but is limited to {self.prepared.torque_limit[motor]:.4g}; '
                'it is published as needed, not clipped', **ONCE_A_SECOND)
