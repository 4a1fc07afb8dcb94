# SPDX-License-Identifier: Apache-2.0
"""Recordings to linear equations: filtered torques, and what each unknown contributes to them, filtered alike.

A linear filter on both sides of tau = Y pi + friction + rotors leaves the unknowns what they are ("parallel filtering"), so it may be
chosen by the noise. Each equation is the mean under a bump, a B-spline of fifth degree, that moves along the recording by half a knot of
the splines which give the motion. Equations of torque rates come from the same bump's derivative: the mean of tau' under a bump is minus
that of tau under its derivative, so that no noisy torque is differentiated sample by sample.
"""

from dataclasses import dataclass
from dataclasses import replace

import numpy as np

from hod_ros.checks.optional import optional
from hod_ros.checks.types import Array
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.regressor import with_inertial_parameters
from hod_ros.errors import InputError
from hod_ros.trajectories.sample_times import SampleTimes
from hod_ros.trajectories.sample_times import sample_times
from hod_ros.trajectories.smoothing import smoothed_motion

interpolate = optional('scipy.interpolate', 'trajectories')
sparse = optional('scipy.sparse', 'trajectories')

WIDTHS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)        # [rad/s] of dry friction, among which the data choose
_BUMP = 5                   # degree
_MOTION = 2                 # derivatives of q that order 0 needs
_LEFT_OUT = 4               # knots at either end, where splines are least certain


@dataclass(frozen=True)
class Filtering:
    """Of all recordings: what was kept, and the noise that was found."""

    cutoff: tuple[float, ...]       # [Hz] one for each piece of recording
    samples: int            # used
    equations: int          # of each joint
    position_noise: Array      # (n,) standard deviation [rad] or [m]
    acceleration_noise: Array  # (n,) what is left of it in the accelerations
    taken: tuple[SampleTimes, ...] = ()     # of each piece: its stamps, or the even times that were used instead


@dataclass(frozen=True)
class Equations:
    """Of one piece of a recording, rows in time order: Y (rows, orders, n, p), each column one inertial parameter."""

    Y: np.ndarray
    torques: np.ndarray         # (rows, orders, n)
    rotor: np.ndarray           # (rows, orders, n) theta'' and its rates
    viscous: np.ndarray         # (rows, orders, n) theta'
    dry: dict                   # {width: (rows, orders, n) tanh(theta' / width)}
    springs: tuple | None       # (deflection, its rate, the link's speed) (rows, n) where motors were measured


def unit_models(model):
    """One model for each inertial parameter of the bodies, with 1 for it and nothing else: their Q are the regressor's columns."""
    bare = model.replace(armature=np.zeros(model.n), damping=np.zeros(model.n), friction=np.zeros(model.n))
    return [with_inertial_parameters(bare, row) for row in np.eye(10 * len(model.bodies))]


def equations(model, units, recordings, orders, cutoff, widths):
    """([Equations of each piece], Filtering)"""
    found, noise, cutoffs, followed, taken, samples = [], [], [], [], [], 0
    for recording in recordings:
        for stamped in recording.of_model(model).pieces():
            own = sample_times(stamped.times, stamped.positions)
            piece = replace(stamped, times=own.times)
            motion = smoothed_motion(piece.times, piece.positions, _MOTION, cutoff=cutoff)
            followed.append(motion.cutoff)
            half = motion.span / 2
            windows = _Windows(piece.times, half, motion.span * _LEFT_OUT)
            if not windows.count:
                continue
            found.append(_of_piece(piece, motion, windows, units, orders, widths))
            noise.append((motion.noise, motion.deviations[2]))
            cutoffs.append(motion.cutoff)
            taken.append(own)
            samples += len(motion.derivatives)
    if followed and not found:
        raise InputError(
            f'the recordings move too little for their noise, or for too short a time: followed up to {max(followed):.3g} Hz they give no '
            'equation; record half a minute of motion of all joints')
    if not found:
        raise InputError('the recordings hold no stretch of a hundred samples and more without a gap; record some seconds of motion')
    position_noise, acceleration_noise = (np.sqrt(np.mean(np.square(part), axis=0)) for part in zip(*noise, strict=True))
    count = sum(len(piece.torques) for piece in found)
    return found, Filtering(tuple(cutoffs), samples, count, position_noise, acceleration_noise, tuple(taken))


def _of_piece(piece, motion, windows, units, orders, widths):
    q = np.ascontiguousarray(motion.derivatives)
    n = q.shape[2]
    theta, springs = q, None
    if piece.motor_positions is not None:
        rough = smoothed_motion(piece.times, piece.motor_positions, _MOTION, cutoff=motion.cutoff)
        theta = rough.derivatives
        e = piece.motor_positions - piece.positions
        springs = windows.means(e), windows.means(theta[:, 1] - q[:, 1]), windows.means(q[:, 1])

    def rows(signal):
        return np.stack([windows.means(signal, k) for k in range(orders)], axis=1)
    Y = np.empty((windows.count, orders, n, len(units)))
    for i, unit in enumerate(units):
        Y[..., i] = rows(inverse_dynamics(unit, q)[:, 0])
    return Equations(
        Y, rows(piece.torques), rows(theta[:, 2]), rows(theta[:, 1]),
        {width: rows(np.tanh(theta[:, 1] / width)) for width in widths}, springs)


class _Windows:
    """Bumps along the samples: means(signal, k) is the k-th derivative's mean under each bump."""

    def __init__(self, times, half, ends):
        step = (times[-1] - times[0]) / (len(times) - 1)
        half = max(1.0, half)
        reach = (_BUMP + 1) / 2 * half          # samples on either side of a bump's middle
        first, last = ends + reach, len(times) - 1 - ends - reach
        self.count = max(0, int((last - first) / half) + 1)
        self._middles = times[0] + step * (first + half * np.arange(self.count))
        self._width = half * step
        self._times = times
        self._steps = np.gradient(times)
        self._bump = interpolate.BSpline.basis_element(np.arange(_BUMP + 2.0) - (_BUMP + 1) / 2)
        reach = (_BUMP + 1) / 2 * self._width
        begins, ends = np.searchsorted(times, self._middles - reach), np.searchsorted(times, self._middles + reach)
        self._rows = np.repeat(np.arange(self.count), ends - begins)
        self._samples = np.concatenate([np.arange(*pair) for pair in zip(begins, ends, strict=True)]) if self.count else np.zeros(0, int)
        self._filters = {}

    def means(self, signal, k=0):
        """(windows, n) of a signal (samples, n)"""
        if k not in self._filters:
            self._filters[k] = self._filter(k)
        return self._filters[k] @ signal

    def _filter(self, k):
        """(windows, samples) sparse"""
        u = (self._times[self._samples] - self._middles[self._rows]) / self._width
        steps = self._steps[self._samples]
        mass = np.bincount(self._rows, steps * self._bump(u), self.count)
        weights = steps * (self._bump.derivative(k)(u) / (-self._width)**k if k else self._bump(u))
        if k:       # of a constant nothing must be left, however uneven the samples
            weights -= steps * (np.bincount(self._rows, weights, self.count) / np.bincount(self._rows, steps, self.count))[self._rows]
        return sparse.csr_array((weights / mass[self._rows], (self._rows, self._samples)), (self.count, len(self._times)))
