# SPDX-License-Identifier: Apache-2.0
"""An arm with elastic joints and the faults of a laboratory: what feedforward is worth where the model is wrong.

The Panda of the demo on MuJoCo, 4 rad/s: stiffness 10 % too high and too low in turn, inertias 5 %, 0.2 kg at the hand that nobody told of,
friction of motors, dampers beside springs, torque ripple, encoders of 16 bits (motors) and 20 bits (joints), velocities by differences, one
period of delay at 1 kHz, 0.5 ms of lag in the actuators. PD of the motors with 15 Hz and 0.7.
"""

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hod_ros import DisturbanceObserver
from hod_ros import ElasticPlant
from hod_ros import PreparedDrives
from hod_ros import Rigid
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import identify_drives
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward
from hod_ros import with_payload

Array: TypeAlias = NDArray[np.float64]
Drives: TypeAlias = Mapping[str, SeriesElastic]
Motion: TypeAlias = Callable[[Array], Array]                            # times -> q (samples, 5, n)
References: TypeAlias = Callable[[Array], tuple[Array, Array, Array]]   # times -> positions, velocities, torques of the motors

PERIOD, STEP = 1e-3, 2e-4           # [s] of the controller, of the plant
BANDWIDTH, DAMPING = 2 * math.pi * 15, 0.7
SETTLED = 300                       # periods that are not counted
LAG = 5e-4                          # [s]
MOTOR_ENCODER, JOINT_ENCODER = 2 * math.pi / 2**16, 2 * math.pi / 2**20
GEAR, INERTIA = 100.0, 2e-5
KINDS = ('PD with gravity', 'rigid', 'Q alone', 'Q, differenced', 'full')


