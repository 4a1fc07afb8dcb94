# SPDX-License-Identifier: Apache-2.0
"""At which speeds polynomials of the speed keep within [-1, 1]: their roots, and the union of what they exclude."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

_TINY = 1e-14
_CHUNK = 4096


class FeasibleSpeeds:
    """The part of [0, 1] where no polynomial added so far leaves [-1, 1]."""

    def __init__(self) -> None:
        self.intervals: list[tuple[float, float]] = [(0.0, 1.0)]

    def add(self, coefficients: NDArray[np.float64]) -> None:
        """Takes away where any of the polynomials (polynomials, powers), in ascending powers, is beyond 1 in magnitude."""
        for first in range(0, len(coefficients), _CHUNK):
            if not self.intervals:
                return
            c = coefficients[first:first + _CHUNK]
            c = c[self._may_exceed(c)]
            if len(c):
                self._exclude(*excesses(c))

    def _may_exceed(self, c):
        """Those whose control points on one of the intervals exceed 1."""
        out = np.zeros(len(c), dtype=bool)
        for low, high in self.intervals:
            out |= (np.abs(c @ _bernstein(c.shape[1], low, high).T) > 1).any(axis=1)
        return out

    def _exclude(self, starts, ends):
        order = np.argsort(starts)
        left = []
        for low, high in self.intervals:
            at = low
            for start, end in zip(starts[order], ends[order], strict=True):
                if end <= at or start >= high:
                    continue
                if start > at or (start == at and start > 0):
                    left.append((at, float(start)))
                at = max(at, float(end))
            if at < high or (at == high == 1.0 and not (ends >= 1.0).any()):
                left.append((at, high))
        self.intervals = left


def excesses(c: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(starts, ends) of all intervals within [0, 1] where one of the polynomials (polynomials, powers) is beyond 1 in magnitude."""
    marks = np.concatenate([np.zeros((len(c), 1)), _roots(c, 1.0), _roots(c, -1.0), np.ones((len(c), 1))], axis=1)
    marks.sort(axis=1)
    middles = (marks[:, 1:] + marks[:, :-1]) / 2
    beyond = (np.abs(evaluate(c, middles)) > 1) & (marks[:, 1:] > marks[:, :-1])
    return marks[:, :-1][beyond], marks[:, 1:][beyond]


def evaluate(c: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """(polynomials, points) values at x (polynomials, points)."""
    total = np.zeros_like(x)
    for j in range(c.shape[1] - 1, -1, -1):
        total = total * x + c[:, j, None]
    return total


def _roots(c, level):
    """(polynomials, degree) roots within (0, 1) of each polynomial less level; 1 in places without one."""
    c = c.copy()
    c[:, 0] -= level
    # The eigenvalues are the roots of the polynomial with its coefficients in the other order: 1 / x, which is never 0 here.
    first = np.where(np.abs(c[:, :1]) < _TINY, _TINY, c[:, :1])
    degree = c.shape[1] - 1
    companion = np.zeros((len(c), degree, degree))
    companion[:, 0] = -c[:, 1:] / first
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    values = np.linalg.eigvals(companion)
    real = (values.real > 0.5) & (np.abs(values.imag) <= 1e-5 * np.abs(values))
    x = np.where(real, 1 / np.where(real, values.real, 1.0), 1.0)
    slope = c[:, 1:] * np.arange(1, degree + 1)
    for _ in range(4):
        by = evaluate(slope, x)
        step = np.where(by != 0, evaluate(c, x) / np.where(by != 0, by, 1.0), 0.0)
        x = np.where(real & (np.abs(step) < 0.1), x - step, x)
    return np.where(real, np.clip(x, 0.0, 1.0), 1.0)


def _bernstein(rows, low, high):
    """(rows, rows): control points on [low, high] from coefficients in ascending powers."""
    shift = np.array([[comb(j, k) * low**(j - k) * (high - low)**k if j >= k else 0.0 for j in range(rows)] for k in range(rows)])
    return np.array([[comb(i, j) / comb(rows - 1, j) for j in range(rows)] for i in range(rows)]) @ shift
