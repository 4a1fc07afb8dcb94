# SPDX-License-Identifier: Apache-2.0
"""Stiffness, damping and motor friction from a recording of joints, motors and torques under motion.

Joint by joint, with Q by inverse dynamics of the recorded motion, e = theta_motor / gear_ratio - q, and least squares over all samples,

    e + e_0 = Q / K - (D / K) e' - s q',       the encoders' offset e_0, the springs' K and D, the delay s of the motors' stamps,
    tau - B theta_motor'' - (K (e + e_0) + D e') / gear_ratio = F_v theta_motor' + F_c tanh(theta_motor' / w).

e is on the left because its noise, that of encoders, is larger than that of the smooth Q. Where s is told from 0, motors are taken that
much later and all is solved again. Viscous friction on the links' side of a spring looks like stamps that are early; the motor's friction
then has it too. Rates are those of polynomials of fourth degree through a window of samples. What is wrong in the model's masses is wrong
in K by as much.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
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
TELLING = 3.0                # standard deviations from 0
NOTED_DELAY = 1e-4           # [s]
NOTED_PART = 0.2             # of the deflection
_ROUNDS = 8                  # in which the delay of the motors' stamps is found
_CLOSE = 1e-3                # of a step
MOST_CORRELATED = 1e8                   # condition of a regression's columns, scaled to length 1


@dataclass(frozen=True)
class IdentifiedDrives:
    """drives: {joint: drive} with what was found; deviations: {joint: {figure: standard deviation}}; offsets: {joint: e_0 [rad]}.

    delays: {joint: [s]} by which the motor's stamps are late against the link's, negative where they are early or the link has friction of
    its own; 0 where that is not told from 0. unexplained: {joint: part of the deflection} that is left over. What identify_drives returns.

        >>> drives = {'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> found = IdentifiedDrives(drives, deviations={'joint1': {'stiffness': 4.0}}, offsets={'joint1': 0.0})
        >>> found.drives['joint1'].stiffness, found.deviations['joint1']['stiffness']
        (3000.0, 4.0)
    """

    drives: Mapping[str, SeriesElastic]
    deviations: Mapping[str, Mapping[str, float]]
    offsets: Mapping[str, float]
    delays: Mapping[str, float] = field(default_factory=dict)
    unexplained: Mapping[str, float] = field(default_factory=dict)


def spring_notes(delays: Mapping[str, float], unexplained: Mapping[str, float]) -> list[str]:
    """Sentences about joints whose motors' stamps are late or early, or whose deflections are not those of springs."""
    notes = []
    for sign, word, other in ((1, 'late', ''), (-1, 'early', ' (or the links have viscous friction of their own)')):
        off = {joint: sign * delay for joint, delay in delays.items() if sign * delay >= NOTED_DELAY}
        if off:
            notes.append(
                f"the motors' stamps are {word} against the links' by {_listed(1e3, off, 'ms')}{other}; that is allowed for, but stamp "
                'both by one clock')
    left = {joint: part for joint, part in unexplained.items() if part > NOTED_PART}
    if left:
        notes.append(
            f'of the deflections {_listed(100, left, "%")} are not explained by springs, whose stiffness is in doubt; check encoders, '
            'clocks, backlash, and masses')
    return notes


def _listed(factor, values, unit):
    return ', '.join(f'{factor * value:.3g} {unit} ({joint})' for joint, value in values.items())


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
    found, deviations, offsets, delays, unexplained = {}, {}, {}, {}, {}
    for j, (joint, drive) in enumerate(zip(model.joint_names, p.drives, strict=True)):
        if not isinstance(drive, SeriesElastic):
            continue
        motor = int(p.motors_of(j)[0])
        width = drive.motor_friction_width if friction_width is None else number_above_0(friction_width, 'friction_width', '[rad/s]')
        found[joint], deviations[joint], offsets[joint], delays[joint], unexplained[joint] = _identified(
            joint, drive, step, q[:, :, j], theta[:, :, motor], tau[:, motor], Q[:, j], width)
    if not found:
        raise InputError('no drive is a SeriesElastic, and only these are identified; give the joints their drives as they are believed')
    return IdentifiedDrives(dict(zip(model.joint_names, p.drives, strict=True)) | found, deviations, offsets, delays, unexplained)


def _identified(joint, drive, step, q, theta, tau, Q, width):
    refuse_other_gear(joint, q[:, 0], theta[:, 0] / drive.gear_ratio)
    delay = _delay(joint, drive, step, q, theta, tau, Q)
    q, theta, tau, Q = _later(delay, step, q, theta, tau, Q)
    e, rate = _deflection(drive, q, theta)
    columns = [Q, -rate, -np.ones_like(Q)]
    compliance, spread, rest = _solved(joint, 'spring', [*columns, -q[:, 1]] if delay else columns, e)
    if compliance[0] <= TELLING * spread[0]:
        raise SingularityError(
            f'the spring of joint {joint!r} does not give as its torque asks: 1 / stiffness would be {compliance[0]:.3g}, give or take '
            f'{spread[0]:.3g} [rad/(N m)]; record motions under more torque, and check signs and sides of the gear')
    stiffness, offset = 1 / compliance[0], compliance[2]
    damping = max(0.0, compliance[1] * stiffness)
    spring = stiffness * (e + offset) + damping * rate
    left = tau - drive.motor_inertia * theta[:, 2] - spring / drive.gear_ratio
    columns = [theta[:, 1]] if width is None else [theta[:, 1], np.tanh(theta[:, 1] / width)]
    friction, friction_spread, _ = _solved(joint, 'motor', columns, left)
    figures = {'stiffness': stiffness, 'damping': damping, 'motor_friction': max(0.0, friction[0])}
    deviations = {
        'stiffness': spread[0] * stiffness**2, 'damping': spread[1] * stiffness, 'motor_friction': friction_spread[0]}
    if width is not None:
        figures |= {'motor_coulomb': max(0.0, friction[1]), 'motor_friction_width': width, 'motor_breakaway': None}
        deviations['motor_coulomb'] = friction_spread[1]
    if drive.damping_terms and not damping:
        figures['damping_terms'] = None
    return replace(drive, **figures), deviations, float(offset), float(delay), float(np.std(rest) / np.std(e))


def _delay(joint, drive, step, q, theta, tau, Q):
    """[s] by which a motor's stamps are late; 0 where the recording does not tell it from 0, or from damping."""
    delay = 0.0
    for _ in range(_ROUNDS):
        own, motor, _, torque = _later(delay, step, q, theta, tau, Q)
        if len(own) < FEWEST_SAMPLES:
            return 0.0
        e, rate = _deflection(drive, own, motor)
        try:
            solution, spread, left = _solved(joint, 'spring', [torque, -rate, -np.ones_like(torque), -own[:, 1]], e)
        except SingularityError:
            return 0.0
        if not delay and abs(solution[3]) <= TELLING * math.sqrt(_persistence(left)) * spread[3]:
            return 0.0
        delay += solution[3]
        if abs(solution[3]) < _CLOSE * step:
            return delay
    return 0.0


def _persistence(left):
    """The sum of the autocorrelation, up to where it first vanishes: smoothed noise counts once for as many samples."""
    spectrum = np.abs(np.fft.rfft(left, 2 * len(left)))**2
    together = np.fft.irfft(spectrum)[:len(left) // 4]
    if not together[0] > 0:
        return 1.0
    together /= together[0]
    end = int(np.argmax(together <= 0)) or len(together)
    return float(1 + 2 * together[1:end].sum())


def _deflection(drive, q, theta):
    """(e, e')"""
    return theta[:, 0] / drive.gear_ratio - q[:, 0], theta[:, 1] / drive.gear_ratio - q[:, 1]


def _later(delay, step, q, theta, tau, Q):
    """(q, theta, tau, Q) with what the motor did `delay` [s] later; links' samples that have none are left out."""
    if not delay:
        return q, theta, tau, Q
    shift = round(delay / step)
    rest = delay - shift * step
    own, its = slice(max(0, -shift), len(q) - max(0, shift)), slice(max(0, shift), len(q) - max(0, -shift))
    value, rate, force = theta[its, 0], theta[its, 1], theta[its, 2]
    change = np.gradient(theta[:, 2], step)[its]
    moved = np.stack([value + rest * rate + rest**2 / 2 * force, rate + rest * force, force + rest * change], axis=1)
    return q[own], moved, tau[its] + rest * np.gradient(tau, step)[its], Q[own]


def _solved(joint, what, columns, values):
    """(solution, standard deviations, what is left) of least squares."""
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
    return solution, np.sqrt(np.diag(covariance)), rest


def _smoothed(samples, half, step) -> Array:
    """(samples - 2 half, 3, columns): values, rates and accelerations at the middle of polynomials through 2 half + 1 samples each."""
    nodes = np.arange(-half, half + 1) / half
    fit = np.linalg.pinv(np.stack([nodes**k for k in range(DEGREE + 1)], axis=-1))
    out = [[np.convolve(column, fit[k, ::-1] * math.factorial(k) / (half * step)**k, 'valid') for k in range(3)] for column in samples.T]
    return np.moveaxis(np.array(out), 0, 2).swapaxes(0, 1)
