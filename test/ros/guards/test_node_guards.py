# SPDX-License-Identifier: Apache-2.0
"""The guards of ~/commands over DDS: what stops the robot, what is said, and what starts it again."""

import signal
import time
from array import array

import numpy as np
import pytest
from ros_harness import LATCHED
from ros_harness import PATIENCE
from ros_harness import SILENCE
from ros_harness import NodeProcess
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import running_node
from ros_harness import setpoint
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_msgs.msg import String
from std_srvs.srv import Trigger

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_interfaces.srv import SetPayload
from hod_ros import RobotModel
from hod_ros import inverse_dynamics
from hod_ros.ros.guards.motion_limits import POSITION_FLAG
from hod_ros.ros.guards.motion_limits import VELOCITY_FLAG
from hod_ros.ros.guards.rate_limiter import LONGEST_STEP

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
MOTION = np.stack([[0.4, -0.3, 0.6], np.zeros(3), np.zeros(3)])
HOLDING = inverse_dynamics(MODEL, MOTION)[0]
NEAR = MOTION + np.array([[0.05, 0.0, 0.0], [0.0] * 3, [0.0] * 3])
FAR = MOTION + np.array([[0.9, 0.0, 0.0], [0.0] * 3, [0.0] * 3])
RATE = 200.0            # [N m/s] of every joint
DISCOVERY = 20.0        # [s] longest time until two processes have found each other on a machine that is busy
TIMEOUT = 0.6           # [s] above any standstill of the machine
PARAMETERS = {
    'publish_commands': True, 'setpoint_timeout': TIMEOUT, 'source_timeout': 2 * TIMEOUT, 'max_age': TIMEOUT,
    'joint_states_timeout': TIMEOUT, **{f'limits.{joint}.effort_rate': RATE for joint in NAMES}}


