# SPDX-License-Identifier: Apache-2.0
"""At which speeds a trajectory keeps limits: exactly, by the roots of polynomials of the speed.

Where a motion q(s) runs mu times as fast, its k-th derivative is mu^k times as large. The forces are Q = B + V mu + A mu^2: gravity,
viscous friction, inertia; their rate is mu (B' + V' mu + A' mu^2). Motors behind springs of constant stiffness K turn by theta = q + Q / K
at the rate mu theta', and their torque is J theta'' mu^2 + d theta' mu + Q, up to mu^4. So at each place every limit is kept at speeds
between roots. The worst places are found at the speeds that result, and added, until there is none that is worse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.trajectories import arguments
from hod_ros.trajectories import peaks as search
from hod_ros.trajectories.evaluation import UNITS
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.signals import Drives
from hod_ros.trajectories.signals import Signals
from hod_ros.trajectories.signals import columns_of
from hod_ros.trajectories.signals import limited
from hod_ros.trajectories.speeds import FeasibleSpeeds
from hod_ros.trajectories.trajectory import Trajectory

_POWERS = 5                 # of the speed: 1, mu, ..., mu^4
_PLACES = (8, 256)          # of each piece and of all pieces, at least, to begin with
_SPEEDS = np.linspace(0, 1, 65)
_NEAR = 0.9                 # of a limit at a speed at which it is nearest to it: there the worst place is looked for
_CLOSE = 2e-10              # of a limit: what rounding may add
_CHUNK = 256                # pieces at a time
_UNFIT = 'damping', 'motor_coulomb', 'motor_link'       # figures with which a motor follows no polynomial of the speed


@dataclass(frozen=True, eq=False)
class TimeScale:
    """What time_scale found.

    Its message says what limits the speed, and where.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> time_scale(model, t, Limits(velocity=10.0)).fastest
        1.0
    """

    fastest: float | None                           # the largest feasible speed up to 1; None: there is none
    intervals: tuple[tuple[float, float], ...]      # all feasible speeds up to 1, rising; one that begins at 0 holds however slow it gets
    message: str                                    # what limits the speed, where; or why there is none
    trajectory: Trajectory | None                   # the motion at that speed


def time_scale(
        model: RobotModel, trajectory: Trajectory, limits: Limits, drives: Drives = None, margin: float = 1.0, *,
        viscous_friction: bool = False) -> TimeScale:
    """The speeds up to 1 (as given) at which a trajectory, changed in speed as a whole, keeps all limits; exact, between samples too.

    drives, margin, viscous_friction: as in evaluate_trajectory; drives are Rigid or SeriesElastic without damper, dry friction
    and rotors on links, whose motors follow polynomials of the speed.

    Raises InputError where an argument has the wrong shape, name or value, or the drives are others than these.

        >>> t = Trajectory.interpolate([0, 1, 3], [q[0], q[0] + 0.2, q[0]])
        >>> f = time_scale(model, t, Limits(velocity=0.1))
        >>> f.fastest < 1, bool(np.isclose(evaluate_trajectory(model, f.trajectory).peaks['velocity'].value.max(), 0.1))
        (True, True)
    """
    if not isinstance(limits, Limits):
        raise InputError(f'limits is {arguments.shown(limits)}; give Limits(effort=..., effort_rate=...)')
    scaled = _Scaled(model, trajectory, limits.with_margin(margin), drives, viscous_friction)
    speeds = FeasibleSpeeds()
    if not scaled.quantities:
        return TimeScale(1.0, ((0.0, 1.0),), '1: nothing is limited', scaled.trajectory)
    used = np.zeros(len(_SPEEDS))
    for piece, u in scaled.first_places():
        c = scaled.normalised(piece, u)
        used = np.maximum(used, np.abs(c @ (_SPEEDS**np.arange(_POWERS)[:, None])).max(axis=0))
        speeds.add(c)
    rises, falls = used[1:-1] > used[:-2] * (1 + _CLOSE), used[1:-1] >= used[2:]
    for mu in _SPEEDS[1:-1][rises & falls & (used[1:-1] > _NEAR) & (used[1:-1] <= 1)]:
        speeds.add(scaled.normalised(*scaled.summit(mu)))
    while speeds.intervals:
        worse = [scaled.worse_places(mu) for mu in _speeds_to_check(speeds.intervals)]
        piece, u = (np.concatenate(part) for part in zip(*worse, strict=True))
        if not len(piece):
            break
        speeds.add(scaled.normalised(piece, u, 1 - _CLOSE / 4))
    return _result(scaled, speeds.intervals)


def _speeds_to_check(intervals):
    """The ends of the intervals and their middles."""
    return sorted({low + (high - low) * part for low, high in intervals for part in (0.0, 0.5, 1.0)})


class _Scaled:
    """The limited quantities of a trajectory as polynomials of its speed."""

    def __init__(self, model, trajectory, limits, drives, viscous_friction):
        self.signals = Signals(model, trajectory, drives, viscous_friction)
        self.trajectory, self.drives = self.signals.trajectory, self.signals.drives
        if self.drives is not None:
            for joint, drive in zip(model.joint_names, self.drives.drives, strict=True):
                if any(getattr(drive, name) for name in _UNFIT) or drive.elastic and not drive.linear_spring:
                    kind = ' with '.join([type(drive).__name__, *(
                        f'{name} {getattr(drive, name)!r}' for name in _UNFIT if getattr(drive, name))])
                    raise InputError(
                        f'the drive of joint {joint!r} is {kind}, whose motor follows no polynomial of the speed; speeds are found for '
                        'Rigid and SeriesElastic without dampers, dry friction and rotors on links: evaluate_trajectory at some speeds '
                        'serves the others')
            elastic = [drive.elastic for drive in self.drives.drives]
            self.compliance = np.array([
                1 / drive.stiffness if soft else 0.0 for drive, soft in zip(self.drives.drives, elastic, strict=True)])
        limited(self.signals.quantities, limits, self.signals.width)               # refuses limits of motors without drives
        wanted = [q for q in self.signals.quantities if q.name in limits.given]
        self.quantities, width = columns_of([(q.name, q.owners) for q in wanted])
        self.limit = limited(self.quantities, limits, width)

    def first_places(self):
        count = len(self.trajectory.coefficients)
        parts = max(_PLACES[0], -(-_PLACES[1] // count))
        for first in range(0, count, _CHUNK):
            pieces = np.arange(first, min(first + _CHUNK, count))
            yield np.repeat(pieces, parts + 1), np.tile(np.arange(parts + 1) / parts, len(pieces))

    def normalised(self, piece, u, part=1.0):
        """(polynomials, powers): every limited quantity at every place in parts of its limit."""
        c = self.coefficients(piece, u)[:, 0] / (part * self.limit)
        return np.moveaxis(c, 1, 2).reshape(-1, _POWERS)

    def worse_places(self, speed):
        """(pieces, u) where a quantity is beyond its limit at a speed, each at its peak."""
        found = self.peaks(speed, 1.0)
        beyond = found.value > 1 + _CLOSE
        return found.piece[beyond], found.u[beyond]

    def summit(self, speed):
        """(pieces, u) on the way from a speed to the place and the speed near it where a limit is nearest."""
        pieces, places = [], []
        for _ in range(8):
            found = self.peaks(speed, 0.5)
            at = int(np.argmax(found.value))
            pieces.append(found.piece[at])
            places.append(found.u[at])
            c = self.coefficients(found.piece[at:at + 1], found.u[at:at + 1])[0, 0, :, at]
            around = np.clip(speed + np.linspace(-1, 1, 201) / 64, 0, 1)
            best = around[np.argmax(np.abs(np.polyval(c[::-1], around)))]
            slope = np.polyder(c[::-1])
            curvature = np.polyval(np.polyder(slope), best)
            last, speed = speed, best - np.polyval(slope, best) / curvature if curvature and 0 < best < 1 else best
            if not 0 < speed <= 1 or abs(speed - last) < 1e-12:
                break
        return np.array(pieces), np.array(places)

    def peaks(self, speed, least=0.0):
        """In parts of the limits; those below `least` may be given too low."""
        powers = speed**np.arange(_POWERS)

        def signal(piece, u):
            return np.einsum('skpm,p->skm', self.coefficients(piece, u), powers)
        return search.find(signal, self.trajectory, scale=self.limit, least=least)

    def coefficients(self, piece, u):
        """(samples, 3, powers, columns): rows by the trajectory's own time, of the coefficients in ascending powers of the speed."""
        q = self.trajectory.evaluate_pieces(piece, u, 6)
        B, V, A = self._forces(q)
        out = np.zeros((len(q), 3, _POWERS, self.limit.size))
        for quantity in self.quantities:
            _COLUMNS[quantity.name](self, out[..., quantity.columns], q, (B, V, A))
        return out

    def _forces(self, q):
        """B, V, A (samples, 5, n), from the forces at speeds 1 and 1/2, whose k-th derivatives are 2^-k (B + A / 4) and B + A."""
        if not any(quantity.name.startswith(('effort', 'motor')) for quantity in self.quantities):
            return None, None, None
        halves = 0.5**np.arange(7)
        full = inverse_dynamics(self.signals.model, q)
        half = inverse_dynamics(self.signals.model, q * halves[:, None]) / halves[:5, None]
        A = (full - half) * (4 / 3)
        V = np.zeros_like(A) if self.signals.damping is None else self.signals.damping * q[:, 1:6]
        return full - A, V, A


