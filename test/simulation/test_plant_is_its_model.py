# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's accelerations against our own dynamics: the plant must be the robot that it says, in every version that is admitted."""

import mjcf_texts
import numpy as np
import pytest
from robots import robot

pytest.importorskip('mujoco')

from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import Antagonistic  # noqa: E402
from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import ExponentialSpring  # noqa: E402
from hod_ros import HardeningSpring  # noqa: E402
from hod_ros import HodError  # noqa: E402
from hod_ros import PreparedDrives  # noqa: E402
from hod_ros import Rigid  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import forward_dynamics  # noqa: E402
from hod_ros.simulation import elastic_plant  # noqa: E402
from hod_ros.simulation import mjcf  # noqa: E402

ARMS = (
    'our_panda', 'kinova', 'ur3_robot', 'ur5_robot', 'ur10_robot', 'xarm7', 'z1', 'so100', 'so101', 'talos_left_arm', 'double_pendulum',
    'finger_edu')
KINDS = (
    SeriesElastic(stiffness=300.0, motor_inertia=2e-5, gear_ratio=-50.0, motor_friction=1e-4, damping=0.1),
    HardeningSpring(stiffness=300.0, cubic=1e4, motor_inertia=0.1),
    Rigid(motor_inertia=1e-4, gear_ratio=30.0, motor_friction=1e-3),
    Antagonistic(spring=ExponentialSpring(torque=2.0, rate=20.0), motor_inertia=0.1),
    AdjustableStiffness(stiffness=200.0, motor_inertia=0.01),
)


@pytest.mark.parametrize('name', ARMS)
def test_a_rigid_plant_accelerates_as_our_forward_dynamics_say(name):
    model = robot(name)
    plant, rng, worst = ElasticPlant(model, {}), np.random.default_rng(0), 0.0
    for _ in range(1000):
        q, torques = rng.uniform(-1, 1, (2, model.n)), rng.uniform(-3, 3, model.n)
        plant.set_state(*q)
        expected = forward_dynamics(model, q, torques[None])[0]
        worst = max(worst, np.abs(plant.accelerations(np.zeros(model.n), torques)[0] - expected).max() / np.abs(expected).max())
    assert worst <= 1e-9


@pytest.mark.parametrize('links', [1, 2])
@pytest.mark.parametrize('drives', [(), KINDS[:1], KINDS[1:2], KINDS[2:3], KINDS[3:4], KINDS[4:]], ids=[
    'rigid', 'series elastic', 'hardening', 'with a rotor', 'antagonistic', 'adjustable'])
def test_benches_of_one_and_two_joints_are_simulated(links, drives):
    model = RobotModel.from_urdf(mjcf_texts.bench(links))
    plant = ElasticPlant(model, dict.fromkeys(model.joint_names, drives[0]) if drives else {})
    q, torques = np.array([[0.3, -0.2], [0.5, 0.4]])[:, :links], np.array([1.0, -0.5])[:links]
    plant.set_state(*q)
    if not drives:
        np.testing.assert_allclose(
            plant.accelerations(np.zeros(links), torques)[0], forward_dynamics(model, q, torques[None])[0], rtol=1e-9)


@pytest.mark.parametrize('text', [mjcf_texts.WITHOUT_MASS_BETWEEN, mjcf_texts.UNREAL_TENSOR], ids=['massless body', 'unreal tensor'])
def test_bodies_that_mujoco_would_not_read_are_simulated_as_they_are(text):
    model = RobotModel.from_urdf(text)
    assert not all(inertial.real for inertial in mjcf.inertials(PreparedDrives(model, {})))
    ElasticPlant(model, {})


def test_a_plant_that_is_another_robot_is_refused(monkeypatch):
    model = robot('our_panda')

    def heavier(mujoco, prepared, **options):
        physics = compiled(mujoco, prepared, **options)
        physics.body_mass[-1] *= 1 + 1e-6
        return physics
    compiled = mjcf.compiled
    monkeypatch.setattr(elastic_plant.mjcf, 'compiled', heavier)
    with pytest.raises(HodError, match=r"MuJoCo .* does not simulate panda.*'panda_joint.'.*takes.*act there.*version"):
        ElasticPlant(model, {})
