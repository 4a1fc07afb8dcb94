# SPDX-License-Identifier: Apache-2.0
"""Stiffness, damping and motor friction from a recording of joints, motors and torques under motion.

Joint by joint, with Q by inverse dynamics of the recorded motion, e = theta_motor / gear_ratio - q, and least squares over all samples,

    e + e_0 = Q / K - (D / K) e',                              the encoders' offset e_0 and the springs' K and D,
    tau - B theta_motor'' - (K (e + e_0) + D e') / gear_ratio = F_v theta_motor' + F_c tanh(theta_motor' / w).

e is on the left because its noise, that of encoders, is larger than that of the smooth Q. Rates are those of polynomials of fourth degree
through a window of samples. What is wrong in the model's masses is wrong in K by as much.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.actuators.drives import SeriesElastic
from hod_ros.actuators.gear_checks import refuse_other_gear
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.checks import arrays
from hod_ros.checks.arguments import number_above_0
from hod_ros.checks.types import Array
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.errors import SingularityError
from hod_ros.model.robot_model import RobotModel

DEGREE = 4
FEWEST_SAMPLES = 50          # samples that a regression must at least have
MOST_CORRELATED = 1e8                   # condition of a regression's columns, scaled to length 1


@dataclass(frozen=True)
class IdentifiedDrives:
    """drives: {joint: drive} with what was found; deviations: {joint: {figure: standard deviation}}; offsets: {joint: e_0 [rad]}.

    What identify_drives returns.

        >>> drives = {'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> found = IdentifiedDrives(drives, deviations={'joint1': {'stiffness': 4.0}}, offsets={'joint1': 0.0})
        >>> found.drives['joint1'].stiffness, found.deviations['joint1']['stiffness']
        (3000.0, 4.0)
    """

    drives: Mapping[str, SeriesElastic]
    deviations: Mapping[str, Mapping[str, float]]
    offsets: Mapping[str, float]


def identify_drives(
        model: RobotModel, drives: Drives, *, step: float, positions: ArrayLike, motor_positions: ArrayLike, torques: ArrayLike,
        window: float = 0.02, friction_width: float | None = None) -> IdentifiedDrives:
    """The series-elastic drives of a robot from a recording, `step` [s] from sample to sample.

    drives: what is believed; motor_inertia and gear_ratio are taken from it, stiffness, damping and friction found anew. Joints with
    other drives stay as they are. positions: (samples, n) [rad]; motor_positions, torques: (samples, motors) on the motors' side [rad],
    [N m], torques as they acted from each sample to the next. window: [s] of the polynomials that give rates. friction_width: [rad/s] of
    the motors' dry friction; None: that of each drive, and no dry friction where it has none.

    Raises InputError where an argument has the wrong shape, name or value; SingularityError where the motion does not tell what is
    sought.

        >>> one = RobotModel.from_dh([0], [0], [0], [0], [link_inertia(1.0, [0.2, 0, 0], 0.05 * np.eye(3))], joint_names=['joint1'])
        >>> believed = {'joint1': SeriesElastic(stiffness=200.0, motor_inertia=0.1)}
        >>> t = Trajectory.interpolate([0, 0.4, 0.9, 1.5, 2], [[0.0], [0.5], [-0.4], [0.6], [0.0]])
        >>> s = t.evaluate(1e-3 * np.arange(2000), 4)             # a recording, made of a stiffness of 250 N m/rad
        >>> m = motor_feedforward(one, {'joint1': SeriesElastic(stiffness=250.0, motor_inertia=0.1)}, s)
        >>> found = identify_drives(one, believed, step=1e-3, positions=s[:, 0], motor_positions=m.positions, torques=m.efforts)
        >>> round(found.drives['joint1'].stiffness)
        250
    """
    p = prepared(model, drives)
    step, window = number_above_0(step, 'step', '[s]'), number_above_0(window, 'window', '[s]')
    if p.rotors:
        raise InputError('motors spin on moving links (motor_link), whose coupling the identification leaves out; leave motor_link out')
    q = arrays.array(positions, ('samples', model.n), 'positions', 'joint positions of each sample [rad]')
    motors = len(p.motor_names)
    theta = arrays.array(motor_positions, (len(q), motors), 'motor_positions', 'motor positions of each sample [rad]')
    tau = arrays.array(torques, (len(q), motors), 'torques', 'torques from each sample to the next [N m]')
    half = max(DEGREE, round(window / (2 * step)))
    if len(q) < 2 * half + FEWEST_SAMPLES:
        raise InputError(f'the recording has {len(q)} samples; give {2 * half + FEWEST_SAMPLES} or more: some seconds of motion')
    with np.errstate(over='ignore', invalid='ignore'):
        q, theta = _smoothed(q, half, step), _smoothed(theta, half, step)
    tau = 0.5 * (tau[half - 1:len(tau) - half - 1] + tau[half:len(tau) - half])         # about each sample
    Q = inverse_dynamics(model, q)[:, 0]
    found, deviations, offsets = {}, {}, {}
    for j, (joint, drive) in enumerate(zip(model.joint_names, p.drives, strict=True)):
        if not isinstance(drive, SeriesElastic):
            continue
        motor = int(p.motors_of(j)[0])
        width = drive.motor_friction_width if friction_width is None else number_above_0(friction_width, 'friction_width', '[rad/s]')
        found[joint], deviations[joint], offsets[joint] = _identified(
            joint, drive, q[:, :, j], theta[:, :, motor], tau[:, motor], Q[:, j], width)
    if not found:
        raise InputError('no drive is a SeriesElastic, and only these are identified; give the joints their drives as they are believed')
    return IdentifiedDrives(dict(zip(model.joint_names, p.drives, strict=True)) | found, deviations, offsets)


def _identified(joint, drive, q, theta, tau, Q, width):
    refuse_other_gear(joint, q[:, 0], theta[:, 0] / drive.gear_ratio)
    e, rate = theta[:, 0] / drive.gear_ratio - q[:, 0], theta[:, 1] / drive.gear_ratio - q[:, 1]
    compliance, spread = _solved(joint, 'spring', [Q, -rate, -np.ones_like(Q)], e)
    if compliance[0] <= 3 * spread[0]:
        raise SingularityError(
            f'the spring of joint {joint!r} does not give as its torque asks: 1 / stiffness would be {compliance[0]:.3g}, give or take '
            f'{spread[0]:.3g} [rad/(N m)]; record motions under more torque, and check signs and sides of the gear')
    stiffness, offset = 1 / compliance[0], compliance[2]
    damping = max(0.0, compliance[1] * stiffness)
    spring = stiffness * (e + offset) + damping * rate
    rest = tau - drive.motor_inertia * theta[:, 2] - spring / drive.gear_ratio
    columns = [theta[:, 1]] if width is None else [theta[:, 1], np.tanh(theta[:, 1] / width)]
    friction, friction_spread = _solved(joint, 'motor', columns, rest)
    figures = {'stiffness': stiffness, 'damping': damping, 'motor_friction': max(0.0, friction[0])}
    deviations = {
        'stiffness': spread[0] * stiffness**2, 'damping': spread[1] * stiffness, 'motor_friction': friction_spread[0]}
    if width is not None:
        figures |= {'motor_coulomb': max(0.0, friction[1]), 'motor_friction_width': width, 'motor_breakaway': None}
        deviations['motor_coulomb'] = friction_spread[1]
    if drive.damping_terms and not damping:
        figures['damping_terms'] = None
    return replace(drive, **figures), deviations, float(offset)


def _solved(joint, what, columns, values):
    """(solution, standard deviations) of least squares."""
    A = np.stack(columns, axis=-1)
    with np.errstate(over='ignore', invalid='ignore'):
        lengths, size = np.linalg.norm(A, axis=0), np.linalg.norm(values)
    if not (np.isfinite(lengths).all() and np.isfinite(size)):
        raise InputError(f'the recording of joint {joint!r} is too large for floating point; are the units right ([rad], [N m])?')
    singular = np.linalg.svd(A / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    if not lengths.all() or singular[0] > math.sqrt(MOST_CORRELATED) * singular[-1]:
        raise SingularityError(
            f'the recording does not move the {what} of joint {joint!r} enough to tell its figures apart; record a motion of all joints '
            'under changing torques and speeds')
    solution = np.linalg.lstsq(A / lengths, values, rcond=None)[0] / lengths
    rest = values - A @ solution
    covariance = np.linalg.inv((A / lengths).T @ (A / lengths)) / np.outer(lengths, lengths) * (rest @ rest) / max(1, len(A) - A.shape[1])
    return solution, np.sqrt(np.diag(covariance))


def _smoothed(samples, half, step) -> Array:
    """(samples - 2 half, 3, columns): values, rates and accelerations at the middle of polynomials through 2 half + 1 samples each."""
    nodes = np.arange(-half, half + 1) / half
    fit = np.linalg.pinv(np.stack([nodes**k for k in range(DEGREE + 1)], axis=-1))
    out = [[np.convolve(column, fit[k, ::-1] * math.factorial(k) / (half * step)**k, 'valid') for k in range(3)] for column in samples.T]
    return np.moveaxis(np.array(out), 0, 2).swapaxes(0, 1)
