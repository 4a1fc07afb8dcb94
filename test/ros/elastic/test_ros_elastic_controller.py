# SPDX-License-Identifier: Apache-2.0
"""The controller as a process: its torques, and what it does when input stops, is wrong, or the node ends."""

import re
import signal
import time
from array import array
from pathlib import Path

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from ros_harness import SILENCE  # noqa: E402
from ros_harness import Client  # noqa: E402
from ros_harness import NodeProcess  # noqa: E402
from ros_harness import arm_urdf  # noqa: E402
from ros_harness import running_node  # noqa: E402
from ros_harness import setpoint  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from hod_interfaces.msg import JointSetpoint  # noqa: E402
from hod_interfaces.msg import MotorFeedforward  # noqa: E402
from hod_ros import FeedbackLinearisation  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import pole_gains  # noqa: E402

MODULE = 'hod_ros.ros.nodes.hod_elastic_controller'
DEMO = Path(__file__).parents[3] / 'config' / 'sea_demo.yaml'
TIMEOUT = 0.8           # [s] above any standstill of the machine
NAMES = ['joint1', 'joint2', 'joint3']
INERTIA = np.array([0.2, 0.1, 0.05])
DRIVES = {name: SeriesElastic(stiffness=900.0, motor_inertia=inertia) for name, inertia in zip(NAMES, INERTIA, strict=True)}
PARAMETERS = {f'elastic.{name}.{figure}': value for name, inertia in zip(NAMES, INERTIA, strict=True) for figure, value in (
    ('type', 'series_elastic'), ('stiffness', 900), ('motor_inertia', inertia))} | {'timeout': TIMEOUT}
W = 2 * np.pi * 5.0
P, D = INERTIA * W ** 2, INERTIA * 2 * 0.7 * W
THETA, RATE = np.array([0.1, -0.2, 0.3]), np.array([1.0, 0.5, -0.7])
REFERENCE = np.random.default_rng(5).uniform(-1.0, 1.0, (4, 3))


class Peer:
    """Plant and node in one: sends states and references, hears torques."""

    def __init__(self, client):
        self.client = client
        self.torques, self.commands = [], []
        node = client.node
        self._subscriptions = [
            node.create_subscription(JointState, 'motor_torques', self.torques.append, 1000),
            node.create_subscription(Float64MultiArray, 'hod_elastic_controller/commands', self.commands.append, 1000)]
        self._motors = node.create_publisher(JointState, 'motor_states', 10)
        self._joints = node.create_publisher(JointState, 'joint_states', 10)
        self._feedforwards = node.create_publisher(MotorFeedforward, 'motor_feedforward', 10)
        self._setpoints = node.create_publisher(JointSetpoint, 'setpoint', 10)
        self._publishers = [self._motors, self._joints, self._feedforwards, self._setpoints]

    def close(self):
        for subscription in self._subscriptions:
            self.client.node.destroy_subscription(subscription)
        for publisher in self._publishers:
            self.client.node.destroy_publisher(publisher)

    def start(self):
        self.client.describe(arm_urdf())
        references = self._feedforwards.get_subscription_count, self._setpoints.get_subscription_count
        assert self.client.wait_until(lambda: self._motors.get_subscription_count() and any(count() for count in references))
        self.client.spin(0.3)

    def state(self, nanosec=0, theta=THETA, rate=RATE, names=NAMES, sec=0):
        message = JointState(name=list(names), position=array('d', theta), velocity=array('d', rate))
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        self._motors.publish(message)

    def joint_state(self, q, velocities, nanosec=0):
        message = JointState(name=NAMES, position=array('d', q), velocity=array('d', velocities))
        message.header.stamp.nanosec = nanosec
        self._joints.publish(message)

    def reference(self, nanosec=0, rows=REFERENCE, names=NAMES, sec=0):
        message = MotorFeedforward(
            motor_names=list(names), positions=array('d', rows[0]), velocities=array('d', rows[1]), accelerations=array('d', rows[2]),
            efforts=array('d', rows[3]))
        message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
        self._feedforwards.publish(message)

    def setpoint(self, q):
        self._setpoints.publish(setpoint(q, NAMES))

    def next(self, act=None):
        """The efforts of the next torque message that comes after acting."""
        before = len(self.torques)
        if act:
            act()
        assert self.client.wait_until(lambda: len(self.torques) > before), 'no torque came'
        return np.array(self.torques[before].effort)

    def wait_for(self, efforts):
        efforts = np.asarray(efforts)
        assert self.client.wait_until(lambda: self.torques and np.allclose(self.torques[-1].effort, efforts, rtol=1e-12, atol=1e-12)), (
            f'{efforts} did not come, but {self.torques[-1:]}')


