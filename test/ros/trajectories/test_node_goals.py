# SPDX-License-Identifier: Apache-2.0
"""The action that follows trajectories, over DDS: acceptance, success by measurement, cancel, tolerances, floods, forwarding."""

import signal
import subprocess
import sys
import time
from array import array
from pathlib import Path

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from action_msgs.msg import GoalStatusArray
from action_node import BAD_TOLERANCE
from action_node import GOOD
from action_node import HOME
from action_node import LONG
from action_node import NAMES
from action_node import TOO_FAST
from action_node import UNSORTED
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.action import ActionClient
from rclpy.qos import QoSProfile
from rclpy.qos import qos_profile_action_status_default
from ros_harness import PATIENCE
from ros_harness import arm_urdf
from ros_harness import running_node
from sensor_msgs.msg import JointState
from streaming_robot import assert_continuous
from streaming_robot import begin_anew
from test_msgs.action import Fibonacci

from hod_interfaces.msg import JointSetpoint

CODE = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from hod_ros.ros.process import run_process
sys.exit(run_process('hod_node', 'action_node', 'ActionNode'))
"""
TIMEOUT, RATE = 2.0, 200.0
PARAMETERS = {
    'publish_commands': True, 'setpoint_timeout': TIMEOUT, 'source_timeout': 2 * TIMEOUT, 'max_age': TIMEOUT, 'rate': RATE,
    'joint_states_timeout': TIMEOUT, 'trajectory.max_deviation': 0.05, 'constraints.joint1.trajectory': 0.3,
    'constraints.goal_time': 3.0}
SUCCEEDED, CANCELED, ABORTED = GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED


class Robot:
    """Follows the stream, as far as `follows`, and asks for goals."""

    def __init__(self, client):
        self.client, self.follows, self.measures = client, True, True
        self.place = np.array(HOME)
        self.streamed, self.times, self.feedback = [], [], []
        node = client.node
        self._subscription = node.create_subscription(JointSetpoint, '/hod/setpoint_stream', self._on_setpoint, 1000)
        self._states = node.create_publisher(JointState, '/joint_states', 10)
        many = QoSProfile(depth=200)
        self.action = ActionClient(
            node, Fibonacci, '/hod/follow_joint_trajectory', goal_service_qos_profile=many, result_service_qos_profile=many)

    def _on_setpoint(self, message):
        self.times.append(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)
        self.streamed.append(np.array([message.positions, message.velocities, message.accelerations, message.jerks, message.snaps]))
        if self.follows:
            self.place = np.array(message.positions)

    def steps(self, k):
        """Changes of the k-th derivative of joint1 from one setpoint to the next, in one period: a busy machine leaves some out."""
        periods = np.maximum(np.diff(self.times) * RATE, 1.0)
        return np.abs(np.diff([q[k, 0] for q in self.streamed])) / periods

    def live(self, seconds=PATIENCE, until=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and until()):
            if self.measures:
                self._states.publish(JointState(name=NAMES, position=array('d', self.place), velocity=array('d', [0.0] * 3)))
            self.client.spin(0.01)
        return until is None or bool(until())

    def ask(self, kind, hundredths=20):
        """The goal's handle."""
        future = self.action.send_goal_async(
            Fibonacci.Goal(order=10 * hundredths + kind), lambda message: self.feedback.append(list(message.feedback.sequence)))
        assert self.live(until=future.done), 'no answer to a goal'
        return future.result()

    def go(self, kind=GOOD, hundredths=20):
        """The handle of a goal that is accepted: on a busy machine joint_states are too old for it now and then."""
        deadline = time.monotonic() + PATIENCE
        while not (handle := self.ask(kind, hundredths)).accepted:
            assert time.monotonic() < deadline, 'no goal is accepted'
            self.live(0.2)
        return handle

    def result(self, handle, timeout=PATIENCE):
        """(status, outcome, text)"""
        return self.answer(handle.get_result_async(), timeout)

    def answer(self, future, timeout=PATIENCE):
        """The same for what has been asked for already."""
        assert self.live(timeout, until=future.done), 'no result'
        code, *text = future.result().result.sequence
        return future.result().status, code, bytes(text).decode()

    def close(self):
        self.client.node.destroy_subscription(self._subscription)
        self.client.node.destroy_publisher(self._states)
        self.action.destroy()
        self.client.spin(0.05)


