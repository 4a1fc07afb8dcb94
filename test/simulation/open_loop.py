# SPDX-License-Identifier: Apache-2.0
"""Open loop on the plant: torques of the feedforward alone, held over each step at their value in its middle; no feedback at all."""

import numpy as np

from hod_ros import DampingFilter
from hod_ros import ElasticPlant
from hod_ros import PreparedDrives
from hod_ros import motor_feedforward

STEP = 2e-4         # [s]


def motion(t, n, rows=5):
    """0.4 sin(2 t + 0.7 i) rad of joint i with derivatives: (samples, rows, n)."""
    phase = 2 * np.asarray(t, float)[:, None] + 0.7 * np.arange(n)
    return np.stack([0.4 * 2.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(rows)], axis=1)


def ramp(t, joints, start, factor):
    """Stiffness that grows smoothly from start to factor times that within a second: (samples, 3, joints)."""
    t = np.asarray(t, float)
    rise = np.stack([10 * t**3 - 15 * t**4 + 6 * t**5, 30 * t**2 - 60 * t**3 + 30 * t**4, 60 * t - 180 * t**2 + 120 * t**3], axis=1)
    k = start * (factor - 1) * rise
    k[:, 0] += start
    return np.repeat(k[:, :, None], joints, axis=2)


def largest_errors(model, drives, feedforward_drives=None, stiffness=None, seconds=1.0, step=STEP):
    """(largest joint error [rad], largest relative error of the stiffness); the feedforward may take other drives than the plant has.

    stiffness: function of times -> (samples, 3, v).
    """
    prepared = PreparedDrives(model, drives)
    plant = ElasticPlant(model, prepared, step=step)
    variable = [prepared.elastic_joints.index(joint) for joint in prepared.variable_joints]
    starts = np.arange(round(seconds / step)) * step

    def feedforward(t, drives):
        drives = drives if isinstance(drives, PreparedDrives) else PreparedDrives(model, drives)
        return motor_feedforward(model, drives, motion(t, model.n, drives.rows), stiffness=None if stiffness is None else stiffness(t))

    first, wanted = feedforward(starts[:1], feedforward_drives or prepared), motion(starts + step, model.n, 1)[:, 0]
    wanted_stiffness = None if stiffness is None else stiffness(starts + step)[:, 0]
    plant.set_state(*motion(starts[:1], model.n)[0, :2], first.positions[0], first.velocities[0])
    torques = feedforward(starts + step / 2, feedforward_drives or prepared).efforts
    error = stiffness_error = 0.0
    for i, tau in enumerate(torques):
        plant.step(tau)
        error = max(error, np.abs(plant.positions - wanted[i]).max())
        if stiffness is not None:
            stiffness_error = max(stiffness_error, np.abs(plant.stiffnesses[variable] / wanted_stiffness[i] - 1).max())
    return error, stiffness_error


def largest_error_with_dampers(model, drives, feedforward=None, seconds=1.0, step=STEP):
    """Largest joint error [rad] of a plant with dampers beside its springs; feedforward: function of a time -> MotorFeedforward, by
    default a DampingFilter's."""
    prepared = PreparedDrives(model, drives)
    plant = ElasticPlant(model, prepared, step=step)
    filtered = DampingFilter(model, prepared)
    before = None

    def follow(t):
        nonlocal before
        answer = filtered(motion([t], model.n)[0], step=None if before is None else t - before)
        before = t
        return answer

    first = follow(0.0)
    plant.set_state(*motion([0.0], model.n)[0, :2], first.positions, first.velocities)
    error = 0.0
    for t in np.arange(round(seconds / step)) * step:
        plant.step((feedforward or follow)(t + step / 2).efforts)
        error = max(error, np.abs(plant.positions - motion([t + step], model.n, 1)[0, 0]).max())
    return error
