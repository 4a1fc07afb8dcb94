# SPDX-License-Identifier: Apache-2.0
"""What acts on the motors beside the model: the momentum observer of elastic joints, for friction and other disturbances.

By (3) with friction F, a motor's momentum p = B theta' changes by

    p' = tau - F(theta') - Q / gear_ratio + d,

d being what is not in the model. The mean of d over a period follows from p at its ends, the torque held over it and the spring's torque
at its ends; the estimate follows that mean as a filter of first order, d_hat' = bandwidth (d - d_hat). Where velocities are not measured,
p is taken between three positions, and torques over the same two periods. Rotors' coupling is a part of d.

A controller that commands tau - d_hat closes a loop only by what the observer does not know: with torques that act m periods later than it
is told, d_hat is an integrator with m delays of the gain g = 1 - exp(-bandwidth step), which is stable for g < 2 sin(pi / (4 m + 2)):
always for m = 0, up to 1 for m = 1, up to 0.618 for m = 2. `largest_bandwidth` says it; half of that gain is a good bound.
"""

import math
from collections import deque

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.actuators.drives import Antagonistic
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.checks import arrays
from hod_ros.checks.arguments import count
from hod_ros.checks.arguments import number_above_0
from hod_ros.checks.arguments import shown
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel

MOST_DELAY = 1000       # periods


def largest_bandwidth(step: float, unknown_delay: int) -> float:
    """[rad/s] below which tau - d_hat is stable where torques act unknown_delay periods later than the observer is told; at most pi / step,
    of which a sampled signal knows.

    Raises InputError where step is not above 0 or unknown_delay is no number of periods.

        >>> round(largest_bandwidth(1e-3, 2))
        962
    """
    step = number_above_0(step, 'step', '[s]')
    gain = 2 * math.sin(math.pi / (4 * _periods(unknown_delay, 'unknown_delay') + 2))
    return math.pi / step if gain >= 1 - 1e-12 else min(math.pi, -math.log(1 - gain)) / step