class Robot:
    """What a robot sees of the node: commands, faults; and what it tells: joint_states."""

    def __init__(self, client):
        self.client = client
        self.commands, self.faults = [], []
        self.measured = MOTION[0]
        node = client.node
        self._entities = [
            node.create_subscription(Float64MultiArray, '/hod/commands', lambda m: self.commands.append(np.array(m.data)), 1000),
            node.create_subscription(String, '/hod/fault', lambda m: self.faults.append(m.data), LATCHED)]
        self._states = node.create_publisher(JointState, '/joint_states', 10)

    def close(self):
        for subscription in self._entities:
            self.client.node.destroy_subscription(subscription)
        self.client.node.destroy_publisher(self._states)
        self.client.spin(0.05)

    @property
    def fault(self):
        return self.faults[-1] if self.faults else None

    def stream(self, seconds, q=MOTION, *, publisher=None, until=None, **stamp):
        """Setpoints and joint_states every 10 ms."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until()):
            message = setpoint(q, NAMES, **stamp)
            if publisher is None:
                self.client.send(message)
            else:
                publisher.publish(message)
            self.tell()
            self.client.spin(0.01)
        return until is None or bool(until())

    def tell(self):
        self._states.publish(JointState(name=list(NAMES), position=array('d', self.measured), velocity=array('d', [0.0] * 3)))

    def commanded(self, q=MOTION):
        """Whether setpoints lead to their efforts now."""
        expected = inverse_dynamics(MODEL, q)[0]
        return self.stream(PATIENCE, q, until=lambda: self.commands and np.allclose(self.commands[-1], expected, rtol=1e-12))

    def reset(self):
        answer = self.client.call(Trigger, 'reset', Trigger.Request())
        return answer.success, answer.message

    def assert_no_jump(self):
        steps = np.abs(np.diff(self.commands, axis=0))
        assert steps.max() <= RATE * LONGEST_STEP * (1 + 1e-9)


@pytest.fixture(scope='module')
def node(client):
    with running_node(parameters=PARAMETERS) as node:
        client.describe(arm_urdf(3))
        client.wait_for_state('active')
        client.connect()
        yield node
        client.withdraw_description()


def measured_there(client, robot):
    """The robot stands where it says, for longer than what was measured before counts."""
    end = time.monotonic() + 2 * TIMEOUT
    while time.monotonic() < end:
        robot.tell()
        client.spin(0.05)


@pytest.fixture
def robot(client, node):
    """After a new activation, without a fault."""
    robot = Robot(client)
    measured_there(client, robot)
    if client.state == 'active':
        assert client.change_state('deactivate')
    assert client.change_state('activate')
    client.wait_until(lambda: robot.reset()[0])
    assert client.wait_until(lambda: robot.fault == '')
    client.spin(0.1)
    robot.commands.clear()
    yield robot
    robot.close()


def test_a_fault_is_latched_until_a_reset_and_every_setpoint_is_answered_meanwhile(client, robot):
    assert robot.commanded()
    client.send(setpoint(FAR, NAMES))
    assert robot.stream(PATIENCE, until=lambda: robot.fault)
    assert "setpoint jumps with joint 'joint1'" in robot.fault
    robot.stream(0.2)
    robot.commands.clear()
    before = len(client.answers)
    robot.stream(2 * TIMEOUT, NEAR)
    assert len(client.answers) > before + 20
    np.testing.assert_allclose(robot.commands[-1], HOLDING, rtol=1e-12)
    level, message, values = client.diagnostics('commands')
    assert (level, message.partition(';')[0]) == (b'\2', 'fault: reach') and values['fault'] == robot.fault
    assert robot.reset()[0]
    assert client.wait_until(lambda: robot.fault == '')
    assert robot.commanded(NEAR)
    assert robot.reset() == (True, 'there was no fault')


def test_a_reset_is_refused_while_the_cause_is_there(client, robot):
    assert robot.commanded()
    fast = MOTION.copy()
    fast[1, 2] = 3.5
    assert robot.stream(PATIENCE, fast, until=lambda: robot.fault)
    assert "'joint3' for the velocity 3.5" in robot.fault
    robot.stream(0.1, fast)
    succeeded, message = robot.reset()
    assert not succeeded and message.startswith('the cause is still there')
    assert client.wait_until(lambda: robot.reset()[0])


def test_commands_change_no_faster_than_their_rate_whatever_comes(client, robot):
    assert robot.commanded()
    robot.stream(0.1, np.stack([MOTION[0], np.zeros(3), [300.0, -200.0, 100.0]]))
    robot.stream(0.2)
    client.set_parameter('gravity', [0.0, 9.81, 0.0])
    robot.stream(0.1)
    robot.stream(0.1, FAR)
    client.spin(TIMEOUT + 0.3)
    client.set_parameter('gravity', [0.0, 0.0, -9.81])
    client.set_parameter('on_timeout', 'zero')
    client.spin(0.3)
    assert client.change_state('deactivate')
    assert client.wait_until(lambda: not robot.commands[-1].any())
    client.set_parameter('on_timeout', 'gravity')
    assert np.abs(robot.commands).max() <= 100.0
    robot.assert_no_jump()
    assert int(client.diagnostics('guards')[2]['effort rate'].partition('(')[2].split()[0]) > 5


def test_a_second_planner_is_answered_but_not_commanded_until_the_first_is_silent(client, robot):
    other = client.node.create_publisher(JointSetpoint, '/hod/setpoint', 10)
    assert client.wait_until(lambda: other.get_subscription_count())
    assert robot.commanded()
    end = time.monotonic() + 0.5
    robot.commands.clear()
    while time.monotonic() < end:
        other.publish(setpoint(NEAR, NAMES, frame_id='other'))
        robot.stream(0.01)
    np.testing.assert_allclose(robot.commands, np.tile(HOLDING, (len(robot.commands), 1)), rtol=1e-12)
    assert any(answer.header.frame_id == 'other' for answer in client.answers) and not robot.fault
    assert 'another source sends setpoint messages' in client.diagnostics('guards')[2]['source']
    expected = inverse_dynamics(MODEL, NEAR)[0]
    assert robot.stream(
        PATIENCE, NEAR, publisher=other, until=lambda: np.allclose(robot.commands[-1], expected, rtol=1e-12))
    client.node.destroy_publisher(other)
    client.spin(0.05)


def test_a_stream_starts_only_where_the_robot_is_measured(client, robot):
    robot.measured = MOTION[0] + [0.0, 0.3, 0.0]
    measured_there(client, robot)
    assert robot.stream(PATIENCE, until=lambda: robot.fault)
    assert "joint 'joint2' at -0.3, but it is at 0 (by joint_states)" in robot.fault
    assert not robot.commands
    robot.stream(0.1)
    assert not robot.reset()[0]
    robot.stream(2 * TIMEOUT, MOTION + [[0.0, 0.3, 0.0], [0.0] * 3, [0.0] * 3])
    assert robot.reset()[0]
    assert robot.commanded(MOTION + [[0.0, 0.3, 0.0], [0.0] * 3, [0.0] * 3])


def test_the_fallback_holds_where_the_robot_is_measured(client, robot):
    robot.measured = MOTION[0] + [0.0, 0.05, 0.0]
    measured_there(client, robot)
    assert robot.commanded()
    client.send(setpoint(FAR, NAMES))
    at_measured = inverse_dynamics(MODEL, np.stack([robot.measured, np.zeros(3), np.zeros(3)]))[0]
    assert robot.stream(PATIENCE, until=lambda: np.allclose(robot.commands[-1], at_measured, rtol=1e-9))
    said = 'fault: reach; ~/commands carries a torque that holds where the robot is measured'
    assert robot.stream(PATIENCE, until=lambda: any(status.message == said for status in client.reports[-1].status))


def test_old_setpoints_are_answered_but_not_commanded(client, robot):
    now = client.node.get_clock().now().nanoseconds
    assert robot.stream(PATIENCE, sec=now // 10**9, nanosec=now % 10**9, until=lambda: robot.commands)
    before = len(client.answers)
    robot.stream(0.3, sec=now // 10**9 - 2)
    assert len(client.answers) > before + 5
    assert 's old by its stamp' in client.diagnostics('guards')[2]['age'] and not robot.fault


def test_a_payload_is_kept_for_the_next_activation(client, robot):
    assert robot.commanded()
    request = SetPayload.Request(link='link3', mass=3.0, center=[0.0, 0.1, 0.2])
    answer = client.call(SetPayload, 'set_payload', request)
    assert answer.success and answer.message.startswith('kept for the next activation')
    assert np.abs(answer.effort_jump).max() > 1.0
    robot.commands.clear()
    robot.stream(0.3)
    np.testing.assert_allclose(robot.commands, np.tile(HOLDING, (len(robot.commands), 1)), rtol=1e-12)
    assert client.change_state('deactivate') and client.change_state('activate')
    expected = HOLDING + np.reshape(answer.effort_jump, (-1, 3))[0]
    assert robot.stream(PATIENCE, until=lambda: np.allclose(robot.commands[-1], expected, rtol=1e-9))
    robot.assert_no_jump()
    assert client.call(SetPayload, 'set_payload', SetPayload.Request(link='link3')).success


def test_a_node_whose_topics_are_taken_says_whose_they_are_and_waits(client, robot):
    assert robot.commanded()
    second = NodeProcess(parameters=PARAMETERS)
    try:
        end = time.monotonic() + DISCOVERY
        while 'is taken: another node named /hod publishes there' not in second.output:
            assert time.monotonic() < end, second.output
            robot.stream(0.1)
        robot.stream(1.0)
        robot.commands.clear()
        robot.stream(0.5)
        np.testing.assert_allclose(robot.commands, np.tile(HOLDING, (len(robot.commands), 1)), rtol=1e-12)
    finally:
        assert second.stop() == 0


def test_a_node_that_is_killed_gives_way_at_once_to_one_that_waits_for_its_topics(client, robot):
    """The middleware lists the dead node's publishers for another 20 s."""
    namespace = ['-r', '__ns:=/pair', '-r', 'robot_description:=/robot_description']
    first, second = NodeProcess(parameters=PARAMETERS, arguments=namespace), None
    try:
        first.wait_for_output(r'\]: active')
        second = NodeProcess(parameters=PARAMETERS, arguments=namespace)
        second.wait_for_output('waiting for its output topics: /pair/hod/feedforward is taken')
        client.spin(0.5)        # until they know each other by the graph as well
        first.send(signal.SIGKILL)
        first.wait()
        second.wait_for_output(r'\]: active', timeout=5.0)
        assert client.node.count_publishers('/pair/hod/commands') > 1, 'the dead node is listed no more: this proves nothing'
        client.spin(0.5)
        assert 'steps back' not in second.output
    finally:
        first.stop(signal.SIGKILL)
        if second is not None:
            assert second.stop() == 0


