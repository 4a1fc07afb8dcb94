# SPDX-License-Identifier: Apache-2.0
"""A Panda whose URDF is wrong, identified from recordings of a simulated one: torque errors on a motion not seen, against the true
parameters'.

Encoders of 17 bits with noise of a third of a step, torques with noise of 0.1 N m in steps of 0.02 N m, rotors, viscous and dry friction.
"""

import numpy as np

from bench.timing import Table
from hod_ros import ElasticPlant
from hod_ros import Recording
from hod_ros import Rigid
from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import identify
from hod_ros import inertial_parameters
from hod_ros import inverse_dynamics
from hod_ros import smoothed_motion
from hod_ros import with_inertial_parameters

STEP = 1e-3
ROTORS = np.array([0.6, 0.6, 0.5, 0.5, 0.2, 0.2, 0.2])
VISCOUS = np.array([1.0, 1.2, 0.8, 0.9, 0.5, 0.4, 0.4])
DRY = np.array([1.0, 1.2, 0.9, 1.0, 0.6, 0.5, 0.5])
WIDTH = 0.02
GAINS = np.array([600, 600, 600, 600, 250, 150, 50.0])
LINE = 2 * np.pi / 2**17
HARMONICS = np.arange(1, 6)


def reference(model, seed, times):
    """(samples, 3, n): sums of sines within the limits of positions and velocities."""
    rng, w = np.random.default_rng(seed), 0.2 * np.pi * HARMONICS
    amplitude, shift = rng.normal(size=(model.n, 5)) / HARMONICS, rng.uniform(0, 2 * np.pi, (model.n, 5))

    def at(t):
        phase = np.multiply.outer(t, w)[:, None] + shift
        return np.stack([np.sum(amplitude * w**k * np.sin(phase + k * np.pi / 2), axis=-1) for k in range(3)], axis=1)
    largest = np.abs(at(np.linspace(0, 10, 1000))).max(axis=0)
    low, high = model.position_limits.T
    out = at(times) * np.minimum(0.4 * (high - low) / largest[0], 0.7 * model.velocity_limits / largest[1])
    out[:, 0] += (low + high) / 2
    return out


def recorded(model, seed, seconds):
    """(times, positions, torques) as sensors give them."""
    drives = {
        joint: Rigid(motor_inertia=inertia, motor_friction=viscous, motor_coulomb=dry, motor_friction_width=WIDTH)
        for joint, inertia, viscous, dry in zip(model.joint_names, ROTORS, VISCOUS, DRY, strict=True)}
    plant, rng = ElasticPlant(model, drives, step=STEP / 2), np.random.default_rng(100 + seed)
    times = np.arange(0, seconds, STEP)
    want = reference(model, seed, times)
    feedforward = inverse_dynamics(model, want)[:, 0]
    plant.set_state(*want[0, :2])
    q, tau = np.empty((2, len(times), model.n))
    for i in range(len(times)):
        q[i] = plant.positions
        tau[i] = 0.8 * feedforward[i] + GAINS * (want[i, 0] - q[i]) + np.sqrt(GAINS) * (want[i, 1] - plant.velocities)
        plant.step(tau[i])
        plant.step(tau[i])
    tau[1:] = 0.5 * (tau[1:] + tau[:-1])        # about each sample
    return (times, np.round((q + LINE / 3 * rng.normal(size=q.shape)) / LINE) * LINE,
            np.round((tau + 0.1 * rng.normal(size=q.shape)) / 0.02) * 0.02)


def torques(model, q, armature, damping, friction, width, offsets=0.0):
    bare = model.replace(armature=np.zeros(model.n))
    return inverse_dynamics(bare, q)[:, 0] + armature * q[:, 2] + damping * q[:, 1] + friction * np.tanh(q[:, 1] / width) + offsets


def run():
    true = RobotModel.from_urdf(example_robot('panda'))
    factors = np.random.default_rng(5).uniform(0.5, 1.6, (len(true.bodies), 1))
    described = with_inertial_parameters(true, (factors * inertial_parameters(true).reshape(-1, 10)).ravel())
    found = identify(described, [Recording(true.joint_names, *recorded(true, seed, 20.0)) for seed in (1, 2)])
    times, positions, measured = recorded(true, 7, 10.0)
    q = smoothed_motion(times, positions, order=2).derivatives
    m = found.model
    guesses = {
        'true': torques(true, q, ROTORS, VISCOUS, DRY, WIDTH),
        'described': torques(described, q, 0, 0, 0, 1),
        'identified': torques(m, q, m.armature, m.damping, m.friction, found.friction_width, found.offsets)}
    inside = slice(100, -100)
    errors = {name: np.sqrt(np.mean((measured - guess)[inside]**2, axis=0)) for name, guess in guesses.items()}
    table = Table('Torque error on a motion not seen, against that of the true parameters; Panda, 40 s of recordings')
    worst = int(np.argmax(errors['identified'] / errors['true']))
    table.add(
        f'identified, worst joint: {true.joint_names[worst]}', 1e3 * errors['identified'][worst], 1e3 * errors['true'][worst], 1.1,
        unit='mNm')
    difference = np.sqrt(np.mean((guesses['identified'] - guesses['true'])[inside]**2, axis=0))
    table.add('identified from true, against noise of the torques', 1e3 * difference.max(), 1e3 * 0.1, unit='mNm')
    table.add('as described', 1e3 * errors['described'].max(), 1e3 * errors['true'].max(), unit='mNm')
    return table.rows


if __name__ == '__main__':
    run()
