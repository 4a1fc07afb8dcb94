"""Messages to arrays and back; every rule that a setpoint must keep is checked here.

Rows are time derivatives, columns joints. A message's columns follow its own `joint_names`, a model's array the
model's.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from math import isfinite

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel

FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps', 'higher')

JOINT_NAMES = 'joint names'
TOO_FEW_ROWS = 'too few derivatives'
GAP = 'gap in the derivatives'
WRONG_LENGTH = 'wrong array length'
NOT_FINITE = 'not finite'
REFUSED = 'refused by the dynamics'
INTERNAL = 'internal error'

REMEMBERED = 64


class BadSetpoint(InputError):
    """A setpoint that can't be answered; `reason` is the kind of fault that diagnostics count."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Columns:
    """Which column of the model belongs to which joint of a message, and the other way round."""

    def __init__(self, model: RobotModel, names: Sequence[str]) -> None:
        check_joint_names(model, names)
        self.names = list(names)
        self.to_model = None
        self.to_message = None
        if self.names != list(model.joint_names):
            self.to_model = np.array([self.names.index(name) for name in model.joint_names])
            self.to_message = np.array([model.joint_names.index(name) for name in self.names])


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
            f'joint_names: {"; ".join(faults)}; name each of {", ".join(model.joint_names)} once, in any order')


class SetpointReader:
    """Turns JointSetpoint messages into arrays for one model, remembering what was seen to be well formed."""

    def __init__(self, model: RobotModel) -> None:
        self._model = model
        self._columns = {}
        self._rows = {}
        self._names = None
        self._current = None

    def read(self, setpoint: JointSetpoint, order: int) -> tuple[NDArray[np.float64], Columns]:
        """(q, columns): q (rows, n) in the model's order, as many rows as the setpoint has but at most order + 3."""
        if setpoint.joint_names != self._names:
            self._select(setpoint.joint_names)
        columns = self._current
        positions, velocities, accelerations = setpoint.positions, setpoint.velocities, setpoint.accelerations
        jerks, snaps, higher = setpoint.jerks, setpoint.snaps, setpoint.higher
        lengths = (len(positions), len(velocities), len(accelerations), len(jerks), len(snaps), len(higher))
        n = len(columns.names)
        rows = self._rows.get((n, lengths))
        if rows is None:
            rows = self._rows_of(n, lengths)
        data = positions + velocities + accelerations + jerks + snaps + higher
        if not isfinite(sum(data)):
            _check_finite(data, columns.names)
        q = np.frombuffer(data).reshape(rows, n)
        if rows > order + 3:
            q = q[:order + 3]
        if columns.to_model is not None:
            q = q[:, columns.to_model]
        return q, columns

    def _select(self, names):
        key = tuple(names)
        columns = self._columns.get(key)
        if columns is None:
            try:
                columns = Columns(self._model, names)
            except InputError as error:
                raise BadSetpoint(JOINT_NAMES, str(error)) from None
            if len(self._columns) >= REMEMBERED:
                self._columns.clear()
            self._columns[key] = columns
        self._current = columns
        self._names = columns.names

    def _rows_of(self, n, lengths):
        rows = count_rows(n, lengths)
        if len(self._rows) >= REMEMBERED:
            self._rows.clear()
        self._rows[n, lengths] = rows
        return rows


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


def _check_finite(data, names):
    """BadSetpoint that names the first value that isn't finite (a sum may overflow where every value is finite)."""
    n = len(names)
    for index, value in enumerate(data):
        if not isfinite(value):
            row, column = divmod(index, n)
            field = FIELDS[row] if row < 5 else f'higher, row {row - 5}'
            raise BadSetpoint(NOT_FINITE, f'{field} of joint {names[column]!r} is {value}; give finite numbers')


class FeedforwardWriter:
    """Fills a TorqueFeedforward message; one message is used again and again."""

    def __init__(self, message: TorqueFeedforward) -> None:
        self.message = message
        self._empty = array('d')
        self._no_flags = array('B')

    def write(self, setpoint, limited, columns):
        """The message that answers this setpoint with what is Limited, in the model's order."""
        Q, flags, clipped, _ = limited
        if columns.to_message is not None:
            Q = Q[:, columns.to_message]
            flags = None if flags is None else flags[columns.to_message]
        data = array('d', Q.tobytes())
        n = len(columns.names)
        message = self.message
        message.header = setpoint.header
        message.joint_names = columns.names
        message.efforts = data[:n]
        message.effort_rates = data[n:2 * n]
        message.effort_accelerations = data[2 * n:3 * n]
        message.higher = data[3 * n:] if len(data) > 3 * n else self._empty
        message.limit_flags = self._no_flags if flags is None else array('B', flags.tobytes())
        message.clipped = clipped
        return message


def _quoted(names, most=8):
    return ', '.join(map(repr, names[:most])) + (f' and {len(names) - most} more' if len(names) > most else '')


def nanoseconds(stamp: Time) -> int:
    return stamp.sec * 1_000_000_000 + stamp.nanosec
