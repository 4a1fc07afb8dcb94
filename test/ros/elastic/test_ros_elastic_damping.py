# SPDX-License-Identifier: Apache-2.0
"""Dampers beside springs in the hod node: the filter that follows them, where it begins anew, and what happens without it."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from diagnostic_msgs.msg import DiagnosticStatus  # noqa: E402
from ros_harness import PATIENCE  # noqa: E402
from ros_harness import arm_urdf  # noqa: E402
from ros_harness import efforts  # noqa: E402
from ros_harness import node_with_arm  # noqa: E402
from ros_harness import running_node  # noqa: E402
from ros_harness import setpoint  # noqa: E402

from hod_interfaces.msg import MotorFeedforward  # noqa: E402
from hod_interfaces.srv import ComputeMotorFeedforward  # noqa: E402
from hod_ros import AdjustableStiffness  # noqa: E402
from hod_ros import DampingFilter  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import motor_feedforward  # noqa: E402

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf())
DRIVES = {
    'joint1': SeriesElastic(stiffness=300.0, motor_inertia=0.1, damping=9.0),
    'joint3': SeriesElastic(stiffness=200.0, motor_inertia=0.1, damping=2.0, damping_terms=1)}
PARAMETERS = {
    f'elastic.{joint}.{figure}': value for joint, drive in DRIVES.items() for figure, value in (
        ('type', 'series_elastic'), ('stiffness', drive.stiffness), ('motor_inertia', drive.motor_inertia), ('damping', drive.damping))}
PARAMETERS |= {'elastic.joint3.damping_terms': 1, 'setpoint_timeout': 0.0}
PERIOD = 2_000_000      # [ns]


def motion(nanosec, rows=6):
    """q (rows, 3) at this time."""
    phase = 9e-9 * nanosec + np.arange(3)
    return np.stack([9.0 ** k * np.sin(phase + k * np.pi / 2) for k in range(rows)])


class Stream:
    """Setpoints of one motion, and what the motors are told."""

    def __init__(self, client):
        self._client = client
        self._received = []
        self._subscription = client.node.create_subscription(MotorFeedforward, '/hod/motor_feedforward', self._received.append, 1000)

    def close(self):
        self._client.node.destroy_subscription(self._subscription)

    def connect(self, rows=6):
        """Until the node knows of us; what it heard meanwhile had no stamp."""
        assert self._client.wait_until(lambda: self.ask(0, patience=0.2, rows=rows))

    def ask(self, nanosec, patience=PATIENCE, rows=6):
        """The motor feedforward for the setpoint of this time, or None."""
        self._received.clear()
        sec, rest = divmod(nanosec, 1_000_000_000)
        self._client.send(setpoint(motion(nanosec, rows), NAMES, sec=sec, nanosec=rest))
        return self._received[0] if self._client.wait_until(lambda: self._received, patience) else None


@pytest.fixture
def stream(client):
    stream = Stream(client)
    yield stream
    stream.close()


@pytest.fixture
def node(client, stream):
    with node_with_arm(client, parameters=PARAMETERS | {'damping_filter': 'true'}) as node:
        stream.connect()
        yield node


def follow(stream, times, by, step=PERIOD * 1e-9):
    """Asks for these times; each answer is that of the filter."""
    for time in times:
        expected, message = by(motion(time), step=step), stream.ask(time)
        for field in ('positions', 'velocities', 'accelerations', 'efforts'):
            np.testing.assert_allclose(getattr(message, field), getattr(expected, field), rtol=1e-10, atol=1e-10)


def test_every_setpoint_advances_the_filter_by_the_time_between_stamps(client, node, stream):
    by = DampingFilter(MODEL, DRIVES)
    begin = 900_000_000
    follow(stream, [begin], by)
    follow(stream, [begin + k * PERIOD for k in range(1, 30)], by)
    follow(stream, [begin + 29 * PERIOD + 7_000_000], by, step=0.007)
    assert abs(by.deflections['joint1'] - DampingFilter(MODEL, DRIVES)(motion(begin)).positions[0]) > 1e-3


def test_the_filter_begins_anew_and_says_so_where_stamps_do_not_advance_by_a_step(client, node, stream):
    begin = 900_000_000
    follow(stream, [begin, begin + PERIOD], DampingFilter(MODEL, DRIVES))
    before = int(client.diagnostics('motors')[2]['damping filter began anew'])
    follow(stream, [begin], DampingFilter(MODEL, DRIVES))                       # back
    follow(stream, [begin + 600_000_000], DampingFilter(MODEL, DRIVES))         # too far ahead
    node.wait_for_output('the damping filter began anew: the stamps of two setpoints are .* s apart')
    assert client.wait_until(lambda: int(client.diagnostics('motors')[2]['damping filter began anew']) == before + 2)
    told = [status for report in client.reports for status in report.status if status.name == 'hod: motors']
    assert any(status.level == DiagnosticStatus.WARN and 'the damping filter began anew' in status.message for status in told)


def test_a_change_of_the_model_does_not_interrupt_the_filter_but_a_deactivation_does(client, node, stream):
    by = DampingFilter(MODEL, DRIVES)
    times = [700_000_000 + k * PERIOD for k in range(40)]
    follow(stream, times[:10], by)
    published = int(client.diagnostics('motors')[2]['published'])
    assert client.set_parameter('gravity', [0.0, 0.0, -9.81]) == (True, '')         # a new model, of the same dynamics
    follow(stream, times[10:20], by)
    assert int(client.diagnostics('motors')[2]['published']) == published + 10
    assert client.set_parameter('gravity', [0.0, 0.0, -1.62]) == (True, '')
    moon = DampingFilter(MODEL.replace(gravity=(0.0, 0.0, -1.62)), DRIVES)
    moon.continue_from(by)
    follow(stream, times[20:30], moon)
    assert client.change_state('deactivate') and client.change_state('activate')
    moon.reset()
    follow(stream, times[30:], moon)


def test_one_request_cannot_know_a_filters_state_and_is_refused(client, node, stream):
    request = ComputeMotorFeedforward.Request(derivatives=motion(0).ravel().tolist())
    response = client.call(ComputeMotorFeedforward, 'compute_motor_feedforward', request)
    assert not response.success and "the damping of joint 'joint1' gives its drive a state" in response.message


@pytest.mark.parametrize('order', [0, 2])
def test_drives_get_the_derivatives_that_they_need_whatever_order_is_published(client, stream, order):
    drives = {'joint2': SeriesElastic(stiffness=200.0, motor_inertia=0.1, damping=2.0, damping_terms=2)}
    parameters = {'elastic.joint2.type': 'series_elastic', 'elastic.joint2.stiffness': 200.0, 'elastic.joint2.motor_inertia': 0.1,
                  'elastic.joint2.damping': 2.0, 'elastic.joint2.damping_terms': 2, 'order': order, 'max_order': 1}
    q = motion(0, 7)
    with node_with_arm(client, parameters=parameters):
        stream.connect(rows=7)
        answer = client.ask(setpoint(q, NAMES))
        assert efforts(answer).shape == (order + 1, 3)
        np.testing.assert_allclose(stream.ask(0, rows=7).efforts, motor_feedforward(MODEL, drives, q).efforts, rtol=1e-10)
        response = client.call(
            ComputeMotorFeedforward, 'compute_motor_feedforward', ComputeMotorFeedforward.Request(derivatives=q.ravel().tolist()))
        assert response.success, response.message
        response = client.call(
            ComputeMotorFeedforward, 'compute_motor_feedforward', ComputeMotorFeedforward.Request(derivatives=q[:5].ravel().tolist()))
        assert not response.success
        assert 'drives of these joints need 7 rows: give samples x rows x joints = 1 x 7 x 3 = 21' in response.message


def test_the_service_takes_as_many_rows_as_damping_terms_need(client):
    drives = {'joint2': AdjustableStiffness(motor_inertia=0.1, damping=2.0, damping_terms=2)}
    parameters = {'elastic.joint2.type': 'adjustable', 'elastic.joint2.motor_inertia': 0.1, 'elastic.joint2.damping': 2.0,
                  'elastic.joint2.damping_terms': 2}
    q = np.stack([motion(time, 7) for time in (0, 1000, 2000, 3000)])
    k = np.stack([[[400.0 + i], [20.0], [-10.0], [3.0], [1.0]] for i in range(4)])
    with node_with_arm(client, parameters=parameters):
        request = ComputeMotorFeedforward.Request(samples=len(q), derivatives=q.ravel().tolist(), stiffness=k.ravel().tolist())
        response = client.call(ComputeMotorFeedforward, 'compute_motor_feedforward', request)
    assert response.success, response.message
    expected = motor_feedforward(MODEL, drives, q, stiffness=k)
    np.testing.assert_allclose(np.reshape(response.efforts, (4, 3)), expected.efforts, rtol=1e-10)


def test_without_the_filter_dampers_without_terms_are_refused_with_both_remedies(client):
    with running_node(parameters=PARAMETERS) as node:
        client.describe(arm_urdf())
        node.wait_for_output("joint 'joint1' has damping without damping_terms.*set the parameter damping_filter to true")
        assert client.state == 'unconfigured'
    client.withdraw_description()
