# SPDX-License-Identifier: Apache-2.0
"""What makes a setpoint bad: every rule that it must keep, and the reason that diagnostics count where it doesn't."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from hod_interfaces.msg import JointSetpoint
from hod_ros.checks.arguments import some
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel

FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps', 'higher')
STIFFNESS_FIELDS = ('stiffnesses', 'stiffness_rates', 'stiffness_accelerations')

JOINT_NAMES = 'joint names'
TOO_FEW_ROWS = 'too few derivatives'
GAP = 'gap in the derivatives'
WRONG_LENGTH = 'wrong array length'
NOT_FINITE = 'not finite'
REFUSED = 'refused by the dynamics'
INTERNAL = 'internal error'


class BadSetpoint(InputError):
    """A setpoint that can't be answered; `reason` is the kind of fault that diagnostics count."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def check_joint_names(model: RobotModel, names: Sequence[str]) -> None:
    """Raises an InputError that names every joint that is missing, duplicate or unknown."""
    given = set(names)
    faults = []
    duplicates = sorted(name for name, count in Counter(names).items() if count > 1) if len(given) < len(names) else []
    if duplicates:
        faults.append(f'{_quoted(duplicates)} named more than once')
    missing = [name for name in model.joint_names if name not in given]
    if missing:
        faults.append(f'{_quoted(missing)} missing')
    extra = [name for name in given if name not in model.joint_names]
    mimics = sorted(name for name in extra if name in model.joints)
    unknown = sorted(name for name in extra if name not in model.joints)
    if mimics:
        faults.append(f'{_quoted(mimics)} not wanted, because they mimic other joints')
    if unknown:
        faults.append(f'{_quoted(unknown)} unknown or locked')
    if faults:
        raise InputError(
            f'joint_names: {"; ".join(faults)}; name each of {some(model.joint_names)} once, in any order')


def count_rows(n: int, lengths: Sequence[int]) -> int:
    """Number of rows in a setpoint of n joints whose fields have these lengths; BadSetpoint where they contradict."""
    *single, higher = lengths
    for field, length in zip(FIELDS, single, strict=False):
        if length not in (0, n):
            raise BadSetpoint(
                WRONG_LENGTH, f'{field} has {length} values for {n} joints; give one for each joint, or none')
    if higher % n:
        raise BadSetpoint(
            WRONG_LENGTH, f'higher has {higher} values for {n} joints; give whole rows of one value for each joint')
    given = [length > 0 for length in lengths]
    rows = given.index(False) if False in given else len(given)
    if True in given[rows:]:
        later = FIELDS[rows + given[rows:].index(True)]
        raise BadSetpoint(GAP, f'{later} given without {FIELDS[rows]}; a derivative needs all the lower ones')
    if rows < 3:
        raise BadSetpoint(
            TOO_FEW_ROWS, f'{FIELDS[rows]} not given; torques need positions, velocities and accelerations at least')
    return 5 + higher // n if rows == 6 else rows


def check_finite(data: Sequence[float], names: Sequence[str]) -> None:
    """BadSetpoint that names the first value that isn't finite (a sum may overflow where every value is finite)."""
    n = len(names)
    for index, value in enumerate(data):
        if not isfinite(value):
            row, column = divmod(index, n)
            field = FIELDS[row] if row < 5 else f'higher, row {row - 5}'
            raise BadSetpoint(NOT_FINITE, f'{field} of joint {names[column]!r} is {value}; give finite numbers')


def stiffness_motion(setpoint: JointSetpoint, names: Sequence[str], variable: Sequence[str]) -> NDArray[np.float64] | None:
    """(3, v), rows k, k', k'', of the variable-stiffness joints in the model's order; None where the setpoint has none."""
    if not (setpoint.stiffnesses or setpoint.stiffness_rates or setpoint.stiffness_accelerations):
        return None
    given = [name for name in names if name in variable]
    rows = []
    for field in STIFFNESS_FIELDS:
        values = getattr(setpoint, field)
        if not values:
            raise BadSetpoint(GAP, f"{field} not given; a stiffness motion needs k, k' and k'': {', '.join(STIFFNESS_FIELDS)}")
        if len(values) != len(given):
            raise BadSetpoint(
                WRONG_LENGTH, f'{field} has {len(values)} values; give one for each of the {len(given)} variable-stiffness joints'
                + (f', in this order: {some(given)}' if given else ', that is none'))
        rows.append(values)
    k = np.array(rows)
    if not np.isfinite(k).all():
        row, column = (int(index) for index in np.argwhere(~np.isfinite(k))[0])
        raise BadSetpoint(NOT_FINITE, f'{STIFFNESS_FIELDS[row]} of joint {given[column]!r} is {k[row, column]}; give finite numbers')
    return k[:, [given.index(name) for name in variable]]


def _quoted(names, most=8):
    return ', '.join(map(repr, names[:most])) + (f' and {len(names) - most} more' if len(names) > most else '')
