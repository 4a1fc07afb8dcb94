# SPDX-License-Identifier: Apache-2.0
"""Inertias that a real body can have: its pseudo-inertia is positive definite. The estimate as a convex program.

Of a body's parameters (001 (9)) the pseudo-inertia is the second moment of its mass in homogeneous coordinates (Wensing, Kim, Slotine,
2018), and linear in them:

    J = [[S, h], [h^T, m]],     S = tr(I) / 2 - I,     h = m r.

The distance of J from the description's J_0 is the entropic one (Lee, Wensing, Park, 2020), tr(J_0^-1 J) - log det(J_0^-1 J) - 4: convex,
the same in all units and frames, and infinite where J ceases to be positive definite. So

    x^T A x / 2 - b^T x + weight sum_bodies distance + weight sum_positive (x / x_0 - log x)

is smooth and has one minimum, which Newton's method finds; the weight comes down to its own value by factors, as in interior-point
methods. Near J_0 the distance is tr((J_0^-1 dJ)^2) / 2, so that weight = 1 / deviation^2 says by what part of themselves the
description's figures may be wrong, and the matrix of second derivatives is the inverse covariance of the estimate.
"""

from dataclasses import dataclass

import numpy as np

from hod_ros.errors import SingularityError

_FALL = 8.0             # of the weight, from one Newton solve to the next
_MOST_STEPS = 100
_CLOSE = 1e-9           # of Newton's decrement
_LEAST_RADIUS = 0.01    # [m] of gyration, given to bodies whose description has none that a real body can have
_LEAST_PART = 1e-6      # the smallest eigenvalue of a pseudo-inertia against its part of the trace


def _basis():
    """(10, 4, 4): the pseudo-inertia of each parameter."""
    E = np.zeros((10, 4, 4))
    E[0, 3, 3] = 1
    for i in range(3):
        E[1 + i, i, 3] = E[1 + i, 3, i] = 1
        E[4 + i, :3, :3] = 0.5 * np.eye(3)
        E[4 + i, i, i] -= 1
    for entry, (i, j) in zip((7, 8, 9), ((0, 1), (0, 2), (1, 2)), strict=True):
        E[entry, i, j] = E[entry, j, i] = -1
    return E


BASIS = _basis()


def pseudo_inertia(parameters):
    """(..., 4, 4) of parameters (..., 10)."""
    return np.tensordot(parameters, BASIS, axes=1)


def is_consistent(parameters):
    """Whether a real body can have these parameters (10,)."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(parameters))[0] > 0)


def possible(parameters):
    """(parameters (10,), whether they were changed): widened to those of a real body where a description's are not."""
    m = parameters[0]
    if is_consistent(parameters) and _spread(parameters) > _LEAST_PART:
        return parameters, False
    mass = m if m > 0 else max(1e-3, float(np.abs(parameters[4:7]).sum()))
    centre = parameters[1:4] / mass if m > 0 else np.zeros(3)
    J = pseudo_inertia(parameters)
    about_centre = J[:3, :3] - mass * np.outer(centre, centre)
    moments, axes = np.linalg.eigh(about_centre)
    S = axes @ np.diag(np.maximum(moments, mass * _LEAST_RADIUS**2 / 2)) @ axes.T + mass * np.outer(centre, centre)
    I = np.trace(S) * np.eye(3) - S         # noqa: E741
    return np.concatenate([[mass], mass * centre, np.diag(I), [I[0, 1], I[0, 2], I[1, 2]]]), True


def _spread(parameters):
    m = parameters[0]
    J = pseudo_inertia(parameters)
    moments = np.linalg.eigvalsh(J[:3, :3] - np.outer(parameters[1:4], parameters[1:4]) / m)
    return moments[0] / max(moments.sum(), 1e-300)


@dataclass(frozen=True)
class Program:
    """The convex program's unknowns: bodies, each ten entries of x, and single entries that stay above zero. All others are free."""

    bodies: tuple[np.ndarray, ...]          # the entries of each body
    descriptions: tuple[np.ndarray, ...]    # (10,) each: what is believed
    positive: np.ndarray                    # entries above zero
    scales: np.ndarray                      # their x_0
    weight: float                           # of the bodies
    positive_weight: float

    def solve(self, A, b, start, *, warm=False):
        """x of the minimum, from a start inside; warm: one that is near."""
        x = np.array(start)
        if warm:
            return self._newton(A, b, x, 1.0)
        height = abs(float(0.5 * x @ A @ x - b @ x)) + float(0.5 * b @ np.linalg.lstsq(A, b, rcond=1e-12)[0])
        factor = max(1.0, height / max(len(x), 1) / self.weight)
        while True:
            x = self._newton(A, b, x, factor)
            if factor == 1.0:
                return x
            factor = max(1.0, factor / _FALL)

    def _newton(self, A, b, x, factor):
        for _ in range(_MOST_STEPS):
            gradient = A @ x - b + factor * self.slope(x)
            H = A + factor * self.curvature(x)
            scale = 1 / np.sqrt(np.diag(H))
            step = -scale * np.linalg.solve(H * np.outer(scale, scale), scale * gradient)
            decrement = -gradient @ step
            if decrement <= _CLOSE * factor * self.weight:
                return x
            value, length = self._value(A, b, x, factor), 1.0
            while not self._value(A, b, x + length * step, factor) < value - 0.1 * length * decrement:
                length *= 0.5
                if length < 1e-9:
                    return x        # rounding is all that is left
            x = x + length * step
        raise SingularityError('the estimate of the parameters does not converge; is the recording in the units of the description?')

    def _value(self, A, b, x, factor):
        if np.any(x[self.positive] <= 0):
            return np.inf
        value = 0.5 * x @ A @ x - b @ x
        for entries, believed in zip(self.bodies, self.descriptions, strict=True):
            J = pseudo_inertia(x[entries])
            try:
                L = np.linalg.cholesky(J)
            except np.linalg.LinAlgError:
                return np.inf
            value += factor * self.weight * (
                np.trace(np.linalg.solve(pseudo_inertia(believed), J)) - 2 * np.log(np.diag(L)).sum())
        parts = x[self.positive]
        return value + factor * self.positive_weight * np.sum(parts / self.scales - np.log(parts))

    def slope(self, x):
        """(len(x),) of the distances."""
        out = np.zeros(len(x))
        for entries, believed in zip(self.bodies, self.descriptions, strict=True):
            difference = np.linalg.inv(pseudo_inertia(believed)) - np.linalg.inv(pseudo_inertia(x[entries]))
            out[entries] += self.weight * np.einsum('ij,kji->k', difference, BASIS)
        out[self.positive] += self.positive_weight * (1 / self.scales - 1 / x[self.positive])
        return out

    def curvature(self, x):
        """(len(x), len(x)) of the distances: what is believed of x, as an inverse covariance."""
        out = np.zeros((len(x), len(x)))
        for entries in self.bodies:
            W = np.linalg.solve(pseudo_inertia(x[entries]), BASIS)
            out[np.ix_(entries, entries)] += self.weight * np.einsum('aij,bji->ab', W, W)
        out[self.positive, self.positive] += self.positive_weight / x[self.positive]**2
        return out