def _motion(order):
    def fill(scaled, out, q, forces):
        out[:, :, order] = q[:, order:order + 3]
    return fill


def _effort(scaled, out, q, forces):
    for power, term in enumerate(forces):
        out[:, :, power] = term[:, :3]


def _effort_rate(scaled, out, q, forces):
    for power, term in enumerate(forces, start=1):
        out[:, :, power] = term[:, 1:4]


def _motor_position(scaled, q, forces):
    """Powers 0, 1, 2 of theta on the motor's side (samples, 5, n)."""
    ratio = scaled.drives.gear_ratio
    theta = [ratio * scaled.compliance * term for term in forces]
    theta[0] = theta[0] + ratio * q[:, :5]
    return theta


def _motor_velocity(scaled, out, q, forces):
    for power, term in enumerate(_motor_position(scaled, q, forces), start=1):
        out[:, :, power] = term[:, 1:4]


def _motor_effort(scaled, out, q, forces):
    drives = scaled.drives
    for power, (theta, force) in enumerate(zip(_motor_position(scaled, q, forces), forces, strict=True)):
        out[:, :, power] += force[:, :3] / drives.gear_ratio
        out[:, :, power + 1] += drives.motor_friction * theta[:, 1:4]
        out[:, :, power + 2] += drives.motor_inertia * theta[:, 2:5]


