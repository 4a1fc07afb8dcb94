# SPDX-License-Identifier: Apache-2.0
"""What the controller knows of the arm: what its motors carry at rest, and what another motion takes of them.

Rows of motors are theta, theta', theta'', tau, tau' (5, motors), on their own side. x: their positions on the joints' side (n,), the mean
of a pair's.
"""

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.matrices import dynamics_matrices

Array = NDArray[np.float64]

ITERATIONS = 5          # towards the joints' place for a place of the motors: each gains the ratio of gravity's stiffness to the springs'


class MotorModel:

    def __init__(self, prepared: PreparedDrives) -> None:
        self.prepared = prepared
        self.model = prepared.model
        joints = prepared.motor_joints
        self.count = np.bincount(joints, minlength=self.model.n)[joints]         # motors at the joint of each motor
        self._joints, self._ratio = joints, prepared.gear_ratio
        self._mean = np.zeros((self.model.n, len(joints)))
        self._mean[joints, np.arange(len(joints))] = 1 / (self.count * prepared.gear_ratio)
        stiffness = np.array([prepared.softest_stiffness(j) or np.inf for j in range(self.model.n)])
        self._compliance = np.where(np.isinf(stiffness), 0.0, 1 / stiffness)

    def of_joints(self, motors: Array) -> Array:
        """(.., n) values of motors (.., motors) on the joints' side."""
        return motors @ self._mean.T

    def of_motors(self, joints: Array) -> Array:
        """(.., motors) values of joints (.., n) on the motors' side."""
        return joints[..., self._joints] * self._ratio

    def inertia(self, x: Array) -> Array:
        """(motors,) on the motors' side: of each rotor with its share of what its joint moves [kg m^2]."""
        M = dynamics_matrices(self.model, np.stack([x, np.zeros(len(x))])).M[0]
        return self.prepared.motor_inertia + np.diagonal(M)[self._joints] / (self.count * self._ratio**2)

    def at_rest(self, x: Array, stiffness: Array | None) -> Array:
        """Rows with which motors at x hold the arm. stiffness: (v,) of the variable-stiffness joints, None: as configured."""
        rows, motion = np.zeros((5, len(self._joints))), np.zeros((5, self.model.n))
        k = None if stiffness is None else np.stack([stiffness, 0 * stiffness, 0 * stiffness])
        motion[0] = x
        for _ in range(ITERATIONS):
            m = self.prepared.motor_feedforward(motion, k)
            motion[0] += x - self.of_joints(m.positions)
        rows[0], rows[3] = m.positions, m.efforts
        return rows

    def added(self, rows: Array, offset: Array) -> Array:
        """Rows to be added to `rows` where the links shall differ by the offset (4, motors), three derivatives with it: rigid dynamics,
        and the springs' deflection by it."""
        x, d = np.zeros((4, self.model.n)), self.of_joints(offset)
        x[:3] = self.of_joints(rows[:3])
        Q = inverse_dynamics(self.model, x + d) - inverse_dynamics(self.model, x)
        bent = self.of_motors(Q * self._compliance)
        change = np.zeros((5, len(self._joints)))
        change[:3] = offset[:3]
        change[:2] += bent
        rate = rows[1]
        change[3] = (self.prepared.motor_inertia * offset[2] + self._friction(rate + change[1]) - self._friction(rate)
                     + Q[0, self._joints] / (self.count * self._ratio))
        return change

    def _friction(self, rate):
        p = self.prepared
        friction = p.motor_friction * rate
        if p.dry_friction:
            friction[p.dry_friction.motors] += p.dry_friction.torques(rate[None])[0]
        return friction