@pytest.fixture
def peer(client):
    peer = Peer(client)
    yield peer
    client.withdraw_description()
    peer.close()


def pd(reference=REFERENCE, offset=0.0, position=P, velocity=D):
    theta, rate, acceleration, tau = reference
    theta, rate = theta + offset * rate + 0.5 * offset ** 2 * acceleration, rate + offset * acceleration
    return tau + position * (theta - THETA) + velocity * (rate - RATE)


def test_torques_are_feedforward_and_pd_with_the_stamp_of_the_state(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'publish_commands': True, 'timeout': 30.0}):
        peer.start()
        peer.state()
        peer.client.spin(SILENCE)
        assert not peer.torques, 'a torque came before any reference'
        peer.reference(nanosec=5_000_000)
        peer.client.spin(0.05)
        efforts = peer.next(lambda: peer.state(nanosec=7_000_000))
        np.testing.assert_allclose(efforts, pd(offset=0.002), rtol=1e-12)
        assert peer.torques[-1].name == NAMES and peer.torques[-1].header.stamp.nanosec == 7_000_000
        assert peer.client.wait_until(lambda: peer.commands) and list(peer.commands[-1].data) == list(efforts)


@pytest.mark.parametrize(('parameters', 'apart'), [
    ({'timeout': 30.0}, 0.051),
    ({'timeout': 30.0}, -0.051),
    ({'timeout': 30.0}, 3.0),
    ({'timeout': 5.0}, 1e9),
    ({'timeout': 30.0, 'longest_extrapolation': 0.001}, 0.0015),
])
def test_references_far_from_the_state_are_taken_as_they_stand_and_it_is_said(peer, parameters, apart):
    with running_node(module=MODULE, parameters=PARAMETERS | parameters) as controller:
        peer.start()
        peer.reference(sec=1)
        peer.client.spin(0.05)
        sec, nanosec = divmod(round((1 + apart) * 1e9), 1_000_000_000)
        np.testing.assert_allclose(peer.next(lambda: peer.state(sec=sec, nanosec=nanosec)), pd(), rtol=1e-12)
        controller.wait_for_output(re.escape(f'references are {abs(apart):.4g} s apart and cannot be related') + '.*longest_extrapolation')


@pytest.mark.parametrize(('parameters', 'apart'), [({}, 0.05), ({}, -0.045), ({'longest_extrapolation': 0.2}, 0.15)])
def test_references_near_the_state_are_carried_to_it(peer, parameters, apart):
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 30.0} | parameters) as controller:
        peer.start()
        peer.reference(sec=1)
        peer.client.spin(0.05)
        sec, nanosec = divmod(round((1 + apart) * 1e9), 1_000_000_000)
        np.testing.assert_allclose(peer.next(lambda: peer.state(sec=sec, nanosec=nanosec)), pd(offset=apart), rtol=1e-12)
    assert 'cannot be related' not in controller.output


@pytest.mark.slow
def test_synchronous_control_carries_references_over_its_period_however_long(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'synchronous': True, 'period': 0.1, 'timeout': 30.0}):
        peer.start()
        peer.reference(nanosec=100_000_000)
        np.testing.assert_allclose(peer.next(peer.state), pd(offset=-0.1), rtol=1e-12)


@pytest.mark.parametrize('given', [{'position': 150.0}, {'velocity': 2.5}, {'position': 150.0, 'velocity': 0.0}])
def test_a_gain_that_is_not_given_follows_from_bandwidth_and_damping(peer, given):
    parameters = PARAMETERS | {'timeout': 30.0} | {f'gains.joint1.{part}': value for part, value in given.items()}
    position, velocity = P.copy(), D.copy()
    position[0], velocity[0] = given.get('position', P[0]), given.get('velocity', D[0])
    with running_node(module=MODULE, parameters=parameters):
        peer.start()
        peer.reference()
        peer.client.spin(0.05)
        np.testing.assert_allclose(peer.next(peer.state), pd(position=position, velocity=velocity), rtol=1e-12)


