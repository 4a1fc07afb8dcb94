# SPDX-License-Identifier: Apache-2.0
"""What commands and motions of one robot must keep to, from its description and from parameters. Parameters come first."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.checks.arguments import some
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel

FULL_RANGES_A_SECOND = 10.0     # [1/s] effort rate of a joint without one of its own, in effort limits: Franka's and like arms' own


@dataclass(frozen=True)
class Bounds:
    """One entry a joint, in the model's order; inf where there is none, but for effort and its rate, which all joints have."""

    joint_names: tuple[str, ...]
    effort: NDArray[np.float64]             # [N m] or [N]
    effort_rate: NDArray[np.float64]        # [N m/s] or [N/s]
    lower: NDArray[np.float64]              # [rad] or [m]
    upper: NDArray[np.float64]
    velocity: NDArray[np.float64]           # [rad/s] or [m/s]


Named = Mapping[str, float]


def command_bounds(
        model: RobotModel, *, effort: Named, effort_rate: Named, velocity: Named, lower: Named, upper: Named) -> Bounds:
    """The bounds of a model whose joints may have limits of their own, by name; InputError where a joint has no effort limit.

    0 in a description is a common placeholder: for an effort or a velocity it counts as none. So do positions whose lower limit is
    not below the upper one.
    """
    efforts = _chosen(model, _positive(model.effort_limits), effort)
    without = [name for name, limit in zip(model.joint_names, efforts, strict=True) if not np.isfinite(limit)]
    if without:
        raise InputError(
            f'publish_commands needs an effort limit for every joint, and {some(without)} of robot {model.name!r} has none; write '
            f'<limit effort="..."/> in the robot description, or the parameter limits.{without[0]}.effort [N m]')
    rates = _chosen(model, FULL_RANGES_A_SECOND * efforts, effort_rate)
    for name, bound, rate in zip(model.joint_names, efforts, rates, strict=True):
        if not 0 < bound or not 0 < rate < np.inf:
            raise InputError(
                f'commands of joint {name!r} have the effort limit {bound:g} and change by {rate:g} a second at most; with '
                f'publish_commands give limits.{name}.effort and limits.{name}.effort_rate above 0 and finite')
    return Bounds(tuple(model.joint_names), efforts, rates, *motion_bounds(model, velocity=velocity, lower=lower, upper=upper))


def motion_bounds(
        model: RobotModel, *, velocity: Named, lower: Named, upper: Named,
        of_description: bool = True) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(lower, upper, velocity), (n,) each; inf where there is none."""
    ranges, velocities = np.full((model.n, 2), [-np.inf, np.inf]), np.full(model.n, np.inf)
    if of_description:
        given = np.asarray(model.position_limits, float)
        sensible = given[:, 0] < given[:, 1]
        ranges[sensible] = given[sensible]
        velocities = _positive(model.velocity_limits)
    bounds = _chosen(model, ranges[:, 0], lower), _chosen(model, ranges[:, 1], upper), _chosen(model, velocities, velocity)
    for name, low, high in zip(model.joint_names, *bounds[:2], strict=True):
        if low >= high:
            raise InputError(
                f'joint {name!r} may be from {low:g} to {high:g}, which is nowhere; give limits.{name}.lower below limits.{name}.upper')
    return bounds


def _positive(limits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.asarray(limits) > 0, limits, np.inf).astype(float)


def _chosen(model: RobotModel, default: NDArray[np.float64], given: Named) -> NDArray[np.float64]:
    return np.array([given.get(name, value) for name, value in zip(model.joint_names, default, strict=True)], dtype=float)
