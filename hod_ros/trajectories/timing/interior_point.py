# SPDX-License-Identifier: Apache-2.0
"""The fastest speed profile within limits at points: an interior-point method whose every iterate keeps all limits.

Minimise the duration, sum w b^(-1/2), over the spline's coefficients, subject to slack(z) > 0. A primal-dual Newton method on the barrier
problem duration - mu sum log(slack), mu falling step by step; starting inside, it stays inside. The limits' tangents stand for them
in every step (the method of successive tangent programs), and what curvature the b^(-1/2) in jerk and torque rates takes from the
objective is kept as long as the sum stays convex. A point touches six coefficients, so Newton's matrix has eleven diagonals.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.optional import optional
from hod_ros.trajectories.timing.path_limits import PointLimits
from hod_ros.trajectories.timing.speed_basis import Basis

linalg = optional('scipy.linalg', 'trajectories')
Array = NDArray[np.float64]
_MOST_STEPS = 400
_FALL = 0.2                 # of mu, once its problem is solved well enough
_CENTRED = 0.1             # of mu's share of the duration: what Newton's step may still promise when mu falls
_SHRINK = 0.6               # of a step that leaves the limits or gains nothing
_LEAST_STEP = 1e-9


@dataclass(frozen=True)
class Solution:
    """Where the method ended: feasible at its points in any case."""

    x: Array
    steps: int
    gap: float                  # what the duration could still lose, as a part of it, by the tangent programs' duality


def fastest(basis: Basis, limits: PointLimits, weights: Array, x: Array, gap: float, start_gap: float = 1.0) -> Solution:
    """The fastest profile from x on, which keeps all limits; weights: of the points in the integral over u."""
    z = basis.z(x)
    slack = limits.slack(z)
    duration = weights @ z[:, 0] ** -0.5
    mu = start_gap * duration / slack.size
    dual = mu / slack
    steps = 0
    while steps < _MOST_STEPS:
        steps += 1
        slopes = limits.slopes(z)
        b = z[:, 0]
        pull = np.zeros_like(z)
        pull[:, 0] = -0.5 * weights * b ** -1.5
        H = np.swapaxes(slopes, 1, 2) @ (slopes * (dual / slack)[..., None])
        H[:, 0, 0] += 0.75 * b ** -2.5 * np.maximum(weights - dual[:, limits.convex].sum(axis=1), 0.0)
        residual = basis.gradient(pull - mu * np.einsum('pck,pc->pk', slopes, 1 / slack))
        direction = _newton(basis.banded(H), residual)
        if direction is None:
            break
        dz = basis.z(direction)
        fall = residual @ direction
        step, z_new, slack_new, duration = _step(limits, weights, mu, z, dz, slack, fall)
        if not step:
            if mu * slack.size / (weights @ b ** -0.5) < gap:
                break
            mu *= _FALL
            dual = mu / slack
            continue
        change = mu / slack - dual / slack * np.einsum('pck,pk->pc', slopes, dz) - dual
        dual = dual + _dual_step(dual, change) * change
        x, z, slack = x + step * direction, z_new, slack_new
        dual = np.clip(dual, 1e-3 * mu / slack, 1e3 * mu / slack)
        if -fall < _CENTRED * mu * slack.size:
            if mu * slack.size / duration < gap:
                break
            mu *= _FALL
    return Solution(x, steps, float(mu * slack.size / (weights @ z[:, 0] ** -0.5)))


def _newton(upper, residual):
    """The step, or None where Newton's matrix is singular in floating point."""
    scale = 1 / np.sqrt(upper[-1])
    size = len(scale)
    scaled = upper * scale
    for k in range(1, len(upper)):
        scaled[-1 - k, k:] *= scale[:size - k]
    scaled[-1] *= scale
    scaled[-1] += 1e-14
    try:
        direction = -scale * linalg.solveh_banded(scaled, scale * residual)
    except (np.linalg.LinAlgError, ValueError):
        return None
    return direction if np.isfinite(direction).all() else None


def _step(limits, weights, mu, z, dz, slack, fall):
    """How far to go, and z, slack and duration there: within all limits, and less of the barrier function; 0 where that fails."""
    before = weights @ z[:, 0] ** -0.5 - mu * np.log(slack).sum()
    step = min(1.0, 0.99 / max(float((-dz[:, 0] / z[:, 0]).max()), 0.99))
    while step > _LEAST_STEP:
        z_new = z + step * dz
        slack_new = limits.slack(z_new)
        if (slack_new > 0.01 * slack).all():
            duration = weights @ z_new[:, 0] ** -0.5
            if duration - mu * np.log(slack_new).sum() <= before + 1e-4 * step * fall + 1e-12 * abs(before):
                return step, z_new, slack_new, duration
        step *= _SHRINK
    return 0.0, z, slack, weights @ z[:, 0] ** -0.5


def _dual_step(dual, change):
    falling = change < 0
    return min(1.0, 0.99 * float((-dual[falling] / change[falling]).min())) if falling.any() else 1.0
