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

from elastic_peer import MODULE  # noqa: E402
from elastic_peer import NAMES  # noqa: E402
from elastic_peer import PARAMETERS  # noqa: E402
from elastic_peer import PREPARED  # noqa: E402
from elastic_peer import RATE  # noqa: E402
from elastic_peer import REFERENCE  # noqa: E402
from elastic_peer import STILL  # noqa: E402
from elastic_peer import THETA  # noqa: E402
from elastic_peer import TIMEOUT  # noqa: E402
from elastic_peer import Peer  # noqa: E402
from elastic_peer import at_rest  # noqa: E402
from elastic_peer import in_use  # noqa: E402
from elastic_peer import weight  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from ros_harness import SILENCE  # noqa: E402
from ros_harness import Client  # noqa: E402
from ros_harness import NodeProcess  # noqa: E402
from ros_harness import arm_urdf  # noqa: E402
from ros_harness import running_node  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from hod_ros.ros.elastic.laws import MotorPd  # noqa: E402

DEMO = Path(__file__).parents[3] / 'config' / 'sea_demo.yaml'
@pytest.fixture
def peer(client):
    yield from in_use(client, Peer(client))


def pd(offset=0.0, period=1e-3, **gains):
    """The torques that answer the state where REFERENCE, whose torque is `offset` [s] older, is carried to it, and its torque to the
    middle of the period that follows."""
    law = MotorPd(PREPARED, bandwidth=3.0, damping=0.7, gains=gains or None)
    law.at(THETA)
    return REFERENCE[3] + (offset + period / 2) * REFERENCE[4] + law.feedback(REFERENCE[0] - THETA, REFERENCE[1] - RATE)


def ahead(offset):
    """The reference of `offset` [s] before, that is carried to REFERENCE but for its torque."""
    theta, rate, acceleration, tau, tau_rate = REFERENCE
    before = rate - offset * acceleration
    return np.array([theta - offset * (before + 0.5 * offset * acceleration), before, acceleration, tau, tau_rate])


def test_torques_are_feedforward_and_pd_with_the_stamp_of_the_state(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'publish_commands': True, 'timeout': 30.0}):
        peer.start()
        peer.state()
        peer.client.spin(SILENCE)
        assert not peer.torques, 'a torque came before any reference'
        peer.reference(nanosec=5_000_000, rows=ahead(0.002))
        peer.client.spin(0.05)
        efforts = peer.next(lambda: peer.state(nanosec=7_000_000))
        np.testing.assert_allclose(efforts, pd(offset=0.002), rtol=1e-9)
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
        np.testing.assert_allclose(peer.next(lambda: peer.state(sec=sec, nanosec=nanosec)), pd(period=0.0), rtol=1e-9)
        controller.wait_for_output(re.escape(f'references are {abs(apart):.4g} s apart and cannot be related') + '.*longest_extrapolation')


@pytest.mark.parametrize(('parameters', 'apart'), [({}, 0.05), ({}, -0.045), ({'longest_extrapolation': 0.2}, 0.15)])
def test_references_near_the_state_are_carried_to_it(peer, parameters, apart):
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 30.0} | parameters) as controller:
        peer.start()
        peer.reference(sec=1, rows=ahead(apart))
        peer.client.spin(0.05)
        sec, nanosec = divmod(round((1 + apart) * 1e9), 1_000_000_000)
        np.testing.assert_allclose(peer.next(lambda: peer.state(sec=sec, nanosec=nanosec)), pd(offset=apart), rtol=1e-9)
    assert 'cannot be related' not in controller.output


@pytest.mark.slow
def test_synchronous_control_carries_references_over_its_period_however_long(peer):
    parameters = PARAMETERS | {'synchronous': True, 'period': 0.003, 'longest_extrapolation': 0.0, 'timeout': 30.0}
    with running_node(module=MODULE, parameters=parameters):
        peer.start()
        peer.reference(nanosec=3_000_000, rows=ahead(-0.003))
        np.testing.assert_allclose(peer.next(peer.state), pd(offset=-0.003, period=0.003), rtol=1e-9)


@pytest.mark.parametrize('given', [{'position': 150.0}, {'velocity': 2.5}, {'position': 150.0, 'velocity': 3.0}])
def test_a_gain_that_is_not_given_follows_from_bandwidth_and_damping(peer, given):
    parameters = PARAMETERS | {'timeout': 30.0} | {f'gains.joint1.{part}': value for part, value in given.items()}
    with running_node(module=MODULE, parameters=parameters):
        peer.start()
        peer.reference()
        peer.client.spin(0.05)
        np.testing.assert_allclose(peer.next(peer.state), pd(joint1=given), rtol=1e-9)


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
        controller.wait_for_output('motors joint1, joint3;')
    assert 'is ignored' not in controller.output


