"""Control laws of elastic joints: from a measured state and a reference to motor torques. All of motors is on their own side.

State and reference need not be of the same instant: `offset` is the time of the state less that of the reference [s], by which the
reference is carried along its own Taylor series.
"""

import math
from dataclasses import dataclass

import numpy as np

from hod_ros.actuators.drives import Antagonistic
from hod_ros.actuators.feedback_linearisation import FeedbackLinearisation
from hod_ros.actuators.pole_placement import pole_gains
from hod_ros.errors import InputError


@dataclass
class State:
    motor_positions: np.ndarray             # (motors,)
    motor_velocities: np.ndarray
    positions: np.ndarray | None = None     # (n,) of the joints, where the law needs them
    velocities: np.ndarray | None = None


class MotorPd:
    """tau = tau_d + position_gain (theta_d - theta) + velocity_gain (theta_d' - theta').

    Each motor with its rotor alone gets this bandwidth [Hz] and damping ratio; gains: {motor: (position_gain, velocity_gain)} of motors
    that have their own.
    """

    needs_joints = False

    def __init__(self, prepared, *, bandwidth, damping, gains=None):
        w = 2 * math.pi * bandwidth
        self.position_gain = prepared.motor_inertia * w ** 2            # (motors,) [N m/rad]
        self.velocity_gain = prepared.motor_inertia * 2 * damping * w   # (motors,) [N m s/rad]
        for motor, pair in (gains or {}).items():
            if motor not in prepared.motor_names:
                raise InputError(f'gains are given for the motor {motor!r}; the motors are {", ".join(prepared.motor_names)}')
            m = prepared.motor_names.index(motor)
            self.position_gain[m], self.velocity_gain[m] = pair
        for motor, gain in zip(prepared.motor_names, self.position_gain, strict=True):
            if not gain > 0:
                raise InputError(
                    f'motor {motor!r} has no motor_inertia, from which its gains would follow; give it in elastic.*, or gains.{motor}.*')

    def torques(self, state, reference, offset):
        """(motors,) [N m]; reference: rows theta, theta', theta'', tau (4, motors)."""
        theta, rate, acceleration, tau = reference
        theta = theta + offset * (rate + 0.5 * offset * acceleration)
        rate = rate + offset * acceleration
        return tau + self.position_gain * (theta - state.motor_positions) + self.velocity_gain * (rate - state.motor_velocities)

    def brake(self, state):
        """(motors,) [N m] that only take motion away."""
        return -self.velocity_gain * state.motor_velocities


class StateFeedback:
    """Feedback linearisation. poles (4,) [1/s] of each joint's error; stiffness_poles (2,) of the stiffness of antagonistic pairs."""

    needs_joints = True

    def __init__(self, prepared, *, poles, stiffness_poles, brake):
        self._prepared = prepared
        self._linearised = FeedbackLinearisation(prepared.model, prepared)
        if len(poles) != 4 or len(stiffness_poles) != 2:
            raise InputError(f'poles has {len(poles)} and stiffness_poles {len(stiffness_poles)} numbers; give 4 and 2 [1/s]')
        self._gains = pole_gains(poles)[:, None]
        self._stiffness_gains = pole_gains(stiffness_poles)[:, None]
        self._pairs = np.array([isinstance(drive, Antagonistic) for drive in prepared.drives if drive.variable], dtype=bool)
        self._variable = [j for j, drive in enumerate(prepared.drives) if drive.variable]
        self.brake = brake                  # as that of MotorPd

    def torques(self, state, reference, offset):
        """(motors,) [N m]; reference: (q (5, n), stiffness motion (3, v) or None)."""
        q, stiffness = reference
        q = _carried(q, offset)
        measured = state.positions, state.velocities, state.motor_positions, state.motor_velocities
        if self._variable:
            stiffness = self._commanded_stiffness(measured, stiffness, offset)
        chain = self._linearised.chain(*measured, stiffness=stiffness)
        snap = q[4] + (self._gains * (q[:4] - chain)).sum(axis=0)
        return self._linearised.torques(*measured, snap, stiffness=stiffness)

    def _commanded_stiffness(self, measured, stiffness, offset):
        """Rows k, k', k''; the pairs' k'' with feedback of their stiffness."""
        if stiffness is None:
            stiffness = np.array(self._prepared.stiffness_motion(None, (), 3)).T
        k = _carried(stiffness, offset)
        if self._pairs.any():
            present = self._linearised.stiffness_chain(*measured)[:, self._variable]
            wanted = k[2] + (self._stiffness_gains * (k[:2] - present)).sum(axis=0)
            k[2] = np.where(self._pairs, wanted, k[2])
        return k


def _carried(rows, offset):
    """Rows x, x', x'', ... as they are `offset` [s] later."""
    rows = np.array(rows, dtype=float)
    if offset:
        for k in range(len(rows) - 1):
            rows[k] = sum(rows[m] * offset ** (m - k) / math.factorial(m - k) for m in range(k, len(rows)))
    return rows
