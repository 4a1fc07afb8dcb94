# SPDX-License-Identifier: Apache-2.0
"""A model's drives, checked and packed once: from q and Q to the motors, by the kernel (compiled_drives.py), else joint by joint."""

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any
from typing import TypeAlias
from typing import Union

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.actuators.compiled_drives import compiled_drives
from hod_ros.actuators.compiled_drives import figures_of
from hod_ros.actuators.drives import Drive
from hod_ros.actuators.drives import Rigid
from hod_ros.actuators.figure_checks import each_of
from hod_ros.actuators.motor_friction import DryFriction
from hod_ros.actuators.motor_friction import bounded_joint_friction
from hod_ros.actuators.motor_motion import MotorFeedforward
from hod_ros.actuators.plausibility import reflection_warnings
from hod_ros.actuators.rotor_coupling import FORMS
from hod_ros.actuators.rotor_coupling import RotorCoupling
from hod_ros.algebra import taylor
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.arguments import numbers_by_name
from hod_ros.checks.arguments import one_of
from hod_ros.checks.arguments import shown
from hod_ros.checks.arguments import some
from hod_ros.checks.types import Array
from hod_ros.checks.types import Indices
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import Wrenches
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

Drives: TypeAlias = Union[Mapping[str, Drive], 'PreparedDrives']        # of joints by name, all others being rigid; or prepared


def prepared(model: RobotModel, drives: Drives, coupling: str | None = None) -> 'PreparedDrives':
    """PreparedDrives of a model's drives; those given must be this model's."""
    if not isinstance(drives, PreparedDrives):
        return PreparedDrives(model, drives, coupling='five_rows' if coupling is None else coupling)
    if drives.model is not model:
        raise InputError(f'drives were prepared for {drives.model!r}, not for {shown(model)}; prepare them for this model')
    if coupling is not None and not one_of(coupling, (drives.coupling,)):
        raise InputError(f'coupling is {shown(coupling)}, but drives were prepared with {drives.coupling!r}; prepare them with the other')
    return drives


