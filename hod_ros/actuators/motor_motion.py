# SPDX-License-Identifier: Apache-2.0
"""What motor feedforward answers: the motors' motion and torques."""

from typing import TYPE_CHECKING
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.types import Array

if TYPE_CHECKING:
    from hod_ros.actuators.prepared_drives import PreparedDrives


class MotorFeedforward:
    """The motors' motion and torques, on their own side of the gear; shapes (motors,) or (samples, motors).

    What motor_feedforward returns.

        >>> drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> m = motor_feedforward(model, drives, q)
        >>> m.joint_names, m.positions.shape, m.efforts.shape          # rigid joints have motors too
        (('panda_joint1',), (7,), (7,))
    """

    __slots__ = ('Q', '_prepared', '_rows', '_stiffnesses')

    def __init__(self, prepared: 'PreparedDrives', Q: Array, rows: Array, stiffnesses: Array) -> None:
        self._prepared = prepared
        self.Q = Q                          # what the springs pass to the joints, (order + 1, n) [N m]
        self._rows = rows                   # R rows of theta, then R - 2 rows of tau
        self._stiffnesses = stiffnesses     # (.., n), those of rigid joints without meaning

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the motors."""
        return self._prepared.motor_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the elastic joints."""
        return self._prepared.elastic_joints

    @property
    def stiffnesses(self) -> Array:
        """Stiffness of each elastic joint (joints,) or (samples, joints) [N m/rad]"""
        return self._stiffnesses[..., self._prepared.elastic]

    @property
    def motion(self) -> Array:
        """(.., rows, motors): theta and its time derivatives, as many as q and the drives allow [rad], [s]"""
        return self._rows[..., :self._rows.shape[-2] // 2 + 1, :]

    @property
    def torques(self) -> Array:
        """(.., rows, motors): tau and its time derivatives [N m], [s]"""
        return self._rows[..., self._rows.shape[-2] // 2 + 1:, :]

    @property
    def positions(self) -> Array:
        """theta [rad] or [m]"""
        return self._rows[..., 0, :]

    @property
    def velocities(self) -> Array:
        """theta' [rad/s]"""
        return self._rows[..., 1, :]

    @property
    def accelerations(self) -> Array:
        """theta'' [rad/s^2]"""
        return self._rows[..., 2, :]

    @property
    def efforts(self) -> Array:
        """tau [N m] or [N]"""
        return self._rows[..., self._rows.shape[-2] // 2 + 1, :]

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Flags of the motors that need more than their torque_limit; the efforts are given as needed, not clipped."""
        return np.abs(self.efforts) > self._prepared.torque_limit

    def __reduce__(self) -> tuple[Any, ...]:
        return MotorFeedforward, (self._prepared, self.Q, self._rows, self._stiffnesses)

    def __repr__(self) -> str:
        return f'<MotorFeedforward of {", ".join(self.names)}: {self._rows.shape[-2] // 2 + 1} rows of motion>'
