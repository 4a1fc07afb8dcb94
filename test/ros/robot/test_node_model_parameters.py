# SPDX-License-Identifier: Apache-2.0
"""What parameters do to the model: limits of the description, armature, friction, payload; joints that do not exist."""

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import efforts
from ros_harness import node_with_arm
from ros_harness import running_node
from ros_harness import setpoint

from hod_ros import RobotModel
from hod_ros import friction_forces
from hod_ros import inverse_dynamics
from hod_ros.model.payload import with_payload

NAMES = ('joint1', 'joint2', 'joint3')
MODEL = RobotModel.from_urdf(arm_urdf(3))
MOTION = np.random.default_rng(6).uniform(-1.0, 1.0, (6, 3))
Q = inverse_dynamics(MODEL, MOTION[:5])


def test_limits_of_the_description_are_used_where_asked_for(client):
    text = arm_urdf(3).replace('effort="100"', f'effort="{0.5 * np.abs(Q[0]).max()}"')
    with running_node(parameters={'limits.use_description': 'true'}):
        client.describe(text)
        client.wait_for_state('active')
        client.connect()
        answer = client.ask(setpoint(MOTION[:5], NAMES))
        assert list(answer.limit_flags) == list((np.abs(Q[0]) > 0.5 * np.abs(Q[0]).max()).astype(int))
        client.withdraw_description()


@pytest.mark.parametrize('name', ['limits.elbow.effort', 'armature.elbow', 'command_joints'])
def test_parameters_of_joints_that_the_robot_does_not_have_are_refused_by_name(client, name):
    value = '[joint1, elbow]' if name == 'command_joints' else '1.0'
    with running_node(parameters={name: value}) as node:
        client.describe(arm_urdf(3))
        node.wait_for_output('waiting for a valid robot description.*refused: .*elbow')
        assert client.state == 'unconfigured'
        client.withdraw_description()


def test_armature_and_friction_are_added_as_the_library_does(client):
    text = arm_urdf(3).replace('<limit', '<dynamics damping="0.3" friction="0.8"/><limit')
    parameters = {'armature.joint2': '0.4', 'joint_friction': 'true', 'joint_friction_width': '0.1', 'order': '3'}
    model = RobotModel.from_urdf(text, armature={'joint2': 0.4})
    with running_node(parameters=parameters):
        client.describe(text)
        client.wait_for_state('active')
        client.connect()
        expected = inverse_dynamics(model, MOTION) + friction_forces(model, MOTION, width=0.1)
        np.testing.assert_allclose(efforts(client.ask(setpoint(MOTION, NAMES))), expected, rtol=1e-12, atol=1e-12)
        assert client.set_parameter('joint_friction', False) == (True, '')
        np.testing.assert_allclose(efforts(client.ask(setpoint(MOTION, NAMES))), inverse_dynamics(model, MOTION), rtol=1e-12, atol=1e-12)
        client.withdraw_description()


def test_payload_parameters_load_a_link_and_are_checked_against_the_robot(client):
    parameters = {'payload.link': 'link3', 'payload.mass': '2.0', 'payload.center': '[0.0, 0.1, 0.2]'}
    with node_with_arm(client, parameters=parameters):
        loaded = with_payload(MODEL, 'link3', 2.0, (0.0, 0.1, 0.2))
        np.testing.assert_allclose(efforts(client.ask(setpoint(MOTION[:5], NAMES))), inverse_dynamics(loaded, MOTION[:5]), rtol=1e-12)
        accepted, reason = client.set_parameter('payload.link', 'hand')
        assert not accepted and "'hand'" in reason
        accepted, reason = client.set_parameter('payload.inertia', [1.0, 0.0, 0.0, 0.1, 0.0, 0.1])
        assert not accepted and 'principal moments' in reason
        assert client.set_parameter('payload.mass', 0.5) == (True, '')
        loaded = with_payload(MODEL, 'link3', 0.5, (0.0, 0.1, 0.2))
        np.testing.assert_allclose(efforts(client.ask(setpoint(MOTION[:5], NAMES))), inverse_dynamics(loaded, MOTION[:5]), rtol=1e-12)
        assert client.set_parameter('payload.link', '') == (True, '')
        np.testing.assert_allclose(efforts(client.ask(setpoint(MOTION[:5], NAMES))), Q, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(('name', 'value', 'text'), [
    ('payload.center', [1e300, 0.0, 0.0], 'give numbers of a real body [m]'),
    ('payload.inertia', [-1.0, 0.0, 0.0, -1.0, 0.0, -1.0], 'payload.mass is 0'),
    ('payload.inertia', [0.1, 0.0, 0.0, 0.1, 0.0, 0.1], 'payload.mass is 0'),
])
def test_a_payload_that_no_body_has_is_refused_even_where_no_link_carries_it_yet(client, name, value, text):
    with node_with_arm(client):
        if name == 'payload.center':
            assert client.set_parameter('payload.mass', 1.0) == (True, '')
        successful, reason = client.set_parameter(name, value)
        assert not successful and text in reason


@pytest.mark.parametrize('use_description', [False, True])
def test_limits_that_contradict_the_descriptions_are_refused_and_later_parameters_are_taken_whole(client, use_description):
    parameters = {'limits.joint1.lower': -2.0, 'limits.use_description': use_description}
    with node_with_arm(client, parameters=parameters):
        accepted, reason = client.set_parameter('limits.joint1.lower', 4.0)
        assert not accepted and reason.startswith("joint 'joint1' may be from 4 to 3, which is nowhere")
        assert client.get_parameter('limits.joint1.lower') == -2.0
        assert client.set_parameter('gravity', [0.0, 0.0, 0.0]) == (True, '')
        expected = inverse_dynamics(MODEL.replace(gravity=(0.0, 0.0, 0.0)), MOTION[:5])
        np.testing.assert_allclose(efforts(client.ask(setpoint(MOTION[:5], NAMES))), expected, rtol=1e-12, atol=1e-12)
        answer = client.compute(MOTION[:5], order=2)
        np.testing.assert_allclose(np.reshape(answer.efforts, (3, 3)), expected, rtol=1e-12, atol=1e-12)
