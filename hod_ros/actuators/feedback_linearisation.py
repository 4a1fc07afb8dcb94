# SPDX-License-Identifier: Apache-2.0
"""Feedback linearisation of robots with elastic joints: the motors' torques that turn every joint into a chain of four integrators.

From the measured state (q, q', theta, theta') follow Q and Q' at the springs, and with them by higher-order forward dynamics the joints'
acceleration and jerk: z = (q, q', q'', q''') is a state as good. A commanded snap v gives Q'' by inverse dynamics, that the springs'
e'', and that the motors' torques, under which q'''' = v exactly.

Supported: linear, hardening and adjustable springs, and antagonistic pairs, where k'' is commanded too (a chain of two integrators for the
stiffness). Not supported: rigid joints beside elastic ones, where the snap depends on the torques' second derivatives and no static
feedback exists (dynamic extension would make those torques states of the controller); motors without inertia, whose torque is the spring's;
and dampers beside the springs, through which the motor acts on the jerk already.
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.actuators.drives import Antagonistic
from hod_ros.actuators.figure_checks import each_of
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.algebra import taylor
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.dynamics.forward_dynamics import forward_dynamics
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


class FeedbackLinearisation:
    """drives: {joint: drive} or PreparedDrives, all of them elastic and without damping. Motors' values are on their own side.

    stiffness: rows k, k', k'' (3, v) [N m/rad] of the variable-stiffness joints, as in motor_feedforward: for adjustable springs the
    present stiffness motion; of antagonistic pairs only the row k'' counts, as the command, the others being measured.
    torques() makes every joint a chain of four integrators: the motors' torques under which q'''' is what is commanded.

    Raises InputError where a joint is rigid, a motor without inertia or a drive damped; calls SingularityError where no torque does it.

        >>> drives = {name: SeriesElastic(stiffness=3000.0, motor_inertia=0.2) for name in model.joint_names}
        >>> law = FeedbackLinearisation(model, drives)
        >>> theta, rates = law.state(q[:4])
        >>> law.torques(q[0], q[1], theta, rates, snap=q[4]).shape
        (7,)
    """

    def __init__(self, model: RobotModel, drives: Drives) -> None:
        self.prepared: PreparedDrives = prepared(model, drives)
        self.model: RobotModel = self.prepared.model
        for joint, drive in zip(self.model.joint_names, self.prepared.drives, strict=True):
            if not drive.elastic:
                raise InputError(
                    f'joint {joint!r} is rigid; feedback linearisation needs a spring at each joint: beside a rigid one the snap depends '
                    'on second derivatives of torques: give it a drive, or lock the joint')
            if 0 in each_of(drive.motor_inertia):
                raise InputError(
                    f'motor_inertia of joint {joint!r} is 0, so that its torque is that of the spring and no snap follows from it; give '
                    "the rotor's inertia [kg m^2]")
            if drive.damping:
                raise InputError(
                    f'the spring of joint {joint!r} has the damping {drive.damping:g}; feedback linearisation needs 0 [N m s/rad]')
        if self.prepared.rotors:
            raise InputError(
                'a motor spins on a moving link (motor_link), and its coupling with the links leaves no static feedback that linearises; '
                'leave motor_link out for gears of 10 and more, or track a motor feedforward')

    def chain(
            self, q: ArrayLike, velocities: ArrayLike, motor_positions: ArrayLike, motor_velocities: ArrayLike, *,
            stiffness: ArrayLike | None = None) -> Array:
        """z (4, n), rows q, q', q'', q''', of the measured state; all arguments (n,) or (motors,)."""
        q, deflections, k = self._measured(q, velocities, motor_positions, motor_velocities, stiffness)
        Q = np.array([self._forces(j, deflections[j], k[j])[0] for j in range(self.model.n)]).T
        return np.concatenate([q, forward_dynamics(self.model, q, Q)])

    def stiffness_chain(
            self, q: ArrayLike, velocities: ArrayLike, motor_positions: ArrayLike, motor_velocities: ArrayLike) -> Array:
        """(2, n), rows k, k' [N m/rad] of the springs in the measured state; adjustable ones as configured."""
        _, deflections, k = self._measured(q, velocities, motor_positions, motor_velocities, None)
        return np.array([self._forces(j, deflections[j], k[j])[1] for j in range(self.model.n)]).T

    def state(self, z: ArrayLike, *, stiffness: ArrayLike | None = None) -> tuple[Array, Array]:
        """(motor_positions, motor_velocities) of z (4, n) and of the stiffness motion: the way back from chain()."""
        z = motions.motion(self.model, z, 4, 'z', remedy=motions.FEWER)[:4]
        at_rest = np.concatenate([z, 0 * z[:1]])            # the snap does not act on theta and theta'
        result = self.prepared.motor_feedforward(at_rest, stiffness)
        return result.positions, result.velocities

    def torques(
            self, q: ArrayLike, velocities: ArrayLike, motor_positions: ArrayLike, motor_velocities: ArrayLike, snap: ArrayLike, *,
            stiffness: ArrayLike | None = None) -> Array:
        """tau (motors,) [N m] under which the joints' snap is `snap` (n,) [rad/s^4], in the measured state."""
        snap = _floats(snap, self.model.joint_names, 'snap')
        q, deflections, k = self._measured(q, velocities, motor_positions, motor_velocities, stiffness)
        n = self.model.n
        Q = np.array([self._forces(j, deflections[j], k[j])[0] for j in range(n)]).T
        motion = np.concatenate([q, forward_dynamics(self.model, q, Q), snap[None]])
        wanted = inverse_dynamics(self.model, motion)[2]
        theta, load = [], []
        for j in range(n):
            for e, pull in self._bent(j, deflections[j], k[j], wanted[j]):
                theta.append(motion[:3, j] + np.array(taylor.to_derivatives(e)))
                load.append(pull)
        p = self.prepared
        theta = np.array(theta).T * p.gear_ratio
        tau = p.motor_inertia * theta[2] + p.motor_friction * theta[1] + np.array(load) / p.gear_ratio
        if p.dry_friction:
            tau[p.dry_friction.motors] += p.dry_friction.torques(theta[1:2])[0]
        if not np.isfinite(tau).all():
            raise SingularityError(f'the torque of motor {p.motor_names[int(np.argmin(np.isfinite(tau)))]!r} is not finite in this state')
        return tau

    def _measured(self, q, velocities, motor_positions, motor_velocities, stiffness):
        """q (2, n); for each joint the series of the deflections of its springs, two terms each, and of its stiffness."""
        p, joints = self.prepared, self.model.joint_names
        q = np.stack([_floats(q, joints, 'q'), _floats(velocities, joints, 'velocities')])
        theta = np.stack([_floats(motor_positions, p.motor_names, 'motor_positions'),
                          _floats(motor_velocities, p.motor_names, 'motor_velocities')]) / p.gear_ratio
        e = theta - q[:, p.motor_joints]
        motions = iter(self._stiffness_motion(stiffness))
        k = [taylor.from_derivatives(next(motions)) if drive.variable else None for drive in p.drives]
        return q, [[list(e[:, m]) for m in p.motors_of(j)] for j in range(self.model.n)], k

    def _stiffness_motion(self, stiffness):
        """Rows k, k', k'' of each variable-stiffness joint; of antagonistic pairs nothing but a commanded k'' matters."""
        p = self.prepared
        if stiffness is None and any(isinstance(drive, Antagonistic) and drive.stiffness is None for drive in p.drives):
            for joint, drive in zip(p.model.joint_names, p.drives, strict=True):
                if drive.variable and not isinstance(drive, Antagonistic) and drive.stiffness is None:
                    raise InputError(f'stiffness of joint {joint!r} is missing; configure it in its drive or give it [N m/rad]')
            return [np.array([getattr(drive, 'stiffness', None) or 0.0, 0.0, 0.0]) for drive in p.drives if drive.variable]
        p._check_shared_stiffness(stiffness, np.zeros((3, p.model.n)))
        return [motion[:3] for motion in p.stiffness_motion(stiffness, (), 3)]

    def _forces(self, j, deflections, k):
        """Q, Q' and k, k' at joint j."""
        drive = self.prepared.drives[j]
        if isinstance(drive, Antagonistic):
            ahead, behind = deflections
            force, stiffness = drive.forces(ahead, [-term for term in behind])
            self._check_pull(j, ahead[0], -behind[0])
        else:
            force, stiffness = drive.forces(deflections[0], k)
        return taylor.to_derivatives(force), taylor.to_derivatives(stiffness)

    def _bent(self, j, deflections, k, wanted):
        """[(series of x - q, load)] of the motors of joint j, of three terms, whose Q'' is the wanted one."""
        drive = self.prepared.drives[j]
        if isinstance(drive, Antagonistic):
            return self._pair_bent(j, deflections, k, wanted)
        e = [*deflections[0], 0.0]
        force, stiffness = drive.forces(e, k)
        e[2] = (wanted / 2 - force[2]) / stiffness[0]
        return [(e, force[0])]

    def _pair_bent(self, j, deflections, k, wanted):
        drive = self.prepared.drives[j]
        d1, d2 = [*deflections[0], 0.0], [-deflections[1][0], -deflections[1][1], 0.0]
        (f1, s1), (f2, s2) = drive.spring[0].taylor(d1), drive.spring[1].taylor(d2)
        c1, c2 = drive.spring[0].curvature_at(d1[0]), drive.spring[1].curvature_at(d2[0])
        determinant = s1[0] * c2 + s2[0] * c1
        if not determinant > 1e-9 * (s1[0] * abs(c2) + s2[0] * abs(c1)):
            raise SingularityError(
                f'joint {self.model.joint_names[j]!r} has lost its co-contraction in this state: its motors cannot set torque and '
                'stiffness independently; pull motor 1 ahead of the joint and motor 2 behind')
        Q, stiffness = wanted / 2 - f1[2] + f2[2], k[2] - s1[2] - s2[2]
        d1[2] = (c2 * Q + s2[0] * stiffness) / determinant
        d2[2] = (s1[0] * stiffness - c1 * Q) / determinant
        return [(d1, f1[0]), ([-term for term in d2], -f2[0])]

    def _check_pull(self, j, d1, d2):
        if self.prepared.drives[j].spring[0].pulls_only and min(d1, d2) < 0:
            raise SingularityError(f'a spring of joint {self.model.joint_names[j]!r} is slack in this state: it is stretched by '
                                   f'{min(d1, d2):g} [rad]; pull motor 1 ahead of the joint and motor 2 behind')


def _floats(value, names, name):
    return arrays.floats(arrays.vector(value, names, name), name)
