# SPDX-License-Identifier: Apache-2.0
"""Control laws of elastic joints: from a measured state and a reference to motor torques. All of motors is on their own side.

State and reference need not be of the same instant: `offset` is the time of the state less that of the reference [s], by which the
reference is carried along its own Taylor series.
"""

import math
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.drives import Antagonistic
from hod_ros.actuators.feedback_linearisation import FeedbackLinearisation
from hod_ros.actuators.motor_feedforward import PreparedDrives
from hod_ros.actuators.pole_placement import pole_gains
from hod_ros.checks.arguments import some
from hod_ros.errors import InputError

GAINS = {'position': '[N m/rad]', 'velocity': '[N m s/rad]'}


@dataclass
class State:
    motor_positions: NDArray[np.float64]             # (motors,)
    motor_velocities: NDArray[np.float64]
    positions: NDArray[np.float64] | None = None     # (n,) of the joints, where the law needs them
    velocities: NDArray[np.float64] | None = None


class MotorPd:
    """tau = tau_d + position_gain (theta_d - theta) + velocity_gain (theta_d' - theta').

    Each motor with its rotor alone gets this bandwidth [Hz] and damping ratio; gains: {motor: {'position': gain, 'velocity': gain}} of
    motors that have their own, one of them or both.
    """

    needs_joints = False

    def __init__(
            self, prepared: PreparedDrives, *, bandwidth: float, damping: float,
            gains: Mapping[str, Mapping[str, float]] | None = None) -> None:
        w = 2 * math.pi * bandwidth
        self.position_gain = prepared.motor_inertia * w ** 2            # (motors,) [N m/rad]
        self.velocity_gain = prepared.motor_inertia * 2 * damping * w   # (motors,) [N m s/rad]
        gains = gains or {}
        for motor in gains:
            if motor not in prepared.motor_names:
                raise InputError(f'gains are given for the motor {motor!r}; the motors are {some(prepared.motor_names)}')
        for m, motor in enumerate(prepared.motor_names):
            own = gains.get(motor, {})
            missing = [f'gains.{motor}.{part}' for part in GAINS if part not in own]
            if missing and not prepared.motor_inertia[m] > 0:
                raise InputError(f'motor {motor!r} has no motor_inertia, from which its gains would follow; give it in elastic.*, or give '
                                 f'{" and ".join(missing)}')
            self.position_gain[m] = own.get('position', self.position_gain[m])
            self.velocity_gain[m] = own.get('velocity', self.velocity_gain[m])

    def torques(self, state: State, reference: NDArray[np.float64], offset: float) -> NDArray[np.float64]:
        """(motors,) [N m]; reference: rows theta, theta', theta'', tau (4, motors)."""
        theta, rate, acceleration, tau = reference
        theta = theta + offset * (rate + 0.5 * offset * acceleration)
        rate = rate + offset * acceleration
        return tau + self.position_gain * (theta - state.motor_positions) + self.velocity_gain * (rate - state.motor_velocities)

    def brake(self, state: State) -> NDArray[np.float64]:
        """(motors,) [N m] that only take motion away."""
        return -self.velocity_gain * state.motor_velocities


class StateFeedback:
    """Feedback linearisation. poles (4,) [1/s] of each joint's error; stiffness_poles (2,) of the stiffness of antagonistic pairs."""

    needs_joints = True

    def __init__(
            self, prepared: PreparedDrives, *, poles: Sequence[float], stiffness_poles: Sequence[float],
            brake: Callable[[State], NDArray[np.float64]]) -> None:
        self._prepared = prepared
        self._linearised = FeedbackLinearisation(prepared.model, prepared)
        if len(poles) != 4 or len(stiffness_poles) != 2:
            raise InputError(f'poles has {len(poles)} and stiffness_poles {len(stiffness_poles)} numbers; give 4 and 2 [1/s]')
        self._gains = pole_gains(poles)[:, None]
        self._stiffness_gains = pole_gains(stiffness_poles)[:, None]
        self._pairs = np.array([isinstance(drive, Antagonistic) for drive in prepared.drives if drive.variable], dtype=bool)
        self._variable = [j for j, drive in enumerate(prepared.drives) if drive.variable]
        self.brake = brake                  # as that of MotorPd

    def torques(
            self, state: State, reference: tuple[NDArray[np.float64], NDArray[np.float64] | None], offset: float) -> NDArray[np.float64]:
        """(motors,) [N m]; reference: (q (5, n), stiffness motion (3, v) or None).

        A reference of later than the state is where the state is predicted to be: at the middle of the time for which a torque is held
        it counts fully, and the delay of the hold, which light links would turn into large errors, is compensated.
        """
        q, k = reference
        measured = state.positions, state.velocities, state.motor_positions, state.motor_velocities
        present = self._present_stiffness(measured, k, offset)
        chain = self._linearised.chain(*measured, stiffness=present)
        if offset < 0:
            chain = _carried([*chain, q[4]], -offset)[:4]
            present = _carried(present, -offset)
            measured = *chain[:2], *self._linearised.state(chain, stiffness=present)
        else:
            q = _carried(q, offset)
        snap = q[4] + (self._gains * (q[:4] - chain)).sum(axis=0)
        return self._linearised.torques(*measured, snap, stiffness=self._commanded_stiffness(present, k, max(offset, 0.0)))

    def _wanted_stiffness(self, k):
        return np.array(self._prepared.stiffness_motion(None, (), 3)).T if k is None else k

    def _present_stiffness(self, measured, k, offset):
        """Rows k, k', k'' at the time of the state: of pairs as measured, of adjustable springs as wanted."""
        if not self._variable:
            return None
        present = _carried(self._wanted_stiffness(k), offset)
        if self._pairs.any():
            measured = self._linearised.stiffness_chain(*measured)[:, self._variable]
            present[:2] = np.where(self._pairs, measured, present[:2])
        return present

    def _commanded_stiffness(self, present, k, offset):
        """Rows k, k', k''; the pairs' k'' with feedback of their stiffness."""
        if not self._variable:
            return None
        wanted = _carried(self._wanted_stiffness(k), offset)
        command = wanted[2] + (self._stiffness_gains * (wanted[:2] - present[:2])).sum(axis=0)
        return np.array([present[0], present[1], np.where(self._pairs, command, wanted[2])])


def _carried(rows, offset):
    """Rows x, x', x'', ... as they are `offset` [s] later."""
    if rows is None:
        return None
    rows = np.array(rows, dtype=float)
    if offset:
        for k in range(len(rows) - 1):
            rows[k] = sum(rows[m] * offset ** (m - k) / math.factorial(m - k) for m in range(k, len(rows)))
    return rows
