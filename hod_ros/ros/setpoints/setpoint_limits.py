# SPDX-License-Identifier: Apache-2.0
"""Limits of efforts, their rates and accelerations, of positions and velocities: exceeded ones are flagged, efforts clipped on demand."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_interfaces.msg import TorqueFeedforward
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.guards.bounds import motion_bounds
from hod_ros.ros.guards.motion_limits import MotionLimits
from hod_ros.ros.parameters.declared import ChangedParameters
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import WARN
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.setpoints.answer import Limited
from hod_ros.trajectories.limits import Limits

KINDS = ('effort', 'effort rate', 'effort acceleration')
FAMILIES = ('limits.<joint>.effort', 'limits.<joint>.effort_rate', 'limits.<joint>.effort_acceleration')
JERK = 'limits.<joint>.jerk'
LEAST = 1e-9
_FLAGS = np.array(
    [[TorqueFeedforward.EFFORT_LIMIT], [TorqueFeedforward.EFFORT_RATE_LIMIT], [TorqueFeedforward.EFFORT_ACCELERATION_LIMIT]], np.uint8)


@dataclass
class Excess:
    """How often, and how far, one joint went beyond one of its limits."""

    count: int
    worst: float
    limit: float


def named_limits(parameters: Parameters | ChangedParameters) -> dict[str, dict[str, float]]:
    """{'velocity': {joint: limit}, 'lower': ..., 'upper': ...} of parameters."""
    return {name: parameters.members(f'limits.<joint>.{name}') for name in ('velocity', 'lower', 'upper')}


def of_parameters(family: str, model: RobotModel, parameters: Parameters | ChangedParameters) -> NDArray[np.float64]:
    """(n,) limits that parameters alone give, inf where they don't."""
    given = parameters.members(family)
    return np.array([given.get(joint, np.inf) for joint in model.joint_names])


def effort_limits(model: RobotModel, parameters: Parameters | ChangedParameters) -> NDArray[np.float64]:
    """(n,) of the parameters, else of the description, inf where neither has one."""
    effort = np.where(np.asarray(model.effort_limits) > 0, model.effort_limits, np.inf)
    for joint, value in parameters.members(FAMILIES[0]).items():
        effort[model.joint_names.index(joint)] = value
    return effort


def motion_limits(model: RobotModel, parameters: Parameters | ChangedParameters) -> Limits:
    """What a motion of this robot must keep: of the parameters, then, but for effort rates and jerks, of its description."""
    _, _, velocity = motion_bounds(model, **named_limits(parameters))
    return limits_of(
        velocity=velocity, effort=effort_limits(model, parameters), effort_rate=of_parameters(FAMILIES[1], model, parameters),
        jerk=of_parameters(JERK, model, parameters))


def limits_of(**given: NDArray[np.float64]) -> Limits:
    """Those of which a joint has one; 0 lets nothing pass."""
    return Limits(**{name: np.maximum(values, LEAST) for name, values in given.items() if np.isfinite(values).any()})


class SetpointLimits:
    """Those of the parameters limits.*, for one robot at a time."""

    def __init__(self, parameters: Parameters | ChangedParameters) -> None:
        self._parameters = parameters
        self._bounds: NDArray[np.float64] | None = None     # (3, n) of efforts, in the model's order, inf where there is none
        self._motion: MotionLimits | None = None
        self._joint_names: tuple[str, ...] = ()
        self._clip = False
        self.clipped = 0
        self.exceeded: Counter[tuple[str, str]] = Counter()     # (joint, kind) since the start
        self._excesses: dict[tuple[str, str], Excess] = {}      # since the last status

    def use(self, model: RobotModel) -> None:
        """Takes the limits of this robot, as the parameters are now; InputError where there can be none such."""
        parameters = self._parameters
        of_description = parameters['limits.use_description'] or parameters['publish_commands']
        motion = MotionLimits(
            model.joint_names, *motion_bounds(model, **named_limits(parameters), of_description=of_description))
        self._motion = motion if motion.exist else None
        bounds = np.full((3, model.n), np.inf)
        if of_description:
            bounds[0] = np.where(model.effort_limits > 0, model.effort_limits, np.inf)      # 0 is a common placeholder
        for row, family in zip(bounds, FAMILIES, strict=True):
            for joint, value in parameters.members(family).items():
                row[model.joint_names.index(joint)] = value
        self._bounds = None if np.isinf(bounds).all() else bounds
        self._joint_names = model.joint_names
        self._clip = parameters['limits.clip']
        self._within = np.zeros(model.n, np.uint8)

    @property
    def efforts(self) -> NDArray[np.float64]:
        """(n,) the limits of efforts, inf where there is none."""
        return np.full(len(self._joint_names), np.inf) if self._bounds is None else self._bounds[0]

    def apply(self, q: NDArray[np.float64], Q: NDArray[np.float64]) -> Limited:
        """The limited Q (rows, n) of a motion q, in the model's order."""
        limited = self._efforts_limited(Q)
        if self._motion is None:
            return limited
        flags = self._motion.flags(q)
        if flags is None:
            return limited if limited.flags is not None else limited._replace(flags=self._within)
        for joint, kind, value, limit in self._motion.excesses(q):
            self._note((joint, kind), value, limit)
        return limited._replace(flags=flags if limited.flags is None else limited.flags + flags, beyond=True)

    def _efforts_limited(self, Q):
        if self._bounds is None:
            return Limited(Q)
        rows = Q[:3]
        exceeded = np.abs(rows) > self._bounds[:len(rows)]
        if not exceeded.any():
            return Limited(Q, self._within)
        for kind, joint in np.argwhere(exceeded):
            self._note((self._joint_names[joint], KINDS[kind]), float(rows[kind, joint]), float(self._bounds[kind, joint]))
        flags = (exceeded * _FLAGS[:len(rows)]).sum(axis=0, dtype=np.uint8)
        if self._clip and exceeded[0].any():
            self.clipped += 1
            return Limited(np.clip(Q[:1], -self._bounds[0], self._bounds[0]), flags, True)
        return Limited(Q, flags)

    def _note(self, key, value, limit):
        self.exceeded[key] += 1
        excess = self._excesses.setdefault(key, Excess(0, 0.0, limit))
        excess.count += 1
        if abs(value) > abs(excess.worst):
            excess.worst, excess.limit = value, limit

    def status(self) -> Status:
        if self._bounds is None and self._motion is None:
            return Status('limits', OK, 'none configured', {})
        excesses, self._excesses = self._excesses, {}
        values = {'clipped': self.clipped}
        values |= {f'{joint}: {kind}, times exceeded': count for (joint, kind), count in sorted(self.exceeded.items())}
        for (joint, kind), excess in sorted(excesses.items()):
            values[f'{joint}: {kind}'] = f'{excess.worst:.6g}, limit {excess.limit:.6g}, {excess.count} times in the last second'
        if not excesses:
            return Status('limits', OK, 'kept', values)
        joint, kind = worst = max(excesses, key=lambda key: abs(excesses[key].worst) / max(excesses[key].limit, 1e-300))
        more = f', and {len(excesses) - 1} more' if len(excesses) > 1 else ''
        return Status(
            'limits', WARN, f'{joint}: {kind} {excesses[worst].worst:.4g} exceeds {excesses[worst].limit:.4g}{more}', values)
