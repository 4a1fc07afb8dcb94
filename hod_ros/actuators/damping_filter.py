# SPDX-License-Identifier: Apache-2.0
"""The damper beside a spring as a stable filter: D e' + f(e) = Q for the deflection e = theta - q; see relaxation.py.

Between two calls Q and the stiffness are quintics through what is known at both, or, where they have jumped (a robot that has gripped
something), what the later call knows of the time before it. The deflection itself never jumps.
"""

from collections.abc import Mapping

from numpy.typing import ArrayLike

from hod_ros.actuators.motor_motion import MotorFeedforward
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.actuators.relaxation import relaxed
from hod_ros.algebra import taylor
from hod_ros.checks import arrays
from hod_ros.checks.arguments import finite_number
from hod_ros.checks.arguments import listed
from hod_ros.checks.arguments import numbers_by_name
from hod_ros.checks.arguments import shown
from hod_ros.checks.arguments import some
from hod_ros.dynamics.loads import Wrenches
from hod_ros.dynamics.loads import pairs
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


def damped(drive, Q, k, deflection):
    """Series of e from its first term: D e' = Q - f(e), as long as Q's."""
    e = [deflection]
    for m in range(len(Q) - 1):
        force = drive.forces([*e, *([0.0 * e[0]] * (len(Q) - len(e)))], k)[0]
        e.append((Q[m] - force[m]) / (drive.damping * (m + 1)))
    return e


class DampingFilter:
    """Motor feedforward where springs have dampers, one sample a call. It has a state: the deflections.

    The drives without damping_terms are filtered, all others are treated as in motor_feedforward. The first call after construction
    or reset() starts from the deflection that a slow motion would have. step: the time between two calls [s], unless a call tells its own.
    A call takes q (5, n) or more rows, wrenches and stiffness as motor_feedforward does, and gives a MotorFeedforward.

    Raises InputError where an argument has the wrong shape, name or value, or no drive has a damper to filter.

        >>> drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, damping=5.0)}
        >>> feedforward = DampingFilter(model, drives, step=1e-3)
        >>> feedforward(q).efforts.shape                         # one call each millisecond
        (7,)
    """

    def __init__(self, model: RobotModel, drives: Drives, *, step: float | None = None) -> None:
        self.prepared: PreparedDrives = prepared(model, drives)
        self.step: float | None = None if step is None else _checked_step(step)
        self._filtered = {
            joint: (j, drive) for j, (joint, drive) in enumerate(zip(self.prepared.model.joint_names, self.prepared.drives, strict=True))
            if drive.keeps_state}
        if not self._filtered:
            raise InputError('no drive has damping without damping_terms, so there is nothing to filter; use motor_feedforward')
        self.reset()

    def reset(self, deflections: Mapping[str, float] | None = None) -> None:
        """Forgets the past. deflections: {joint: theta - q} [rad] to start from."""
        self._last = {}             # joint -> (Q, Q', Q'') and (k, k', k'') of the last call
        self.deflections: dict[str, float] | None = None
        if deflections is not None:
            deflections = numbers_by_name(deflections, 'deflections', '[rad] or [m]')
            unknown = [joint for joint in deflections if joint not in self._filtered]
            if unknown:
                raise InputError(
                    f'deflections names {listed(unknown)}, but the filtered joints are {some(self._filtered)}')
            missing = [joint for joint in self._filtered if joint not in deflections]
            if missing:
                raise InputError(f'deflections of {listed(missing)} are missing; give theta - q [rad] of all filtered joints')
            self.deflections = {joint: deflections[joint] for joint in self._filtered}

    def continue_from(self, before: 'DampingFilter') -> None:
        """Goes on where another filter stands, as far as it filters the same joints: a robot that has gripped something, say."""
        if not isinstance(before, DampingFilter):
            raise InputError(f'before is {shown(before)}; give the DampingFilter to go on from')
        self.deflections = {joint: e for joint, e in (before.deflections or {}).items() if joint in self._filtered}
        self._last = {joint: last for joint, last in before._last.items() if joint in self._filtered}

    def __call__(
            self, q: ArrayLike, *, stiffness: ArrayLike | None = None, wrenches: Wrenches | None = None,
            step: float | None = None) -> MotorFeedforward:
        """MotorFeedforward for q (rows, n), rows q, q', q'', q''', q''''. step: time since the last call [s]; None: that of the filter."""
        from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
        model = self.prepared.model
        q = arrays.floats(motions.motion(model, q, 5, remedy=motions.FEWER), 'q')
        wrenches = None if wrenches is None else pairs(wrenches)
        return self.motor_feedforward_of(q, inverse_dynamics(model, q, wrenches=wrenches), stiffness=stiffness, step=step)

    def motor_feedforward_of(
            self, q: ArrayLike, Q: ArrayLike, *, stiffness: ArrayLike | None = None, step: float | None = None) -> MotorFeedforward:
        """As a call, for Q (rows - 2, n) that is known already, friction and wrenches included, but not rotors' coupling."""
        q, Q = self.prepared.checked_pair(motions.motion(self.prepared.model, q, 5, remedy=motions.FEWER), Q)
        self.prepared._check_shared_stiffness(stiffness, Q)
        q, Q = self.prepared._with_rotors(q, Q)
        k = dict(zip(self.prepared.variable_joints, self.prepared.stiffness_motion(stiffness, (), 3), strict=True))
        deflections = dict(self.deflections or {})
        for joint, (j, drive) in self._filtered.items():
            motion = taylor.from_derivatives(k[joint][:3]) if drive.variable else None
            if joint not in deflections:
                deflections[joint] = _slow(drive, taylor.from_derivatives(Q[:3, j]), motion)
            elif joint in self._last:
                Q_before, k_before = self._last[joint]
                deflections[joint] = relaxed(drive, deflections[joint], Q_before, Q[:3, j], k_before, k.get(joint), self._step(step))
        result = self.prepared._of_all_torques(q, Q, stiffness, deflections)
        self.deflections, self._last = deflections, {joint: (Q[:3, j], k.get(joint)) for joint, (j, _) in self._filtered.items()}
        return result

    def _step(self, step):
        if step is not None:
            return _checked_step(step)
        if self.step is None:
            raise InputError('step is missing; give the time since the last call [s], to this call or to the filter')
        return self.step


def _checked_step(step):
    step = finite_number(step, 'step', '[s]')
    if step <= 0:
        raise InputError(f'step is {step:g}; give the time between two calls, above 0 [s]')
    return step


def _slow(drive, Q, k):
    """The deflection of a motion that is slow against D / K: the series in D / K, cut where its terms stop shrinking."""
    e = drive.static(Q, k)
    last = abs(e[0])
    for _ in range(2):
        held = [a - drive.damping * b for a, b in zip(Q, taylor.rate(e), strict=False)]
        better = drive.static(held, k)
        term = abs(better[0] - e[0])
        if not term <= last:
            break
        e, last = better, term
    return float(e[0])
