# SPDX-License-Identifier: Apache-2.0
"""Changes without a jump: what is wanted differs from its new course by an offset that fades, smoothly and no faster than limits let it."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DURATIONS = np.geomspace(0.05, 20.0, 80)        # [s] that are tried, the shortest first
SAMPLES = np.linspace(0.0, 1.0, 17)
LENIENCY = 1.15


def _powers(s):
    """Basis of quintics in s and of three derivatives, (4, .., 6)."""
    s = np.asarray(s, float)[..., None]
    k = np.arange(6)
    rows, factor = [], np.ones(6)
    for order in range(4):
        rows.append(factor * s ** np.maximum(k - order, 0))
        factor = factor * np.maximum(k - order, 0)
    return np.stack(rows)


BASIS = _powers(SAMPLES)


def _coefficients(offset, T):
    """(6, .., motors) of quintics in t / T from offset (3, motors) to rest at 0; T (..)."""
    T = np.asarray(T, float)[..., None]
    d, v, a = offset[0] + 0 * T, offset[1] * T, offset[2] * T**2
    return np.stack([d, v, 0.5 * a, -10 * d - 6 * v - 1.5 * a, 15 * d + 8 * v + 1.5 * a, -6 * d - 3 * v - 0.5 * a])


def _shortest(excess):
    """The shortest duration for which nothing exceeds its limit; where none is, the shortest that exceeds it by about the least.

    excess (durations,): the largest of what there is in units of its limit."""
    return float(DURATIONS[np.argmax(excess <= max(1.0, LENIENCY * excess.min()))])


def fading_time(offset: Array, *, inertia: Array, velocity: Array, effort: Array, effort_rate: Array) -> float:
    """[s] in which an offset (3, motors), rows position, velocity, acceleration, can fade within limits (motors,) of what it adds.

    The velocity and acceleration that it begins with come on top of the limits.
    """
    c = np.moveaxis(_coefficients(offset, DURATIONS), 0, -1)                                   # (durations, motors, 6)
    rates, accelerations, jerks = (np.abs(c @ BASIS[k].T).max(-1) / DURATIONS[:, None]**k for k in (1, 2, 3))
    return _shortest(np.stack([
        rates / (velocity + np.abs(offset[1])), inertia * accelerations / (effort + inertia * np.abs(offset[2])),
        inertia * jerks / effort_rate]).max(axis=(0, 2)))


def stopping_time(velocity: Array, acceleration: Array, *, inertia: Array, effort: Array, effort_rate: Array) -> float:
    """[s] in which a motion (motors,) can come to rest within limits of torque and torque rate (motors,)."""
    T, v, a = DURATIONS[:, None], np.abs(velocity), np.abs(acceleration)
    return _shortest(np.stack([inertia * 1.5 * v / T / effort, inertia * (6 * v / T**2 + 4 * a / T) / effort_rate]).max(axis=(0, 2)))


def stopping_distance(velocity: Array, acceleration: Array, duration: float) -> Array:
    """(motors,) covered by a velocity that goes to 0 as a cubic in `duration` [s]."""
    return duration * (velocity / 2 + acceleration * duration / 12)


class Ramp:
    """The offset (3, motors) that there is at the time `began` [s] fades as a quintic within `duration` [s]."""

    def __init__(self, offset: Array, began: float, duration: float) -> None:
        self._coefficients = _coefficients(offset, duration)
        self._began, self.duration = began, duration

    def over(self, now: float) -> bool:
        return now - self._began >= self.duration

    def at(self, now: float) -> Array:
        """(4, motors): the offset and three derivatives at the time now [s]."""
        s = (now - self._began) / self.duration
        if s >= 1:
            return np.zeros((4, self._coefficients.shape[-1]))
        return _powers(max(s, 0.0)) @ self._coefficients / self.duration ** np.arange(4)[:, None]
