# SPDX-License-Identifier: Apache-2.0
"""The control laws of the elastic controller, on a plant in the same process."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from ros_harness import arm_urdf  # noqa: E402

from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import Antagonistic  # noqa: E402
from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import HyperbolicSineSpring  # noqa: E402
from hod_ros import PreparedDrives  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros.ros.elastic.laws import MotorPd  # noqa: E402
from hod_ros.ros.elastic.laws import State  # noqa: E402
from hod_ros.ros.elastic.laws import StateFeedback  # noqa: E402

PERIOD, STEPS = 1e-3, 5
DRIVES = {
    'joint1': SeriesElastic(stiffness=900.0, motor_inertia=0.2, gear_ratio=2.0),
    'joint2': AdjustableStiffness(stiffness=400.0, motor_inertia=0.1),
    'joint3': Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=9.0), motor_inertia=0.05, stiffness=60.0),
}
PD = {'bandwidth': 5.0, 'damping': 0.7}
POLES = {'poles': [-20.0, -22.0, -24.0, -26.0], 'stiffness_poles': [-20.0, -22.0]}


@pytest.fixture(scope='module')
def prepared():
    return PreparedDrives(RobotModel.from_urdf(arm_urdf()), DRIVES)


def motion(t, n=3):
    phase = 3 * t + 0.7 * np.arange(n)
    return np.array([0.3 * 3.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(5)])


def stiffness(t):
    """k, k', k'' of joint2 and joint3."""
    s, c = np.sin(4 * t), np.cos(4 * t)
    return np.array([[400 + 100 * s, 60 + 10 * s], [400 * c, 40 * c], [-1600 * s, -160 * s]])


def track(prepared, law, reference, *, duration, displaced):
    """Largest errors (periods,) of joints [rad] and (periods,) of joint3's stiffness [N m/rad]."""
    plant = ElasticPlant(prepared.model, prepared, step=PERIOD / STEPS)
    start = prepared.motor_feedforward(motion(0.0), stiffness(0.0))
    plant.set_state(motion(0.0)[0] + displaced, motion(0.0)[1], start.positions + displaced * prepared.gear_ratio, start.velocities)
    errors, stiffness_errors = [], []
    for i in range(round(duration / PERIOD)):
        t = i * PERIOD
        errors.append(np.abs(plant.positions - motion(t)[0]).max())
        stiffness_errors.append(abs(plant.stiffnesses[2] - stiffness(t)[0, 1]))
        state = State(plant.motor_positions, plant.motor_velocities, plant.positions, plant.velocities)
        tau = law.torques(state, reference(t + PERIOD / 2), -PERIOD / 2)
        for step in range(STEPS):
            plant.step(tau, stiffness(t + (step + 0.5) * PERIOD / STEPS)[0, :1])
    return np.array(errors), np.array(stiffness_errors)


@pytest.mark.slow
def test_motor_pd_follows_and_returns_after_a_displacement(prepared):
    law = MotorPd(prepared, **PD)

    def reference(t):
        m = prepared.motor_feedforward(motion(t), stiffness(t))
        return np.array([m.positions, m.velocities, m.accelerations, m.efforts])
    errors, _ = track(prepared, law, reference, duration=0.5, displaced=0.0)
    assert errors.max() < 1e-4
    errors, _ = track(prepared, law, reference, duration=1.0, displaced=0.05)
    assert errors[-100:].max() < 5e-3


@pytest.mark.slow
def test_state_feedback_takes_away_displacements_and_stiffness_errors(prepared):
    law = StateFeedback(prepared, **POLES, brake=MotorPd(prepared, **PD).brake)
    errors, stiffness_errors = track(prepared, law, lambda t: (motion(t), stiffness(t)), duration=1.0, displaced=0.05)
    assert errors[0] == pytest.approx(0.05)
    assert errors[-100:].max() < 1e-3 and stiffness_errors[-100:].max() < 0.1


@pytest.mark.parametrize('offset', [-2e-3, 0.0, 2e-3])
def test_a_reference_of_another_instant_is_carried_to_that_of_the_state(prepared, offset):
    m = [prepared.motor_feedforward(motion(t), stiffness(t)) for t in (0.5, 0.5 - offset)]
    state = State(m[0].positions, m[0].velocities)
    reference = np.array([m[1].positions, m[1].velocities, m[1].accelerations, m[1].efforts])
    tau = MotorPd(prepared, **PD).torques(state, reference, offset)
    np.testing.assert_allclose(tau, m[1].efforts, atol=1e-2)


def test_brakes_take_energy_only(prepared):
    law = MotorPd(prepared, **PD)
    rate = np.array([1.0, -2.0, 3.0, 0.0])
    assert (law.brake(State(np.ones(4), rate)) * rate <= 0).all()
