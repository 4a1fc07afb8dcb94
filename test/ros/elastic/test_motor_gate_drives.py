# SPDX-License-Identifier: Apache-2.0
"""The gate with drives of several kinds in one arm, and with the observer of disturbances, on a plant in the same process."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from ros_harness import arm_urdf  # noqa: E402

from bench.motor_loop import NO_LIMITS  # noqa: E402
from bench.motor_loop import PERIOD  # noqa: E402
from bench.motor_loop import STEP  # noqa: E402
from bench.motor_loop import MotorLoop  # noqa: E402
from bench.motor_loop import motion as demo  # noqa: E402
from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import Antagonistic  # noqa: E402
from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import HyperbolicSineSpring  # noqa: E402
from hod_ros import PreparedDrives  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros.ros.elastic.disturbances import Disturbances  # noqa: E402
from hod_ros.ros.elastic.laws import MotorPd  # noqa: E402
from hod_ros.ros.elastic.laws import State  # noqa: E402
from hod_ros.ros.elastic.motor_model import MotorModel  # noqa: E402
from hod_ros.ros.guards.faults import Fault  # noqa: E402
from hod_ros.ros.guards.motor_bounds import motor_bounds  # noqa: E402
from hod_ros.ros.guards.motor_gate import MotorGate  # noqa: E402
from hod_ros.ros.guards.motor_gate import Settings  # noqa: E402

DRIVES = {
    'joint1': SeriesElastic(stiffness=900.0, motor_inertia=0.2, gear_ratio=2.0),
    'joint2': AdjustableStiffness(stiffness=400.0, motor_inertia=0.1),
    'joint3': Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=9.0), motor_inertia=0.05, stiffness=60.0),
}


def motion(t):
    phase = 3 * t + 0.7 * np.arange(3)
    return np.array([0.3 * 3.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(5)])


def stiffness(t):
    """k, k', k'' of joint2 and joint3."""
    s, c = np.sin(4 * t), np.cos(4 * t)
    return np.array([[400 + 100 * s, 60 + 10 * s], [400 * c, 40 * c], [-1600 * s, -160 * s]])


def test_springs_of_all_kinds_are_followed_held_and_followed_again():
    prepared = PreparedDrives(RobotModel.from_urdf(arm_urdf()), DRIVES)
    bounds = motor_bounds(prepared, **NO_LIMITS)
    law = MotorPd(prepared, bandwidth=1.0, damping=0.7)
    gate = MotorGate(MotorModel(prepared), law, bounds, Settings(), Fault())
    plant = ElasticPlant(prepared.model, prepared, step=PERIOD / 5)
    start = prepared.motor_feedforward(motion(0.0), stiffness(0.0))
    plant.set_state(motion(0.0)[0], motion(0.0)[1], start.positions, start.velocities)
    torques, errors, steps = np.array(start.efforts), [], []
    for i in range(2500):
        t = i * PERIOD
        gone = 500 <= i < 1000
        m = prepared.motor_feedforward(motion(t + PERIOD / 2), stiffness(t + PERIOD / 2))
        rows = np.stack([m.positions, m.velocities, m.accelerations, m.efforts, 0 * m.efforts])
        rows[0] -= PERIOD / 2 * rows[1]
        rows[1] -= PERIOD / 2 * rows[2]
        state = State(plant.motor_positions, plant.motor_velocities, torques, plant.positions, plant.velocities)
        before, torques = torques, gate.command(t, state, None if gone else rows, stiffness=stiffness(t)[0])
        steps.append(np.abs(torques - before) / (bounds.effort_rate * PERIOD))
        errors.append(np.abs(plant.positions - motion(t)[0]).max())
        held = stiffness(0.5 if gone else t)[0, :1]
        for _ in range(5):
            plant.step(torques, held)
        if i == 999:
            assert np.abs(plant.velocities).max() < 0.1
    assert max(errors[:500]) < 2e-3, 'it follows'
    assert max(errors[2300:]) < 1e-2, 'and follows again'
    assert np.max(steps) <= 1 + 1e-6
    assert not gate.fault.reason


def test_the_observer_makes_up_for_friction_of_motors_that_nobody_told_of():
    errors = {}
    for bandwidth in (0.0, 200.0):
        loop = MotorLoop.of_panda(disturbance_bandwidth=bandwidth)
        model, drives = loop.prepared.model, loop.prepared.drives
        rough = {joint: replace(drive, motor_friction=2e-4) for joint, drive in zip(model.joint_names, drives, strict=True)}
        loop.plant = ElasticPlant(model, rough, step=STEP)
        loop.place(demo(0.0))
        loop.run(1.0, demo)
        times, positions, *_ = loop.trace.arrays()
        late = np.array([np.abs(q - demo(t)[0]).max() for t, q in zip(times, positions, strict=True) if t > 0.5])
        errors[bandwidth] = np.sqrt(np.mean(late**2))
    assert errors[200.0] < 0.1 * errors[0.0]


def test_the_observer_goes_on_where_a_state_is_missing_and_makes_up_for_a_bounded_torque():
    loop = MotorLoop.of_panda()
    prepared, limit = loop.prepared, np.full(7, 0.1)
    observer = Disturbances(prepared, limit, bandwidth=100.0, period=PERIOD, delay=0.0, share=0.5)
    rows = loop.reference(demo(0.0))
    state = State(rows[0], 0 * rows[0], None, loop.model.of_joints(rows[0]), np.zeros(7))
    for i in range(100):
        seen = observer.take(i * PERIOD, np.full(7, 1.0), state)
    np.testing.assert_allclose(seen, -0.05, err_msg='1 N m, of which 0.05 may be made up for')
    assert '0.05 are made up for' in observer.record.reason
    after = observer.take(0.2, np.full(7, 1.0), state)
    np.testing.assert_allclose(after, seen)
    assert 'it begins anew: two states are 0.101 s apart' in observer.record.reason
