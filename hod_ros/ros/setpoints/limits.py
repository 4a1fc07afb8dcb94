"""Limits of efforts, effort rates and effort accelerations: exceeded ones are flagged, efforts clipped where that is asked for."""

import numpy as np

from hod_interfaces.msg import TorqueFeedforward
from hod_ros.ros.parameters.specifications import EFFORT_LIMITS

KINDS = ('effort', 'effort rate', 'effort acceleration')
_FLAGS = np.array(
    [[TorqueFeedforward.EFFORT_LIMIT], [TorqueFeedforward.EFFORT_RATE_LIMIT], [TorqueFeedforward.EFFORT_ACCELERATION_LIMIT]], np.uint8)


class Limits:
    """bounds (3, n): of effort, rate and acceleration, in the model's order, inf where there is none."""

    def __init__(self, joint_names, bounds, clip, on_exceeded):
        self._joint_names = joint_names
        self._bounds = bounds
        self._clip = clip
        self._on_exceeded = on_exceeded             # called with joint, kind, value, limit
        self._within = np.zeros(len(joint_names), np.uint8)

    def apply(self, Q):
        """(Q, flags (n,), whether Q was clipped); a clipped Q has one row."""
        rows = Q[:3]
        exceeded = np.abs(rows) > self._bounds[:len(rows)]
        if not exceeded.any():
            return Q, self._within, False
        for kind, joint in np.argwhere(exceeded):
            self._on_exceeded(self._joint_names[joint], KINDS[kind], float(rows[kind, joint]), float(self._bounds[kind, joint]))
        flags = (exceeded * _FLAGS[:len(rows)]).sum(axis=0, dtype=np.uint8)
        if self._clip and exceeded[0].any():
            return np.clip(Q[:1], -self._bounds[0], self._bounds[0]), flags, True
        return Q, flags, False


def limits_of(model, parameters, on_exceeded):
    """The Limits that the parameters ask for; None where they name none."""
    bounds = np.full((3, model.n), np.inf)
    if parameters['limits.use_description']:
        bounds[0] = np.where(model.effort_limits > 0, model.effort_limits, np.inf)      # 0 is a common placeholder
    for row, family in zip(bounds, EFFORT_LIMITS, strict=True):
        for joint, value in parameters.of_joints(family).items():
            row[model.joint_names.index(joint)] = value
    if np.isinf(bounds).all():
        return None
    return Limits(model.joint_names, bounds, parameters['limits.clip'], on_exceeded)
