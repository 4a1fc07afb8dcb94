# SPDX-License-Identifier: Apache-2.0
"""Weighted least squares over the equations, with the noise and its persistence found on the way.

The unknowns x: the inertial parameters of the bodies that have inertia, then by joint rotor inertia, viscous and dry friction, offset of
the torque sensor. Every joint's torque, and every joint's torque rate, has a noise of its own, whose standard deviation s and persistence
T (the sum of its autocorrelation, in equations) are those of the residuals. Equations count as 1 / (s^2 T): what persists is not averaged
away by more samples.
"""

from dataclasses import dataclass

import numpy as np

from hod_ros.identification.consistency import Program

_ROUNDS = 4
_FIRST_RATES = 0.5          # the part of a torque rate's variance that must be explained for its equations to count


@dataclass(frozen=True)
class Unknowns:
    """Where in x the unknowns are, and the program that keeps them physical."""

    columns: np.ndarray         # of Y that are estimated
    n: int
    program: Program
    start: np.ndarray
    loose: np.ndarray           # (len(start),) inverse covariance of entries that nothing else holds

    @property
    def size(self):
        return len(self.start)

    def part(self, k):
        """Entries of the k-th quantity of the joints: 0 rotors, 1 viscous, 2 dry friction, 3 offsets."""
        first = len(self.columns) + k * self.n
        return np.arange(first, first + self.n)

    def rows(self, piece, width, k):
        """(equations, n, size) of order k."""
        count = len(piece.torques)
        out = np.zeros((count, self.n, self.size))
        out[:, :, :len(self.columns)] = piece.Y[:, k][:, :, self.columns]
        j = np.arange(self.n)
        for part, values in enumerate((piece.rotor, piece.viscous, piece.dry[width])):
            out[:, j, self.part(part)] = values[:, k]
        if k == 0:
            out[:, j, self.part(3)] = 1.0
        return out


@dataclass(frozen=True)
class Fit:
    x: np.ndarray
    from_data: np.ndarray       # the part of the inverse covariance that the recordings gave
    noise: np.ndarray           # (orders, n) standard deviation of the residuals
    persistence: np.ndarray     # (orders, n)
    used: np.ndarray            # (orders, n) whether these equations count
    misfit: float               # the sum of log noise over all equations of torques

    def errors(self, unknowns, pieces, width):
        """(n,) root mean square of torque errors on pieces."""
        return rms([piece.torques[:, 0] - unknowns.rows(piece, width, 0) @ self.x for piece in pieces])


def rms(parts):
    """(n,) over the rows of all parts."""
    return np.sqrt(np.mean(np.concatenate(parts)**2, axis=0))


def fit(unknowns, pieces, width, orders):
    """The estimate from pieces of recordings, from their torques (orders 1) or torque rates too (2)."""
    rows = [[_by_joint(unknowns.rows(piece, width, k)) for piece in pieces] for k in range(orders)]
    torques = [[piece.torques[:, k].T for piece in pieces] for k in range(orders)]
    grams = [sum(part.swapaxes(1, 2) @ part for part in parts) for parts in rows]                       # (n, size, size) of each order
    sides = [
        sum((part.swapaxes(1, 2) @ values[:, :, None])[..., 0] for part, values in zip(*pair, strict=True))
        for pair in zip(rows, torques, strict=True)]
    signal = np.array([np.maximum(np.std(np.concatenate(parts, axis=1), axis=1), 1e-12) for parts in torques])
    noise, persistence = signal, np.ones_like(signal)
    used = np.zeros(noise.shape, bool)
    used[0] = True
    x = unknowns.start
    for turn in range(_ROUNDS):
        weights = np.where(used, 1 / (noise**2 * persistence), 0.0)
        from_data = sum(np.tensordot(w, gram, axes=1) for w, gram in zip(weights, grams, strict=True))
        b = sum(w @ side for w, side in zip(weights, sides, strict=True))
        x = unknowns.program.solve(unknowns.loose + from_data, b, x, warm=turn > 0)
        rests = [
            [values - part @ x for part, values in zip(*pair, strict=True)] for pair in zip(rows, torques, strict=True)]
        noise = np.array([np.sqrt(np.mean(np.concatenate(parts, axis=1)**2, axis=1)) for parts in rests])
        noise = np.maximum(noise, 1e-9 * signal)
        persistence = np.array([[_persistence([part[j] for part in parts]) for j in range(unknowns.n)] for parts in rests])
        used[1:] = noise[1:]**2 < (1 - _FIRST_RATES) * signal[1:]**2
    return Fit(x, from_data, noise, persistence, used, float(np.log(noise[0]).sum()))


def _by_joint(rows):
    return np.ascontiguousarray(rows.swapaxes(0, 1))


def _persistence(series):
    """1 + 2 sum of the autocorrelation, up to where it first vanishes."""
    total, power, lag = 1.0, sum(float(part @ part) for part in series), 1
    if power == 0:
        return 1.0
    longest = max(map(len, series)) // 4
    while lag < longest:
        each = sum(float(part[lag:] @ part[:-lag]) for part in series if len(part) > lag) / power
        if each <= 0.02:
            break
        total, lag = total + 2 * each, lag + 1
    return total