def test_synchronous_control_answers_each_state_once_with_the_reference_of_its_period(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'synchronous': True, 'timeout': 30.0}):
        peer.start()
        peer.reference(nanosec=500_000, rows=ahead(-0.0005))
        np.testing.assert_allclose(peer.next(peer.state), pd(offset=-0.0005), rtol=1e-9)
        peer.reference(nanosec=500_000, rows=ahead(-0.0005))
        peer.state(nanosec=1_000_000)
        peer.client.spin(SILENCE)
        assert len(peer.torques) == 1, 'a state was answered with the reference of another period'
        np.testing.assert_allclose(peer.next(lambda: peer.reference(nanosec=1_500_000, rows=ahead(-0.0005))), pd(offset=-0.0005), rtol=1e-9)
        assert peer.next(lambda: peer.state(nanosec=1_000_000)) is not None, 'a state that came again was not answered again'


@pytest.mark.parametrize('on_timeout', ['hold', 'damping', 'zero'])
def test_when_references_stop_motors_hold_or_are_braked_or_get_no_torque_and_references_are_followed_again(peer, on_timeout):
    with running_node(module=MODULE, parameters=PARAMETERS | {'on_timeout': on_timeout}) as controller:
        peer.start()
        peer.reference(rows=STILL)
        peer.client.spin(0.05)
        np.testing.assert_allclose(peer.next(lambda: peer.state(rate=np.zeros(3))), weight(THETA), atol=1e-9)
        at_rest(peer, TIMEOUT + 0.5)
        expected = weight(THETA) if on_timeout == 'hold' else np.zeros(3)
        np.testing.assert_allclose(peer.torques[-1].effort, expected, atol=1e-6)
        done = {'hold': 'the motors hold their place', 'damping': 'the motors are braked', 'zero': 'the motors get no torque'}[on_timeout]
        controller.wait_for_output(f'no reference came within {TIMEOUT} s: {done}')
        assert not any(peer.faults), 'no fault: references may come again'
        peer.reference(rows=STILL)
        at_rest(peer, 0.1)
        np.testing.assert_allclose(peer.torques[-1].effort, weight(THETA), atol=1e-6)


def test_when_states_stop_it_is_a_fault_brakes_are_asked_for_and_only_a_reset_resumes(peer):
    asked = []

    def brake(request, response):
        asked.append(time.monotonic())
        response.success, response.message = len(asked) > 1, 'braked'
        return response
    node = peer.client.node
    node.create_service(Trigger, 'arm/brake', brake)
    client = Client('resetting', node='/hod_elastic_controller')
    try:
        with running_node(module=MODULE, parameters=PARAMETERS | {'stop_service': '/arm/brake'}) as controller:
            peer.start()
            peer.reference(rows=STILL)
            peer.client.spin(0.05)
            assert peer.next(lambda: peer.state(rate=np.zeros(3))).any()
            peer.client.spin(TIMEOUT + 0.3)
            assert peer.client.wait_until(lambda: peer.faults and 'no motor_states came within' in peer.faults[-1])
            np.testing.assert_allclose(peer.torques[-1].effort, weight(THETA), atol=1e-6, err_msg='the arm is carried')
            assert peer.client.wait_until(lambda: len(asked) >= 2), 'a service that refused is not asked again'
            peer.client.spin(1.2)
            assert len(asked) == 2, 'a service that did it is asked again'
            controller.wait_for_output('arm/brake refused')
            assert not client.call(Trigger, 'reset', Trigger.Request()).success, 'states are still missing'
            at_rest(peer, 0.1)
            moved = STILL + np.outer([1, 0, 0, 0, 0], [0.01, 0.0, 0.0])
            peer.reference(rows=moved)
            at_rest(peer, 0.2)
            np.testing.assert_allclose(peer.torques[-1].effort, weight(THETA), atol=1e-6, err_msg='a reference is followed before a reset')
            done = {}

            def reset():
                done['answer'] = client.call(Trigger, 'reset', Trigger.Request())
                return True
            peer.state(rate=np.zeros(3))
            peer.client.spin(0.02)
            reset()
            assert done['answer'].success, done['answer'].message
            for _ in range(60):
                peer.reference(rows=moved)
                at_rest(peer, 0.02)
            assert abs(peer.torques[-1].effort[0] - weight(THETA)[0]) > 0.5, 'it follows again'
            assert peer.faults[-1] == ''
    finally:
        client.close()


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGHUP])
def test_when_the_node_ends_the_arm_is_carried(peer, number):
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 5.0}) as controller:
        peer.start()
        peer.reference(rows=STILL)
        peer.client.spin(0.05)
        assert peer.next(lambda: peer.state(rate=np.zeros(3))).any()
        before = len(peer.torques)
        controller.stop(number)
    assert peer.client.wait_until(lambda: len(peer.torques) > before), 'no last torque came'
    peer.client.spin(0.1)
    np.testing.assert_allclose(peer.torques[-1].effort, weight(THETA), atol=1e-6)


