# SPDX-License-Identifier: Apache-2.0
"""What is measured and asked of the motors of elastic joints, against limits: each guard says in words what it finds."""

import numpy as np
from numpy.typing import NDArray

from hod_ros.ros.elastic.laws import State
from hod_ros.ros.elastic.motor_model import MotorModel
from hod_ros.ros.guards.motion_limits import OVERSPEED
from hod_ros.ros.guards.motion_limits import ROUNDING
from hod_ros.ros.guards.motion_limits import MotionLimits
from hod_ros.ros.guards.motor_bounds import MotorBounds
from hod_ros.ros.guards.record import Record

Array = NDArray[np.float64]

JUMP, RATE_JUMP = 2e-3, 0.1             # [rad], [rad/s] by which references may differ from where earlier ones lead
TOO_FAST = f'moves with {{:.4g}}, more than {OVERSPEED:g} times its velocity limit'
NOISE = 0.25            # of a motor's torque limit, by which a measured torque may be beyond it
ASKED = 'is asked for the velocity {:.4g}; its limit is'


class MotorGuards:
    """start_tolerance, largest_error [rad] or [m]: of the motors, on the joints' side."""

    def __init__(self, model: MotorModel, bounds: MotorBounds, *, start_tolerance: float, largest_error: float) -> None:
        self.start, self.jump = Record('start'), Record('jump')
        self.tracking, self.deflection = Record('tracking error'), Record('spring deflection')
        limited = bool(np.isfinite(bounds.motor_velocity).any())
        self.motor_velocity = Record('motor velocity', off='' if limited else 'no motor has a velocity limit')
        self._model, self._bounds = model, bounds
        self._start_tolerance, self._largest_error = start_tolerance, largest_error
        names = model.model.joint_names
        free = np.where(np.isfinite(bounds.deflection), bounds.deflection, 0.0)     # motors may be ahead of joints at their limits
        self.limits = MotionLimits(names, bounds.lower, bounds.upper, bounds.velocity, largest_error)
        self._reference_limits = MotionLimits(names, bounds.lower - free, bounds.upper + free, bounds.velocity)

    def measured_fault(self, state: State, error: Array) -> tuple[Record, str]:
        """(guard, what is measured beyond its limits, or ''). error: (n,) of the motors, on the joints' side."""
        model, bounds = self._model, self._bounds
        measured = state.positions is not None
        x = model.of_joints(state.motor_positions)
        positions = state.positions if measured else x
        velocities = state.velocities if measured else model.of_joints(state.motor_velocities)
        self.deflection.off = '' if measured else 'no joint_states of the time of motor_states'
        reason = self.limits.measured_fault(positions, velocities)
        if reason:
            return self.limits.record, reason
        reason = self._speed_text(state.motor_velocities, OVERSPEED, TOO_FAST)
        if reason:
            return self.motor_velocity, reason
        if self.bent(state):
            j = int(np.argmax(np.abs(x - positions) - bounds.deflection))
            return self.deflection, (
                f'the spring of joint {self._name(j)!r} is bent by {x[j] - positions[j]:.4g}; its largest deflection is '
                f'{bounds.deflection[j]:.4g}')
        if np.abs(error).max() > self._largest_error:
            j = int(np.argmax(np.abs(error)))
            return self.tracking, (
                f'the motors of joint {self._name(j)!r} are {error[j]:.4g} behind what is wanted; largest_error is '
                f'{self._largest_error:g}')
        return self.limits.record, ''

    def bent(self, state: State) -> bool:
        """Whether a spring is bent too far, or an encoder beside it is wrong."""
        if state.positions is None:
            return False
        return bool((np.abs(self._model.of_joints(state.motor_positions) - state.positions) > self._bounds.deflection).any())

    def reference_fault(self, reference: Array, carried: Array) -> tuple[Record, str]:
        """(guard, why a reference may not be followed from the rows `carried`, or '')."""
        beyond = self._reference_limits.fault(self._model.of_joints(reference[:2]))
        if beyond:
            return self.limits.record, beyond
        fast = self._speed_text(reference[1], 1 + ROUNDING, ASKED)
        if fast:
            return self.motor_velocity, fast
        distance = np.abs(self._model.of_joints(reference[0] - carried[0]))
        if distance.max() > self._start_tolerance:
            j = int(np.argmax(distance))
            return self.jump, (
                f'a reference is {distance[j]:.4g} from where joint {self._name(j)!r} is; references within start_tolerance, '
                f'{self._start_tolerance:g}, are followed')
        return self.jump, ''

    def effort_fault(self, efforts: Array | None) -> str:
        """Why torques (motors,) that motors are said to have can't be theirs, or ''."""
        limit = self._bounds.effort
        if efforts is None or (np.abs(efforts) <= (1 + NOISE) * limit).all():
            return ''
        m = int(np.argmax(np.abs(efforts) / limit))
        return (
            f'motor_states have motor {self._model.prepared.motor_names[m]!r} at the effort {efforts[m]:.4g}, and its torque limit is '
            f'{limit[m]:.4g}; let them have the torques of motors on their own side of the gear [N m], or no efforts')

    def jump_text(self, reference: Array, expected: Array) -> str:
        """By how much the reference is not where earlier ones lead, rows `expected`, in words, or ''."""
        x = self._model.of_joints(reference[:2] - expected[:2])
        if (np.abs(x[0]) <= JUMP).all() and (np.abs(x[1]) <= RATE_JUMP).all():
            return ''
        j = int(np.argmax(np.abs(x[0]) / JUMP + np.abs(x[1]) / RATE_JUMP))
        return f'a reference is {x[0, j]:.4g}, and {x[1, j]:.4g} a second, from where earlier ones lead joint {self._name(j)!r}'

    @property
    def records(self) -> tuple[Record, ...]:
        return self.start, self.jump, self.limits.record, self.motor_velocity, self.tracking, self.deflection

    def _speed_text(self, velocities, times, text):
        """Which motor (motors,) has more than so many times its velocity limit, or ''."""
        limit = self._bounds.motor_velocity
        fast = np.abs(velocities) > times * limit
        if not fast.any():
            return ''
        m = int(np.argmax(fast))
        return f'motor {self._model.prepared.motor_names[m]!r} {text.format(velocities[m])} {limit[m]:.4g}'

    def _name(self, j):
        return self._model.model.joint_names[j]
