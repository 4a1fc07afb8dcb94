# SPDX-License-Identifier: Apache-2.0
"""Whether a trajectory stays within the position limits of a robot's description, between its points too."""

from __future__ import annotations

import numpy as np

from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import polynomials
from hod_ros.trajectories.trajectory import Trajectory

_WITHIN = 1e-6                      # [rad] or [m]: what numbers in text files leave out
_PLACES = np.linspace(0, 1, 65)     # of a piece that may leave the limits
_CHUNK = 256                        # pieces at a time


def beyond_position_limits(model: RobotModel, trajectory: Trajectory) -> str:
    """A sentence about the joint that leaves its limits farthest, '' where none does; the trajectory's joints are the model's."""
    lower, upper = np.asarray(model.position_limits, float).T
    contradictory = lower > upper
    lower, upper = np.where(contradictory, -np.inf, lower), np.where(contradictory, np.inf, upper)
    hulls = polynomials.control_points(trajectory.coefficients)
    suspects = np.flatnonzero(((hulls > upper + _WITHIN) | (hulls < lower - _WITHIN)).any(axis=(1, 2)))
    farthest, joint, time = _WITHIN, -1, 0.0
    for first in range(0, len(suspects), _CHUNK):
        pieces = np.repeat(suspects[first:first + _CHUNK], len(_PLACES))
        u = np.tile(_PLACES, len(pieces) // len(_PLACES))
        q = trajectory.evaluate_pieces(pieces, u, 0)[:, 0]
        excess = np.maximum(q - upper, lower - q)
        at, worst = np.unravel_index(np.argmax(excess), excess.shape)
        if excess[at, worst] > farthest:
            begin, end = trajectory.breaks[pieces[at]:pieces[at] + 2]
            farthest, joint, time = excess[at, worst], int(worst), begin + u[at] * (end - begin)
    if joint < 0:
        return ''
    return (f'joint {model.joint_names[joint]!r} leaves its position limits from {lower[joint]:.6g} to {upper[joint]:.6g} by '
            f'{farthest:.4g} at {time:.6g} s')
