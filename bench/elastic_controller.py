# SPDX-License-Identifier: Apache-2.0
"""The controller of elastic joints, its own gate and law, in the loop with a Panda on MuJoCo: lost references and states, starts and jumps;
and the faults of a laboratory (examples/laboratory.py), with delays of one period and of two.
"""

import math

import numpy as np
from laboratory import BANDWIDTH
from laboratory import DAMPING
from laboratory import INERTIA
from laboratory import JOINT_ENCODER
from laboratory import LAG
from laboratory import MOTOR_ENCODER
from laboratory import PERIOD
from laboratory import SETTLED
from laboratory import STEP
from laboratory import Arm
from laboratory import feedforward
from laboratory import identified
from laboratory import sines

from bench import ROOT
from bench.motor_loop import MotorLoop
from bench.motor_loop import motion
from bench.timing import Table
from hod_ros import ElasticPlant
from hod_ros.ros.elastic.laws import State

LARGEST, SETTLED_WITHIN = 0.05, 1.0     # [rad], [s]
TRACKED = 2e-3                          # [rad] of the links from their reference: settled
EFFORT_RATE = 1000.0                    # [N m/s] at the joints: what this arm's maker allows
REALISTIC = 0.4                         # times the error of full feedforward as believed


def judged(loop, reference, after):
    """(largest error of the links from what is wanted [rad], torque steps in what their rate allows, [s] until they follow)."""
    times, positions, wanted, torques = loop.trace.arrays()
    known = np.isfinite(wanted[:, 0])
    steps = np.abs(np.diff(torques[known], axis=0)).max(axis=0) / (loop.bounds.effort_rate * PERIOD)
    errors = np.array([np.abs(q - reference(t)[0]).max() for t, q in zip(times, positions, strict=True)])
    late = times[(errors > TRACKED) & (times > after)]
    return np.abs(positions - wanted)[known].max(), steps.max(), late[-1] - after if len(late) else 0.0


def faults(at):
    """{what: figures of judged} with the fault at the time `at` [s] of the motion."""
    def moved(t, by=0.05):
        q = motion(t)
        q[0] += by * (t > at)
        return q

    results = {}
    loop = MotorLoop.of_panda()
    loop.place(motion(0.0))
    loop.run(at, motion).run(0.5)
    after = loop.time
    results['references stop for 0.5 s'] = judged(loop.run(1.3, motion), motion, after)

    loop = MotorLoop.of_panda()
    loop.place(motion(0.0))
    loop.run(at, motion).run(0.5, motion, states=False).run(0.01, motion)
    assert loop.fault.reason and loop.gate.reset(loop.time)[0]
    after = loop.time
    results['states stop for 0.5 s, then a reset'] = judged(loop.run(1.3, motion), motion, after)

    loop = MotorLoop.of_panda()
    elsewhere = np.zeros((5, 7))
    elsewhere[0] = motion(at)[0] + 0.1
    loop.place(elsewhere)
    loop.time = at
    results['a start 0.1 rad away'] = judged(loop.run(1.3, motion), motion, at)

    loop = MotorLoop.of_panda()
    loop.place(motion(0.0))
    results['a reference that jumps by 0.05 rad'] = judged(loop.run(at, motion).run(1.3, moved), moved, at)
    return results


def realistic(arm, drives, path, references, *, observe=0.0, delay=1, seconds=2.0):
    """rms of the joints [rad] under the gate and the PD of examples/laboratory.py."""
    own = {'position': INERTIA * BANDWIDTH**2, 'velocity': 2 * DAMPING * INERTIA * BANDWIDTH}
    limits = {'lower': -9.0, 'upper': 9.0, 'effort_rate': EFFORT_RATE}
    wide = {name: dict.fromkeys(arm.model.joint_names, value) for name, value in limits.items()}
    loop = MotorLoop(arm.model, drives, gains=dict.fromkeys(arm.model.joint_names, own), limits=wide, disturbance_bandwidth=observe)
    plant = loop.plant = ElasticPlant(arm.real, arm.drives, step=STEP)
    times = np.arange(round(seconds / PERIOD)) * PERIOD
    positions, velocities, torques = references(times)
    plant.set_state(*path(times[:1])[0, :2], positions[0], velocities[0])
    queue, lagging, last, command = [torques[0]] * delay, torques[0].copy(), None, torques[0]
    errors = []
    for i, wanted in enumerate(path(times + PERIOD)[:, 0]):
        theta = np.round(plant.motor_positions / MOTOR_ENCODER) * MOTOR_ENCODER
        q = np.round(plant.positions / JOINT_ENCODER) * JOINT_ENCODER
        rate = velocities[i] if last is None else (theta - last) / PERIOD
        last = theta
        state = State(theta, rate, command, q, np.array(plant.velocities))
        rows = np.zeros((5, len(theta)))
        rows[0], rows[1], rows[3] = positions[i], velocities[i], torques[i]
        rows[2] = (velocities[min(i + 1, len(velocities) - 1)] - velocities[i]) / PERIOD
        seen = loop.disturbances.take(times[i], command, state) if loop.gate.wanted is not None else None
        command = np.array(loop.gate.command(times[i], state, rows, disturbances=seen))
        queue.append(command)
        acting = queue.pop(0)
        for _ in range(round(PERIOD / STEP)):
            lagging += (acting - lagging) * (1 - math.exp(-STEP / LAG))
            plant.step(lagging + 0.003 * np.sin(6 * plant.motor_positions))
        errors.append(plant.positions - wanted)
    assert not loop.fault.reason, loop.fault.reason
    return float(np.sqrt(np.mean(np.square(errors[SETTLED:]))))


def run():
    results = [faults(at) for at in (0.3, 0.7, 1.1)]
    table = Table('The controller of elastic joints on a Panda: the worst of three instants of its motion')
    for what in results[0]:
        error, step, time = (max(result[what][k] for result in results) for k in range(3))
        table.add(f'{what}: error of the links [urad]', error * 1e6, LARGEST * 1e6, 1.0, 'ur')
        table.add(f'{what}: torque rate', step, 1.0, 1.0 + 1e-6, '')
        table.add(f'{what}: until it follows [ms]', time * 1e3, SETTLED_WITHIN * 1e3, 1.0, 'ms')

    from hod_ros import RobotModel
    arm = Arm(RobotModel.from_urdf((ROOT / 'config' / 'robots' / 'panda.urdf').read_bytes()))
    path = sines([(0.4, 4.0, 0.7)], arm.model.n)
    found = identified(arm)
    believed = realistic(arm, arm.believed, path, feedforward(arm, path, 'full', arm.believed))
    table = Table('The controller in the laboratory, PD of 15 Hz, rms of the joints against full feedforward of what is believed [nrad]')
    table.add('full', believed * 1e9, believed * 1e9, None, 'nr')
    full = feedforward(arm, path, 'full', found)
    for delay in (1, 2):
        error = realistic(arm, found, path, full, observe=50.0, delay=delay)
        table.add(f'full, identified, observer, delay {delay}', error * 1e9, believed * 1e9, REALISTIC, 'nr')
    return table.rows
