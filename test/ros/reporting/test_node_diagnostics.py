# SPDX-License-Identifier: Apache-2.0
"""/diagnostics: everything an operator must know, once a second, readable in rqt_robot_monitor."""

import time

import numpy as np
import pytest
from rclpy.qos import QoSDurabilityPolicy
from rclpy.qos import QoSProfile
from rclpy.qos import QoSReliabilityPolicy
from ros_harness import Client
from ros_harness import arm_urdf
from ros_harness import node_with_arm
from ros_harness import running_node
from ros_harness import setpoint
from rosgraph_msgs.msg import Clock

from hod_interfaces.msg import JointSetpoint
from hod_interfaces.msg import TorqueFeedforward
from hod_ros import RobotModel

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
MOTION = np.random.default_rng(11).uniform(-1.0, 1.0, (5, 3))
BEST_EFFORT = QoSProfile(depth=10, reliability=QoSReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=10, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


def stream(client, seconds, rate=200.0, message=None):
    """When [s] each was on its way, by the clock of stamps: on busy processors these are fewer than the rate."""
    end, sent = time.monotonic() + seconds, []
    while time.monotonic() < end:
        client.send(message or setpoint(MOTION, NAMES))
        sent.append(time.time())
        client.spin(1.0 / rate)
    return np.array(sent)


def stamp(report):
    return report.header.stamp.sec + 1e-9 * report.header.stamp.nanosec


def test_model_status_names_robot_hash_joints_and_gravity(client):
    with node_with_arm(client):
        level, message, values = client.diagnostics('model')
        assert (level, message) == (b'\0', 'active')
        assert values['robot'] == 'arm' and values['joints'] == 'joint1, joint2, joint3'
        assert values['model hash'] == MODEL.hash and values['gravity'] == '0, 0, -9.81'
        assert client.set_parameter('gravity', [0.0, 0.0, -1.62]) == (True, '')
        values = client.diagnostics('model')[2]
        assert values['gravity'] == '0, 0, -1.62' and values['model hash'] != MODEL.hash
        assert client.reports[-1].status[0].hardware_id == 'arm'


@pytest.mark.slow
def test_reports_come_once_a_second_with_a_stamp(client):
    with node_with_arm(client):
        client.diagnostics('model')
        before = len(client.reports)
        client.spin(3.5)
        stamps = [stamp(report) for report in client.reports[before:]]
        assert len(stamps) == 3
        np.testing.assert_allclose(np.diff(stamps), 1.0, atol=0.2)


def test_rates_ages_and_computation_times_are_those_of_the_stream(client):
    with node_with_arm(client, parameters={'setpoint_timeout': 10.0}):       # beyond any standstill of the machine
        values = client.diagnostics('setpoints')[2]
        assert values['age of the last setpoint [s]'] == 'none came yet'
        sent = stream(client, 2.3)
        begin, end = (stamp(report) for report in client.reports[-2:])
        rate = np.count_nonzero((begin < sent) & (sent <= end)) / (end - begin)
        status = next(status for status in client.reports[-1].status if status.name == 'hod: setpoints')
        values = {item.key: item.value for item in status.values}
        assert status.level == b'\0' and 'Hz in' in status.message
        assert abs(float(values['rate in [Hz]']) - rate) < 5.0 + 0.1 * rate
        assert abs(float(values['rate out [Hz]']) - float(values['rate in [Hz]'])) < 5.0
        assert 0.0 <= float(values['age of the last setpoint [s]']) < 0.05 + end - sent[sent <= end][-1]
        assert 1.0 < float(values['computation p50 [us]']) <= float(values['computation p99 [us]']) <= float(values['computation max [us]'])


def test_bad_setpoints_are_an_error_and_silence_afterwards_a_warning(client):
    with node_with_arm(client):
        bad = setpoint(MOTION[:2], NAMES)
        stream(client, 0.3)
        client.diagnostics('setpoints')
        client.send(setpoint(MOTION, NAMES))
        client.send(bad)
        level, message, values = client.diagnostics('setpoints')
        assert (level, message) == (b'\2', 'dropped 1 too few derivatives')
        level, message, values = client.diagnostics('setpoints')
        assert level == b'\1' and message.startswith('no good setpoint for')
        assert values['dropped: too few derivatives'] == '1' and values['dropped'] == '1'


def test_implausible_inertias_are_a_warning(client):
    with running_node():
        client.describe(arm_urdf(3).replace('izz="0.01"', 'izz="5.0"'))
        client.wait_for_state('active')
        level, message, values = client.diagnostics('model')
        assert level == b'\1' and 'implausible model' in message
        assert "links 'link1', 'link2', 'link3'" in values['model warning 1']
        client.withdraw_description()


def test_partners_with_incompatible_qos_are_named_by_topic(client):
    with node_with_arm(client) as node:
        publisher = client.node.create_publisher(JointSetpoint, '/hod/setpoint', BEST_EFFORT)
        subscription = client.node.create_subscription(TorqueFeedforward, '/hod/feedforward', lambda message: None, LATCHED)
        node.wait_for_output('a publisher on /hod/setpoint offers a QoS')
        node.wait_for_output('a subscriber of /hod/feedforward asks for a QoS')
        client.diagnostics('setpoints')
        level, message, values = client.diagnostics('setpoints')
        assert (level, message) == (b'\1', 'incompatible QoS on /hod/feedforward, /hod/setpoint')
        assert values['incompatible QoS on /hod/setpoint'] == '/client'
        client.node.destroy_publisher(publisher)
        client.node.destroy_subscription(subscription)
        client.diagnostics('setpoints')
        level, message, values = client.diagnostics('setpoints')
        assert level == b'\0' and values['incompatible QoS on /hod/setpoint'] == 'none now, 1 since the start'


def test_quality_of_service_can_be_overridden_for_a_best_effort_planner(client):
    parameters = {'qos_overrides./hod/setpoint.subscription.reliability': 'best_effort'}
    with node_with_arm(client, parameters=parameters):
        publisher = client.node.create_publisher(JointSetpoint, '/hod/setpoint', BEST_EFFORT)
        assert client.wait_until(publisher.get_subscription_count)
        client.spin(0.2)
        before = len(client.answers)
        publisher.publish(setpoint(MOTION, NAMES))
        assert client.wait_until(lambda: len(client.answers) > before)
        client.node.destroy_publisher(publisher)


def test_an_override_that_is_no_qos_is_refused_with_a_sentence(client):
    with running_node(parameters={'qos_overrides./hod/external_wrench.subscription.reliability': 'certain'}) as node:
        client.describe(arm_urdf(3))
        node.wait_for_output('waiting for .*qos_overrides of ~/external_wrench: .*certain')
        assert client.state == 'unconfigured'
        assert client.node.count_subscribers('/hod/setpoint') == 0
        client.withdraw_description()


def test_names_of_robots_under_namespaces_differ(client):
    other = Client('client_left', '/left/hod')
    with running_node(arguments=('-r', '__ns:=/left')):
        assert other.wait_until(lambda: other.reports)
        assert [status.name for status in other.reports[0].status][:2] == ['left/hod: model', 'left/hod: setpoints']
    other.close()


@pytest.mark.slow
def test_ros_time_that_stands_at_zero_holds_nothing_up(client):
    with node_with_arm(client, parameters={'use_sim_time': 'true', 'setpoint_timeout': '0.2'}) as node:
        stream(client, 0.3)
        level, message, values = client.diagnostics('setpoints')
        assert client.reports[-1].header.stamp.sec == 0
        client.spin(1.2)
        assert client.diagnostics('setpoints')[0] == b'\1'
        node.wait_for_output('setpoints are stale')
        clock = client.node.create_publisher(Clock, '/clock', 10)
        assert client.wait_until(clock.get_subscription_count)
        client.spin(0.2)
        for sec in (1000, 5):
            message = Clock()
            message.clock.sec = sec
            clock.publish(message)
            client.spin(0.1)
            client.diagnostics('model')
            assert client.reports[-1].header.stamp.sec == sec
        assert client.ask(setpoint(MOTION, NAMES)) is not None
        client.node.destroy_publisher(clock)


def test_messages_are_short_enough_for_a_monitor(client):
    with node_with_arm(client):
        stream(client, 1.2)
        assert {status.name for status in client.reports[-1].status} == {
            'hod: model', 'hod: setpoints', 'hod: limits', 'hod: external wrenches', 'hod: trajectories', 'hod: guards', 'hod: services'}
        assert all(len(status.message) <= 80 for status in client.reports[-1].status)


@pytest.mark.slow
def test_setpoints_that_overflow_the_nodes_own_queue_are_counted_as_lost(client):
    with node_with_arm(client):
        planners = [client.node.create_publisher(JointSetpoint, '/hod/setpoint', 1000) for _ in range(2)]
        assert client.wait_until(lambda: all(planner.get_subscription_count() for planner in planners))
        client.spin(0.2)
        sent = 0
        message = setpoint(MOTION, NAMES)
        for count in (1, 2000, 1):
            for _ in range(count):
                for planner in planners:
                    planner.publish(message)
                    sent += 1
            client.spin(0.5)
        client.diagnostics('setpoints')
        values = client.diagnostics('setpoints')[2]
        received = int(values['received'])
        assert received < sent and abs(int(values['lost before arrival']) - (sent - received)) <= 20
        for planner in planners:
            client.node.destroy_publisher(planner)