class PreparedDrives:
    """A model and its drives, checked and packed once for many calls of motor_feedforward.

    Raises InputError where drives name unknown joints or the model has a free base or no floats.

        >>> drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> prepared = PreparedDrives(model, drives)
        >>> motor_feedforward(model, prepared, q).accelerations.shape
        (7,)
    """

    def __init__(self, model: RobotModel, drives: Mapping[str, Drive], *, coupling: str = 'five_rows') -> None:
        if not one_of(coupling, FORMS):
            raise InputError(f'coupling is {shown(coupling)}; it is one of {", ".join(map(repr, FORMS))}')
        self.model = model
        self.coupling = coupling
        self.drives: tuple[Drive, ...] = _checked_drives(model, drives)                # one for each joint, in the model's order
        self._extra_rows = max((drive.extra_rows for drive in self.drives), default=0)
        self.motor_names: tuple[str, ...] = tuple(
            name for joint, drive in zip(model.joint_names, self.drives, strict=True) for name in drive.motors(joint))
        self.motor_joints: Indices = np.array([j for j, drive in enumerate(self.drives) for _ in drive.motors('')], dtype=int)
        self.elastic_joints: tuple[str, ...] = tuple(
            joint for joint, drive in zip(model.joint_names, self.drives, strict=True) if drive.elastic)
        self.variable_joints: tuple[str, ...] = tuple(
            joint for joint, drive in zip(model.joint_names, self.drives, strict=True) if drive.variable)
        self.motor_inertia: Array = self._motor_figures('motor_inertia')   # (motors,) each
        self.gear_ratio: Array = self._motor_figures('gear_ratio')
        self.motor_friction: Array = self._motor_figures('motor_friction')
        self.torque_limit: Array = self._motor_figures('torque_limit', np.inf)
        self.elastic: Indices = np.array([j for j, drive in enumerate(self.drives) if drive.elastic], dtype=int)
        self.variable: Indices = np.array([j for j, drive in enumerate(self.drives) if drive.variable], dtype=int)
        self.dry_friction: DryFriction = DryFriction(self.drives)
        self.rotors: RotorCoupling = RotorCoupling(model, self.drives)
        if self.rotors and coupling == 'exact':
            self._check_exact()
        for sentence in reflection_warnings(self):
            warnings.warn(sentence, stacklevel=3)
        self._motors = compiled_drives(model, figures_of(self.drives, self.dry_friction))
        self._rotor_figures: Array | None = self.rotors.figures if self.rotors else None
        self._at_once: bool = not self.rotors or coupling == 'five_rows'

    @property
    def rows(self) -> int:
        """How many rows of q these drives need."""
        extra = self._extra_rows
        return 5 + extra + (max(self.rotors.levels) * (2 + extra) if self.rotors and self.coupling == 'exact' else 0)

    def softest_stiffness(self, joint: int) -> float | None:
        """The stiffness of the joint with this index at rest, or as configured [N m/rad]; None where it is rigid or not known."""
        drive = self.drives[joint]
        return drive.stiffness if drive.elastic else None

    def motor_feedforward_of(
            self, q: ArrayLike, Q: ArrayLike, stiffness: ArrayLike | None = None, deflections: Mapping[str, float] | None = None, *,
            joint_friction: ArrayLike | None = None, threads: int | None = None) -> MotorFeedforward:
        """As motor_feedforward, for Q (rows - 2, n) that is known already, wrenches included, but not rotors' coupling.

        joint_friction: (rows - 2, n) of friction_forces, to be added to Q with its derivatives bounded; see bounded_joint_friction.
        """
        if threads is not None:
            arguments.threads(threads)
        if joint_friction is not None:
            q, Q = self.checked_pair(q, Q)
            friction = arrays.finite(arrays.floats(joint_friction, 'joint_friction'), 'joint_friction')
            if friction.shape != Q.shape:
                raise InputError(f'joint_friction has the shape {friction.shape}; give {Q.shape}, as Q')
            Q = Q + bounded_joint_friction(self, friction)
        if deflections is None and self._at_once and Q is not None:
            compiled = self._compiled(q, Q, stiffness, self._rotor_figures, threads)
            if self._as_meant(compiled):
                self._check_shared_stiffness(stiffness, compiled.Q)
                return compiled
        deflections = self._checked_deflections(deflections)
        q, Q = self.checked_pair(q, Q)
        self._check_shared_stiffness(stiffness, Q)
        return self._of_all_torques(*self._with_rotors(q, Q, stiffness, deflections), stiffness, deflections, threads)

    def _with_rotors(
            self, q: Array, Q: Array, stiffness: ArrayLike | None = None,
            deflections: Mapping[str, float] | None = None) -> tuple[Array, Array]:
        """(q, Q) with what rotors that spin on moving links take from the joints; in the exact form both with fewer rows."""
        if not self.rotors:
            return q, Q
        rigid = self._geared(q)
        if self.coupling == 'five_rows':
            return q, Q + self.rotors.couples(q, rigid)[0]
        elastic = [rotor for rotor in self.rotors.rotors if rotor.elastic]
        rigid[..., [rotor.motor for rotor in elastic]] = 0.0
        Q = Q + self.rotors.couples(q, rigid)[0]
        least, rigid_only, rows = self.rows, Q, Q.shape[-2]
        if q.shape[-2] < least:
            raise InputError(
                f"q has {q.shape[-2]} rows, but the exact coupling of this robot's rotors needs {least}: two for each joint further out "
                "whose motor sits on a moving link; give them, or prepare the drives with coupling='five_rows'")
        for level in range(1, max(self.rotors.levels) + 1):
            theta = self._deflected(q[..., :rows, :], Q, stiffness, deflections)
            known = np.zeros_like(theta)
            for rotor in elastic:
                if self.rotors.levels[rotor.joint] < level:
                    known[..., rotor.motor] = theta[..., rotor.motor] * self.gear_ratio[rotor.motor]
            rows -= 2 + self._extra_rows
            Q = rigid_only[..., :rows, :] + self.rotors.couples(q[..., :rows + 2, :], known)[0]
        return q[..., :rows + 2, :], Q

    def _of_all_torques(
            self, q: Array, Q: Array, stiffness: ArrayLike | None = None,
            deflections: Mapping[str, float] | None = None, threads: int | None = None) -> MotorFeedforward:
        """As motor_feedforward_of, for checked arrays, Q with the rotors' coupling."""
        result = None if deflections else self._compiled(q, Q, stiffness, None, threads)
        if result is None:
            result = self._general(q, Q, stiffness, deflections or {})
        if self.rotors:
            torques = result.torques
            torques += self.rotors.couples(q, self._geared(q))[1][..., :torques.shape[-2], :]
            self._check_finite(result)
        return result

    def effort_rates(self, q: ArrayLike, feedforward: MotorFeedforward) -> Array:
        """tau' (motors,) or (samples, motors) [N m/s] for q, as far as its rows tell: of five, without what springs add to rotors' jerk.

        feedforward: of this q.
        """
        if not isinstance(feedforward, MotorFeedforward) or feedforward.names != self.motor_names:
            raise InputError(f'feedforward is {shown(feedforward)}; give the MotorFeedforward of these drives for q')
        q, n, samples = arrays.finite(arrays.floats(q, 'q'), 'q'), self.model.n, feedforward.torques.shape[:-2]
        if q.ndim != len(samples) + 2 or q.shape[:-2] != samples or q.shape[-1] != n or q.shape[-2] < 5:
            needed = ', '.join(map(str, (*samples, 'rows', n)))
            raise InputError(f'q has the shape {q.shape}; give ({needed}) with 5 rows or more, of which feedforward was computed')
        if feedforward.torques.shape[-2] > 1:
            return feedforward.torques[..., 1, :]
        joints, count = self.motor_joints, np.bincount(self.motor_joints, minlength=self.model.n)[self.motor_joints]
        rates = (self.motor_inertia * self.gear_ratio * q[..., 3, joints] + self.motor_friction * feedforward.accelerations
                 + feedforward.Q[..., 1, joints] / (count * self.gear_ratio))
        if self.dry_friction:
            rates[..., self.dry_friction.motors] += self.dry_friction.torques(feedforward.motion[..., 1:3, :])[..., 1, :]
        return rates

    def _geared(self, q):
        """theta_motor (.., rows, motors) where springs do not give."""
        return self.gear_ratio * q[..., self.motor_joints]

    def _check_exact(self):
        if self.rotors.levels is None:
            raise InputError(
                "coupling is 'exact', but a motor sits on a link that its own joint moves, or on one beyond another such motor: its motion "
                "is then the solution of a differential equation, not a function of q and its derivatives; take 'five_rows'")
        for joint, drive in zip(self.model.joint_names, self.drives, strict=True):
            if drive.keeps_state:
                raise InputError(
                    f"coupling is 'exact', but the damper of joint {joint!r} gives its drive a state; take 'five_rows', or damping_terms")

    def checked_pair(self, q: ArrayLike, Q: ArrayLike) -> tuple[Array, Array]:
        """Both as arrays; InputError where Q is not what belongs to q."""
        q = self._motions(q)
        Q, shape = arrays.finite(arrays.floats(Q, 'Q'), 'Q'), (*q.shape[:-2], q.shape[-2] - 2, q.shape[-1])
        if Q.shape != shape:
            raise InputError(f'Q has the shape {Q.shape}, but q with {q.shape} needs {shape}: row k is the k-th time derivative')
        return q, Q

    def motor_feedforward(
            self, q: ArrayLike, stiffness: ArrayLike | None = None, wrenches: Wrenches | None = None,
            deflections: Mapping[str, float] | None = None, *, threads: int | None = None) -> MotorFeedforward:
        """As the function of this name. deflections: {joint: theta - q} of the joints whose dampers keep a state (see DampingFilter)."""
        if threads is not None:
            arguments.threads(threads)
        if wrenches is None and deflections is None and self._at_once:
            compiled = self._compiled(q, None, stiffness, self._rotor_figures, threads)
            if self._as_meant(compiled):
                self._check_shared_stiffness(stiffness, compiled.Q)
                return compiled
        deflections, q = self._checked_deflections(deflections), self._motions(q)
        Q = inverse_dynamics(self.model, q, wrenches=wrenches, order=q.shape[-2] - 3, threads=threads)
        self._check_shared_stiffness(stiffness, Q)
        return self._of_all_torques(*self._with_rotors(q, Q, stiffness, deflections), stiffness, deflections, threads)

    def _as_meant(self, compiled):
        """Whether the kernel had an answer, and of rows that cannot be samples."""
        return compiled is not None and (compiled.Q.ndim == 3 or len(compiled.Q) + 2 <= motions.MOST_ROWS_UNASKED)

    def _checked_deflections(self, deflections):
        deflections = numbers_by_name(deflections, 'deflections', '[rad] or [m]')
        for joint in deflections:
            if joint not in self.model.joint_names:
                known = some(self.model.joint_names)
                raise InputError(f'deflections names {joint!r}, but the joints of {self.model.name} are {known}')
        return deflections

    def _motions(self, q):
        most = max(motions.MOST_ROWS_UNASKED, self.rows)
        q = motions.motions(self.model, q, 5, unasked=most, remedy=f'give {most} at most')
        return q if q.dtype != object else arrays.floats(q, 'q')

    def _compiled(self, q, Q, stiffness, rotors, threads=None):
        """As _general, by the kernel; None where there is anything that it does not answer. Q: None for that of inverse dynamics.
        rotors: None where their coupling is in Q already."""
        if self._motors is None:
            return None
        if stiffness is not None:
            stiffness = self._stiffness_of_all(stiffness, q)
            if stiffness is None:
                return None
        answer = self._motors(q, Q, stiffness, rotors, threads)
        if answer is None:
            return None
        rows, stiffnesses, Q = answer
        if self._extra_rows:
            R = rows.shape[-2] // 2 + 1
            rows = np.concatenate([rows[..., :R - self._extra_rows, :], rows[..., R:-self._extra_rows, :]], axis=-2)
        return MotorFeedforward(self, Q, rows, stiffnesses)

    def _stiffness_of_all(self, stiffness, q):
        """(.., rows, n) of a stiffness motion for the kernel; None where its shape or kind is another."""
        if type(stiffness) is not np.ndarray or stiffness.dtype != np.float64 or type(q) is not np.ndarray or q.ndim not in (2, 3):
            return None
        rows, v = q.shape[-2] - 2, len(self.variable)
        if rows < 1 or stiffness.ndim not in (2, q.ndim) or stiffness.shape[-1] != v or stiffness.shape[-2] < rows:
            return None
        if not np.isfinite(stiffness).all():
            return None
        given = np.zeros((*stiffness.shape[:-2], rows, self.model.n))
        given[..., self.variable] = stiffness[..., :rows, :]
        return given

    def _general(self, q, Q, stiffness, deflections):
        """MotorFeedforward without the coupling of rotors, in numpy."""
        rows = Q.shape[-2] - self._extra_rows
        if rows < 3:
            joint = max(range(self.model.n), key=lambda j: self.drives[j].extra_rows)
            raise InputError(
                f'q has {q.shape[-2]} rows, but damping_terms of joint {self.model.joint_names[joint]!r} needs {q.shape[-2] + 3 - rows}: '
                'every term takes one derivative of q more; give them, or use fewer terms')
        theta, load, stiffnesses = [], [], []
        for j, drive, motion, motors in self._springs(q, Q, stiffness, deflections):
            for e, pull in motors:
                theta.append(q[..., :rows, j] + _rows(e[:rows]))
                load.append(_rows(pull[:rows - 2]))
            stiffness_now = motion[0] if drive.variable else drive.forces(motors[0][0][:1], None)[1][0] if drive.elastic else 0.0
            stiffnesses.append(np.broadcast_to(stiffness_now, q.shape[:-2]))
        result = MotorFeedforward(self, Q, self._out(theta, load), np.stack(stiffnesses, axis=-1))
        if self.dry_friction:
            torques = result.torques
            torques[..., self.dry_friction.motors] += self.dry_friction.torques(result.motion[..., 1:-1, :])
        self._check_finite(result)
        return result

    def _springs(self, q, Q, stiffness, deflections):
        """For each joint its index, drive, series of its stiffness, and [(series of x - q, series of the load)] of its motors."""
        rows = Q.shape[-2] - self._extra_rows
        k = iter(self.stiffness_motion(stiffness, q.shape[:-2], Q.shape[-2]))
        for j, (joint, drive) in enumerate(zip(self.model.joint_names, self.drives, strict=True)):
            column = Q[..., :rows + drive.extra_rows, j]
            reached = _series(column if q.ndim == 2 else column.T)
            motion = _series(next(k)[:rows + drive.extra_rows]) if drive.variable else None
            yield j, drive, motion, _deflections(joint, drive, reached, motion, deflections)

    def _deflected(self, q, Q, stiffness, deflections):
        """theta on the joint's side (.., rows, motors)."""
        rows = Q.shape[-2] - self._extra_rows
        return np.stack([
            q[..., :rows, j] + _rows(e[:rows])
            for j, _, _, motors in self._springs(q, Q, stiffness, deflections) for e, _ in motors], axis=-1)

    def _check_finite(self, result):
        wrong = ~np.isfinite(result._rows)
        if wrong.any():
            motor = self.motor_names[int(np.argwhere(wrong)[0][-1])]
            raise InputError(f'the motion of motor {motor!r} is too large for a floating point number; are the units of its drive right?')

    def _check_shared_stiffness(self, stiffness: ArrayLike | None, Q: Array) -> None:
        """Refuses rows of a stiffness motion for all samples that may be samples, of which Q (.., rows, n) tells."""
        if stiffness is not None:
            k = arrays.numbers(stiffness, 'stiffness')
            if k.ndim == 2:
                motions.check_shared(len(k), Q.shape[-2], Q.shape[:-2], 'stiffness has', len(self.variable))

    def stiffness_motion(self, stiffness: ArrayLike | None, samples: tuple[int, ...], rows: int) -> list[Array]:
        """For each variable-stiffness joint its rows k, k', ..., an array (rows, *samples); as configured where stiffness is None."""
        variable = [drive for drive in self.drives if drive.variable]
        if stiffness is None:
            for joint, drive in zip(self.variable_joints, variable, strict=True):
                if drive.stiffness is None:
                    raise InputError(
                        f"stiffness of joint {joint!r} is missing; configure it in its drive, or give rows k, k', k'' [N m/rad]")
            return [np.concatenate([np.full((1, *samples), drive.stiffness), np.zeros((rows - 1, *samples))]) for drive in variable]
        k = arrays.floats(stiffness, 'stiffness')
        v = len(variable)
        if k.ndim not in (2, 2 + len(samples)) or k.shape[-1] != v or k.shape[-2] < rows or k.shape[:-2] not in ((), samples):
            raise InputError(
                f"stiffness has the shape {k.shape}; give ({rows}, {v}), rows k, k', ... [N m/rad] of the {v} variable-stiffness joints "
                f'({some(self.variable_joints) or "there are none"})' + (f', or ({samples[0]}, {rows}, {v})' if samples else ''))
        k = np.broadcast_to(k, samples + k.shape[-2:])
        motions = []
        for column, (joint, drive) in enumerate(zip(self.variable_joints, variable, strict=True)):
            motion = np.moveaxis(k[..., column], -1, 0)
            if not np.isfinite(motion).all():
                row = int(np.argwhere(~np.isfinite(motion))[0][0])
                raise InputError(f'stiffness of joint {joint!r} is not finite in row {row}; every number must be finite [N m/rad]')
            if motion[0].size:
                _named(joint, drive.check_stiffness, float(motion[0].min()), float(motion[0].max()))
            motions.append(motion)
        return motions

    def motors_of(self, joint: int) -> Indices:
        """Indices of the motors of the joint with this index."""
        return np.flatnonzero(self.motor_joints == joint)

    def _out(self, theta, load):
        """R rows of theta and R - 2 of tau, of all motors."""
        with np.errstate(all='ignore'):
            theta = np.stack(theta, axis=-1) * self.gear_ratio
            load = np.stack(load, axis=-1) / self.gear_ratio
            tau = self.motor_inertia * theta[..., 2:, :] + self.motor_friction * theta[..., 1:-1, :] + load
        return np.concatenate([theta, tau], axis=-2)

    def _motor_figures(self, name, missing=None):
        figures = [figure for drive in self.drives for figure in each_of(getattr(drive, name))]
        return np.array([missing if figure is None else figure for figure in figures], dtype=float)

    def __reduce__(self) -> tuple[Any, ...]:
        drives = dict(zip(self.model.joint_names, self.drives, strict=True))
        return partial(PreparedDrives, coupling=self.coupling), (self.model, drives)

    def __repr__(self) -> str:
        return f'<PreparedDrives of {self.model.name}: motors {", ".join(self.motor_names)}>'


