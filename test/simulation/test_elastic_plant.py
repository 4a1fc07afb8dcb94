# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from robots import robot

pytest.importorskip('mujoco')

from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import Antagonistic  # noqa: E402
from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import ExponentialSpring  # noqa: E402
from hod_ros import FeedbackLinearisation  # noqa: E402
from hod_ros import HardeningSpring  # noqa: E402
from hod_ros import HodError  # noqa: E402
from hod_ros import Rigid  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import forward_dynamics  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402
from hod_ros import pole_gains  # noqa: E402

LINK = """<link name='{}'><inertial><origin xyz='{}' rpy='0.1 0.2 0.3'/><mass value='{}'/>
<inertia ixx='{}' iyy='{}' izz='{}' ixy='0.001' ixz='0.0005' iyz='0'/></inertial></link>"""
JOINT = """<joint name='{}' type='{}'><origin xyz='{}' rpy='0.7 0.4 0.2'/><parent link='{}'/><child link='{}'/><axis xyz='{}'/>
<limit lower='-1' upper='1' effort='9' velocity='9'/>{}</joint>"""
SLIDER = ''.join([
    "<robot name='slider'><link name='base'/>",
    LINK.format('cart', '0.1 0.02 0', 2, 0.02, 0.03, 0.04),
    LINK.format('arm', '0 0 -0.3', 1.5, 0.05, 0.05, 0.01),
    LINK.format('side', '0.1 0 0', 0.5, 0.01, 0.01, 0.01),
    JOINT.format('slide', 'prismatic', '0 0.1 0', 'base', 'cart', '0.6 0 0.8', ''),
    JOINT.format('swing', 'continuous', '0.1 0 0.1', 'cart', 'arm', '0 1 0', ''),
    JOINT.format('turn', 'continuous', '-0.1 0 0', 'cart', 'side', '0 0 1', '{mimic}'),
    '</robot>',
])


def model_of(name):
    return RobotModel.from_urdf(SLIDER.format(mimic='')) if name == 'slider' else robot(name)


@pytest.mark.parametrize('name', ['slider', 'our_panda', 'ur5_robot', 'anymal_c_simple_description/anymal'])
def test_the_plant_is_the_same_tree_as_the_model(name):
    model = model_of(name)
    rng = np.random.default_rng(0)
    q, torques = rng.uniform(-1, 1, (2, model.n)), rng.uniform(-3, 3, model.n)
    step = 1e-6
    plant = ElasticPlant(model, {}, step=step)
    plant.set_state(*q)
    plant.step(torques)
    acceleration = forward_dynamics(model, q, torques[None])[0]
    change = (plant.velocities - q[1]) / step
    np.testing.assert_allclose(change, acceleration, atol=2e-4 * np.abs(acceleration).max())


def test_prismatic_joints_behind_springs_follow_open_loop():
    model = model_of('slider')
    drives = {'slide': SeriesElastic(stiffness=8000.0, motor_inertia=2.0), 'turn': SeriesElastic(stiffness=300.0, motor_inertia=0.1)}
    phase = np.array([0.0, 0.7, 1.4])
    step = 2e-4

    def q(t):
        return np.array([0.3 * 2.0 ** k * np.sin(2 * t + phase + k * np.pi / 2) for k in range(5)])
    plant = ElasticPlant(model, drives, step=step)
    start = motor_feedforward(model, drives, q(0.0))
    plant.set_state(*q(0.0)[:2], start.positions, start.velocities)
    for i in range(1000):
        plant.step(motor_feedforward(model, drives, q((i + 0.5) * step)).efforts)
    assert np.abs(plant.positions - q(0.2)[0]).max() <= 1e-6


def test_adjustable_stiffness_is_what_was_last_set():
    model = model_of('slider')
    plant = ElasticPlant(model, {'swing': AdjustableStiffness(stiffness=100.0, motor_inertia=0.1)})
    assert plant.stiffnesses.tolist() == [100.0]
    plant.step(np.zeros(3), stiffness=[250.0])
    assert plant.stiffnesses.tolist() == [250.0]
    for bad in ([0.0], [np.nan], [1.0, 2.0]):
        with pytest.raises(HodError, match='stiffness'):
            plant.step(np.zeros(3), stiffness=bad)


