# SPDX-License-Identifier: Apache-2.0
"""Motions of joints over time as piecewise polynomials.

Axis order everywhere: pieces or times first, then derivatives (or powers), then joints. Units: [rad] or [m], [s].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.errors import InputError
from hod_ros.trajectories import arguments
from hod_ros.trajectories import polynomials

MOST_DERIVATIVES = 1000
MOST_COEFFICIENTS = 64          # of one piece; higher powers of u are lost to rounding
MOST_ROWS = 10                  # of derivatives at the ends of pieces: the polynomials are of degree 19
_BLOCK = 2048               # pieces handled at a time, so that what they need stays in the processor's cache
_BEYOND = 1e-9                  # of the duration: times may miss the ends by rounding


class Trajectory:
    """The motion of n joints over time: piecewise polynomials; immutable.

    breaks: (pieces + 1,) increasing times [s]. coefficients: (pieces, degree + 1, n), ascending powers of u = (t - breaks[i]) /
    (breaks[i + 1] - breaks[i]), which runs from 0 to 1 in piece i. joint_names: n names, or None.

    Raises InputError where breaks do not increase or the coefficients have the wrong shape or are not finite.

        >>> t = Trajectory([0, 2], [[[0.0], [0.0], [3.0], [-2.0]]])      # one joint from 0 to 1 rad within 2 s
        >>> t.evaluate([0, 0.5, 2], 1).shape                             # positions and velocities
        (3, 2, 1)
    """

    def __init__(self, breaks: ArrayLike, coefficients: ArrayLike, joint_names: Sequence[str] | None = None) -> None:
        breaks = arguments.times_of(breaks, 'breaks')
        given = np.array(arguments.finite_array(
            arguments.floats(coefficients, 'coefficients'), ('pieces', 'powers', 'joints'), 'coefficients',
            'for each piece ascending powers of its own u from 0 to 1, for each joint a column'))
        if len(breaks) < 2 or given.shape[0] != len(breaks) - 1 or not 1 <= given.shape[1] <= MOST_COEFFICIENTS or given.shape[2] < 1:
            raise InputError(
                f'coefficients has the shape {given.shape} and breaks {breaks.shape}; give (pieces, 1 to {MOST_COEFFICIENTS} powers, 1 '
                'joint or more) with one break more than there are pieces')
        from_ends = polynomials.shift_matrix(given.shape[1]) @ given
        self._hold(breaks.copy(), given, from_ends, arguments.joint_names_of(joint_names, given.shape[2]))

    def _hold(self, breaks, coefficients, from_ends, joint_names):
        """from_ends: the same polynomials in powers of u - 1: each half of a piece is evaluated from its own end, which is exact there."""
        for array in (breaks, coefficients, from_ends):
            array.setflags(write=False)
        self._breaks, self._coefficients, self._from_ends, self._joint_names = breaks, coefficients, from_ends, joint_names

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a copy or a pickle, whose arrays are writeable."""
        self._hold(state['_breaks'], state['_coefficients'], state['_from_ends'], state['_joint_names'])

    @classmethod
    def from_derivatives(
            cls, times: ArrayLike, derivatives: ArrayLike, joint_names: Sequence[str] | None = None) -> Trajectory:
        """The piecewise polynomial of degree 2 rows - 1 whose derivatives at `times` are given; continuous to derivative rows - 1.

        times: (points,) [s]. derivatives: (points, rows, n), row k the k-th time derivative.

        Raises InputError where the shapes do not match or a number is not finite.

            >>> t = Trajectory.from_derivatives([0, 2], [[[0.0], [0.0]], [[1.0], [0.0]]])        # rest to rest
            >>> t.coefficients.shape
            (1, 4, 1)
        """
        times = arguments.times_of(times, 'times')
        given = arguments.finite_array(
            arguments.floats(derivatives, 'derivatives'), ('points', 'rows', 'joints'), 'derivatives',
            'for each point row k is the k-th time derivative, column j a joint')
        if len(times) < 2 or len(given) != len(times) or not 1 <= given.shape[1] <= MOST_ROWS:
            raise InputError(
                f'derivatives has the shape {given.shape} and times {times.shape}; give two points or more, for each of them 1 to '
                f'{MOST_ROWS} rows')
        return cls._of_derivatives(times.copy(), given, arguments.joint_names_of(joint_names, given.shape[2]))

    @classmethod
    def _of_derivatives(cls, times: NDArray[np.float64], given: NDArray[np.float64], joint_names: tuple[str, ...] | None) -> Trajectory:
        """As from_derivatives, of what is checked."""
        pieces, rows, n = len(given) - 1, given.shape[1], given.shape[2]
        units = (times[1:] - times[:-1])[:, None, None] ** np.arange(rows)[:, None] / polynomials.factorials(rows)[:, None]
        sign = polynomials.signs(2 * rows)[:, None]
        coefficients, from_ends = np.empty((pieces, 2 * rows, n)), np.empty((pieces, 2 * rows, n))
        for first in range(0, pieces, _BLOCK):
            some = slice(first, min(first + _BLOCK, pieces))
            ends = np.empty((2, some.stop - first, rows, n))
            np.multiply(given[some], units[some], out=ends[0])
            np.multiply(given[first + 1:some.stop + 1], units[some], out=ends[1])
            back = ends[::-1] * sign[:rows]
            coefficients[some] = polynomials.from_end_taylor(ends[0], ends[1])
            np.multiply(sign, polynomials.from_end_taylor(back[0], back[1]), out=from_ends[some])
        motion = cls.__new__(cls)
        motion._hold(times, coefficients, from_ends, joint_names)
        return motion

    @classmethod
    def interpolate(
            cls, times: ArrayLike | None, positions: ArrayLike, velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None,
            smoothness: int = 4, max_deviation: float | None = 1e-3, *, joint_names: Sequence[str] | None = None,
            position_limits: ArrayLike | None = None, start: ArrayLike | None = None, end: ArrayLike | None = None,
            chunk_rate: float | None = None) -> Trajectory:
        """The trajectory through way points, continuous to derivative `smoothness` (2 to 5), in time proportional to the points.

        times: (points,) increasing [s]; or None and chunk_rate, the points a second. positions: (points, n). velocities, accelerations:
        (points, n), NaN where not given. What is given is met. Of the rest, the derivatives at inner points are those of least snap energy,
        the integral of |q''''|^2 (|q'''|^2 where smoothness is 2); at both ends they are 0: from rest to rest.
        start, end: q', q'', ... at the ends, 1 to `smoothness` rows of n numbers, NaN for 0.
        max_deviation: how far the path may leave the straight line between two points, Euclidean, [rad] or [m]; it holds everywhere. Where
        the motion of least energy does not keep to it, points are added on the line and corners are passed more slowly, at last at rest,
        without a change of the times. None: as far as it likes.
        position_limits: (2, n), the lower ones and then the upper ones, as model.position_limits.T; they hold everywhere.
        InputError where that cannot be, with the point and the joint.

            >>> t = Trajectory.interpolate([0, 1, 3], [[0.0, 0.0], [0.5, 0.2], [1.0, -0.3]])
            >>> np.allclose(t.evaluate([1])[0, 0], [0.5, 0.2])
            True
        """
        from hod_ros.trajectories.interpolation import interpolate
        return interpolate(
            times, positions, velocities, accelerations, smoothness, max_deviation, joint_names=joint_names,
            position_limits=position_limits, start=start, end=end, chunk_rate=chunk_rate)

    @property
    def start(self) -> float:
        """When it starts [s]."""
        return float(self._breaks[0])

    @property
    def end(self) -> float:
        """When it ends [s]."""
        return float(self._breaks[-1])

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.end - self.start

    @property
    def n(self) -> int:
        """The number of joints."""
        return self._coefficients.shape[2]

    @property
    def joint_names(self) -> tuple[str, ...] | None:
        """The joints' names, in the order of the columns, where they are known."""
        return self._joint_names

    @property
    def breaks(self) -> NDArray[np.float64]:
        """(pieces + 1,) where the polynomials meet [s]."""
        return self._breaks

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """(pieces, degree + 1, n), see the class."""
        return self._coefficients

    def evaluate(self, times: ArrayLike, order: int = 0) -> NDArray[np.float64]:
        """(len(times), order + 1, n): positions and their derivatives at `times`, which lie within [start, end], in any order.

        At a break the piece that begins there is evaluated, at the end the last one.
        """
        order = _checked_order(order)
        times = arguments.finite_array(arguments.floats(times, 'times'), ('times',), 'times', 'the times to evaluate at [s]')
        outside = (times < self.start - _BEYOND * self.duration) | (times > self.end + _BEYOND * self.duration)
        if outside.any():
            i = int(np.argmax(outside))
            raise InputError(f'times[{i}] is {times[i]:.9g} s, but the trajectory runs from {self.start:.9g} s to {self.end:.9g} s')
        if 16 * 2 * len(self._coefficients) <= len(times) and (times[1:] >= times[:-1]).all():
            return self._evaluate_in_order(times, order)
        piece = np.clip(np.searchsorted(self._breaks, times, side='right') - 1, 0, len(self._coefficients) - 1)
        u = (times - self._breaks[piece]) / (self._breaks[piece + 1] - self._breaks[piece])
        return self._evaluate_pieces(piece, u, order)

    def _evaluate_in_order(self, times: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        """As evaluate, of times in their order, many of them for each half of a piece."""
        breaks = self._breaks
        middles = (breaks[:-1] + breaks[1:]) / 2
        first = np.searchsorted(times, np.stack([breaks[:-1], middles], axis=1).ravel())
        first[0] = 0
        count = np.diff(first, append=len(times))
        half = np.flatnonzero(count)
        count = count[half]
        x = times - np.repeat(breaks[(half + 1) // 2], count)
        x /= np.repeat((breaks[1:] - breaks[:-1])[half // 2], count)
        out = np.empty((len(times), order + 1, self.n))
        self._evaluate_runs(half, x, np.append(first[half], len(times)), out)
        return out

    def evaluate_pieces(self, piece: NDArray[np.intp], u: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        """As evaluate, for pieces by their index and u in [0, 1] within them, (samples,) each: both sides of a break can be told apart."""
        piece, order = self._checked_pieces(piece), _checked_order(order)
        u = arguments.finite_array(arguments.floats(u, 'u'), piece.shape, 'u', 'one for each piece')
        outside = (u < -_BEYOND) | (u > 1 + _BEYOND)
        if outside.any():
            i = int(np.argmax(outside))
            raise InputError(f'u[{i}] is {u[i]:.9g}; give numbers from 0, where the piece begins, to 1')
        return self._evaluate_pieces(piece, u, order)

    def _checked_pieces(self, piece):
        """(samples,) indices of pieces."""
        last = len(self._coefficients) - 1
        found = arguments.floats(piece, 'piece')
        whole = found.ndim == 1 and (not len(found) or np.asarray(piece).dtype.kind in 'iu' and 0 <= found.min() and found.max() <= last)
        if not whole:
            raise InputError(f'piece is {arguments.shown(piece)}; give indices of pieces, integers from 0 to {last}')
        return found.astype(np.intp)

    def _evaluate_pieces(self, piece: NDArray[np.intp], u: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        out = np.empty((len(u), order + 1, self.n))
        later = u > 0.5
        half, x = 2 * piece + later, u - later
        ordered = len(half) < 2 or bool((half[1:] >= half[:-1]).all())
        used = np.flatnonzero(np.diff(half)) + 1 if ordered else ()
        if ordered and 16 * (len(used) + 1) <= len(u):
            first = np.concatenate([[0], used])
            self._evaluate_runs(half[first], x, np.append(first, len(u)), out)
        else:
            for first in range(0, len(u), 8192):
                part = slice(first, first + 8192)
                self._evaluate_halves(half[part], x[part], out[part])
        return out

    def _evaluate_runs(
            self, half: NDArray[np.intp], x: NDArray[np.float64], bounds: NDArray[np.intp], out: NDArray[np.float64]) -> None:
        """Run i, from bounds[i] to bounds[i + 1], lies in half[i]: powers of x times a matrix with the derivatives' coefficients."""
        c, h = self._of_halves(half)
        runs, rows, orders = len(c), c.shape[1], min(c.shape[1], out.shape[1])
        which, factors = polynomials.of_derivatives(rows, orders)
        columns = c.take(which, axis=1).reshape(runs, rows, -1)
        columns *= np.repeat(factors, self.n, axis=1)
        columns *= np.repeat(h**-np.arange(orders), self.n, axis=1)[:, None]
        powers = np.empty((rows, len(x)))
        powers[0] = 1.0
        for j in range(1, rows):
            np.multiply(powers[j - 1], x, out=powers[j])
        found = out if orders == out.shape[1] else np.empty((len(x), orders, self.n))
        powers, flat = powers.T, found.reshape(len(x), -1)
        bounds = bounds.tolist()
        for matrix, first, last in zip(columns, bounds, bounds[1:], strict=False):
            np.matmul(powers[first:last], matrix, out=flat[first:last])
        if found is not out:
            out[:, :orders], out[:, orders:] = found, 0.0

    def _evaluate_halves(self, half: NDArray[np.intp], x: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Any halves in any order, by Horner's rule."""
        c, h = self._of_halves(half)
        x = x[:, None]
        out[:, c.shape[1]:] = 0.0
        for k in range(min(c.shape[1], out.shape[1])):
            d = polynomials.derivative(c, k)
            total = d[:, -1]
            for j in range(d.shape[1] - 2, -1, -1):
                total = total * x + d[:, j]
            out[:, k] = total / h**k

    def _of_halves(self, half: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients (halves, powers, n) by their own ends, durations (halves, 1) of their pieces."""
        piece, later = half // 2, (half % 2).astype(bool)
        c = self._coefficients[piece]
        c[later] = self._from_ends[piece[later]]
        return c, (self._breaks[piece + 1] - self._breaks[piece])[:, None]

    def of_half(self, piece: int, later: bool) -> NDArray[np.float64]:
        """(powers, n) coefficients of a piece in powers of u, for its first half, or of u - 1, for the later one."""
        piece, later = arguments.count(piece, 'piece', 0), arguments.flag(later, 'later')
        if piece >= len(self._coefficients):
            raise InputError(f'piece is {arguments.shown(piece)}, but the trajectory has {len(self._coefficients)}; count from 0')
        return self._from_ends[piece] if later else self._coefficients[piece]

    def jumps(self, order: int) -> NDArray[np.float64]:
        """(pieces - 1, order + 1, n): how much each derivative changes at each break between two pieces."""
        pieces, order = np.arange(len(self._coefficients)), _checked_order(order)
        ends = self._evaluate_pieces(pieces[:-1], np.ones(len(pieces) - 1), order)
        return self._evaluate_pieces(pieces[1:], np.zeros(len(pieces) - 1), order) - ends

    def at_speed(self, speed: float) -> Trajectory:
        """The same motion `speed` times as fast, from the same start: q(start + speed (t - start))."""
        speed = arguments.number_above_0(speed, 'speed')
        return self._with_breaks(self.start + (self._breaks - self.start) / speed)

    def starting_at(self, start: float) -> Trajectory:
        """The same motion from another start [s]."""
        return self._with_breaks(self._breaks + (arguments.finite_number(start, 'start', '[s]') - self.start))

    def of_joints(self, joint_names: Sequence[str]) -> Trajectory:
        """The motion of some of its joints, by their names, in this order."""
        wanted = arguments.names(joint_names, 'joint_names')
        missing = [name for name in wanted if name not in (self._joint_names or ())]
        if missing or not wanted:
            known = arguments.some(self._joint_names) if self._joint_names else 'joints without names'
            raise InputError(f'joint_names is {list(wanted)}, but the trajectory moves {known}; name joints that it moves')
        columns = [self._joint_names.index(name) for name in wanted]
        motion = type(self).__new__(type(self))
        motion._hold(self._breaks, self._coefficients[:, :, columns], self._from_ends[:, :, columns], wanted)
        return motion

    def _with_breaks(self, breaks: NDArray[np.float64]) -> Trajectory:
        motion = type(self).__new__(type(self))
        motion._hold(arguments.times_of(breaks, 'the times of the motion'), self._coefficients, self._from_ends, self._joint_names)
        return motion

    def __repr__(self) -> str:
        return f'<Trajectory of {self.n} joints from {self.start:.9g} s to {self.end:.9g} s in {len(self._coefficients)} pieces>'

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Trajectory):
            return NotImplemented
        return (
            np.array_equal(self._breaks, other._breaks) and np.array_equal(self._coefficients, other._coefficients)
            and self._joint_names == other._joint_names)

    def __hash__(self) -> int:
        return hash((self._breaks.tobytes(), self._coefficients.tobytes(), self._joint_names))


def _checked_order(order):
    """The order of derivatives that are asked for."""
    if arguments.count(order, 'order', 0) > MOST_DERIVATIVES:
        raise InputError(f'order is {arguments.shown(order)}; derivatives are evaluated up to order {MOST_DERIVATIVES}')
    return int(order)
