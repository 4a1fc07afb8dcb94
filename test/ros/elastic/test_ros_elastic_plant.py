# SPDX-License-Identifier: Apache-2.0
"""The plant as a process: lock-step and free-running, what it publishes and what it refuses."""

import time
from array import array

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

from elastic_peer import in_use  # noqa: E402
from ros_harness import SILENCE  # noqa: E402
from ros_harness import NodeProcess  # noqa: E402
from ros_harness import arm_urdf  # noqa: E402
from ros_harness import running_node  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from hod_interfaces.msg import MotorFeedforward  # noqa: E402
from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import Antagonistic  # noqa: E402
from hod_ros import ElasticPlant  # noqa: E402
from hod_ros import HyperbolicSineSpring  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402

MODULE = 'hod_ros.ros.nodes.hod_elastic_plant'
DRIVES = {
    'joint1': SeriesElastic(stiffness=900.0, motor_inertia=0.2),
    'joint2': AdjustableStiffness(stiffness=400.0, motor_inertia=0.1),
    'joint3': Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=9.0), motor_inertia=0.05, stiffness=60.0),
}
PARAMETERS = {
    'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': 900, 'elastic.joint1.motor_inertia': 0.2,
    'elastic.joint2.type': 'adjustable', 'elastic.joint2.stiffness': 400, 'elastic.joint2.motor_inertia': 0.1,
    'elastic.joint3.type': 'antagonistic', 'elastic.joint3.spring': 'hyperbolic_sine', 'elastic.joint3.torque': 2,
    'elastic.joint3.rate': 9, 'elastic.joint3.motor_inertia': 0.05, 'elastic.joint3.stiffness': 60,
    'initial_positions': [0.1, -0.2, 0.3], 'initial_velocities': [0.5],
}
MOTORS = ['joint1', 'joint2', 'joint3/1', 'joint3/2']


class Peer:
    """What stands in for controllers: hears states and the clock, sends torques."""

    def __init__(self, client):
        self.client = client
        self.joints, self.motors, self.clocks = [], [], []
        node = client.node
        self._entities = [
            node.create_subscription(JointState, 'joint_states', self.joints.append, 1000),
            node.create_subscription(JointState, 'motor_states', self.motors.append, 1000),
            node.create_subscription(Clock, '/clock', self.clocks.append, 1000)]
        self.torques = node.create_publisher(JointState, 'motor_torques', 10)
        self.feedforward = node.create_publisher(MotorFeedforward, 'motor_feedforward', 10)

    def close(self):
        for subscription in self._entities:
            self.client.node.destroy_subscription(subscription)
        for publisher in (self.torques, self.feedforward):
            self.client.node.destroy_publisher(publisher)

    def start(self, urdf=None):
        self.client.describe(urdf or arm_urdf())
        assert self.client.wait_until(lambda: self.motors and self.clocks and self.torques.get_subscription_count()), 'no state came'

    def send(self, efforts, stamp, names=MOTORS):
        message = JointState(name=list(names), effort=array('d', efforts))
        message.header.stamp = stamp
        self.torques.publish(message)

    def after(self, stamp):
        """The first motor state after that with this stamp."""
        found = []

        def later():
            found[:] = [m for m in self.motors if seconds(m.header.stamp) > seconds(stamp)]
            return found
        assert self.client.wait_until(later), 'no further state came'
        return found[0]


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


@pytest.fixture
def peer(client):
    yield from in_use(client, Peer(client))


def test_lock_step_simulates_one_period_for_each_command_as_the_library_does(peer):
    expected = ElasticPlant(RobotModel.from_urdf(arm_urdf()), DRIVES, step=2e-4)
    expected.set_state([0.1, -0.2, 0.3], [0.5, 0.5, 0.5])
    with running_node(module=MODULE, parameters=PARAMETERS | {'lock_step': True}):
        peer.start()
        first = peer.motors[-1]
        assert first.name == MOTORS and peer.joints[-1].name == ['joint1', 'joint2', 'joint3']
        state = first
        for step in range(20):
            efforts = [3.0, -2.0, 0.4 * step, -0.5]
            peer.send(efforts[::-1], state.header.stamp, MOTORS[::-1])
            state = peer.after(state.header.stamp)
            for _ in range(5):
                expected.step(np.array(efforts))
            assert seconds(state.header.stamp) == pytest.approx(1e-3 * (step + 1), abs=1e-12)
            np.testing.assert_allclose(state.position, expected.motor_positions, rtol=0, atol=1e-14)
            np.testing.assert_allclose(state.velocity, expected.motor_velocities, rtol=0, atol=1e-12)
            assert list(state.effort) == efforts
        assert peer.client.wait_until(lambda: peer.clocks and peer.clocks[-1].clock == state.header.stamp)
        np.testing.assert_allclose(peer.joints[-1].position, expected.positions, rtol=0, atol=1e-14)