_COLUMNS = {
    'velocity': _motion(1), 'acceleration': _motion(2), 'jerk': _motion(3), 'effort': _effort, 'effort_rate': _effort_rate,
    'motor_velocity': _motor_velocity, 'motor_effort': _motor_effort}


def _result(scaled, intervals):
    intervals = tuple((low, high) for low, high in intervals if high > 0)
    if not intervals:
        return TimeScale(None, (), _why_none(scaled), None)
    fastest = intervals[-1][1]
    found = scaled.peaks(fastest)
    if fastest == 1.0:
        message = f'1: all limits are kept as fast as given; {_where(scaled, found, "is nearest to its limit")}'
    else:
        message = f'{fastest:.6g}: {_where(scaled, found, "is at its limit")}'
    return TimeScale(fastest, intervals, message, scaled.trajectory.at_speed(fastest))


def _why_none(scaled):
    found = scaled.peaks(0.0)
    at = int(np.argmax(found.value))
    quantity, owner = _column(scaled, at)
    kind = 'motor' if quantity.name.startswith('motor') else 'joint'
    if found.value[at] > 1:
        value, when = found.value[at] * scaled.limit[at], found.times(scaled.trajectory)[at]
        return f'none: gravity alone exceeds {kind} {owner!r}: {value:.6g} of {scaled.limit[at]:.6g} {UNITS[quantity.name]} at {when:.6g} s'
    return f'none: gravity alone is at the limit of {kind} {owner!r}'


def _where(scaled, found, what):
    at = int(np.argmax(found.value))
    quantity, owner = _column(scaled, at)
    value, when = found.value[at] * scaled.limit[at], found.times(scaled.trajectory)[at]
    return (
        f'{quantity.name.replace("_", " ")} of {owner!r} {what}: {value:.6g} of {scaled.limit[at]:.6g} {UNITS[quantity.name]}, '
        f'where the trajectory as given is at {when:.6g} s')


def _column(scaled, at):
    quantity = next(quantity for quantity in scaled.quantities if quantity.columns.start <= at < quantity.columns.stop)
    return quantity, quantity.owners[at - quantity.columns.start]
