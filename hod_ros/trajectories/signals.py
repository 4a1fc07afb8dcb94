# SPDX-License-Identifier: Apache-2.0
"""What a robot does along a trajectory: joint motion, forces and their rates, motors, power, each with two time derivatives.

Rows 0, 1, 2 of every signal are its value and derivatives by time; that is how peaks.py finds what lies between samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hod_ros.actuators.drives import Drive
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.model.far_positions import far_positions
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import arguments
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.trajectory import Trajectory

Drives = Mapping[str, Drive] | PreparedDrives | None


class Quantity(NamedTuple):
    """Some columns of the signals."""

    name: str
    owners: tuple[str, ...]             # joints or motors, one for each column
    columns: slice


class Signals:
    """The signals of a robot along a trajectory."""

    quantities: tuple[Quantity, ...]

    def __init__(self, model: RobotModel, trajectory: Trajectory, drives: Drives = None, viscous_friction: bool = False) -> None:
        self.model, self.trajectory = arguments.robot_model(model), checked_trajectory(trajectory, model)
        if model.base != 'fixed' or model.exact:
            raise InputError(f"{model.name} has a free base or exact numbers; trajectories are for fixed bases and floating point numbers")
        self.doubt = far_positions(model, self.trajectory.evaluate(self.trajectory.breaks, 0)[:, 0])
        if self.doubt:
            warnings.warn(self.doubt, stacklevel=3)
        self.drives: PreparedDrives | None = None if drives is None else prepared(model, drives)
        self.damping = model.damping if arguments.flag(viscous_friction, 'viscous_friction') else None
        self.rows = 7 if self.drives is None else 2 + self.drives.rows
        joints = [(name, model.joint_names) for name in (
            'velocity', 'acceleration', 'jerk', 'effort', 'effort_rate', 'effort_acceleration', 'power')]
        motors = [] if self.drives is None else [(name, self.drives.motor_names) for name in ('motor_velocity', 'motor_effort')]
        self.quantities, self.width = columns_of(joints + motors)

    def motion(self, piece: NDArray[np.intp], u: NDArray[np.float64], speed: float = 1.0) -> NDArray[np.float64]:
        """(samples, rows, n): q and its derivatives where the trajectory runs `speed` times as fast."""
        q = self.trajectory.evaluate_pieces(piece, u, self.rows - 1)
        return q if speed == 1.0 else q * (speed**np.arange(self.rows))[:, None]

    def forces(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """(samples, rows - 2, n): Q and its derivatives, with viscous friction where that is wanted."""
        Q = inverse_dynamics(self.model, q)
        return Q if self.damping is None else Q + self.damping * q[:, 1:-1]

    def __call__(self, piece: NDArray[np.intp], u: NDArray[np.float64]) -> NDArray[np.float64]:
        """(samples, 3, columns) at u of pieces by their index."""
        q = self.motion(piece, u)
        Q = self.forces(q)
        power = np.stack([
            Q[:, 0] * q[:, 1],
            Q[:, 1] * q[:, 1] + Q[:, 0] * q[:, 2],
            Q[:, 2] * q[:, 1] + 2 * Q[:, 1] * q[:, 2] + Q[:, 0] * q[:, 3]], axis=1)
        parts = [q[:, 1:4], q[:, 2:5], q[:, 3:6], Q[:, :3], Q[:, 1:4], Q[:, 2:5], power]
        if self.drives is not None:
            m = self.drives.motor_feedforward_of(q, Q)
            parts += [m.motion[:, 1:4], m.torques[:, :3]]
        return np.concatenate(parts, axis=2)

    def work(self) -> NDArray[np.float64]:
        """(n,) the mechanical work of each joint [J]: the integral of Q q', by Gauss' rule on quarters of the pieces."""
        x, w = np.polynomial.legendre.leggauss(10)
        x, w = (x + 1) / 2, w / 2
        nodes = ((np.arange(4)[:, None] + x) / 4).ravel()
        weights = np.tile(w / 4, 4)
        pieces, steps = len(self.trajectory.coefficients), np.diff(self.trajectory.breaks)
        out = np.zeros(self.model.n)
        for first in range(0, pieces, 256):
            which = np.arange(first, min(first + 256, pieces))
            q = self.trajectory.evaluate_pieces(np.repeat(which, len(nodes)), np.tile(nodes, len(which)), 2)
            Q = self.forces(q) if self.damping is None else inverse_dynamics(self.model, q) + self.damping * q[:, 1:2]
            out += np.sum((Q[:, 0] * q[:, 1]) * np.outer(steps[which], weights).ravel()[:, None], axis=0)
        return out


def columns_of(parts: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[tuple[Quantity, ...], int]:
    """(quantities, number of columns) of (name, owners) side by side."""
    quantities, first = [], 0
    for name, owners in parts:
        quantities.append(Quantity(name, owners, slice(first, first + len(owners))))
        first += len(owners)
    return tuple(quantities), first


def checked_trajectory(trajectory: Trajectory, model: RobotModel) -> Trajectory:
    """The trajectory, whose joints must be the model's; in the model's order where both have names."""
    if not isinstance(trajectory, Trajectory):
        raise InputError(f'trajectory is {arguments.shown(trajectory)}; give a Trajectory, for example by Trajectory.interpolate')
    if trajectory.n != model.n:
        raise InputError(f'trajectory moves {trajectory.n} joints, but {model.name} has {model.n}: {arguments.some(model.joint_names)}')
    if trajectory.joint_names is None or trajectory.joint_names == model.joint_names:
        return trajectory
    missing = [name for name in model.joint_names if name not in trajectory.joint_names]
    if missing:
        raise InputError(
            f'trajectory moves {arguments.some(trajectory.joint_names)}, but not {missing[0]!r} of {model.name}; give every joint of the '
            'model, or make the model of these joints alone')
    return trajectory.of_joints(model.joint_names)


def limited(quantities: tuple[Quantity, ...], limits: Limits, width: int) -> NDArray[np.float64]:
    """(columns,) the limit of each column, inf where there is none."""
    out = np.full(width, np.inf)
    names = {quantity.name for quantity in quantities}
    for name in limits.given:
        if name not in names:
            raise InputError(f'limits.{name} is given, but no drives are: give drives={{...}}, whose motors it limits')
    for quantity in quantities:
        if quantity.name in limits.given:
            out[quantity.columns] = limits.of(quantity.name, quantity.owners)
    return out