def test_a_command_for_another_state_does_not_move_time_and_unanswered_states_come_again(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'lock_step': True}):
        peer.start()
        stamp = peer.motors[-1].header.stamp
        peer.send([0.0] * 4, stamp)
        now = peer.after(stamp).header.stamp
        peer.send([0.0] * 4, stamp)
        count = len(peer.motors)
        peer.client.spin(SILENCE)
        assert len(peer.motors) > count + 1 and all(m.header.stamp == now for m in peer.motors[count:])


def test_bad_torques_are_refused_by_name_and_change_nothing(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'lock_step': True}) as plant:
        peer.start()
        stamp = peer.motors[-1].header.stamp
        peer.send([0.0, float('nan'), 0.0, 0.0], stamp)
        plant.wait_for_output("refused motor torques: effort of 'joint2' is nan")
        peer.send([0.0] * 3, stamp, MOTORS[:3])
        peer.send([0.0] * 4, stamp)
        assert np.isfinite(peer.after(stamp).position).all()


def test_stiffness_of_adjustable_joints_follows_the_motor_feedforward(peer):
    expected = ElasticPlant(RobotModel.from_urdf(arm_urdf()), DRIVES, step=2e-4)
    expected.set_state([0.1, -0.2, 0.3], [0.5, 0.5, 0.5])
    with running_node(module=MODULE, parameters=PARAMETERS | {'lock_step': True}):
        peer.start()
        assert peer.client.wait_until(peer.feedforward.get_subscription_count)
        peer.feedforward.publish(MotorFeedforward(
            joint_names=['joint1', 'joint2', 'joint3'], stiffnesses=array('d', [900.0, 4000.0, 60.0])))
        peer.client.spin(0.2)
        state = peer.motors[-1]
        for _ in range(10):
            peer.send([20.0, 20.0, 0.0, 0.0], state.header.stamp)
            state = peer.after(state.header.stamp)
            for _ in range(5):
                expected.step(np.array([20.0, 20.0, 0.0, 0.0]), [4000.0])
        np.testing.assert_allclose(state.position, expected.motor_positions, rtol=0, atol=1e-13)


@pytest.mark.slow
def test_free_running_is_no_faster_than_time_and_takes_the_torque_away_when_commands_stop(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'period': 0.01, 'torque_timeout': 0.2}) as plant:
        peer.start()
        assert seconds(peer.motors[-1].header.stamp) == 0
        peer.send([1.0, 2.0, 3.0, -3.0], peer.motors[-1].header.stamp)
        began = time.monotonic()
        assert peer.client.wait_until(lambda: seconds(peer.motors[-1].header.stamp) >= 1.0)
        assert time.monotonic() - began > 0.85
        plant.wait_for_output('no motor torques came within 0.2 s')
        assert list(peer.motors[5].effort) == [1.0, 2.0, 3.0, -3.0] and list(peer.motors[-1].effort) == [0.0] * 4


def test_locked_positions_and_armature_make_the_robot_that_is_simulated(peer):
    model = RobotModel.from_urdf(arm_urdf(), locked={'joint2': 0.7}, armature={'joint1': 0.9})
    expected = ElasticPlant(model, {name: DRIVES[name] for name in model.joint_names}, step=2e-4)
    expected.set_state([0.1, 0.3], [0.5, 0.5])
    parameters = {name: value for name, value in PARAMETERS.items() if 'joint2' not in name}
    parameters |= {'locked_positions.joint2': 0.7, 'armature.joint1': 0.9, 'initial_positions': [0.1, 0.3], 'lock_step': True}
    motors, efforts = ['joint1', 'joint3/1', 'joint3/2'], [3.0, 0.4, -0.5]
    with running_node(module=MODULE, parameters=parameters):
        peer.start()
        state = peer.motors[-1]
        for _ in range(10):
            peer.send(efforts, state.header.stamp, motors)
            state = peer.after(state.header.stamp)
            for _ in range(5):
                expected.step(np.array(efforts))
        np.testing.assert_allclose(state.position, expected.motor_positions, rtol=0, atol=1e-14)


