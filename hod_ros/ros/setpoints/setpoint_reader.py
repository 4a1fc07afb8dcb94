# SPDX-License-Identifier: Apache-2.0
"""From JointSetpoint messages to arrays.

Rows are time derivatives, columns joints. A message's columns follow its own `joint_names`, a model's array the model's.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from hod_interfaces.msg import JointSetpoint
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.setpoints.bad_setpoints import JOINT_NAMES
from hod_ros.ros.setpoints.bad_setpoints import BadSetpoint
from hod_ros.ros.setpoints.bad_setpoints import check_finite
from hod_ros.ros.setpoints.bad_setpoints import check_joint_names
from hod_ros.ros.setpoints.bad_setpoints import count_rows

REMEMBERED = 64         # joint orders, and counts of rows


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
            check_finite(data, columns.names)
        q = np.frombuffer(data).reshape(rows, n)
        if rows > order + 3:
            q = q[:order + 3]
        if columns.to_model is not None:
            q = q.take(columns.to_model, axis=1)
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
