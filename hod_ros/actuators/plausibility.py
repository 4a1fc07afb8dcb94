# SPDX-License-Identifier: Apache-2.0
"""What in drives is possible to compute with, but hardly true of a real robot."""

import numpy as np

from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.model.rotors import MOST


def reflection_warnings(prepared):
    """Sentences about rotors whose inertia, seen through their gear, exceeds by far what the robot's joints move."""
    model = prepared.model
    reflected = prepared.motor_inertia * prepared.gear_ratio**2
    geared = np.flatnonzero((np.abs(prepared.gear_ratio) > 1) & (reflected > 0))
    if not geared.size or model.base == 'free':
        return
    moved = np.diag(dynamics_matrices(model, np.zeros((2, model.n))).M[0]) - model.armature
    turning = np.array([model.X[model.joints.index(joint), :3].any() for joint in model.joint_names]) if model.single_axes else None
    for motor in geared:
        joint = prepared.motor_joints[motor]
        alike = slice(None) if turning is None else turning == turning[joint]
        largest = moved[alike].max()
        if reflected[motor] > MOST * largest:
            yield (
                f'motor {prepared.motor_names[motor]!r} has the motor_inertia {prepared.motor_inertia[motor]:g}, which a gear_ratio of '
                f'{prepared.gear_ratio[motor]:g} makes {reflected[motor]:g} [kg m^2] or [kg] at its joint, where the joints of '
                f"{model.name} move {largest:.3g} at most; motor_inertia is the rotor's own, on the motor's side of the gear")