def _series(rows):
    """Series of derivatives (rows, ..): of Python's floats for one sample, which are quicker than numpy's."""
    return taylor.from_derivatives(rows.tolist() if rows.ndim == 1 else rows)


def _rows(series):
    """(.., rows) of a series."""
    rows = taylor.to_derivatives(series)
    return np.array(rows) if isinstance(rows[0], float) else np.stack(rows, axis=-1)


def _deflections(joint, drive, Q, k, states):
    if drive.keeps_state:
        if joint not in states:
            raise InputError(
                f'the damping of joint {joint!r} gives its drive a state, which one call cannot know: use a DampingFilter, or '
                'approximate by damping_terms=1 or more')
        from hod_ros.actuators.damping_filter import damped
        return [(damped(drive, Q, k, states[joint] + 0.0 * Q[0]), Q)]
    return _named(joint, drive.deflections, Q, k)


def _named(joint, function, *arguments):
    """The function's result; its errors name the joint."""
    try:
        with np.errstate(all='ignore'):
            return function(*arguments)
    except HodError as error:
        raise type(error)(f'joint {joint!r}: {error}') from None


def _checked_drives(model, drives):
    if motions.robot_model(model).exact:
        raise InputError(f'{model.name} holds symbols or multiprecision numbers; motor feedforward computes with floats')
    if model.base == 'free':
        raise InputError(f"{model.name} has a free base; motor feedforward is for fixed bases: make the model with base='fixed'")
    if not isinstance(drives, Mapping):
        raise InputError(f'drives is {shown(drives)}; give a mapping from joint names to drives')
    for joint, drive in drives.items():
        if not one_of(joint, model.joint_names):
            raise InputError(f'drives names {shown(joint)}, but the joints of {model.name} are {some(model.joint_names)}')
        if not isinstance(drive, Drive):
            raise InputError(f'the drive of joint {joint!r} is {shown(drive)}; give SeriesElastic(...) or another of the drives')
    return tuple(drives.get(joint) or Rigid() for joint in model.joint_names)
