# SPDX-License-Identifier: Apache-2.0
"""What the motors of a robot must keep to, from its drives, its description and from parameters. Parameters come first."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.errors import InputError
from hod_ros.ros.guards.bounds import FULL_RANGES_A_SECOND
from hod_ros.ros.guards.bounds import Named
from hod_ros.ros.guards.bounds import motion_bounds

Array = NDArray[np.float64]

OVERLOAD = 1.5          # times the deflection at the effort limit, beyond which a spring, or its encoder, is broken
SKEW = 0.01             # [rad] or [m] by which joints and motors may move between their two measurements


@dataclass(frozen=True)
class MotorBounds:
    """Of motors, on their own side (motors,), finite; of joints (n,), inf where there is none."""

    effort: Array               # [N m] or [N]
    effort_rate: Array          # [N m/s] or [N/s]
    lower: Array                # [rad] or [m]
    upper: Array
    velocity: Array             # [rad/s] or [m/s]
    deflection: Array           # [rad] or [m]
    motor_velocity: Array       # [rad/s] of motors, inf where there is none


def motor_bounds(
        prepared: PreparedDrives, *, effort: Named, effort_rate: Named, velocity: Named, lower: Named, upper: Named,
        deflection: Named, motor_velocity: Named) -> MotorBounds:
    """InputError where a motor has no torque limit. A joint's effort limit bounds its motors where they have no torque_limit, its
    velocity limit bounds its motor; not those of a pair, which move to change the stiffness too."""
    model, joints = prepared.model, prepared.motor_joints
    names = model.joint_names
    described = np.where(np.asarray(model.effort_limits) > 0, model.effort_limits, np.inf)
    of_joints = np.array([effort.get(name, value) for name, value in zip(names, described, strict=True)], float)
    efforts = np.minimum(prepared.torque_limit, of_joints[joints] / np.abs(prepared.gear_ratio))
    given = np.array([effort_rate.get(name, np.nan) for name in names])[joints] / np.abs(prepared.gear_ratio)
    rates = np.where(np.isnan(given), FULL_RANGES_A_SECOND * efforts, given)
    for m, motor in enumerate(prepared.motor_names):
        joint = names[joints[m]]
        if not np.isfinite(efforts[m]):
            raise InputError(
                f'motor {motor!r} has no torque limit, and what goes out must be bounded; give elastic.{joint}.torque_limit, '
                f'limits.{joint}.effort, or <limit effort="..."/> in the robot description [N m]')
        if not 0 < efforts[m] or not 0 < rates[m] < np.inf:
            raise InputError(
                f'torques of motor {motor!r} have the limit {efforts[m]:g} and change by {rates[m]:g} a second at most; give '
                f'limits.{joint}.effort and limits.{joint}.effort_rate above 0 and finite')
    deflections = np.full(model.n, np.inf)
    for j, name in enumerate(names):
        stiffness = prepared.softest_stiffness(j)
        if stiffness is not None and not prepared.drives[j].variable and np.isfinite(of_joints[j]):
            deflections[j] = OVERLOAD * of_joints[j] / stiffness + SKEW
        deflections[j] = deflection.get(name, deflections[j])
    lowest, highest, velocities = motion_bounds(model, velocity=velocity, lower=lower, upper=upper)
    of_motors = np.abs(prepared.gear_ratio) * np.where(np.bincount(joints, minlength=model.n) > 1, np.inf, velocities)[joints]
    of_motors = np.array([motor_velocity.get(names[j], value) for j, value in zip(joints, of_motors, strict=True)])
    for j, value in zip(joints, of_motors, strict=True):
        if not value > 0:
            raise InputError(f'limits.{names[j]}.motor_velocity is {value:g}, so that its motors may never move; give one above 0 [rad/s]')
    return MotorBounds(efforts, rates, lowest, highest, velocities, deflections, of_motors)