@pytest.mark.parametrize('namespace', ['', '/left', '/left/arm'])
def test_parameters_of_the_demo_hold_in_every_namespace(namespace):
    arguments = ['-r', f'__ns:={namespace}'] if namespace else []
    client = Client('asking', node=f'{namespace}/hod_elastic_controller')
    try:
        with running_node(module=MODULE, parameters_file=DEMO, arguments=arguments) as controller:
            assert client.get_parameter('timeout') == 5.0
            assert client.get_parameter('elastic.panda_joint1.stiffness') == 3000.0
        assert 'is ignored' not in controller.output
    finally:
        client.close()


def test_unknown_parameters_are_ignored_with_a_warning():
    parameters = PARAMETERS | {'bandwith': 3.0, 'timout': 1.0, 'use_sim_time': 'false'}
    with running_node(module=MODULE, parameters=parameters) as controller:
        controller.wait_for_output('waiting for a robot description')
    for name in ('bandwith', 'timout'):
        assert f"parameter {name} is none of this node's and is ignored; docs/elastic-joints.md names all" in controller.output
    assert controller.output.count('is ignored') == 2


def test_locked_joints_are_not_controlled(peer):
    parameters = {name: value for name, value in PARAMETERS.items() if 'joint2' not in name}
    with running_node(module=MODULE, parameters=parameters | {'locked_positions.joint2': 0.5, 'armature.joint1': 1}) as controller:
        peer.client.describe(arm_urdf())
        controller.wait_for_output('motors joint1, joint3\n')
    assert 'is ignored' not in controller.output


def test_synchronous_control_answers_each_state_once_with_the_reference_of_its_period(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'synchronous': True, 'timeout': 30.0}):
        peer.start()
        peer.reference(nanosec=500_000)
        np.testing.assert_allclose(peer.next(peer.state), pd(offset=-0.0005), rtol=1e-12)
        peer.reference(nanosec=500_000)
        peer.state(nanosec=1_000_000)
        peer.client.spin(SILENCE)
        assert len(peer.torques) == 1, 'a state was answered with the reference of another period'
        np.testing.assert_allclose(peer.next(lambda: peer.reference(nanosec=1_500_000)), pd(offset=-0.0005), rtol=1e-12)
        assert peer.next(lambda: peer.state(nanosec=1_000_000)) is not None, 'a state that came again was not answered again'


@pytest.mark.parametrize(('on_timeout', 'expected'), [('damping', -D * RATE), ('zero', [0.0] * 3)])
def test_when_references_stop_motors_are_braked_or_get_no_torque(peer, on_timeout, expected):
    with running_node(module=MODULE, parameters=PARAMETERS | {'on_timeout': on_timeout}) as controller:
        peer.start()
        peer.state()
        peer.reference()
        end = time.monotonic() + TIMEOUT + 0.3
        while time.monotonic() < end:
            peer.state()
            peer.client.spin(0.02)
        np.testing.assert_allclose(peer.torques[-1].effort, expected, rtol=1e-12)
        done = {'damping': 'the motors are braked', 'zero': 'the motors get no torque'}[on_timeout]
        controller.wait_for_output(f'no reference came within {TIMEOUT} s: on_timeout is {on_timeout}, {done}')
        peer.reference()
        peer.client.spin(0.05)
        peer.state()
        peer.wait_for(pd())


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGHUP])
def test_when_states_stop_and_when_the_node_ends_motors_get_no_torque(peer, number):
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 1.0}) as controller:
        peer.start()
        peer.reference()
        peer.client.spin(0.05)
        assert peer.next(peer.state).any()
        peer.wait_for([0.0] * 3)
        controller.wait_for_output('no motor_states came within 1 s')
        peer.reference()
        peer.client.spin(0.05)
        peer.state()
        peer.wait_for(pd())
        controller.stop(number)
    peer.wait_for([0.0] * 3)