class Arm:
    """The robot as it is, and as it is believed to be."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        sign = np.where(np.arange(model.n) % 2, -1.0, 1.0)
        self.real = with_payload(model.replace(M=model.M * (1 + 0.05 * sign)[:, None, None]), model.bodies[-1], 0.2, center=(0, 0, 0.1))
        self.drives = {
            joint: SeriesElastic(stiffness=3000 * (1 + 0.1 * s), motor_inertia=INERTIA, gear_ratio=GEAR, motor_friction=1e-4,
                                 motor_coulomb=0.02, motor_friction_width=2.0, damping=2.0, damping_terms=1)
            for joint, s in zip(model.joint_names, sign, strict=True)}
        self.believed = dict.fromkeys(model.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=INERTIA, gear_ratio=GEAR))

    def run(
            self, references: References, *, motion: Motion, observer: DisturbanceObserver | None = None, delay: int = 1,
            seconds: float = 2.0) -> tuple[float, list[Array]]:
        """(rms error of the joints [rad], recording: positions, motor positions, torques)."""
        plant, n = ElasticPlant(self.real, self.drives, step=STEP), self.model.n
        times = np.arange(round(seconds / PERIOD), dtype=np.float64) * PERIOD
        positions, velocities, feedforward = references(times)
        start = motion(times[:1])[0]
        plant.set_state(start[0], start[1], positions[0], velocities[0])
        queue, disturbances = [feedforward[0]] * delay, np.zeros(n)
        lagging = feedforward[0].copy()
        last: Array | None = None
        command: Array | None = None
        errors: list[Array] = []
        recording: list[tuple[Array, Array, Array]] = []
        for i, wanted in enumerate(motion(times + PERIOD)[:, 0]):
            theta = np.round(plant.motor_positions / MOTOR_ENCODER) * MOTOR_ENCODER
            q = np.round(plant.positions / JOINT_ENCODER) * JOINT_ENCODER
            rate = velocities[i] if last is None else (theta - last) / PERIOD
            if observer is not None and command is not None:
                disturbances = observer(command, theta, positions=q)
            last = theta
            command = (feedforward[i] + INERTIA * BANDWIDTH**2 * (positions[i] - theta)
                       + 2 * DAMPING * INERTIA * BANDWIDTH * (velocities[i] - rate) - disturbances)
            queue.append(command)
            acting = queue.pop(0)
            recording.append((q, theta, acting))
            for _ in range(round(PERIOD / STEP)):
                lagging += (acting - lagging) * (1 - math.exp(-STEP / LAG))
                plant.step(lagging + 0.003 * np.sin(6 * plant.motor_positions))
            errors.append(plant.positions - wanted)
        return float(np.sqrt(np.mean(np.square(errors[SETTLED:])))), [np.array(column) for column in zip(*recording, strict=True)]


def sines(parts: Sequence[tuple[float, float, float]], n: int) -> Motion:
    """A sum of sines (amplitude, frequency [rad/s], shift from joint to joint)."""
    def motion(times: Array) -> Array:
        out = np.zeros((len(times), 5, n))
        for amplitude, w, shift in parts:
            phase = w * np.asarray(times, float)[:, None] + shift * np.arange(n)
            out += np.stack([amplitude * w**k * np.sin(phase + k * np.pi / 2) for k in range(5)], axis=1)
        return out
    return motion


def feedforward(arm: Arm, motion: Motion, kind: str, drives: Drives, delay: int = 1) -> References:
    """References of one of KINDS: positions and velocities of the present, torques of the middle of their period."""
    model = arm.model
    geared = dict.fromkeys(model.joint_names, Rigid(gear_ratio=GEAR, motor_inertia=INERTIA))
    elastic = PreparedDrives(model, drives)
    compliance = np.array([1 / drives[joint].stiffness for joint in model.joint_names])

    def differenced(times: Array) -> tuple[Array, Array, Array]:
        """With Q of this sample and of those before in place of Q', Q''."""
        q = motion(times)
        Q = [inverse_dynamics(model, motion(times - k * PERIOD)[:, :3])[:, 0] for k in range(3)]
        rates, accelerations = (Q[0] - Q[1]) / PERIOD, (Q[0] - 2 * Q[1] + Q[2]) / PERIOD**2
        theta = [GEAR * (q[:, k] + row * compliance) for k, row in enumerate((Q[0], rates, accelerations))]
        return theta[0], theta[1], INERTIA * theta[2] + Q[0] / GEAR

    def references(times: Array) -> tuple[Array, Array, Array]:
        now, then = motion(times), motion(times + PERIOD * (0.5 + delay))
        if kind == 'full':
            m = motor_feedforward(model, elastic, now)
            return m.positions, m.velocities, motor_feedforward(model, elastic, then).efforts
        if kind == 'Q, differenced':
            return *differenced(times)[:2], differenced(times + PERIOD * (0.5 + delay))[2]
        rigid = motor_feedforward(model, geared, now)
        if kind == 'PD with gravity':
            then = now * (np.arange(5) == 0)[:, None]
        torques = motor_feedforward(model, geared, then).efforts
        positions = motor_feedforward(model, elastic, now).positions if kind == 'Q alone' else rigid.positions
        return positions, rigid.velocities, torques
    return references


def identified(arm: Arm) -> Drives:
    """The drives, found from a recording of a richer motion."""
    rich = sines([(0.3, 2.0, 0.7), (0.15, 5.3, 1.1), (0.08, 9.1, 2.3)], arm.model.n)
    q, theta, tau = arm.run(feedforward(arm, rich, 'full', arm.believed), motion=rich, seconds=6.0)[1]
    found = identify_drives(
        arm.model, arm.believed, step=PERIOD, positions=q, motor_positions=theta, torques=tau, friction_width=2.0)
    return {joint: replace(drive, damping=0.0) for joint, drive in found.drives.items() if isinstance(drive, SeriesElastic)}


def errors(arm: Arm) -> Iterator[tuple[str, float]]:
    """(kind of feedforward, rms error of the joints [rad]), one after another."""
    motion = sines([(0.4, 4.0, 0.7)], arm.model.n)
    for kind in KINDS:
        yield kind, arm.run(feedforward(arm, motion, kind, arm.believed), motion=motion)[0]
    drives = identified(arm)
    references = feedforward(arm, motion, 'full', drives)
    yield 'full, identified', arm.run(references, motion=motion)[0]
    for delay in (1, 2):
        observer = DisturbanceObserver(arm.model, drives, step=PERIOD, bandwidth=50.0, delay=1)
        yield f'full, identified, observer, delay {delay}', arm.run(references, motion=motion, observer=observer, delay=delay)[0]
