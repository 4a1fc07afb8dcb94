# SPDX-License-Identifier: Apache-2.0
"""Drives' figures as the kernel takes them (motor_feedforward.hpp), and what computes their motors from q and Q with them."""

import numpy as np

from hod_ros.actuators.drives import AdjustableStiffness
from hod_ros.actuators.drives import Antagonistic
from hod_ros.actuators.drives import HardeningSpring
from hod_ros.actuators.drives import Rigid
from hod_ros.actuators.drives import SeriesElastic
from hod_ros.actuators.figure_checks import each_of
from hod_ros.actuators.springs import CubicSpring
from hod_ros.actuators.springs import ExponentialSpring
from hod_ros.actuators.springs import HyperbolicSineSpring
from hod_ros.actuators.springs import QuadraticSpring
from hod_ros.errors import InputError

KINDS = {Rigid: 0, SeriesElastic: 0, HardeningSpring: 1, AdjustableStiffness: 2}        # hod::DriveKind
PAIR = 3
LAWS = {                                                                                # in hod::SpringLaw's order: the figures a, b
    ExponentialSpring: ('torque', 'rate'),
    QuadraticSpring: ('quadratic', 'linear'),
    HyperbolicSineSpring: ('torque', 'rate'),
    CubicSpring: ('cubic', 'linear'),
}


def figures_of(drives, dry_friction):
    """(n, 13) and (motors, 8): a hod::Drive and a hod::Motor a row; None where the kernel does not know one of the drives."""
    if not all(_known(drive) for drive in drives):
        return None
    springs = np.array([_drive(drive) for drive in drives], dtype=float).reshape(-1, 13)
    motors = np.array([
        (ratio, 1 / ratio, inertia, friction, 0, 0, 1, 1)
        for drive in drives
        for ratio, inertia, friction in zip(
            each_of(drive.gear_ratio), each_of(drive.motor_inertia), each_of(drive.motor_friction), strict=True)
    ], dtype=float).reshape(-1, 8)
    motors[dry_friction.motors, 4:] = np.stack([dry_friction.coulomb, dry_friction.excess, dry_friction.slow, dry_friction.width], axis=-1)
    return springs, motors


def compiled_figures(prepared):
    """Figures of PreparedDrives for controllers in C++: (n, 13), (motors, 8), and (motors, 5), a hod::Rotor a row, or (0, 5).

    Raises InputError where the kernel does not know one of the drives, or where rotors are coupled to links exactly.
    """
    if prepared.rotors and prepared.coupling == 'exact':
        raise InputError("drives were prepared with coupling='exact', which is not computed in C++; prepare them with 'five_rows'")
    for joint, drive in zip(prepared.model.joint_names, prepared.drives, strict=True):
        if not _known(drive):
            what = 'has a damper that gives it a state: give damping_terms' if drive.keeps_state else 'is of a kind that C++ does not know'
            raise InputError(f'the drive of joint {joint!r} {what}')
    return *figures_of(prepared.drives, prepared.dry_friction), prepared.rotors.figures if prepared.rotors else np.zeros((0, 5))


def compiled_drives(model, figures):
    """What computes (motion (.., 2 rows - 2, motors), stiffnesses (.., n), Q) of q, and where not None: Q, else of inverse dynamics; a
    stiffness motion of all joints; figures of rotors, which add to Q; a number of threads.

    None instead where the kernel is absent or does not know the drives.
    """
    kernel = getattr(model, '_compiled', None)
    if kernel is None or figures is None:
        return None
    compute = kernel.robot.algorithm('motor_feedforward')
    springs, motors = figures
    return lambda q, Q, stiffness, rotors, threads: compute(q, Q, springs, motors, stiffness, rotors, threads=threads)


def _known(drive):
    if drive.keeps_state:
        return False
    if type(drive) is Antagonistic:
        return all(type(law) in LAWS for law in drive.spring)
    return type(drive) in KINDS


def _drive(drive):
    pair = isinstance(drive, Antagonistic)
    linear = drive.linear_spring
    kind = PAIR + list(LAWS).index(type(drive.spring[0])) if pair else KINDS[type(drive)]
    stiffness = 0 if not drive.elastic else -1 if drive.stiffness is None else drive.stiffness
    lowest, highest = getattr(drive, 'stiffness_range', None) or (0, 1e30)
    springs = [getattr(law, figure) for law in drive.spring for figure in LAWS[type(law)]] if pair else [0, 0, 0, 0]
    return (
        kind, stiffness, 1 / stiffness if linear else 0, getattr(drive, 'cubic', 0), getattr(drive, 'quintic', 0), drive.damping,
        drive.extra_rows, lowest, highest, *springs)