def test_motor_states_that_are_cut_off_do_not_keep_the_last_torques_from_being_sent(peer):
    state = serialize_message(JointState(name=NAMES, position=array('d', THETA), velocity=array('d', [0.0] * 3)))
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 5.0}) as controller:
        peer.start()
        peer.reference(rows=STILL)
        peer.client.spin(0.05)
        assert peer.next(lambda: peer.state(rate=np.zeros(3))).any()
        before = len(peer.torques)
        controller.send(signal.SIGINT)
        end = time.monotonic() + 1.0        # while it comes to rest
        while time.monotonic() < end:
            for length in (1, 6, len(state) // 2):
                peer._motors.publish(state[:length])
            peer.client.spin(0.002)
        assert controller.wait() == 0
        assert re.search('refused motor_states: .* bytes are no whole JointState', controller.output), controller.output
    assert len(peer.torques) > before, 'no last torque came'
    np.testing.assert_allclose(peer.torques[-1].effort, weight(THETA), atol=1e-6)


def test_guards_say_in_diagnostics_what_they_did(peer):
    client = Client('listening', node='/hod_elastic_controller')
    try:
        with running_node(module=MODULE, parameters=PARAMETERS | {'largest_error': 0.05, 'timeout': 30.0}):
            peer.start()
            peer.reference(rows=STILL)
            peer.client.spin(0.05)
            peer.next(lambda: peer.state(rate=np.zeros(3)))
            for step in (0.03, 0.06):
                peer.next(lambda step=step: peer.state(theta=THETA + step, rate=np.zeros(3)))
            peer.next(lambda: peer.state(theta=THETA + 0.06, rate=np.zeros(3)))
            _, text, values = client.diagnostics('guards')
            assert 'tracking error' in text and values['tracking error'].startswith('acting: the motors of joint')
            level, text, values = client.diagnostics('control')
            assert level == b'\x02' and text.startswith('fault: tracking error') and 'largest_error is 0.05' in values['fault']
            assert peer.client.wait_until(lambda: peer.faults and 'largest_error' in peer.faults[-1])
    finally:
        client.close()


def test_bad_input_is_refused_by_name_and_the_last_good_one_counts(peer):
    with running_node(module=MODULE, parameters=PARAMETERS | {'timeout': 30.0}) as controller:
        peer.start()
        peer.reference()
        peer.reference(rows=REFERENCE * np.nan)
        peer.reference(names=['joint1', 'joint2', 'elbow'])
        peer.state(theta=[0.0, float('inf'), 0.0])
        controller.wait_for_output("refused motor_states: position of 'joint2' is inf")
        controller.wait_for_output('refused motor_feedforward')
        np.testing.assert_allclose(peer.next(lambda: peer.state(theta=THETA[::-1], rate=RATE[::-1], names=NAMES[::-1])), pd(), rtol=1e-9)


def test_torques_stay_within_the_motors_limits_and_it_is_said(peer):
    client = Client('listening', node='/hod_elastic_controller')
    parameters = PARAMETERS | {f'elastic.{name}.torque_limit': 0.5 for name in NAMES}
    try:
        with running_node(module=MODULE, parameters=parameters | {'timeout': 30.0}):
            peer.start()
            peer.reference()
            peer.client.spin(0.05)
            np.testing.assert_allclose(peer.next(peer.state), np.clip(pd(), -0.5, 0.5), rtol=1e-9)
            assert 'is clipped to 0.5' in client.diagnostics('guards')[2]['torque limit']
    finally:
        client.close()


@pytest.mark.parametrize(('parameters', 'fault'), [
    ({'on_timeout': 'hope'}, "parameter on_timeout is 'hope'; it is one of 'hold', 'damping', 'zero'"),
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
    ({'damping': 1.5}, 'damping is 1.5; it takes'),
    ({'timeout': 'soon'}, 'timeout is .soon., of type string; it takes double'),
])
def test_bad_parameters_end_the_controller_with_a_sentence(parameters, fault):
    controller = NodeProcess(module=MODULE, parameters=parameters)
    assert controller.wait() == 1
    assert re.search(fault, controller.output) and 'Traceback' not in controller.output, controller.output


WITHOUT_LIMITS = {name: value for name, value in PARAMETERS.items() if not name.startswith('limits')}
UNFIT = 'this robot cannot be used with the parameters as they are: '


@pytest.mark.parametrize(('parameters', 'fault'), [
    (PARAMETERS | {'bandwidth': 60.0}, 'a bandwidth of 60 Hz and the damping 0.7 is more than springs let motors do, .*; ask for'),
    (PARAMETERS | {'delay': 0.02}, r'the loop bears a delay of \S+ ms only, and has 20.5 ms'),
    (PARAMETERS | {'gains.joint1.position': 100.0, 'gains.joint1.velocity': 0.0}, 'the loop bears a delay of 0 ms only'),
    (PARAMETERS | {'disturbance_bandwidth': 900.0}, r'disturbance_bandwidth is 900 rad/s; up to 481\S* it is stable, with'),
    (PARAMETERS | {'gains.elbow.position': 3.0}, "gains are given for the motor 'elbow'; the motors are joint1, joint2, joint3"),
    (PARAMETERS | {'locked_positions.elbow': 1.0}, "locked_positions names 'elbow', but the robot has no such joint"),
    (PARAMETERS | {'armature.elbow': 1.0}, "armature names 'elbow', which is no independent moving joint"),
    (WITHOUT_LIMITS | {'locked_positions.joint2': 1.0}, "drives names 'joint2', but the joints of arm are joint1, joint3"),
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
