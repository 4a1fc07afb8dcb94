# SPDX-License-Identifier: Apache-2.0
"""Motors in motion keep their drives: whether a change of model or drives is small for them, at the setpoint that they had last."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.checks.arguments import some
from hod_ros.errors import HodError
from hod_ros.ros.elastic.motors import MotorFeedforwards

ROUNDING = 1e-9         # of a value

Array = NDArray[np.float64]
Forces = Callable[[Array], tuple[Array, Array | None]]      # of a motion (rows, n): (rows - 2, n) with the joints' friction, and that


def motor_hindrance(
        old: MotorFeedforwards | None, old_forces: Forces, new: MotorFeedforwards | None, new_forces: Forces, limit: Array,
        largest_step: float) -> str:
    """Why the new motors must wait for the next activation, or ''.

    limit: (n,) of the joints' efforts, inf where there is none. A torque may step by largest_step times its limit, a position by what
    changes the torque of its spring by so much.
    """
    if old is None or old.asked is None:
        return ''
    names = old.prepared.motor_names
    if new is None or new.prepared.motor_names != names:
        return f'its motors are {some(new.prepared.motor_names) if new is not None else "none"} in place of {some(names)}'
    try:
        before, after = old.rehearsed(old.asked, old_forces), new.rehearsed(old.asked, new_forces)
    except HodError as error:
        return str(error)
    torques = np.minimum(_torque_bounds(old.prepared, limit), _torque_bounds(new.prepared, limit))
    places = np.minimum(_place_bounds(old.prepared, before.stiffnesses, limit), _place_bounds(new.prepared, after.stiffnesses, limit))
    return (_step(old.prepared, before.efforts, after.efforts, largest_step * torques, 'the torque of motor', 'times its torque limit')
            or _step(old.prepared, before.positions, after.positions, largest_step * places, 'motor',
                     'times the effort limit of its joint, by its spring'))


def _torque_bounds(prepared: PreparedDrives, limit: Array) -> Array:
    """(motors,)"""
    return np.minimum(prepared.torque_limit, limit[prepared.motor_joints] / np.abs(prepared.gear_ratio))


def _place_bounds(prepared: PreparedDrives, stiffnesses: Array, limit: Array) -> Array:
    """(motors,) by which springs change their torque by the effort limit; 0 where there is no spring."""
    compliance = np.zeros(prepared.model.n)
    compliance[prepared.elastic] = 1 / stiffnesses
    joints = prepared.motor_joints
    return np.where(compliance[joints] > 0, limit[joints] * compliance[joints], 0.0) * np.abs(prepared.gear_ratio)


def _step(prepared, before, after, bounds, what, of):
    """What steps by more, or by anything where nothing bounds it; or ''."""
    steps = np.abs(after - before)
    beyond = (steps > ROUNDING * np.maximum(np.abs(before), 1.0)) & ~((steps <= bounds) & np.isfinite(bounds))
    if not beyond.any():
        return ''
    motor = int(np.argmax(beyond))
    name, joint = prepared.motor_names[motor], prepared.model.joint_names[prepared.motor_joints[motor]]
    if np.isinf(bounds[motor]):
        return f'motor {name!r} has no limit by which a step could be judged; give limits.{joint}.effort, or model_changes: keep'
    return f'{what} {name!r} would step by {steps[motor]:.4g}, more than {bounds[motor]:.4g} (largest_model_step {of})'