def test_saturated_motors_are_flagged_and_get_no_more_than_their_limit():
    model = model_of('slider')
    drives = {'swing': SeriesElastic(stiffness=100.0, motor_inertia=0.1)}
    limited = ElasticPlant(model, drives, torque_limits=[np.inf, 2.0, np.inf])
    assert limited.step(np.array([5.0, -7.0, 0.0])).tolist() == [False, True, False]
    other = ElasticPlant(model, drives)
    other.step(np.array([5.0, -2.0, 0.0]))
    np.testing.assert_array_equal(limited.motor_velocities, other.motor_velocities)
    with pytest.raises(HodError, match='torque_limits'):
        ElasticPlant(model, drives, torque_limits=[1.0, -1.0, 1.0])


def test_a_slack_spring_is_flagged_and_does_not_push():
    model = model_of('slider')
    spring = ExponentialSpring(torque=2.0, rate=20.0)
    plant = ElasticPlant(model, {'swing': Antagonistic(spring=spring, motor_inertia=0.1, stiffness=200.0)})
    plant.set_state(np.zeros(3), np.zeros(3), [0, 0.05, 0.02, 0], np.zeros(4))
    assert plant.slack.tolist() == [True]
    assert plant.spring_torques[0] == pytest.approx(spring.force_at(0.05))
    assert plant.stiffnesses[0] == pytest.approx(spring.stiffness_at(0.05))


