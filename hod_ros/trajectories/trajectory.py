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

MOST_COEFFICIENTS = 64          # of one piece; higher powers of u are lost to rounding
_BEYOND = 1e-9                  # of the duration: times may miss the ends by rounding


class Trajectory:
    """The motion of n joints over time: piecewise polynomials; immutable.

    breaks: (pieces + 1,) increasing times [s]. coefficients: (pieces, degree + 1, n), ascending powers of u = (t - breaks[i]) /
    (breaks[i + 1] - breaks[i]), which runs from 0 to 1 in piece i. joint_names: n names, or None.

        t = Trajectory([0, 2], [[[0.0], [0.0], [3.0], [-2.0]]])      # one joint from 0 to 1 rad within 2 s
        q = t.evaluate([0, 0.5, 2], 1)                               # (3, 2, 1): positions and velocities
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
        self._breaks = breaks.copy()
        self._coefficients = given
        self._joint_names = arguments.joint_names_of(joint_names, given.shape[2])
        self._breaks.setflags(write=False)
        self._coefficients.setflags(write=False)

    @classmethod
    def from_derivatives(
            cls, times: ArrayLike, derivatives: ArrayLike, joint_names: Sequence[str] | None = None) -> Trajectory:
        """The piecewise polynomial of degree 2 rows - 1 whose derivatives at `times` are given; continuous to derivative rows - 1.

        times: (points,) [s]. derivatives: (points, rows, n), row k the k-th time derivative.
        """
        times = arguments.times_of(times, 'times')
        given = arguments.finite_array(
            arguments.floats(derivatives, 'derivatives'), ('points', 'rows', 'joints'), 'derivatives',
            'for each point row k is the k-th time derivative, column j a joint')
        if len(times) < 2 or len(given) != len(times) or not 1 <= given.shape[1] <= MOST_COEFFICIENTS // 2:
            raise InputError(
                f'derivatives has the shape {given.shape} and times {times.shape}; give two points or more, for each of them 1 to '
                f'{MOST_COEFFICIENTS // 2} rows')
        rows = given.shape[1]
        taylor = given / polynomials.factorials(rows)[:, None]
        powers = np.diff(times)[:, None, None] ** np.arange(rows)[:, None]
        return cls(times, polynomials.from_end_taylor(taylor[:-1] * powers, taylor[1:] * powers), joint_names)

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
        order = arguments.count(order, 'order', 0)
        times = arguments.finite_array(arguments.floats(times, 'times'), ('times',), 'times', 'the times to evaluate at [s]')
        outside = (times < self.start - _BEYOND * self.duration) | (times > self.end + _BEYOND * self.duration)
        if outside.any():
            i = int(np.argmax(outside))
            raise InputError(f'times[{i}] is {times[i]:.9g} s, but the trajectory runs from {self.start:.9g} s to {self.end:.9g} s')
        piece = np.clip(np.searchsorted(self._breaks, times, side='right') - 1, 0, len(self._coefficients) - 1)
        u = (times - self._breaks[piece]) / (self._breaks[piece + 1] - self._breaks[piece])
        return self.evaluate_pieces(piece, u, order)

    def evaluate_pieces(self, piece: NDArray[np.intp], u: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        """As evaluate, for pieces by their index and u in [0, 1] within them: both sides of a break can be told apart."""
        out = np.empty((len(u), order + 1, self.n))
        ordered = len(piece) < 2 or bool((piece[1:] >= piece[:-1]).all())
        used = np.flatnonzero(np.diff(piece)) + 1 if ordered else ()
        if ordered and 16 * (len(used) + 1) <= len(u):
            bounds = [0, *used.tolist(), len(u)]
            for first, last in zip(bounds[:-1], bounds[1:], strict=True):
                self._evaluate_one(int(piece[first]), u[first:last], out[first:last])
        else:
            for first in range(0, len(u), 8192):
                part = slice(first, first + 8192)
                self._evaluate_many(piece[part], u[part], out[part])
        return out

    def _evaluate_one(self, piece: int, u: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """All of one piece: powers of u times a matrix whose columns are the derivatives' coefficients."""
        c, orders = self._coefficients[piece], out.shape[1]
        h = self._breaks[piece + 1] - self._breaks[piece]
        columns = np.zeros((len(c), orders, self.n))
        for k in range(min(orders, len(c))):
            columns[:len(c) - k, k] = polynomials.derivative(c, k) / h**k
        powers = np.empty((len(u), len(c)))
        powers[:, 0] = 1.0
        for j in range(1, len(c)):
            np.multiply(powers[:, j - 1], u, out=powers[:, j])
        np.matmul(powers, columns.reshape(len(c), -1), out=out.reshape(len(u), -1))

    def _evaluate_many(self, piece: NDArray[np.intp], u: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Any pieces in any order, by Horner's rule."""
        c = self._coefficients[piece]
        inverse = 1 / (self._breaks[piece + 1] - self._breaks[piece])[:, None]
        u = u[:, None]
        for k in range(out.shape[1]):
            d = polynomials.derivative(c, k)
            total = d[:, -1]
            for j in range(d.shape[1] - 2, -1, -1):
                total = total * u + d[:, j]
            out[:, k] = total * inverse**k

    def jumps(self, order: int) -> NDArray[np.float64]:
        """(pieces - 1, order + 1, n): how much each derivative changes at each break between two pieces."""
        pieces = np.arange(len(self._coefficients))
        ends = self.evaluate_pieces(pieces[:-1], np.ones(len(pieces) - 1), order)
        return self.evaluate_pieces(pieces[1:], np.zeros(len(pieces) - 1), order) - ends

    def at_speed(self, speed: float) -> Trajectory:
        """The same motion `speed` times as fast, from the same start: q(start + speed (t - start))."""
        speed = arguments.number_above_0(speed, 'speed')
        return self._with_breaks(self.start + (self._breaks - self.start) / speed)

    def starting_at(self, start: float) -> Trajectory:
        """The same motion from another start [s]."""
        return self._with_breaks(self._breaks + (arguments.finite_number(start, 'start', '[s]') - self.start))

    def _with_breaks(self, breaks: NDArray[np.float64]) -> Trajectory:
        return type(self)(breaks, self._coefficients, self._joint_names)

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