def test_goals_are_forwarded_with_effort_and_results_and_cancels_passed_back(client):
    controller = subprocess.Popen([sys.executable, str(Path(__file__).parent / 'action_node.py')])
    client.describe(arm_urdf(3))
    try:
        parameters = {'forward_to': '/controller/follow', 'trajectory.max_deviation': 0.05, 'joint_states_timeout': TIMEOUT}
        with running_node(code=CODE, parameters=parameters) as node:
            client.wait_for_state('active')
            robot = Robot(client)
            assert robot.live(until=robot.action.server_is_ready)
            status, points, _ = robot.result(robot.go())
            assert status == SUCCEEDED and points > 3 and robot.feedback and not robot.streamed
            handle = robot.go()
            count = len(robot.feedback)
            assert robot.live(until=lambda: len(robot.feedback) > count + 3)
            handle.cancel_goal_async()
            future = handle.get_result_async()
            assert robot.live(until=future.done)
            assert future.result().status == CANCELED and list(future.result().result.sequence) == [-7]
            assert robot.result(robot.go(UNSORTED))[0] == ABORTED
            controller.terminate()
            controller.wait()
            assert robot.live(until=lambda: not robot.ask(GOOD).accepted and 'no controller offers that action' in node.output)
            robot.close()
    finally:
        controller.kill()
        controller.wait()
        client.withdraw_description()


@pytest.mark.parametrize('forward_to', ['', '/controller/follow'])
def test_a_node_that_is_shut_down_tells_the_client_of_a_goal_and_cancels_it_at_its_controller(client, forward_to):
    """A client waits for a result without end: nothing else tells it that nobody follows its goal any more."""
    controller = subprocess.Popen([sys.executable, str(Path(__file__).parent / 'action_node.py'), '1000'])
    client.describe(arm_urdf(3))
    statuses = []
    heard = client.node.create_subscription(
        GoalStatusArray, '/controller/follow/_action/status', lambda message: statuses.extend(message.status_list),
        qos_profile_action_status_default)
    try:
        with running_node(code=CODE, parameters=PARAMETERS | {'forward_to': f"'{forward_to}'"}):
            client.wait_for_state('active')
            robot = Robot(client)
            assert robot.live(until=robot.action.server_is_ready)
            result = robot.go(LONG).get_result_async()
            assert robot.live(until=lambda: len(robot.feedback) > 1)
            request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVE_SHUTDOWN))
            assert client.call(ChangeState, 'change_state', request).success
            status, _, text = robot.answer(result)
            assert status == ABORTED and 'the node is being cleaned up' in text
            if forward_to:
                assert robot.live(until=lambda: statuses and statuses[-1].status == CANCELED)
            robot.close()
    finally:
        controller.kill()
        controller.wait()
        client.node.destroy_subscription(heard)
        client.withdraw_description()


@pytest.fixture(scope='module')
def node(client):
    client.describe(arm_urdf(3))
    with running_node(code=CODE, parameters=PARAMETERS) as node:
        client.wait_for_state('active')
        client.connect()
        yield node
    client.withdraw_description()


@pytest.fixture
def robot(node, client):
    robot = Robot(client)
    assert client.wait_until(robot.action.server_is_ready)
    robot.live(0.2)
    yield robot
    begin_anew(robot, client)


def test_a_goal_succeeds_where_the_robot_is_measured_to_arrive(robot):
    assert robot.result(robot.go()) == (SUCCEEDED, 0, '')
    assert abs(robot.place[0] - HOME[0] - 0.2) < 1e-9
    desired, actual = np.array(robot.feedback).T
    assert (actual >= round(1e6 * HOME[0]) - 1).all() and (actual <= desired + 1).all(), 'it follows'
    assert np.median(desired - actual) < 5e4


def test_a_goal_does_not_succeed_where_the_robot_does_not_arrive(robot):
    handle = robot.go(GOOD, 9)
    robot.follows = False
    status, code, text = robot.result(handle)
    assert (status, code) == (ABORTED, -5) and "joint 'joint1' is 0.09 from the last point" in text


