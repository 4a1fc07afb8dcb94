# SPDX-License-Identifier: Apache-2.0
"""The plant against our own dynamics, at random states: a simulation of another robot than the model is refused when it is built.

What the plant's accelerations take by our inverse dynamics, the drives' laws and the motors' inertia must be what acts in the plant.
Differences are judged against the rounding of a solution by Cholesky's factors: row i against sum_k sqrt(M_ii M_kk) |q_k''|.
"""

from dataclasses import dataclass

import numpy as np

from hod_ros.actuators.drives import Antagonistic
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.matrices import dynamics_matrices
from hod_ros.simulation.errors import PlantError

TOLERANCE = 1e-9
STATES = 3
DEFLECTION = 1e-3       # [rad] or [m] of springs, 0.2 to 1 times that


@dataclass(frozen=True)
class Comparison:
    """One state: what acts in the plant, what its accelerations take, and the size of the terms, on joints and then motors [N m]."""

    acting: np.ndarray
    taken: np.ndarray
    size: np.ndarray

    @property
    def error(self):
        """(joints and motors,), relative."""
        return np.abs(self.taken - self.acting) / self.size


def check_plant(plant):
    """Raises PlantError where the plant is not its model; its state is random afterwards."""
    rng = np.random.default_rng(0)
    names = [f'joint {name!r}' for name in plant.joint_names] + [f'motor {name!r}' for name in plant.motor_names]
    for _ in range(STATES):
        compared = comparison(plant, rng)
        if not (compared.error <= TOLERANCE).all():
            worst = int(np.nanargmax(np.where(np.isfinite(compared.error), compared.error, np.inf)))
            raise PlantError(
                f'MuJoCo {plant.mujoco_version} does not simulate {plant.prepared.model.name}: at a random state its acceleration of '
                f'{names[worst]} takes {compared.taken[worst]:.9g} [N m] or [N] by our inverse dynamics, but {compared.acting[worst]:.9g} '
                'act there; take a version of MuJoCo that the project names as tried')


def comparison(plant, rng):
    """A Comparison at one random state of motors, joints and torques."""
    prepared, n, motors = plant.prepared, len(plant.joint_names), len(plant.motor_names)
    model = prepared.model
    q, v = rng.uniform(-1, 1, (2, n))
    deflections, rates = np.zeros(motors), np.zeros(motors)
    for j, drive in enumerate(prepared.drives):
        if drive.elastic:
            ends = prepared.motors_of(j)
            sense = np.array([1, -1]) if isinstance(drive, Antagonistic) else 1
            deflections[ends] = sense * DEFLECTION * rng.uniform(0.2, 1, len(ends))
            rates[ends] = rng.uniform(-1, 1, len(ends))
    ratio = prepared.gear_ratio
    plant.set_state(q, v, (q[prepared.motor_joints] + deflections) * ratio, (v[prepared.motor_joints] + rates) * ratio)
    pulls = np.zeros(motors)            # of the springs and dampers on the motors, on the joint's side
    for j, drive in enumerate(prepared.drives):
        if drive.elastic:
            ends = prepared.motors_of(j)
            pulls[ends] = drive.pulls(deflections[ends], rates[ends])
    acceleration = rng.uniform(-5, 5, n)
    joint_torques = inverse_dynamics(model, np.stack([q, v, acceleration]))[0]
    torques = pulls / ratio + rng.uniform(-1, 1, motors) * prepared.motor_inertia
    links, rotors = (np.array(part) for part in plant.accelerations(torques, joint_torques))
    return compared(prepared, np.stack([q, v, links]), rotors, rates, pulls, torques, joint_torques)


def compared(prepared, motion, rotors, rates, pulls, torques, joint_torques):
    """The Comparison of accelerations motion[2] of the joints and `rotors` of the motors."""
    model, ratio, joints = prepared.model, prepared.gear_ratio, prepared.motor_joints
    elastic = np.array([prepared.drives[j].elastic for j in joints], dtype=bool)
    motor_rates = ratio * (motion[1, joints] + rates)
    on_rotor = prepared.motor_inertia * rotors + prepared.motor_friction * motor_rates
    if prepared.dry_friction:
        on_rotor[prepared.dry_friction.motors] += prepared.dry_friction.torques(motor_rates[None])[0]
    acting, taken = joint_torques.copy(), inverse_dynamics(model, motion)[0]
    if prepared.rotors:
        coupled, torques_of_spin = prepared.rotors.couples(motion, np.stack([np.zeros_like(rotors), motor_rates, rotors]))
        taken += coupled[0]
        on_rotor += torques_of_spin[0]
    np.add.at(acting, joints, np.where(elastic, pulls, torques * ratio))
    np.add.at(taken, joints, np.where(elastic, 0.0, on_rotor * ratio))
    diagonal = np.sqrt(np.diag(dynamics_matrices(model, motion[:2]).M[0]))
    size = diagonal * (diagonal @ np.abs(motion[2])) + np.abs(joint_torques)
    np.add.at(size, joints, np.abs(pulls) + np.abs(torques * ratio) + np.where(elastic, 0.0, np.abs(on_rotor * ratio)))
    motor_size = np.abs(torques) + np.abs(pulls / ratio) + np.abs(prepared.motor_inertia * rotors)
    return Comparison(
        np.concatenate([acting, np.where(elastic, torques - pulls / ratio, 0.0)]),
        np.concatenate([taken, np.where(elastic, on_rotor, 0.0)]),
        np.concatenate([size, motor_size]) + 1e-12 * max(size.max(initial=0.0), 1e-300))
