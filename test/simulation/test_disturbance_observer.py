# SPDX-License-Identifier: Apache-2.0
"""The observer of disturbances on the plant: what it sees, and what it is good for."""

import math

import numpy as np
import pytest
from robots import robot

pytest.importorskip('mujoco')

from hod_ros import Antagonistic  # noqa: E402
from hod_ros import DisturbanceObserver  # noqa: E402
from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import ExponentialSpring  # noqa: E402
from hod_ros import HardeningSpring  # noqa: E402
from hod_ros import HodError  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import largest_bandwidth  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402

JOINTS = ('panda_joint2', 'panda_joint4')
GEARED = {'motor_inertia': 2e-5, 'gear_ratio': 100.0}
DRY = {'motor_friction': 1e-4, 'motor_coulomb': 0.03, 'motor_friction_width': 2.0}
STEP = 1e-3


def motion(t):
    phase = 4 * t + 0.7 * np.arange(2)
    return np.stack([0.4 * 4.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(5)])


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda', joints=JOINTS)


def tracked(arm, drives, believed, observer=None, delay=0, seconds=0.4):
    """(rms error of the joints [rad], last torque, last estimate): PD at 15 Hz and feedforward of `believed` drives, on a plant of `drives`
    that the torques reach `delay` periods late; observer: whether its estimate is taken off."""
    plant = ElasticPlant(arm, drives, step=2e-4)
    start = motor_feedforward(arm, believed, motion(0.0))
    plant.set_state(*motion(0.0)[:2], start.positions, start.velocities)
    inertia, bandwidth = plant.prepared.motor_inertia, 2 * math.pi * 15
    queue, errors, disturbance = [start.efforts] * delay, [], np.zeros(len(start.efforts))
    for i in range(round(seconds / STEP)):
        m = motor_feedforward(arm, believed, motion((i + 0.5) * STEP))
        now = motor_feedforward(arm, believed, motion(i * STEP))
        command = (m.efforts + inertia * bandwidth**2 * (now.positions - plant.motor_positions)
                   + 1.4 * inertia * bandwidth * (now.velocities - plant.motor_velocities) - (disturbance if observer else 0.0))
        queue.append(command)
        acting = queue.pop(0)
        for _ in range(5):
            plant.step(acting)
        errors.append(plant.positions - motion((i + 1) * STEP)[0])
        if observer is not None:
            disturbance = observer(command, plant.motor_positions, positions=plant.positions)
    return np.sqrt(np.mean(np.square(errors))), disturbance


@pytest.mark.parametrize('velocities', [True, False], ids=['velocities', 'positions alone'])
@pytest.mark.parametrize('kind', ['linear', 'hardening', 'pairs'])
def test_it_sees_the_torque_that_the_model_does_not_know(arm, kind, velocities):
    drives = dict.fromkeys(JOINTS, {
        'linear': SeriesElastic(stiffness=3000.0, damping=2.0, damping_terms=1, **GEARED, **DRY),
        'hardening': HardeningSpring(stiffness=2000.0, cubic=1e5, **GEARED, **DRY),
        'pairs': Antagonistic(spring=ExponentialSpring(torque=2.0, rate=20.0), motor_inertia=0.2, stiffness=3000.0),
    }[kind])
    plant = ElasticPlant(arm, drives, step=1e-4)
    observer = DisturbanceObserver(arm, drives, step=STEP, bandwidth=200.0)
    hidden = np.full(len(plant.motor_names), 0.02)
    start = motor_feedforward(arm, drives, np.zeros((6, 2)))
    plant.set_state(np.zeros(2), np.zeros(2), start.positions, start.velocities)
    for i in range(60):
        torques = start.efforts + 0.05 * math.sin(0.1 * i)
        for _ in range(10):
            plant.step(torques + hidden)
        seen = observer(torques, plant.motor_positions, positions=plant.positions,
                        motor_velocities=plant.motor_velocities if velocities else None)
    np.testing.assert_allclose(seen, hidden, rtol=0.02)


def test_friction_that_nobody_told_of_costs_less_with_it(arm):
    drives = dict.fromkeys(JOINTS, SeriesElastic(stiffness=3000.0, **GEARED, **DRY))
    believed = dict.fromkeys(JOINTS, SeriesElastic(stiffness=3000.0, **GEARED))
    without, _ = tracked(arm, drives, believed)
    for delay in (0, 2):
        observer = DisturbanceObserver(arm, believed, step=STEP, bandwidth=100.0, delay=delay)
        assert tracked(arm, drives, believed, observer, delay)[0] <= 0.25 * without
    assert tracked(arm, drives, drives)[0] <= 0.05 * without            # and with friction in the feedforward still less


def test_delays_that_it_does_not_know_are_borne_below_the_stated_bandwidth_and_not_above(arm):
    drives = dict.fromkeys(JOINTS, SeriesElastic(stiffness=3000.0, **GEARED))
    limit = largest_bandwidth(STEP, 2)
    assert limit == pytest.approx(962, rel=1e-3)
    assert largest_bandwidth(STEP, 0) == largest_bandwidth(STEP, 1) == math.pi / STEP

    def last(bandwidth):
        observer = DisturbanceObserver(arm, drives, step=STEP, bandwidth=bandwidth)
        plant = ElasticPlant(arm, drives, step=STEP / 5)
        queue, d = [np.zeros(2)] * 2, np.zeros(2)
        for i in range(400):
            command = (0.01 if i < 5 else 0.0) - d
            queue.append(command)
            for _ in range(5):
                plant.step(queue[0])
            queue.pop(0)
            d = observer(command, plant.motor_positions, motor_velocities=plant.motor_velocities, positions=plant.positions)
        return np.abs(d).max()
    assert last(0.5 * limit) <= 1e-2
    with pytest.raises(HodError, match='unstable'):
        last(1.3 * limit)


def test_what_it_cannot_observe_is_refused(arm):
    with pytest.raises(HodError, match='all drives are rigid'):
        DisturbanceObserver(arm, {}, step=STEP, bandwidth=100.0)
    pairs = dict.fromkeys(JOINTS, Antagonistic(spring=ExponentialSpring(torque=2.0, rate=20.0), motor_inertia=0.2, stiffness=3000.0))
    with pytest.raises(HodError, match="'panda_joint2' has two; give positions"):
        DisturbanceObserver(arm, pairs, step=STEP, bandwidth=1.0)(np.zeros(4), np.zeros(4), spring_torques=np.zeros(2))
    linear = dict.fromkeys(JOINTS, SeriesElastic(stiffness=3000.0, **GEARED))
    with pytest.raises(HodError, match='positions of the joints are missing'):
        DisturbanceObserver(arm, linear, step=STEP, bandwidth=1.0)(np.zeros(2), np.zeros(2))
