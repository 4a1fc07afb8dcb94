# SPDX-License-Identifier: Apache-2.0
"""Way points to a trajectory: what is given is met exactly, the rest has least energy, and straight lines are not left too far."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments
from hod_ros.trajectories import deviation
from hod_ros.trajectories import least_energy
from hod_ros.trajectories import polynomials
from hod_ros.trajectories.corners import DEEPEST
from hod_ros.trajectories.corners import Lines
from hod_ros.trajectories.trajectory import Trajectory

SMOOTHNESS = (2, 3, 4, 5)
MOST_NUMBERS = 20_000_000               # points times joints: more take gigabytes
_ROUNDING = 1e-11                       # of the positions' size, by which limits may be missed
_OF_SUMS = 3e-14                        # the same of a polynomial's coefficients, whose sums its bounds are
_LARGEST = 1e9                          # numbers and times, and 1 / the times between points
MOST_SWING = 1000.0                     # times the extent of all points: refused
LARGE_SWING = 1.0                       # the same: said. Times that differ threefold stay below, ninety-nine in a hundred
_LAYOUT = '(2, n), the lower ones and then the upper ones: of a model, whose own are (n, 2), model.position_limits.T'
_CALLER = 5                             # frames up to that of Trajectory.interpolate's caller
_SMALLEST_DEVIATION = 1e-9              # below it rounding decides [rad] or [m]


def interpolate(
        times: Any, positions: Any, velocities: Any, accelerations: Any, smoothness: int, max_deviation: float | None, *,
        joint_names: Any, position_limits: Any, start: Any, end: Any, chunk_rate: float | None, blended: bool = False) -> Trajectory:
    """See Trajectory.interpolate. blended: the first line is a transition that may be left."""
    smoothness = arguments.count(smoothness, 'smoothness', 2)
    if smoothness not in SMOOTHNESS:
        raise InputError(f'smoothness is {smoothness}; it is the highest derivative that is continuous: 2, 3, 4 or 5')
    positions = arguments.finite_array(
        arguments.floats(positions, 'positions'), ('points', 'joints'), 'positions', 'for each point a row, for each joint a column')
    times = _times(times, len(positions), chunk_rate)
    points, n = positions.shape
    names = arguments.joint_names_of(joint_names, n)
    if points < 2 or n < 1 or points * n > MOST_NUMBERS:
        raise InputError(
            f'positions holds {points} points of {n} joints; a motion needs 2 points or more, 1 joint or more and at most {MOST_NUMBERS} '
            'numbers' + ('; put the present position before a single point' if points == 1 else ''))
    given = np.full((points, smoothness + 1, n), np.nan)
    given[:, 0] = positions
    for row, (value, what) in enumerate(((velocities, 'velocities'), (accelerations, 'accelerations')), start=1):
        if value is not None:
            given[:, row] = _optional(value, positions.shape, what)
    _check_sizes(times, given)
    _put_end(given[0], start, 'start')
    _put_end(given[-1], end, 'end')
    limits = _box(position_limits, positions, names)
    return _Search(times, given, _allowed(max_deviation), limits, names, blended).trajectory()


class _Search:
    """The motion through the points. Lines that it leaves too far get a motion along them, with bends at corners as short as needed."""

    def __init__(self, times, given, allowed, limits, names, blended):
        self.times, self.given, self.allowed, self.limits, self.names = times, given, allowed, limits, names
        self.order = min(4, given.shape[1])
        self.size = _ROUNDING * (1 + np.abs(given[:, 0]).max())
        self.lines = None
        self.free = np.isnan(given[:, 1:]).all(axis=(1, 2))
        self.active = np.zeros(len(times) - 1, dtype=bool)          # lines that are kept to but for their ends
        self.stopped = np.zeros(len(times), dtype=bool)             # points that are passed at rest
        self.judged = np.ones(len(times) - 1, dtype=bool)           # lines that may not be left too far
        self.judged[0] = not blended

    def trajectory(self):
        line, knots, derivatives = self._solve()
        if np.isfinite(self.allowed) and self.judged.all():
            left = deviation.of_middles(knots, derivatives) > self.allowed
            if left.all():                              # as mostly at first: seen before there are any polynomials
                self._improve(left, None, line)
                line, knots, derivatives = self._solve()
        while True:
            motion = Trajectory._of_derivatives(knots, derivatives, self.names)
            bad = self._bad(motion, line)
            if not bad.any():
                self._check_swing(motion, line)
                return motion
            self._improve(bad, motion, line)
            line, knots, derivatives = self._solve()

    def _solve(self):
        """(line of each piece, knots, derivatives)."""
        given = self.given
        if self.stopped.any():
            given = given.copy()
            given[self.stopped, 1:] = 0.0
        line, knots = np.arange(len(self.times)), self.times
        if self.active.any():
            added_line, added_times, added = self.lines.points(self.active, self.stopped, self.level)
            line = np.concatenate([line, added_line])
            order = np.argsort(line, kind='stable')
            line, knots, given = line[order], np.concatenate([knots, added_times])[order], np.concatenate([given, added])[order]
            alike = knots[1:] <= knots[:-1]
            if alike.any():
                i = int(line[np.argmax(alike)])
                raise InputError(
                    f'times is {self.times[i]:.9g} s at point {i}, {self.times[i + 1] - self.times[i]:.3g} s before the next one; points '
                    'that are added between them lie closer together than floating point numbers of that size; count times from the start '
                    'of the motion')
        return line[:-1], knots, least_energy.complete(knots, given, self.order)

    def _bad(self, motion, line):
        """Which pieces are too far from their line, or out of the limits."""
        bad = np.zeros(len(line), dtype=bool)
        c = motion.coefficients
        if np.isfinite(self.allowed):
            bad |= (self._departures(c, line) > self.allowed) & self.judged[line]
        if self.limits is not None:
            bad |= deviation.beyond(c, *self.limits) > self._rounding(c)
        return bad

    def _rounding(self, coefficients):
        """(pieces,) by which bounds of each piece may miss limits."""
        return self.size + _OF_SUMS * np.abs(coefficients).sum(axis=1).max(axis=1)

    def _check_swing(self, motion, line):
        """Where any deviation is allowed, very uneven times make a motion of least energy swing far beyond all points."""
        if np.isfinite(self.allowed):
            return
        positions, steps = self.given[:, 0], np.diff(self.times)
        speeds = np.nan_to_num(self.given[:, 1])
        reach = np.abs(np.diff(speeds, axis=0)).max(initial=0.0) + np.abs(speeds).max()
        extent = np.linalg.norm(np.ptp(positions, axis=0)) + reach * steps.max()
        swing = deviation.from_chords(motion.coefficients, positions[line], positions[line + 1], LARGE_SWING * extent)
        largest, i = swing.max(), int(line[np.argmax(swing)])
        if largest <= LARGE_SWING * extent + self.size:
            return
        shortest = int(np.argmin(steps))
        error = InputError(
            f'between point {i} ({self.times[i]:.6g} s) and point {i + 1} ({self.times[i + 1]:.6g} s) the motion of least energy '
            f'swings {largest:.3g} away from the straight line, but all points lie within {extent:.3g}: the times are too uneven '
            f'({steps[i]:.3g} s there, {steps[shortest]:.3g} s after point {shortest}); give max_deviation, velocities, or more '
            'even times')
        if largest > MOST_SWING * extent + self.size:
            raise error
        if self.judged[0]:
            warnings.warn(str(error), RuntimeWarning, stacklevel=_CALLER)

    def _improve(self, bad, motion, line):
        """A motion along each bad line, then shorter bends at its bad ends, then a stop there; or the refusal."""
        if self.lines is None:
            self.lines = Lines(self.times, self.given, self.allowed if np.isfinite(self.allowed) else 1e-3)
            self.level = self.lines.first_level.copy()
        lines, points = np.zeros(len(self.active), dtype=bool), np.zeros(len(self.times), dtype=bool)
        lines[line[bad]] = True
        again = bad & self.active[line]
        new = lines & ~self.active
        self.active |= lines
        if again.any():
            other = np.concatenate([[True], line[1:] != line[:-1], [True]])
            points[line[again & other[:-1]]] = True
            points[line[again & other[1:]] + 1] = True
        lasting = points & ((self.level >= DEEPEST) | self.stopped)
        self.level[points] = np.minimum(self.level[points] + 1, DEEPEST)
        dwelling = lines & (self.lines.length == 0)
        stops = lasting.copy()
        stops[:-1] |= dwelling
        stops[1:] |= dwelling
        stops &= self.free & ~self.stopped
        self.stopped |= stops
        helpless = lasting.any() or not (new.any() or points.any())
        if helpless and not stops.any():
            raise self._refusal(int(line[again][0]), motion, line)

    def _departures(self, coefficients, line):
        positions = self.given[:, 0]
        return deviation.from_chords(coefficients, positions[line], positions[line + 1], self.allowed)

    def _refusal(self, i, motion, line):
        pieces = np.flatnonzero(line == i)
        where = f'between point {i} ({self.times[i]:.6g} s) and point {i + 1} ({self.times[i + 1]:.6g} s)'
        if self.limits is not None:
            lower, upper = self.limits
            reached = polynomials.control_points(motion.coefficients[pieces], 64)
            excess = np.maximum(reached - upper, lower - reached).max(axis=(0, 1))
            j = int(np.argmax(excess))
            if excess[j] > self._rounding(motion.coefficients[pieces]).min():
                return InputError(
                    f'{where} {arguments.label(self.names, j)} leaves its position limits from {lower[j]:.6g} to {upper[j]:.6g} by '
                    f'{excess[j]:.3g}: the velocities or accelerations given there lead out; give smaller ones, or leave them out')
        found = self._departures(motion.coefficients[pieces], line[pieces]).max()
        if found <= self.size:
            return InputError(
                f'{where} rounding alone takes the motion {found:.3g} from the straight line, but max_deviation is {self.allowed:.3g}: '
                f'positions go up to {np.abs(self.given[:, 0]).max():.3g}; give {self.size:.1g} or more, or allow any')
        return InputError(
            f'{where} the motion leaves the straight line by {found:.3g}, but max_deviation is {self.allowed:.3g}: the velocities or '
            'accelerations given there lead away from it; leave them out, give them along the line, or allow more, or any')


def _allowed(max_deviation):
    if max_deviation is None:
        return np.inf
    allowed = arguments.number_above_0(max_deviation, 'max_deviation', '[rad] or [m], or allow any')
    if allowed < _SMALLEST_DEVIATION:
        raise InputError(f'max_deviation is {allowed}, which rounding may exceed; give {_SMALLEST_DEVIATION} or more, or allow any')
    return allowed


def _times(times, points, chunk_rate):
    if chunk_rate is None:
        if times is None:
            raise InputError('the points have no times; give the time of each [s], or chunk_rate, the points a second [1/s]')
        times = arguments.times_of(times, 'times')
    else:
        if times is not None:
            raise InputError('times and chunk_rate are both given; give one of them')
        times = np.arange(points) / arguments.number_above_0(chunk_rate, 'chunk_rate', '[1/s]')
    if len(times) != points:
        raise InputError(f'times holds {len(times)} numbers and positions {points} rows; give one time for each point')
    return times


def _optional(value, shape, what):
    """(points, n) numbers or NaN; a row, an entry or all may be missing."""
    if isinstance(value, (list, tuple)):
        value = [[np.nan] * shape[1] if row is None or np.size(row) == 0 else row for row in value]
    value = arguments.floats([[np.nan if x is None else x for x in row] if isinstance(row, (list, tuple)) else row for row in value]
                             if isinstance(value, list) else value, what)
    if value.shape != shape:
        raise InputError(f'{what} has the shape {value.shape}, but positions has {shape}; give as many, NaN where one is not given')
    if np.isinf(value).any():
        i, j = np.argwhere(np.isinf(value))[0]
        raise InputError(f'{what} is {value[i, j]} at point {i}, column {j}; give finite numbers, or NaN where none is given')
    return value


def _check_sizes(times, given):
    """Refuses what is beyond any robot, and whose derivatives would be beyond floating point numbers."""
    with np.errstate(over='ignore'):
        steps, far = np.diff(times), np.abs(times[[0, -1]]).max() > _LARGEST
    if far or steps.min() < 1 / _LARGEST:
        i = int(np.argmin(steps))
        raise InputError(
            f'times runs from {times[0]:.6g} s to {times[-1]:.6g} s with {steps[i]:.3g} s after point {i}; give times up to {_LARGEST:g} s '
            f'that are {1 / _LARGEST:g} s apart or more: are they in seconds?')
    large = np.abs(given) > _LARGEST
    if large.any():
        i, k, j = np.argwhere(large)[0]
        what = ('positions', 'velocities', 'accelerations')[k]
        raise InputError(f'{what} is {given[i, k, j]:.6g} at point {i}, column {j}; give numbers up to {_LARGEST:g}: are the units right?')


def _put_end(rows, value, what):
    """Derivatives at an end: as given, else 0."""
    if value is not None:
        value = arguments.floats(value, what)
        if value.ndim != 2 or value.shape[1] != rows.shape[1] or not 1 <= len(value) < len(rows) or np.isinf(value).any():
            raise InputError(
                f"{what} has the shape {value.shape}; give 1 to {len(rows) - 1} rows of {rows.shape[1]} finite numbers, q', q'', ... there")
        mine = rows[1:1 + len(value)]
        clash = np.argwhere(~np.isnan(value) & ~np.isnan(mine) & (value != mine))
        if clash.size:
            k, j = clash[0]
            raise InputError(
                f'{what} gives {value[k, j]:.9g} for derivative {k + 1} of column {j}, but the point has {mine[k, j]:.9g}; give it once')
        np.copyto(mine, value, where=np.isnan(mine))
    rows[1:][np.isnan(rows[1:])] = 0.0


def _box(limits, positions, names):
    if limits is None:
        return None
    limits = arguments.floats(limits, 'position_limits')
    n = positions.shape[1]
    if limits.shape != (2, n) or np.isnan(limits).any():
        raise InputError(f'position_limits has the shape {limits.shape}; give two rows of {n} numbers, the lower ones and the upper ones')
    crossed = limits[0] > limits[1]
    if crossed.any():
        j = int(np.argmax(crossed))
        raise InputError(
            f'position_limits has {limits[0, j]:.9g} as the lower and {limits[1, j]:.9g} as the upper limit of '
            f'{arguments.label(names, j)}; give {_LAYOUT}')
    outside = np.argwhere((positions < limits[0]) | (positions > limits[1]))
    if outside.size:
        i, j = outside[0]
        turned = n == 2 and ((limits[:, 0] <= positions) & (positions <= limits[:, 1])).all()
        raise InputError(
            f'positions is {positions[i, j]:.9g} at point {i} for {arguments.label(names, j)}, beyond its limits from {limits[0, j]:.9g} '
            f'to {limits[1, j]:.9g}; give positions within them' + (f', or position_limits as {_LAYOUT}' if turned else ''))
    return limits