class DisturbanceObserver:
    """One call a period `step` [s] gives the disturbances of all motors; `bandwidth` [rad/s], `delay` the periods that torques take.

    drives: {joint: drive} or PreparedDrives; rigid drives have no spring to measure by, and their disturbance stays 0.

    Raises InputError where an argument has the wrong shape, name or value, or all drives are rigid.

        >>> drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> observer = DisturbanceObserver(model, drives, step=1e-3, bandwidth=100.0, delay=1)
        >>> d = observer(np.zeros(7), q[0], positions=q[0])          # torques = feedforward + gains * errors - d
        >>> d.shape
        (7,)
    """

    def __init__(
            self, model: RobotModel, drives: Drives, *, step: float, bandwidth: float, delay: int = 0) -> None:
        self.prepared: PreparedDrives = prepared(model, drives)
        self.step: float = number_above_0(step, 'step', '[s]')
        self.bandwidth: float = number_above_0(bandwidth, 'bandwidth', '[rad/s]')
        self.delay: int = _periods(delay, 'delay')
        if not self.prepared.elastic_joints:
            raise InputError('all drives are rigid, and the observer needs the torque of a spring; give the elastic joints their drives')
        for joint, drive in zip(self.prepared.model.joint_names, self.prepared.drives, strict=True):
            if drive.variable and not isinstance(drive, Antagonistic) and drive.stiffness is None:
                raise InputError(f'stiffness of joint {joint!r} is missing; configure it in its drive [N m/rad]')
        self._elastic = np.array([self.prepared.drives[j].elastic for j in self.prepared.motor_joints], dtype=bool)
        self.reset()

    def reset(self) -> None:
        """Forgets the past: the next estimate is 0."""
        self.disturbances: Array = np.zeros(len(self.prepared.motor_names))
        self._deflections = None
        self._commands: deque = deque(maxlen=self.delay + 3)
        self._states: deque = deque(maxlen=3)           # (theta, theta' or None, what opposes the motors)

    def __call__(
            self, torques: ArrayLike, motor_positions: ArrayLike, *, motor_velocities: ArrayLike | None = None,
            positions: ArrayLike | None = None, spring_torques: ArrayLike | None = None) -> Array:
        """d_hat (motors,) [N m] after a period over which `torques` (motors,) were commanded, in the state at its end.

        motor_positions, motor_velocities: (motors,), on the motors' side; without velocities they are taken from positions.
        positions: (n,) of the joints, from which the springs' and dampers' torques follow; or spring_torques (elastic joints,) [N m] as
        measured, for joints with one motor. The first calls, whose past is not known, return 0.
        """
        p = self.prepared
        theta = arrays.vector(motor_positions, p.motor_names, 'motor_positions')
        rate = None if motor_velocities is None else arrays.vector(motor_velocities, p.motor_names, 'motor_velocities')
        torques = arrays.vector(torques, p.motor_names, 'torques')
        positions = None if positions is None else arrays.vector(positions, p.model.joint_names, 'positions')
        with np.errstate(over='ignore', invalid='ignore'):
            pulls = self._pulls(theta, positions, spring_torques)
        self._commands.append(torques)
        self._states.append((theta, rate, pulls / p.gear_ratio))
        with np.errstate(over='ignore', invalid='ignore'):
            raw = self._raw()
        if raw is not None:
            fade = math.exp(-self.bandwidth * self.step)
            after = np.where(self._elastic, fade * self.disturbances + (1 - fade) * raw, 0.0)
            if not np.isfinite(after).all():
                self.reset()
                raise InputError('the disturbances are too large for floating point numbers, and the observer begins anew; are positions '
                                 'and torques those of the motors, in [rad] and [N m]?')
            self.disturbances = after
        return self.disturbances.copy()

    def _raw(self):
        """The mean of d over the last period, or over the last two; None while the past is not known."""
        p, h = self.prepared, self.step
        acted = list(self._commands)[:len(self._commands) - self.delay]
        states = list(self._states)
        if len(states) < 2 or any(rate is None for _, rate, _ in states[-2:]):
            if len(states) < 3 or len(acted) < 2:
                return None
            (a, _, _), (b, _, load), (c, _, _) = states[-3:]
            acceleration, velocity, torque = (c - 2 * b + a) / h**2, (c - a) / (2 * h), 0.5 * (acted[-1] + acted[-2])
        else:
            if not acted:
                return None
            (_, before, load_before), (_, after, load_after) = states[-2:]
            acceleration, velocity, load, torque = (after - before) / h, 0.5 * (before + after), 0.5 * (load_before + load_after), acted[-1]
        friction = p.motor_friction * velocity
        if p.dry_friction:
            friction[p.dry_friction.motors] += p.dry_friction.torques(velocity[None])[0]
        return p.motor_inertia * acceleration + friction + load - torque

    def _pulls(self, theta, positions, spring_torques):
        """What the springs exert on the motors, on the joint's side (motors,)."""
        p = self.prepared
        pulls = np.zeros(len(p.motor_names))
        if spring_torques is not None:
            measured = arrays.vector(spring_torques, p.elastic_joints, 'spring_torques')
            for joint, torque in zip(p.elastic_joints, measured, strict=True):
                motors = p.motors_of(p.model.joint_names.index(joint))
                if len(motors) > 1:
                    raise InputError(f'spring_torques serve joints with one motor, but {joint!r} has two; give positions')
                pulls[motors] = torque
            return pulls
        if positions is None:
            raise InputError('positions of the joints are missing, and so are spring_torques; give one of them')
        e = theta / p.gear_ratio - positions[p.motor_joints]
        rates = (e - self._deflections) / self.step if self._deflections is not None else np.zeros(len(e))
        self._deflections = e
        for j, drive in enumerate(p.drives):
            if drive.elastic:
                motors = p.motors_of(j)
                pulls[motors] = drive.pulls(e[motors], rates[motors])
        return pulls


def _periods(value, what):
    """The int of a number of periods."""
    if count(value, what, 0) > MOST_DELAY:
        raise InputError(f'{what} is {shown(value)}; give the periods that torques take to act, {MOST_DELAY} at most')
    return int(value)