def test_bad_input_is_refused_by_name_and_the_last_good_one_counts(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 30.0}) as controller:
        peer.start()
        peer.reference()
        peer.reference(rows=REFERENCE * np.nan)
        peer.reference(names=['joint1', 'joint2', 'elbow'])
        peer.state(theta=[0.0, float('inf'), 0.0])
        controller.wait_for_output("refused motor_states: position of 'joint2' is inf")
        controller.wait_for_output('refused motor_feedforward')
        np.testing.assert_allclose(peer.next(lambda: peer.state(theta=THETA[::-1], rate=RATE[::-1], names=NAMES[::-1])), pd(), rtol=1e-12)


def test_torques_stay_within_the_motors_limits_and_it_is_said(peer):
    parameters = PARAMETERS | {f'elastic.{name}.torque_limit': 0.5 for name in NAMES}
    parameters |= {'gains.joint1.position': 1e6, 'gains.joint1.velocity': 0}
    with running_node(module=MODULE, parameters=parameters) as controller:
        peer.start()
        peer.reference()
        peer.client.spin(0.05)
        efforts = peer.next(peer.state)
        np.testing.assert_allclose(efforts[1:], np.clip(pd(), -0.5, 0.5)[1:], rtol=1e-12)
        assert efforts[0] == 0.5 * np.sign(REFERENCE[0, 0] - THETA[0])
        controller.wait_for_output("motor 'joint1' would need .* its limit is 0.5")


def test_state_feedback_places_poles(peer):
    q, velocities = np.array([0.2, -0.1, 0.4]), np.array([0.3, 0.1, -0.2])
    wanted = np.random.default_rng(6).uniform(-1.0, 1.0, (5, 3))
    linearised = FeedbackLinearisation(RobotModel.from_urdf(arm_urdf()), DRIVES)
    chain = linearised.chain(q, velocities, THETA, RATE)
    snap = wanted[4] + (pole_gains([-10.0, -11.0, -12.0, -13.0])[:, None] * (wanted[:4] - chain)).sum(axis=0)
    expected = linearised.torques(q, velocities, THETA, RATE, snap)
    parameters = PARAMETERS | {'control': 'state_feedback', 'poles': '[-10.0, -11.0, -12.0, -13.0]'}
    with running_node(module=MODULE, parameters=parameters):
        peer.start()
        peer.joint_state(q, velocities)
        peer.setpoint(wanted)
        peer.client.spin(0.05)
        np.testing.assert_allclose(peer.next(peer.state), expected, rtol=1e-10)


@pytest.mark.parametrize(('on_timeout', 'expected', 'done'), [
    ('damping', -D * RATE, 'the motors are braked'), ('zero', [0.0] * 3, 'the motors get no torque')])
def test_without_joint_states_state_feedback_does_what_on_timeout_says_and_says_so(peer, on_timeout, expected, done):
    q = np.zeros((5, 3))
    with running_node(module=MODULE, parameters=PARAMETERS | {'control': 'state_feedback', 'on_timeout': on_timeout}) as controller:
        peer.start()
        peer.setpoint(q)
        peer.client.spin(0.05)
        np.testing.assert_allclose(peer.next(peer.state), expected, rtol=1e-12)
        controller.wait_for_output(f'no joint_states have come yet, without which there is no state feedback: {done}')
        peer.joint_state(q[0], q[0])
        end = time.monotonic() + TIMEOUT + 0.3
        while time.monotonic() < end:
            peer.setpoint(q)
            peer.client.spin(0.02)
            peer.state()
        peer.wait_for(expected)
        controller.wait_for_output(f'no joint_states came within {TIMEOUT} s, without which there is no state feedback: {done}')
    assert ('braked' in controller.output) == (on_timeout == 'damping')


