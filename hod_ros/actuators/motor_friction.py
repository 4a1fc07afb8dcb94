# SPDX-License-Identifier: Apache-2.0
"""Friction on the motor's side, and its time derivatives of any order: viscous, Coulomb by a smooth law, Stribeck.

    F(v) = motor_friction v + s(v) tanh(v / w),    s(v) = motor_coulomb + (motor_breakaway - motor_coulomb) exp(-(v / v_s)^2)

v is the motor's velocity [rad/s], w motor_friction_width, v_s motor_stribeck_velocity. At v = w dry friction has 76 % of its value.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from hod_ros.actuators.figure_checks import each_of
from hod_ros.algebra import taylor
from hod_ros.checks.types import Array
from hod_ros.checks.types import Indices
from hod_ros.errors import InputError

if TYPE_CHECKING:
    from hod_ros.actuators.drives import Drive


def check_friction(drive):
    """Refuses figures of dry friction that make no law."""
    what = type(drive).__name__
    figures = (drive.motor_coulomb, drive.motor_breakaway, drive.motor_stribeck_velocity, drive.motor_friction_width)
    for coulomb, breakaway, slow, width in zip(*map(each_of, figures), strict=True):
        if breakaway is not None and breakaway < coulomb:
            raise InputError(f'{what}: motor_breakaway is {breakaway:g}, below motor_coulomb, {coulomb:g}; a slow motor is held by more')
        if breakaway is not None and breakaway > coulomb and slow is None:
            raise InputError(f'{what}: motor_stribeck_velocity is missing; give the velocity at which motor_breakaway fades [rad/s]')
        if (coulomb or breakaway) and width is None:
            raise InputError(
                f'{what}: motor_friction_width is missing; dry friction follows tanh(velocity / width), so give the width above 0 [rad/s]')


class DryFriction:
    """The dry friction of all motors that have some."""

    def __init__(self, drives: Iterable['Drive']) -> None:
        def figures(name, missing):
            values = [value for drive in drives for value in each_of(getattr(drive, name))]
            return np.array([missing if value is None else value for value in values], dtype=float)
        coulomb, breakaway = figures('motor_coulomb', 0.0), figures('motor_breakaway', 0.0)
        self.motors: Indices = np.flatnonzero((coulomb > 0) | (breakaway > 0))
        self.coulomb: Array = coulomb[self.motors]
        self.excess: Array = np.maximum(breakaway[self.motors] - self.coulomb, 0.0)
        self.slow: Array = figures('motor_stribeck_velocity', 1.0)[self.motors]
        self.width: Array = figures('motor_friction_width', 1.0)[self.motors]

    def __bool__(self) -> bool:
        return self.motors.size > 0

    def torques(self, rates: Array) -> Array:
        """(.., rows, motors of self.motors) for theta' and its derivatives (.., rows, motors) of all motors."""
        v = taylor.from_derivatives(np.moveaxis(rates[..., self.motors], -2, 0))
        strength = [self.coulomb + 0.0 * v[0], *(0.0 * term for term in v[1:])]
        if self.excess.any():
            square = [-term for term in taylor.product(*[[term / self.slow for term in v]] * 2)]
            strength = [a + self.excess * b for a, b in zip(strength, taylor.exponential(square), strict=True)]
        dry = taylor.product(strength, taylor.tanh([term / self.width for term in v]))
        return np.stack(taylor.to_derivatives(dry), axis=-2)


def bounded_joint_friction(prepared, friction):
    """Joint friction as Q takes it where motors differentiate it twice: its k-th derivative times s^k, s <= 1.

    friction: (.., rows, n), friction_forces' rows. A narrow width makes the joint's dry friction steep, and behind a spring of stiffness K
    the motor would answer by the torque B gear_ratio^2 F'' / K. s is such that this stays below the friction itself, |F| and Coulomb's, as
    if its width were wider while the joint turns round; F is as it was.
    """
    model, rows = prepared.model, friction.shape[-2]
    if rows < 3:
        return friction
    out = friction.copy()
    for j in range(model.n):
        stiffness = prepared.softest_stiffness(j)
        if stiffness is None:
            continue
        motors = prepared.motors_of(j)
        lever = (prepared.motor_inertia[motors] * prepared.gear_ratio[motors]**2).sum() / stiffness
        level = model.friction[j] + np.abs(friction[..., 0, j])
        torque = lever * np.abs(friction[..., 2, j])
        scale = np.sqrt(np.minimum(1.0, level / np.maximum(torque, 1e-300)))
        for k in range(1, rows):
            out[..., k, j] *= scale**k
    return out
