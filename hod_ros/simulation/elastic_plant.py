# SPDX-License-Identifier: Apache-2.0
"""A robot with elastic joints on MuJoCo: motors' torques in, states of joints and motors out.

Motors' values are on their own side of the gear, as everywhere. Linear springs are MuJoCo's tendons; all others act through its
passive-force callback inside every stage of the integrator. No contacts, no limits of the joints.
"""

import warnings

import numpy as np
from numpy.typing import ArrayLike
from numpy.typing import NDArray

from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.checks import arrays
from hod_ros.checks.arguments import finite_number
from hod_ros.checks.arguments import one_of
from hod_ros.checks.arguments import shown
from hod_ros.checks.arguments import some
from hod_ros.checks.types import Array
from hod_ros.errors import HodError
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel
from hod_ros.simulation import mjcf
from hod_ros.simulation.errors import PlantError
from hod_ros.simulation.plant_springs import DryFrictionOfMotors
from hod_ros.simulation.plant_springs import plant_springs
from hod_ros.simulation.self_check import check_plant


class ElasticPlant:
    """model: RobotModel; drives: {joint: drive} or PreparedDrives. One motor for each name in motor_names.

    step [s] and integrator are MuJoCo's: 'RK4', 'Euler', 'implicit' or 'implicitfast'.
    torque_limits: (motors,) [N m] at which the motors saturate, None: the drives' own; `saturated` flags those that did in the last step.

    Raises InputError where an argument is wrong, PlantError (a HodError) where MuJoCo is missing, refuses or becomes unstable.

        >>> drives = {'panda_joint1': SeriesElastic(stiffness=3000.0, motor_inertia=0.2)}
        >>> plant = ElasticPlant(model, drives)
        >>> plant.set_state(q[0], np.zeros(7))
        >>> saturated = plant.step(np.zeros(7))
        >>> plant.positions.shape, plant.motor_positions.shape
        ((7,), (7,))
    """

    def __init__(
            self, model: RobotModel, drives: Drives, *, step: float = 2e-4, integrator: str = 'RK4',
            torque_limits: ArrayLike | None = None) -> None:
        mujoco = _mujoco()
        prepared = drives if isinstance(drives, PreparedDrives) else PreparedDrives(model, drives)
        self.prepared: PreparedDrives = prepared
        if prepared.model is not model:
            raise InputError(f'drives were prepared for {prepared.model!r}, not for {model!r}')
        step = finite_number(step, 'step', '[s]')
        if step <= 0:
            raise InputError(f'step is {step:g}; give the time of an integration step, above 0 [s]')
        if not one_of(integrator, mjcf.INTEGRATORS):
            raise InputError(f'integrator is {shown(integrator)}; it is one of {", ".join(mjcf.INTEGRATORS)}')
        self.joint_names: tuple[str, ...] = model.joint_names
        self.motor_names: tuple[str, ...] = prepared.motor_names
        self.torque_limits: Array = prepared.torque_limit if torque_limits is None else _limits(torque_limits, self.motor_names)
        elastic = np.array([prepared.drives[j].elastic for j in prepared.motor_joints], dtype=bool)
        for m in np.flatnonzero(elastic):
            if prepared.motor_inertia[m] == 0:
                raise InputError(f'motor_inertia of motor {self.motor_names[m]!r} is 0; a plant needs rotors that have inertia [kg m^2]')
        self._mujoco = mujoco
        try:
            self._physics = mjcf.compiled(mujoco, prepared, step=step, integrator=integrator)
        except (ValueError, mujoco.FatalError) as error:
            raise error if isinstance(error, HodError) else PlantError(f'MuJoCo refuses {model.name}: {error}') from None
        self._data = mujoco.MjData(self._physics)
        joints = [f'motor {name}' if springy else model.joint_names[j]
                  for name, j, springy in zip(self.motor_names, prepared.motor_joints, elastic, strict=True)]
        self._links = np.array([self._physics.joint(name).dofadr[0] for name in model.joint_names], dtype=int)
        self._motors = np.array([self._physics.joint(name).dofadr[0] for name in joints], dtype=int)
        self._to_own_side = np.where(elastic, 1.0, prepared.gear_ratio)        # rigid drives move their joint's coordinate
        self._springs = plant_springs(prepared, self._physics, self._links, self._motors)
        self._passive = [spring for spring in self._springs if spring.passive]
        if prepared.dry_friction:
            self._passive.append(DryFrictionOfMotors(prepared.dry_friction, self._motors, self._to_own_side))
        self._adjustable = [spring for spring in self._springs if spring.adjustable]
        self._adjustable_names = [name for name, spring in zip(prepared.elastic_joints, self._springs, strict=True) if spring.adjustable]
        self._stiffness_known = False
        self.saturated: NDArray[np.bool_] = np.zeros(len(self.motor_names), dtype=bool)
        check_plant(self)
        self.set_state(np.zeros(model.n), np.zeros(model.n))

    @property
    def mujoco_version(self) -> str:
        """Of the MuJoCo that simulates."""
        return self._mujoco.__version__

    @property
    def time(self) -> float:
        """[s] since set_state"""
        return self._data.time

    @property
    def step_time(self) -> float:
        """[s] of one step"""
        return self._physics.opt.timestep

    @property
    def positions(self) -> Array:
        """q (n,) [rad] or [m]"""
        return self._data.qpos[self._links]

    @property
    def velocities(self) -> Array:
        """q' (n,) [rad/s]"""
        return self._data.qvel[self._links]

    @property
    def motor_positions(self) -> Array:
        """theta (motors,), on the motors' side [rad]"""
        return self._data.qpos[self._motors] * self._to_own_side

    @property
    def motor_velocities(self) -> Array:
        """theta' (motors,), on the motors' side [rad/s]"""
        return self._data.qvel[self._motors] * self._to_own_side

    @property
    def stiffnesses(self) -> Array:
        """Present stiffness of the elastic joints (joints,) [N m/rad]"""
        return np.array([spring.stiffness(self._data.qpos) for spring in self._springs])

    @property
    def spring_torques(self) -> Array:
        """What the springs, without their dampers, pass to the elastic joints (joints,) [N m]"""
        return np.array([spring.force(self._data.qpos) for spring in self._springs])

    def set_state(
            self, positions: ArrayLike, velocities: ArrayLike, motor_positions: ArrayLike | None = None,
            motor_velocities: ArrayLike | None = None, *, time: float = 0.0) -> None:
        """The exact state; without that of the motors, the springs are relaxed (those of antagonistic pairs not co-contracted)."""
        names, motors, ratio = self.joint_names, self.motor_names, self.prepared.gear_ratio
        q = arrays.vector(positions, names, 'positions')
        v = arrays.vector(velocities, names, 'velocities')
        joints = self.prepared.motor_joints
        theta = q[joints] * ratio if motor_positions is None else arrays.vector(motor_positions, motors, 'motor_positions')
        rate = v[joints] * ratio if motor_velocities is None else arrays.vector(motor_velocities, motors, 'motor_velocities')
        time = finite_number(time, 'time', '[s]')
        self._mujoco.mj_resetData(self._physics, self._data)
        self._data.qpos[self._motors], self._data.qvel[self._motors] = theta / self._to_own_side, rate / self._to_own_side
        self._data.qpos[self._links], self._data.qvel[self._links] = q, v       # last: the motor of a rigid drive is its joint
        self._data.time = time
        self.saturated[:] = False

    def step(
            self, torques: ArrayLike, stiffness: ArrayLike | None = None, *,
            joint_torques: ArrayLike | None = None) -> NDArray[np.bool_]:
        """One step with the motors' torques (motors,) [N m] held. Returns `saturated` (motors,).

        stiffness: (adjustable,) of the AdjustableStiffness joints, held [N m/rad]; None: as before, of which the first time warns.
        joint_torques: (n,) that the world exerts on the joints [N m].
        """
        if (type(torques) is not np.ndarray or torques.shape != (len(self.motor_names),) or torques.dtype != np.float64
                or not np.isfinite(torques).all()):
            torques = arrays.vector(torques, self.motor_names, 'torques')
        if stiffness is not None:
            self._set_stiffness(stiffness)
        elif self._adjustable and not self._stiffness_known:
            self._keep_stiffness()
        data = self._data
        held = np.clip(torques, -self.torque_limits, self.torque_limits)
        self.saturated = held != torques
        data.qfrc_applied[:] = 0
        if joint_torques is not None:
            data.qfrc_applied[self._links] = arrays.vector(joint_torques, self.joint_names, 'joint_torques')
        data.qfrc_applied[self._motors] += held * self._to_own_side
        self._advance()
        return self.saturated

    @property
    def slack(self) -> NDArray[np.bool_]:
        """Flags (joints,) of the elastic joints of which an antagonistic spring is slack: their stiffness is not the pair's."""
        return np.array([spring.slack(self._data.qpos) for spring in self._springs], dtype=bool)

    def _advance(self):
        data = self._data
        before = data.time, data.qpos.copy(), data.qvel.copy()
        self._in_force(self._mujoco.mj_step)
        if not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()) or data.warning.number.any():
            self._mujoco.mj_resetData(self._physics, data)
            data.time, data.qpos[:], data.qvel[:] = before
            raise PlantError(
                f'the simulation became unstable after {data.time:g} s; its state is that before this step. Take a shorter step than '
                f'{self.step_time:g} s, smaller torques or softer springs')

    def accelerations(self, torques: ArrayLike, joint_torques: ArrayLike) -> tuple[Array, Array]:
        """(q'' (n,), theta'' (motors,)) in the present state; the arguments are those of step(). InputError where they are wrong."""
        data = self._data
        applied = arrays.vector(joint_torques, self.joint_names, 'joint_torques')
        own = arrays.vector(torques, self.motor_names, 'torques') * self._to_own_side
        data.qfrc_applied[:] = 0
        data.qfrc_applied[self._links] = applied
        data.qfrc_applied[self._motors] += own
        self._in_force(self._mujoco.mj_forward)
        what = 'an acceleration of the plant'
        return (arrays.not_too_large(data.qacc[self._links], what),
                arrays.not_too_large(data.qacc[self._motors] * self._to_own_side, what))

    def _in_force(self, function):
        """Calls a function of MuJoCo with the springs in force, and leaves its callbacks as they were."""
        mujoco = self._mujoco
        handler, callback = mujoco.get_mju_user_warning(), mujoco.get_mjcb_passive()
        mujoco.set_mju_user_warning(_no_log)        # MuJoCo would write a file into the working directory
        mujoco.set_mjcb_passive(self._apply_springs if self._passive else None)
        try:
            function(self._physics, self._data)
        finally:
            mujoco.set_mju_user_warning(handler)
            mujoco.set_mjcb_passive(callback)

    def _apply_springs(self, physics, data):
        """MuJoCo's passive-force callback; it is one for all models, so it is in force during our own steps only."""
        qpos, qvel = data.qpos.tolist(), data.qvel.tolist()
        forces = [0.0] * len(qvel)
        for part in self._passive:
            part.apply(qpos, qvel, forces)
        data.qfrc_passive[:] += forces

    def _keep_stiffness(self):
        """The first step without a stiffness: a configured one holds, and that is said."""
        for name, spring in zip(self._adjustable_names, self._adjustable, strict=True):
            k = spring.stiffness(self._data.qpos)
            if k == 0:
                raise InputError(f'stiffness of joint {name!r} is missing; configure it in its drive, or give it to step() [N m/rad]')
            warnings.warn(
                f'joint {name!r} of the plant stays at the stiffness {k:g} [N m/rad]: where a feedforward follows a stiffness motion, '
                'give step() the stiffness of every step', stacklevel=3)
        self._stiffness_known = True

    def _set_stiffness(self, stiffness):
        values = arrays.vector(stiffness, self._adjustable_names, 'stiffness')
        for name, spring, value in zip(self._adjustable_names, self._adjustable, values, strict=True):
            if value <= 0:
                raise InputError(f'stiffness of joint {name!r} is {value:g}; it must stay above 0 [N m/rad]')
            self._physics.tendon_stiffness[spring.tendon] = value
        self._stiffness_known = True


def _no_log(message):
    """What MuJoCo warns of, the plant raises."""


def _limits(torque_limits, names):
    limits = np.array(arrays.numbers(torque_limits, 'torque_limits'))
    if limits.shape != (len(names),) or not np.all(limits > 0):
        raise InputError(f'torque_limits is {shown(torque_limits)}; give {len(names)} numbers above 0 [N m] or inf: {some(names)}')
    return limits


def _mujoco():
    try:
        import mujoco
    except ImportError as error:
        raise PlantError(f"the plant needs MuJoCo, which cannot be imported ({error}); pip install 'hod_ros[sim]'") from None
    return mujoco
