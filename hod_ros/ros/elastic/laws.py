# SPDX-License-Identifier: Apache-2.0
"""The control law of elastic joints: PD of the motors, with gains for the posture of the arm. All of motors is on their own side."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.motor_gains import delay_margin
from hod_ros.actuators.motor_gains import motor_gains
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.checks.arguments import some
from hod_ros.errors import InputError

Array = NDArray[np.float64]

GAINS = {'position': '[N m/rad]', 'velocity': '[N m s/rad]'}
ANOTHER = 0.02          # [rad] or [m] by which a joint moves before gains are computed anew
POSTURES = 8            # besides the middle of all ranges, in which gains and delay are checked
WIDEST = 3.0            # [rad] or [m] of a joint without position limits


@dataclass
class State:
    """What is measured at one time."""

    motor_positions: Array                  # (motors,)
    motor_velocities: Array
    efforts: Array | None = None            # of the motors, where they are known
    positions: Array | None = None          # (n,) of the joints, where they are known
    velocities: Array | None = None


class MotorPd:
    """position_gain (theta_d - theta) + velocity_gain (theta_d' - theta'), (motors, motors) each.

    Gains follow from bandwidth [Hz] and damping ratio at each posture (motor_gains). gains: {motor: {'position': gain, 'velocity': gain}}
    of motors that have their own, one of them or both; the others' errors then don't act on them, by that gain.
    """

    def __init__(
            self, prepared: PreparedDrives, *, bandwidth: float, damping: float,
            gains: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._prepared, self._bandwidth, self._damping = prepared, bandwidth, damping
        gains = gains or {}
        for motor in gains:
            if motor not in prepared.motor_names:
                raise InputError(f'gains are given for the motor {motor!r}; the motors are {some(prepared.motor_names)}')
        self._own = [
            [(prepared.motor_names.index(motor), own[part]) for motor, own in gains.items() if part in own] for part in GAINS]
        self._posture: Array | None = None
        self._all_own = all(len(own) == len(prepared.motor_names) for own in self._own)
        self.position_gain, self.velocity_gain = self._gains(_middle(prepared.model))

    def check(self, delay: float) -> float:
        """The least delay margin [s] of some postures; InputError where it is below `delay` [s], or springs are too soft."""
        model = self._prepared.model
        margins = []
        for x in _postures(model):
            margins.append(delay_margin(model, self._prepared, x, *self._gains(x)))
        least = min(margins)
        if least < delay:
            raise InputError(
                f'the loop bears a delay of {least * 1e3:.3g} ms only, and has {delay * 1e3:.3g} ms (delay, and half a period for which '
                'torques are held): it would be unstable; lower bandwidth, make the loop quicker, or give springs the damping they have')
        return least

    def at(self, x: Array) -> None:
        """The motors are at x (n,), on the joints' side. Where the springs are too soft for this posture, the last gains hold on."""
        if self._all_own or self._posture is not None and np.abs(x - self._posture).max() <= ANOTHER:
            return
        self._posture = x
        try:
            self.position_gain, self.velocity_gain = self._gains(x)
        except InputError:
            return

    def feedback(self, errors: Array, rates: Array) -> Array:
        """(motors,) torques for theta_d - theta and theta_d' - theta' (motors,)."""
        return self.position_gain @ errors + self.velocity_gain @ rates

    def brake(self, rates: Array) -> Array:
        """(motors,) torques that only take motion away."""
        return -self.velocity_gain @ rates

    def _gains(self, x):
        p = self._prepared
        if self._all_own:
            both = np.zeros((len(p.motor_names),) * 2), np.zeros((len(p.motor_names),) * 2)
        else:
            both = motor_gains(p.model, p, x, bandwidth=self._bandwidth, damping=self._damping)
        for gains, own in zip(both, self._own, strict=True):
            for m, gain in own:
                gains[m, :] = gains[:, m] = 0.0
                gains[m, m] = gain
        return both


def _ranges(model):
    low, high = np.asarray(model.position_limits, float).T
    bounded = np.isfinite(low) & np.isfinite(high) & (low < high)
    return np.where(bounded, low, -WIDEST), np.where(bounded, high, WIDEST)


def _middle(model):
    low, high = _ranges(model)
    return 0.5 * (low + high)


def _postures(model):
    low, high = _ranges(model)
    yield 0.5 * (low + high)
    yield from np.random.default_rng(0).uniform(low, high, (POSTURES, model.n))