@pytest.mark.parametrize(('parameters', 'fault'), [
    ({'control': 'magic'}, "parameter control is 'magic'; it is one of 'motor_pd', 'state_feedback'"),
    ({'on_timeout': 'hope'}, "parameter on_timeout is 'hope'; it is one of 'damping', 'zero'"),
    ({'poles': '[-1.0]'}, r'parameter poles has 1 values; give 4 \[1/s\]'),
    ({'poles': '[]'}, r'parameter poles has 0 values; give 4 \[1/s\]'),
    ({'poles': '[-1.0, -2.0, -3.0, 4.0]'}, r'parameter poles is \[-1.0, -2.0, -3.0, 4.0\]; each takes -1000000 to -0.001'),
    ({'poles': '[-1.0, -2.0, -3.0, .nan]'}, 'parameter poles is .*nan.*; give finite numbers'),
    ({'stiffness_poles': '[-1.0, -2.0, -3.0]'}, 'parameter stiffness_poles has 3 values; give 2'),
    ({'gravity': '[0.0, 1.0]'}, 'parameter gravity has 2 values; give x, y, z'),
    ({'gravity': '[0.0, 1.0, .inf]'}, 'parameter gravity is .*inf.*; give finite numbers'),
    ({'joints': '[joint1, joint1]'}, 'parameter joints names joint1 more than once'),
    ({'timeout': '[]'}, 'parameter timeout is an empty list; it takes double'),
    ({'gains.joint1.postion': 3.0}, 'gains.joint1.postion is no gain of a motor; give gains.joint1.position .*, .velocity'),
    ({'gains.position': 3.0}, 'gains.position is no gain of a motor; give gains.<motor>.position'),
    ({'gains.joint1.position': -3.0}, 'gains.joint1.position is -3.0; it takes 0'),
    ({'locked_positions.joint1': 'up'}, "locked_positions.joint1 is 'up', of type string; it takes double"),
    ({'locked_positions.joint1': '.nan'}, 'locked_positions.joint1 is nan; give a'),
    ({'locked_positions.joint1': '.inf'}, 'locked_positions.joint1 is inf; give a finite number'),
    ({'armature.joint1': -1.0}, 'armature.joint1 is -1.0; it takes 0'),
    ({'bandwidth': 0.0}, 'bandwidth is 0.0; it takes'),
    ({'timeout': 'soon'}, 'timeout is .soon., of type string; it takes double'),
])
def test_bad_parameters_end_the_controller_with_a_sentence(parameters, fault):
    controller = NodeProcess(module=MODULE, parameters=parameters)
    assert controller.wait() == 1
    assert re.search(fault, controller.output) and 'Traceback' not in controller.output, controller.output


UNFIT = 'this robot cannot be used with the parameters as they are: '


@pytest.mark.parametrize(('parameters', 'fault'), [
    ({'elastic.joint1.type': 'rigid'}, "motor 'joint1' has no motor_inertia, from which its gains would follow; .* give "
     'gains.joint1.position and gains.joint1.velocity'),
    ({'elastic.joint1.type': 'rigid', 'gains.joint1.position': 3.0}, "motor 'joint1' has no motor_inertia.* give gains.joint1.velocity\n"),
    (PARAMETERS | {'gains.elbow.position': 3.0}, "gains are given for the motor 'elbow'; the motors are joint1, joint2, joint3"),
    (PARAMETERS | {'control': 'state_feedback', 'elastic.joint1.damping': 2.0}, "control is 'state_feedback', but the spring of joint "
     "'joint1' has the damping 2;"),
    (PARAMETERS | {'locked_positions.elbow': 1.0}, "locked_positions names 'elbow', but the robot has no such joint"),
    (PARAMETERS | {'armature.elbow': 1.0}, "armature names 'elbow', which is no independent moving joint"),
    (PARAMETERS | {'locked_positions.joint2': 1.0}, "drives names 'joint2', but the joints of arm are joint1, joint3"),
])
def test_parameters_that_do_not_fit_the_robot_are_named_and_not_its_description(peer, parameters, fault):
    with running_node(module=MODULE, parameters=parameters) as controller:
        peer.client.describe(arm_urdf())
        controller.wait_for_output(UNFIT + fault)
    assert 'description refused' not in controller.output


BAD_DRIVE = '<hod_elastic joint="joint1" type="series_elastic" stiffness="-3"/></robot>'


@pytest.mark.parametrize(('description', 'fault'), [
    pytest.param('<robot name="a"/>', 'the robot description has no links', id='no links'),
    pytest.param(arm_urdf().replace('</robot>', BAD_DRIVE), "joint 'joint1': .*stiffness is -3", id='bad drive'),
    pytest.param(arm_urdf(0), "robot 'arm' has no moving joint", id='no joint'),
])
def test_a_description_is_refused_for_what_is_wrong_with_it(peer, description, fault):
    with running_node(module=MODULE, parameters={'gains.joint1.position': 3.0}) as controller:
        peer.client.describe(description)
        controller.wait_for_output(f'robot description refused: .*{fault}')
