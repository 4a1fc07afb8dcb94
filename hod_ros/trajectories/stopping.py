# SPDX-License-Identifier: Apache-2.0
"""A stop along the path: what a motion becomes when its next part is late, or when it is called off."""

from __future__ import annotations

import numpy as np

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments
from hod_ros.trajectories import polynomials
from hod_ros.trajectories.timing.compositions import composed
from hod_ros.trajectories.trajectory import Trajectory

_ROWS = 5                   # derivatives that are continuous, and 1
_STEPS = (32, 64, 128, 256, 512)
_CLOSE = 1e-9               # to the path, of the positions' size


def stopped(trajectory: Trajectory, time: float, duration: float) -> Trajectory:
    """The motion until `time`, then along its own path to a stand within `duration` [s]; four derivatives are continuous if its own are.

    The clock of the motion slows down from 1 to 0 by a polynomial of degree nine and runs duration / 2 in all, for which the
    trajectory must be long enough, unless it ends at rest: there it then stands. The path is kept to 1e-9.
    A short duration needs large forces and rates: evaluate_trajectory tells them.

    Raises InputError where time lies outside of the trajectory, or too little of it is left and it does not end at rest.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> s = stopped(t, time=1.0, duration=0.5)
        >>> bool(np.isclose(s.end, 1.5)), np.allclose(s.evaluate([s.end], 4)[0, 1:], 0, atol=1e-6)
        (True, True)
    """
    time, duration = arguments.finite_number(time, 'time', '[s]'), arguments.number_above_0(duration, 'duration', '[s]')
    if not isinstance(trajectory, Trajectory):
        raise InputError(f'trajectory is {arguments.shown(trajectory)}; give a Trajectory, for example by Trajectory.interpolate')
    if not trajectory.start <= time <= trajectory.end:
        raise InputError(f'time is {time:.9g} s, but the trajectory runs from {trajectory.start:.9g} s to {trajectory.end:.9g} s')
    rests = not trajectory.evaluate([trajectory.end], _ROWS - 1)[0, 1:].any()
    if time + duration / 2 > trajectory.end and not rests:
        raise InputError(
            f'a stop within {duration:.6g} s from {time:.6g} s on runs {duration / 2:.6g} s further along the path, but the trajectory '
            f'ends at {trajectory.end:.6g} s and not at rest; give at most {2 * (trajectory.end - time):.6g} s')
    for steps in _STEPS:
        at = _knots(trajectory, time, duration, steps)
        stop = Trajectory.from_derivatives(time + at * duration, _slowing(trajectory, time, duration, at), trajectory.joint_names)
        middles = (at[1:] + at[:-1]) / 2
        exact = _slowing(trajectory, time, duration, middles)[:, 0]
        off = np.abs(stop.evaluate(time + middles * duration)[:, 0] - exact).max()
        if off <= _CLOSE * (1 + np.abs(exact).max()):
            break
    return _joined(trajectory, time, stop)


def _clock(duration, part):
    """(samples, rows): Taylor coefficients by time of the part of the motion's time that is run at a part of the stop, [s]."""
    speed = polynomials.from_end_taylor(np.eye(_ROWS)[:, :1], np.zeros((_ROWS, 1)))[:, 0]        # 1 at the start, 0 at the end, flat there
    c = np.concatenate([[0.0], speed / np.arange(1, 2 * _ROWS + 1)])[:, None]
    out = np.empty((len(part), _ROWS))
    for k in range(_ROWS):
        d = polynomials.derivative(c, k)[:, 0]
        out[:, k] = np.polyval(d[::-1], part) * duration**(1 - k) / polynomials.factorials(k + 1)[k]
    return out


def _slowing(trajectory, time, duration, part):
    """(samples, rows, n) derivatives of the motion while it stops."""
    clock = _clock(duration, part)
    clock[:, 0] += time
    outer = trajectory.evaluate(np.minimum(clock[:, 0], trajectory.end), _ROWS - 1) / polynomials.factorials(_ROWS)[:, None]
    return composed(outer, clock) * polynomials.factorials(_ROWS)[:, None]


def _knots(trajectory, time, duration, steps):
    """Parts of the stop: equal steps, and where the trajectory's own pieces meet."""
    even = np.linspace(0, 1, steps + 1)
    breaks = trajectory.breaks[(trajectory.breaks > time) & (trajectory.breaks < time + duration / 2)]
    low, high = np.zeros(len(breaks)), np.ones(len(breaks))
    for _ in range(60):
        middle = (low + high) / 2
        early = time + _clock(duration, middle)[:, 0] < breaks
        low, high = np.where(early, middle, low), np.where(early, high, middle)
    near = np.abs(even[:, None] - high).min(axis=1, initial=np.inf) < 1e-4
    near[[0, -1]] = False
    at = np.unique(np.concatenate([even[~near], high]))
    return at[np.concatenate([[True], np.diff(at) > 1e-9])]


def _joined(trajectory, time, stop):
    """The motion until `time`, then the stop."""
    if time == trajectory.start:
        return stop
    breaks = np.append(trajectory.breaks[trajectory.breaks < time], time)
    pieces = np.arange(len(breaks) - 1)
    whole, part = np.diff(trajectory.breaks)[pieces], np.diff(breaks)
    powers = max(trajectory.coefficients.shape[1], stop.coefficients.shape[1])
    first = np.zeros((len(pieces), powers, trajectory.n))
    first[:, :trajectory.coefficients.shape[1]] = (
        trajectory.coefficients[pieces] * ((part / whole)[:, None]**np.arange(trajectory.coefficients.shape[1]))[:, :, None])
    second = np.zeros((len(stop.coefficients), powers, trajectory.n))
    second[:, :stop.coefficients.shape[1]] = stop.coefficients
    return Trajectory(np.concatenate([breaks, stop.breaks[1:]]), np.concatenate([first, second]), trajectory.joint_names)