def test_a_plant_that_blows_up_says_so_and_keeps_its_last_state(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = model_of('slider')
    drives = {
        'swing': SeriesElastic(stiffness=1e9, motor_inertia=1e-3),
        'turn': HardeningSpring(stiffness=10.0, cubic=1e9, motor_inertia=1e-3),
    }
    plant = ElasticPlant(model, drives, step=0.05)
    plant.set_state(np.zeros(3), np.zeros(3), [0, 0.5, 0.5], np.zeros(3))
    with pytest.raises(HodError, match='unstable'):
        for _ in range(200):
            plant.step(np.zeros(3))
    assert np.isfinite(plant.positions).all() and np.isfinite(plant.motor_positions).all()
    assert not list(tmp_path.iterdir())


def test_mujocos_callbacks_are_left_as_they_were_found():
    import mujoco
    model = model_of('slider')
    plant = ElasticPlant(model, {'swing': HardeningSpring(stiffness=100.0, cubic=1e3, motor_inertia=0.1)})

    def passive(physics, data):
        raise AssertionError('the callback of another simulation must not act in the plant')
    mujoco.set_mjcb_passive(passive)
    try:
        plant.step(np.zeros(3))
        assert mujoco.get_mjcb_passive() is passive
    finally:
        mujoco.set_mjcb_passive(None)
    assert mujoco.get_mju_user_warning() is None


@pytest.mark.parametrize('integrator', ['Euler', 'RK4', 'implicit', 'implicitfast'])
def test_a_spring_alone_swings_at_its_own_frequency(integrator):
    model = model_of('slider').replace(gravity=(0, 0, 0))
    drives = {'turn': SeriesElastic(stiffness=400.0, motor_inertia=0.1)}
    plant = ElasticPlant(model, drives, step=1e-5, integrator=integrator)
    plant.set_state(np.zeros(3), np.zeros(3), [0, 0, 0.01], np.zeros(3))
    acceleration = forward_dynamics(model, np.zeros((2, 3)), np.array([[0, 0, 4.0]]))[0]
    plant.step(np.zeros(3))
    np.testing.assert_allclose(plant.motor_velocities[2] / 1e-5, -40.0, rtol=1e-3)
    np.testing.assert_allclose(plant.velocities / 1e-5, acceleration, rtol=1e-3, atol=1e-3)


def test_what_the_plant_cannot_be_is_refused():
    mimic = RobotModel.from_urdf(SLIDER.format(mimic="<mimic joint='swing' multiplier='2'/>"))
    with pytest.raises(HodError, match="'turn' mimics.*locked"):
        ElasticPlant(mimic, {})
    model = model_of('slider')
    with pytest.raises(HodError, match='integrator'):
        ElasticPlant(model, {}, integrator='leapfrog')
    with pytest.raises(HodError, match='step'):
        ElasticPlant(model, {}, step=-1.0)
    with pytest.raises(HodError, match="'swing' is 0"):
        ElasticPlant(model, {'swing': SeriesElastic(stiffness=100.0, motor_inertia=0.0)})
    plant = ElasticPlant(model, {'swing': Rigid()})
    with pytest.raises(HodError, match='torques'):
        plant.step([0.0, np.nan, 0.0])


def deviation_from_the_chain_of_integrators(step):
    """Largest deviation of the joints from what the placed poles say, and the last stiffness of the pair, within 0.4 s."""
    model = model_of('slider')
    drives = {
        'slide': SeriesElastic(stiffness=8000.0, motor_inertia=2.0),
        'swing': Antagonistic(spring=ExponentialSpring(torque=2.0, rate=20.0), motor_inertia=0.1, stiffness=300.0),
        'turn': HardeningSpring(stiffness=300.0, cubic=1e5, motor_inertia=0.1),
    }
    linearised = FeedbackLinearisation(model, drives)
    gains = pole_gains([[-10, -12, -14, -16]] * 3).T
    k_gains = pole_gains([-20, -25])
    plant = ElasticPlant(model, drives, step=step)
    z = np.zeros((4, 3))
    z[0] = start = [0.1, -0.2, 0.15]
    plant.set_state(*z[:2], *linearised.state(z, stiffness=[[250.0], [0.0], [0.0]]))
    companion = np.diag(np.ones(3), 1)
    companion[3] = -gains[:, 0]
    values, vectors = np.linalg.eig(companion)
    modes = np.linalg.solve(vectors, np.array([1, 0, 0, 0]))
    worst = 0.0
    for i in range(1, round(0.4 / step) + 1):
        state = plant.positions, plant.velocities, plant.motor_positions, plant.motor_velocities
        k, k_rate = linearised.stiffness_chain(*state)[:, 1]
        stiffness = [[k], [k_rate], [k_gains @ [300.0 - k, -k_rate]]]
        snap = -(gains * linearised.chain(*state)).sum(0)
        plant.step(linearised.torques(*state, snap, stiffness=stiffness))
        expected = (vectors[0] @ (np.exp(values * i * step) * modes)).real * np.array(start)
        worst = max(worst, np.abs(plant.positions - expected).max())
    return worst, plant.stiffnesses[1]


def test_state_feedback_with_placed_poles_moves_the_plant_as_the_chain_of_integrators_would():
    coarse, stiffness = deviation_from_the_chain_of_integrators(4e-4)
    fine, _ = deviation_from_the_chain_of_integrators(1e-4)
    assert fine <= 5e-4
    assert 3.5 <= coarse / fine <= 4.5         # what is left is the torque held over a step
    assert stiffness == pytest.approx(300.0, abs=0.5)


def test_a_plant_says_that_it_holds_the_stiffness_of_adjustable_joints():
    model = model_of('slider')
    plant = ElasticPlant(model, {'swing': AdjustableStiffness(stiffness=100.0, motor_inertia=0.1)})
    with pytest.warns(UserWarning, match=r"'swing' of the plant stays at the stiffness 100 .*give step\(\)"):
        plant.step(np.zeros(3))
    plant = ElasticPlant(model, {'swing': AdjustableStiffness(motor_inertia=0.1)})
    with pytest.raises(HodError, match="stiffness of joint 'swing' is missing"):
        plant.step(np.zeros(3))
    plant.step(np.zeros(3), stiffness=[250.0])
    plant.step(np.zeros(3))
