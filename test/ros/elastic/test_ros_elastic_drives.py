# SPDX-License-Identifier: Apache-2.0
"""Drives of the hod node: from parameters and from the description's own tag; bad ones are refused in a sentence."""

import re
import time
from array import array

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from ros_harness import PATIENCE  # noqa: E402
from ros_harness import NodeProcess  # noqa: E402
from ros_harness import arm_urdf  # noqa: E402
from ros_harness import node_with_arm  # noqa: E402
from ros_harness import running_node  # noqa: E402
from ros_harness import setpoint  # noqa: E402

from hod_interfaces.msg import MotorFeedforward  # noqa: E402
from hod_ros import Antagonistic  # noqa: E402
from hod_ros import HyperbolicSineSpring  # noqa: E402
from hod_ros import PreparedDrives  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import SeriesElastic  # noqa: E402
from hod_ros import friction_forces  # noqa: E402
from hod_ros import inverse_dynamics  # noqa: E402
from hod_ros.command.drive_files import write_figures  # noqa: E402

NAMES = ['joint1', 'joint2', 'joint3']
SERIES = {
    'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': 3000, 'elastic.joint1.motor_inertia': 2e-5,
    'elastic.joint1.gear_ratio': 100}
DRIVES = {'joint1': SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0)}


@pytest.fixture
def q():
    return np.random.default_rng(3).uniform(-1.0, 1.0, (5, 3))


def answer(client, urdf, message):
    """The motor feedforward of the running node for this setpoint."""
    received = []
    subscription = client.node.create_subscription(MotorFeedforward, '/hod/motor_feedforward', received.append, 100)
    try:
        client.describe(urdf)
        client.wait_for_state('active')
        client.connect()
        end = time.monotonic() + PATIENCE
        while not received:         # the node may not know the new subscription yet
            assert time.monotonic() < end, 'no motor feedforward came'
            client.send(message)
            client.wait_until(lambda: received, 0.5)
        return received[0]
    finally:
        client.withdraw_description()
        client.node.destroy_subscription(subscription)


@pytest.mark.parametrize('width', [0.05, 1e-3])
def test_joint_friction_is_on_the_links_side_of_the_springs_with_bounded_derivatives(client, q, width):
    q[1, 0] = 5e-4      # it turns round: there the friction is steep
    urdf = arm_urdf().replace('<limit ', '<dynamics damping="2.0" friction="0.5"/><limit ')
    model = RobotModel.from_urdf(urdf)
    friction = friction_forces(model, q, width=width)
    expected = PreparedDrives(model, DRIVES).motor_feedforward_of(q, inverse_dynamics(model, q), joint_friction=friction)
    with running_node(parameters=SERIES | {'joint_friction': True, 'joint_friction_width': width}):
        message = answer(client, urdf, setpoint(q, NAMES))
    np.testing.assert_allclose(message.positions, expected.positions, rtol=1e-12)
    np.testing.assert_allclose(message.efforts, expected.efforts, rtol=1e-12)


def test_drives_come_from_the_descriptions_own_tag_and_foreign_ones_are_only_named(client, q):
    urdf = arm_urdf().replace('</robot>', '<hod_elastic joint="joint2" type="series_elastic" stiffness="900" motor_inertia="0.1"/></robot>')
    urdf = urdf.replace('<limit ', '<dynamics spring_stiffness="77"/><limit ', 1)
    drives = DRIVES | {'joint2': SeriesElastic(stiffness=900.0, motor_inertia=0.1)}
    with running_node(parameters=SERIES) as node:
        message = answer(client, urdf, setpoint(q, NAMES))
        node.wait_for_output("joint 'joint1' has spring_stiffness='77', which is no standard URDF and is not used")
        level, text, values = client.diagnostics('model')
        assert level == b'\1' and "not used: joint 'joint1' has spring_stiffness" in text
        assert 'spring_stiffness' in values['model warning 1']
    assert message.joint_names == ['joint1', 'joint2']
    expected = PreparedDrives(RobotModel.from_urdf(urdf), drives).motor_feedforward(q)
    np.testing.assert_allclose(message.efforts, expected.efforts, rtol=1e-12)


