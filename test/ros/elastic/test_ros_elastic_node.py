# SPDX-License-Identifier: Apache-2.0
"""The hod node with elastic joints: ~/motor_feedforward, ~/compute_motor_feedforward, and what is refused."""

from array import array

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from ros_harness import PATIENCE  # noqa: E402
from ros_harness import SILENCE  # noqa: E402
from ros_harness import arm_urdf  # noqa: E402
from ros_harness import node_with_arm  # noqa: E402
from ros_harness import setpoint  # noqa: E402

from hod_interfaces.msg import MotorFeedforward  # noqa: E402
from hod_interfaces.srv import ComputeMotorFeedforward  # noqa: E402
from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402

NAMES = ['joint1', 'joint2', 'joint3']
SERIES = {
    'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': 3000, 'elastic.joint1.motor_inertia': 2e-5,
    'elastic.joint1.gear_ratio': 100}
ADJUSTABLE = {'elastic.joint3.type': 'adjustable', 'elastic.joint3.stiffness': 400.0, 'elastic.joint3.motor_inertia': 0.1}
DRIVES = {
    'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0),
    'joint3': AdjustableStiffness(stiffness=400.0, motor_inertia=0.1)}
FIELDS = ('positions', 'velocities', 'accelerations', 'efforts')


@pytest.fixture(scope='module')
def motors(client):
    """The motor feedforwards that arrive."""
    received = []
    subscription = client.node.create_subscription(MotorFeedforward, '/hod/motor_feedforward', received.append, 1000)
    yield received
    client.node.destroy_subscription(subscription)


@pytest.fixture(scope='module')
def node(client, motors):
    with node_with_arm(client, parameters=SERIES | ADJUSTABLE) as node:
        assert client.wait_until(lambda: client.node.count_publishers('/hod/motor_feedforward'))
        client.spin(0.3)
        yield node


@pytest.fixture
def model():
    return RobotModel.from_urdf(arm_urdf())


@pytest.fixture
def q():
    return np.random.default_rng(3).uniform(-1.0, 1.0, (5, 3))


def asked(client, motors, message):
    """The motor feedforward that answers this setpoint; None where none came."""
    before = len(motors)
    client.send(message)
    client.wait_until(lambda: len(motors) > before, PATIENCE)
    return motors[before] if len(motors) > before else None


def check(message, expected):
    assert message.motor_names == list(expected.names)
    assert message.joint_names == list(expected.joint_names)
    for field in FIELDS:
        np.testing.assert_allclose(getattr(message, field), getattr(expected, field), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(message.stiffnesses, expected.stiffnesses)


def test_every_setpoint_gets_its_motor_feedforward_with_its_stamp(client, node, motors, model, q):
    message = asked(client, motors, setpoint(q, NAMES, sec=7, nanosec=11, frame_id='here'))
    check(message, motor_feedforward(model, DRIVES, q))
    assert (message.header.stamp.sec, message.header.stamp.nanosec, message.header.frame_id) == (7, 11, 'here')


def test_motors_follow_the_models_order_whatever_that_of_the_setpoint(client, node, motors, model, q):
    message = asked(client, motors, setpoint(q[:, ::-1], NAMES[::-1]))
    check(message, motor_feedforward(model, DRIVES, q))


def test_the_stiffness_of_a_setpoint_drives_variable_stiffness_joints(client, node, motors, model, q):
    message = setpoint(q, NAMES)
    message.stiffnesses, message.stiffness_rates, message.stiffness_accelerations = (array('d', [x]) for x in (500.0, 30.0, -70.0))
    expected = motor_feedforward(model, DRIVES, q, stiffness=[[500.0], [30.0], [-70.0]])
    check(asked(client, motors, message), expected)


@pytest.mark.parametrize(('fields', 'fault'), [
    (([500.0], [30.0], []), 'stiffness_accelerations not given'),
    (([500.0, 3.0], [30.0, 1.0], [1.0, 1.0]), '1 variable-stiffness joints'),
    (([float('nan')], [30.0], [1.0]), "stiffnesses of joint 'joint3' is nan"),
    (([-5.0], [30.0], [1.0]), 'must stay above 0'),
])
def test_bad_stiffness_drops_the_setpoint_and_says_why(client, node, motors, q, fields, fault):
    bad = setpoint(q, NAMES)
    bad.stiffnesses, bad.stiffness_rates, bad.stiffness_accelerations = (array('d', values) for values in fields)
    assert client.is_refused(bad, setpoint(q, NAMES))
    assert client.wait_until(lambda: fault in client.diagnostics('setpoints')[2].get('last fault', ''))


def test_a_setpoint_without_snaps_gets_its_efforts_but_no_motor_feedforward(client, node, motors, q):
    client.spin(0.1)
    before = len(motors)
    assert client.ask(setpoint(q[:4], NAMES)) is not None
    client.spin(SILENCE)
    assert len(motors) == before
    node.wait_for_output('no motor feedforward for setpoints of which 4 rows can be used')


def test_the_service_answers_many_samples(client, node, model):
    q = np.random.default_rng(4).uniform(-1.0, 1.0, (6, 5, 3))
    k = np.array([[450.0], [20.0], [-10.0]]) + np.arange(6)[:, None, None]
    request = ComputeMotorFeedforward.Request(samples=6, derivatives=array('d', q.ravel()), stiffness=array('d', k.ravel()))
    response = client.call(ComputeMotorFeedforward, 'compute_motor_feedforward', request)
    assert response.success, response.message
    expected = motor_feedforward(model, DRIVES, q, stiffness=k)
    assert response.motor_names == list(expected.names)
    for field in FIELDS:
        np.testing.assert_allclose(np.reshape(getattr(response, field), (6, 3)), getattr(expected, field), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(('changes', 'fault'), [
    ({'derivatives': array('d', [0.0] * 12)}, '1 x 5 x 3 = 15'),
    ({'derivatives': array('d', [0.0] * 30)}, 'Are these 2 samples?'),
    ({'samples': 4}, '4 x 5 x 3 = 60'),
    ({'stiffness': array('d', [500.0])}, '1 x 3 x 1 = 3'),
    ({'stiffness': array('d', [-5.0, 0.0, 0.0])}, 'must stay above 0'),
])
def test_the_service_says_what_is_wrong(client, node, changes, fault):
    request = ComputeMotorFeedforward.Request(**({'derivatives': array('d', [0.1] * 15)} | changes))
    response = client.call(ComputeMotorFeedforward, 'compute_motor_feedforward', request)
    assert not response.success and fault in response.message
