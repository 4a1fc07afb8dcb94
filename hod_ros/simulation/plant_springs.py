# SPDX-License-Identifier: Apache-2.0
"""The springs of a plant: their torque on the joint, their stiffness, and, of those that are no tendons, their forces on MuJoCo's
degrees of freedom. Motors' coordinates are on their own side of the gear, `ratio` times those of the joint. A spring that only pulls is
slack, without force, below zero stretch.
"""

import math
from dataclasses import dataclass

import numpy as np

from hod_ros.actuators.drives import Antagonistic
from hod_ros.actuators.drives import HardeningSpring
from hod_ros.errors import InputError


def plant_springs(prepared, physics, links, motors):
    """The springs of the elastic joints, in the model's order."""
    springs = []
    for j, (joint, drive) in enumerate(zip(prepared.model.joint_names, prepared.drives, strict=True)):
        if not drive.elastic:
            continue
        link, ends = int(links[j]), [Motor(int(motors[m]), float(prepared.gear_ratio[m])) for m in prepared.motors_of(j)]
        if isinstance(drive, Antagonistic):
            springs.append(PairOfSprings(drive.spring, link, *ends))
        elif isinstance(drive, HardeningSpring):
            springs.append(NonlinearSpring(drive, link, *ends))
        else:
            springs.append(LinearSpring(physics, physics.tendon(f'spring {joint}').id, link, *ends, adjustable=drive.variable))
    return springs


@dataclass(frozen=True)
class Motor:
    """The motor's end of a spring: its degree of freedom and its gear."""

    index: int
    ratio: float

    def on_joint_side(self, values):
        return values[self.index] / self.ratio


class PlantSpring:
    """What the springs have in common."""

    passive = True          # whether the plant must apply its force itself
    adjustable = False

    def slack(self, qpos):
        """Whether a spring that only pulls does not."""
        return False


class LinearSpring(PlantSpring):
    """A tendon of MuJoCo."""

    passive = False

    def __init__(self, physics, tendon, link, motor, adjustable):
        self.physics, self.tendon, self.link, self.motor, self.adjustable = physics, tendon, link, motor, adjustable

    def stiffness(self, qpos):
        return float(self.physics.tendon_stiffness[self.tendon])

    def force(self, qpos):
        return self.stiffness(qpos) * (self.motor.on_joint_side(qpos) - qpos[self.link])


class NonlinearSpring(PlantSpring):
    def __init__(self, drive, link, motor):
        self.law, self.damping, self.link, self.motor = drive.spring, drive.damping, link, motor

    def stiffness(self, qpos):
        return _or_infinite(self.law.stiffness_at, self.motor.on_joint_side(qpos) - qpos[self.link])

    def force(self, qpos):
        return _or_infinite(self.law.force_at, self.motor.on_joint_side(qpos) - qpos[self.link])

    def apply(self, qpos, qvel, forces):
        """Adds the spring's and the damper's forces to those on the degrees of freedom."""
        f = self.force(qpos) + self.damping * (self.motor.on_joint_side(qvel) - qvel[self.link])
        forces[self.link] += f
        forces[self.motor.index] -= f / self.motor.ratio


class DryFrictionOfMotors:
    """The motors' dry friction; viscous friction is MuJoCo's own."""

    def __init__(self, friction, motors, to_own_side):
        self.friction = friction
        self.indices = [int(index) for index in motors[friction.motors]]
        self.to_own_side = to_own_side[friction.motors]

    def apply(self, qpos, qvel, forces):
        rates = np.zeros((1, self.friction.motors.max() + 1))
        rates[0, self.friction.motors] = np.array([qvel[index] for index in self.indices]) * self.to_own_side
        for index, torque in zip(self.indices, self.friction.torques(rates)[0] * self.to_own_side, strict=True):
            forces[index] -= torque


class PairOfSprings(PlantSpring):
    def __init__(self, springs, link, ahead, behind):
        self.springs, self.link, self.ahead, self.behind = springs, link, ahead, behind

    def stretches(self, qpos):
        return self.ahead.on_joint_side(qpos) - qpos[self.link], qpos[self.link] - self.behind.on_joint_side(qpos)

    def slack(self, qpos):
        return self.springs[0].pulls_only and min(self.stretches(qpos)) < 0

    def stiffness(self, qpos):
        return sum(self._each('stiffness_at', qpos))

    def forces(self, qpos):
        """What each of the two pulls with."""
        return self._each('force_at', qpos)

    def force(self, qpos):
        f1, f2 = self.forces(qpos)
        return f1 - f2

    def apply(self, qpos, qvel, forces):
        f1, f2 = self.forces(qpos)
        forces[self.link] += f1 - f2
        forces[self.ahead.index] -= f1 / self.ahead.ratio
        forces[self.behind.index] += f2 / self.behind.ratio

    def _each(self, quantity, qpos):
        """A quantity of both springs."""
        return [0.0 if law.pulls_only and stretch < 0 else _or_infinite(getattr(law, quantity), stretch)
                for law, stretch in zip(self.springs, self.stretches(qpos), strict=True)]


def _or_infinite(function, deflection):
    """A quantity of a spring; infinite where it is too large for a float, which the plant reports."""
    try:
        return function(deflection)
    except InputError:
        return math.inf