def test_commands_without_effort_limits_are_refused_with_the_remedy(client, robot):
    with running_node(parameters={**PARAMETERS, 'limits.joint1.effort_rate': 0.0}, arguments=['-r', '__ns:=/other']) as other:
        description = client.node.create_publisher(String, '/other/robot_description', LATCHED)
        description.publish(String(data=arm_urdf(3).replace('effort="100"', 'effort="0"')))
        other.wait_for_output(r'publish_commands needs an effort limit for every joint.*limits\.joint1\.effort')
        description.publish(String(data=arm_urdf(3)))
        other.wait_for_output('change by 0 a second')
    client.node.destroy_publisher(description)
    client.spin(0.05)


def test_whoever_only_listens_sees_the_same_flags_and_loses_nothing(client, robot):
    listener = []
    subscription = client.node.create_subscription(TorqueFeedforward, '/quiet/hod/feedforward', listener.append, 10)
    beyond = np.stack([[4.0, 0.0, 0.0], [0.0, 5.0, 0.0], np.zeros(3)])
    arguments = ['-r', '__ns:=/quiet', '-r', 'robot_description:=/robot_description']
    publisher = client.node.create_publisher(JointSetpoint, '/quiet/hod/setpoint', 10)
    with running_node(parameters={'limits.use_description': True}, arguments=arguments):
        def answered():
            publisher.publish(setpoint(beyond, NAMES))
            client.spin(0.02)
            return listener
        assert client.wait_until(answered)
    commanding = client.ask(setpoint(beyond, NAMES))
    assert list(listener[-1].limit_flags) == list(commanding.limit_flags) == [POSITION_FLAG, VELOCITY_FLAG, 0]
    assert (POSITION_FLAG, VELOCITY_FLAG) == (TorqueFeedforward.POSITION_LIMIT, TorqueFeedforward.VELOCITY_LIMIT)
    np.testing.assert_allclose(efforts(commanding)[0], inverse_dynamics(MODEL, beyond)[0], rtol=1e-12)
    client.node.destroy_subscription(subscription)
    client.node.destroy_publisher(publisher)
    client.spin(SILENCE)