def test_empty_lists_of_initial_values_stand_for_rest_at_zero(peer):
    names = ('initial_positions', 'initial_velocities', 'initial_motor_positions', 'initial_motor_velocities')
    with running_node(module=MODULE, parameters=PARAMETERS | dict.fromkeys(names, '[]')):
        peer.start()
        assert list(peer.joints[-1].position) == list(peer.joints[-1].velocity) == [0.0] * 3
        assert list(peer.motors[-1].position) == list(peer.motors[-1].velocity) == [0.0] * 4


@pytest.mark.parametrize(('parameters', 'fault'), [
    ({'initial_positions': [0.1, 0.2]}, 'initial_positions has 2 values; give one for each of joint1, joint2, joint3'),
    ({'initial_motor_velocities': [0.1]}, 'initial_motor_velocities has 1 values; give one for each of joint1, joint2, joint3/1, joint3/2'),
])
def test_parameters_that_do_not_fit_the_robot_are_named_and_not_its_description(peer, parameters, fault):
    with running_node(module=MODULE, parameters=PARAMETERS | parameters) as plant:
        peer.client.describe(arm_urdf())
        plant.wait_for_output(f'this robot cannot be used with the parameters as they are: {fault}')
    assert 'description refused' not in plant.output


def test_unknown_parameters_are_ignored_with_a_warning():
    with running_node(module=MODULE, parameters=PARAMETERS | {'intgrator': 'RK4', 'initial_position': '[0.1]'}) as plant:
        plant.wait_for_output('waiting for a robot description')
    for name in ('intgrator', 'initial_position'):
        assert f"parameter {name} is none of this node's and is ignored; docs/elastic-joints.md names all" in plant.output
    assert plant.output.count('is ignored') == 2


def test_a_simulation_that_blows_up_stands_still_and_says_so(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'lock_step': True}) as plant:
        peer.start()
        state = peer.motors[-1]
        for _ in range(3):
            peer.send([1e12, 0.0, 1e12, -1e12], state.header.stamp)
            peer.client.spin(0.05)
            state = peer.motors[-1]
        plant.wait_for_output('the simulation stands still: .*became unstable')
        assert all(np.isfinite(m.position).all() for m in peer.motors)


@pytest.mark.parametrize(('parameters', 'fault'), [
    ({'integrator': 'Heun'}, "parameter integrator is 'Heun'; it is one of 'Euler', 'RK4', 'implicit', 'implicitfast'"),
    ({'gravity': [0.0, 1.0]}, 'parameter gravity has 2 values; give x, y, z'),
    ({'initial_positions': [0.1, float('nan')]}, 'parameter initial_positions is [0.1, nan]; give finite numbers'),
    ({'initial_motor_positions': [float('inf')]}, 'parameter initial_motor_positions is [inf]; give finite numbers'),
    ({'armature.joint1': -1.0}, 'parameter armature.joint1 is -1.0; it takes 0'),
    ({'initial_positions': [1, 2], 'robot_description': arm_urdf()},
     'initial_positions has 2 values; give one for each of joint1, joint2, joint3'),
    ({'step': 3e-4}, 'step is 0.0003 s, which is no whole fraction of the period'),
    ({'period': -1.0}, 'period is -1.0; it takes'),
    ({'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': -3.0, 'elastic.joint1.motor_inertia': 1.0},
     'stiffness is -3; give a number above 0'),
])
def test_bad_parameters_end_the_plant_with_a_sentence(tmp_path, parameters, fault):
    import yaml
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
    plant = NodeProcess(module=MODULE, parameters_file=file)
    assert plant.wait() == 1
    assert fault in plant.output and 'Traceback' not in plant.output, plant.output