def test_a_pair_has_two_motors_and_a_stiffness_that_its_springs_cannot_have_drops_the_setpoint(client, q):
    parameters = {
        'elastic.joint3.type': 'antagonistic', 'elastic.joint3.spring': 'hyperbolic_sine', 'elastic.joint3.torque': 2.0,
        'elastic.joint3.rate': 9.0, 'elastic.joint3.motor_inertia': 0.05, 'elastic.joint3.stiffness': 60.0}
    drives = {'joint3': Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=9.0), motor_inertia=0.05, stiffness=60.0)}
    model = RobotModel.from_urdf(arm_urdf())
    soft, stiff = setpoint(q, NAMES), setpoint(q, NAMES, sec=5)
    for message, k in ((soft, 20.0), (stiff, 90.0)):
        message.stiffnesses, message.stiffness_rates, message.stiffness_accelerations = (array('d', [x]) for x in (k, 3.0, -2.0))
    with running_node(parameters=parameters):
        message = answer(client, arm_urdf(), setpoint(q, NAMES))
        assert message.motor_names == ['joint1', 'joint2', 'joint3/1', 'joint3/2'] and message.stiffnesses[0] == 60.0
        np.testing.assert_allclose(message.efforts, PreparedDrives(model, drives).motor_feedforward(q).efforts, rtol=1e-12)
        assert client.is_refused(soft, stiff)
        fault = client.diagnostics('setpoints')[2]['last fault']
        assert "joint 'joint3'" in fault and 'co-contraction' in fault
        message = answer(client, arm_urdf(), stiff)
        expected = PreparedDrives(model, drives).motor_feedforward(q, [[90.0], [3.0], [-2.0]])
        np.testing.assert_allclose(message.positions, expected.positions, rtol=1e-12)


TAG = '<hod_elastic joint="joint2" type="series_elastic" stiffness="900" motor_inertia="0.1"/>'


def test_descriptions_that_come_later_add_drives_and_bad_ones_leave_the_last_good_ones(client, q):
    plain, tagged = arm_urdf(), arm_urdf().replace('</robot>', f'{TAG}</robot>')
    expected = PreparedDrives(
        RobotModel.from_urdf(plain), {'joint2': SeriesElastic(stiffness=900.0, motor_inertia=0.1)}).motor_feedforward(q)
    with running_node() as node:
        client.describe(plain)
        client.wait_for_state('active')
        client.connect()
        assert client.ask(setpoint(q, NAMES)) is not None
        assert client.node.count_publishers('/hod/motor_feedforward') == 0
        client.describe(tagged)
        node.wait_for_output('new robot description')
        np.testing.assert_allclose(answer(client, tagged, setpoint(q, NAMES)).efforts, expected.efforts, rtol=1e-12)
        client.describe(tagged.replace('stiffness="900"', 'stiffness="-900"'))
        node.wait_for_output('robot description refused, the last good model stays in use: .*stiffness is -900')
        assert client.change_state('deactivate') and client.change_state('cleanup')
        client.describe(tagged)
        node.wait_for_output('ready to be configured')
        assert client.change_state('configure') and client.change_state('activate')
        np.testing.assert_allclose(answer(client, tagged, setpoint(q, NAMES)).efforts, expected.efforts, rtol=1e-12)


@pytest.mark.parametrize(('parameters', 'fault'), [
    ({'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': 0, 'elastic.joint1.motor_inertia': 0.1},
     r'elastic.joint1.*stiffness is 0; give a number above 0 \[N m/rad\]'),
    ({'elastic.joint1.type': 'series_elastic', 'elastic.joint1.motor_inertia': 0.1}, r'stiffness is missing; give it \[N m/rad\]'),
    ({'elastic.joint1.stiffness': 3.0}, "joint 'joint1' has no type"),
    ({'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stifness': 3.0}, "'stifness', which series_elastic does not know"),
])
def test_bad_drives_end_the_node_with_a_sentence(parameters, fault):
    node = NodeProcess(parameters=parameters)
    assert node.wait() == 1
    assert re.search(fault, node.output) and 'Traceback' not in node.output, node.output


def test_a_drive_of_an_unknown_joint_refuses_the_description(client):
    with running_node(parameters={**SERIES, 'elastic.elbow.type': 'rigid'}) as node:
        client.describe(arm_urdf())
        node.wait_for_output("'elbow'")
        assert client.state == 'unconfigured'
    client.withdraw_description()


def test_drives_that_hod_identify_writes_are_taken_by_the_node(client, tmp_path):
    figures = {'joint1': {'type': 'series_elastic', 'stiffness': 3012.0, 'damping': 1e-7, 'motor_inertia': 2e-5, 'gear_ratio': 100}}
    write_figures(tmp_path / 'drives.yaml', figures, ['written by a test'])
    with node_with_arm(client, parameters_file=tmp_path / 'drives.yaml'):
        taken = {figure: client.get_parameter(f'elastic.joint1.{figure}') for figure in figures['joint1']}
        assert taken == figures['joint1'] and client.get_parameter('damping_filter')
