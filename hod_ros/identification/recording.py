# SPDX-License-Identifier: Apache-2.0
"""What was measured while a robot moved: positions and torques of its joints over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.model.motions import robot_model
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories.sample_times import gaps

FEWEST = 100            # samples without a gap
_MOVED = 0.01           # [rad] or [m] within which a joint stands still
_LONGEST = 100_000


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples of joints by name, at times (samples,) [s]; all arrays are (samples, joints).

    positions: of the links [rad] or [m]. torques: measured, in the joints' own units [N m] or [N], on their side of the gears.
    motor_positions: where motors are measured beside the links, divided by the gear ratio, [rad] or [m]; None: rigid joints.

    Raises InputError where names, times and arrays do not match.

        >>> r = Recording(['a', 'b'], np.arange(200) / 100, np.zeros((200, 2)), np.zeros((200, 2)))
        >>> r.positions.shape
        (200, 2)
    """

    joint_names: tuple[str, ...]
    times: Array
    positions: Array
    torques: Array
    motor_positions: Array | None = None

    def __post_init__(self) -> None:
        names = arguments.names(self.joint_names, 'joint_names')
        times = arrays.array(arrays.floats(self.times, 'times'), ('samples',), 'times', 'one for each sample [s]')
        checked = {'joint_names': names, 'times': times}
        for what in ('positions', 'torques', 'motor_positions'):
            value = getattr(self, what)
            if value is not None:
                checked[what] = arrays.array(
                    arrays.floats(value, what), (len(times), len(names)), what, 'a row for each time, a column for each name')
        if len(times) > 1 and not (np.diff(times) > 0).all():
            at = int(np.argmin(np.diff(times) > 0)) + 1
            raise InputError(f'times[{at}] is {times[at]:.9g}, not later than {times[at - 1]:.9g} before it; times must increase')
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def of_model(self, model: RobotModel) -> Recording:
        """The columns of a model's joints in its order; joints that it does not have are left out."""
        robot_model(model)
        missing = [name for name in model.joint_names if name not in self.joint_names]
        if missing:
            raise InputError(
                f'the recording has no joint {missing[0]!r}, only {arguments.listed(self.joint_names)}; lock what was not recorded: '
                f"RobotModel.from_urdf(text, locked={{{missing[0]!r}: position}})")
        columns = [self.joint_names.index(name) for name in model.joint_names]
        motors = None if self.motor_positions is None else self.motor_positions[:, columns]
        return Recording(
            model.joint_names, self.times, self.positions[:, columns], self.torques[:, columns], motors)

    def pieces(self) -> list[Recording]:
        """The parts between gaps that are long enough to be used, none of them so long that its equations would not fit memory."""
        times = self.times
        if len(times) < FEWEST:
            return []
        ends = [*gaps(times) + 1, len(times)]
        out, start = [], 0
        for end in ends:
            parts = -(-int(end - start) // _LONGEST)
            bounds = np.linspace(start, end, parts + 1).astype(int)
            out += [self._part(int(a), int(b)) for a, b in zip(bounds[:-1], bounds[1:], strict=True) if b - a >= FEWEST]
            start = int(end)
        return out

    def _part(self, start: int, end: int) -> Recording:
        positions, torques, motors = (
            None if value is None else value[start:end] for value in (self.positions, self.torques, self.motor_positions))
        return Recording(self.joint_names, self.times[start:end], positions, torques, motors)


def refuse_unmeasured(joint_names: Sequence[str], positions: Array, torques: Array, name: str) -> None:
    """InputError where the efforts (samples, n) of a joint never change while it moves: many drivers publish zeros for what they lack."""
    moved = np.ptp(positions, axis=0)
    constant = np.flatnonzero((np.ptp(torques, axis=0) == 0) & (moved > _MOVED))
    if constant.size:
        j = constant[0]
        raise InputError(
            f'{name}: effort of joint {joint_names[j]!r} is constant ({torques[0, j]:g}) while it moves by {moved[j]:.3g}; does the '
            'driver measure it? record what is measured (motor currents times torque constant and gear ratio), or leave this recording out')