def test_a_robot_that_stays_behind_is_stopped_along_its_path(robot):
    handle = robot.go(LONG, 60)
    robot.follows = False
    status, code, text = robot.result(handle)
    assert (status, code) == (ABORTED, -4) and 'path tolerance' in text
    assert np.abs(robot.streamed[-1][1:]).max() < 1e-3 and robot.streamed[-1][0, 0] < HOME[0] + 0.59
    assert robot.steps(2).max() < 0.5 * max(np.abs([q[2, 0] for q in robot.streamed])) + 1e-9


def test_cancel_stops_along_the_path_without_a_jump(robot):
    handle = robot.go(LONG, 60)
    assert robot.live(until=lambda: robot.place[0] > HOME[0] + 0.1)
    handle.cancel_goal_async()
    status, code, _ = robot.result(handle)
    assert status == CANCELED
    robot.live(0.1)
    end = robot.streamed[-1]
    assert HOME[0] + 0.1 < end[0, 0] < HOME[0] + 0.59 and not np.abs(end[1:]).max() > 1e-6
    assert robot.steps(1).max() < 0.25 * max(q[1, 0] for q in robot.streamed)


@pytest.mark.parametrize(('kind', 'text'), [(UNSORTED, 'times must increase'), (TOO_FAST, 'exceeds its limit')])
def test_what_cannot_be_ends_before_it_starts(robot, kind, text):
    handle = robot.go(kind, 60)
    status, code, said = robot.result(handle)
    assert (status, code) == (ABORTED, -1) and text in said and not robot.streamed


def test_a_goal_with_wrong_tolerances_is_not_accepted(robot, node):
    assert robot.live(until=lambda: not robot.ask(BAD_TOLERANCE).accepted and 'a tolerance is for a joint that is none' in node.output)


def test_without_joint_states_no_goal_is_accepted_and_a_running_one_is_stopped(robot, node):
    handle = robot.go(LONG, 30)
    assert robot.live(until=lambda: len(robot.streamed) > 20)
    robot.measures = False
    status, code, text = robot.result(handle)
    assert status == ABORTED and ('joint_states' in text or 'joint states' in text)
    assert not robot.ask(GOOD).accepted
    node.wait_for_output('start and success are judged by joint_states')


def test_fifty_goals_one_after_the_other_and_a_hundred_a_second(robot):
    for i in range(10):
        assert robot.result(robot.go(GOOD, i % 2 * 10))[0] == SUCCEEDED
    futures = []
    for i in range(60):
        futures.append(robot.action.send_goal_async(Fibonacci.Goal(order=10 * (i % 20) + LONG)))
        robot.live(0.01)
    assert robot.live(until=lambda: all(future.done() for future in futures))
    handles = [future.result() for future in futures]
    last = handles[-1]
    spliced = len(robot.streamed)
    cancel = last.cancel_goal_async()       # perhaps in the splice
    results = [robot.result(handle)[0] for handle in handles if handle.accepted]
    assert len(results) == 60 and set(results) <= {ABORTED, CANCELED, SUCCEEDED} and results[-1] in (CANCELED, SUCCEEDED)
    assert cancel.done()
    assert robot.steps(0).max() < 0.02 and robot.steps(1).max() < 0.1
    assert robot.steps(2)[:spliced - 1].max() < 0.6
    assert_continuous(np.array(robot.streamed), robot.times)        # the stop too: the later the cancel, the faster is what it stops
    assert robot.result(robot.go(GOOD, 0))[0] == SUCCEEDED


def test_goals_that_come_while_the_node_stands_still_are_all_answered(robot, node):
    node.send(signal.SIGSTOP)
    try:
        futures = [robot.action.send_goal_async(Fibonacci.Goal(order=10 * (i % 20) + LONG)) for i in range(60)]
        robot.live(0.3)
    finally:
        node.send(signal.SIGCONT)
    assert robot.live(until=lambda: all(future.done() for future in futures))


def test_deactivation_ends_a_goal(robot, client):
    handle = robot.go(LONG)
    assert robot.live(until=lambda: len(robot.streamed) > 20)
    assert client.change_state('deactivate')
    assert robot.result(handle)[0] == ABORTED and not robot.ask(GOOD).accepted
