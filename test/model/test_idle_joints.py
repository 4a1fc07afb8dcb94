# SPDX-License-Identifier: Apache-2.0
"""Joints that move no inertia: a warning on a robot that is otherwise complete; no dynamics, but kinematics, where no joint moves any."""

import numpy as np
import pytest
from random_trees import random_inertia
from small_urdfs import INERTIAL
from small_urdfs import arm
from small_urdfs import joint
from small_urdfs import link
from small_urdfs import robot

import hod_ros
from hod_ros import ModelError
from hod_ros import RobotModel
from hod_ros import SingularityError
from hod_ros import forward_dynamics
from hod_ros import forward_kinematics
from hod_ros import inverse_dynamics
from hod_ros import inverse_kinematics
from hod_ros import jacobian
from hod_ros import solve_pose
from hod_ros.model import screws

ZERO = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
LIFTED = INERTIAL.replace('<mass', '<origin xyz="0 0 0.3"/><mass')


def tool(inside):
    """base - swing - arm - tool - tip"""
    return robot(link('base'), joint('swing', 'base', 'arm'), link('arm', LIFTED), joint('tool', 'arm', 'tip'), link('tip', inside))


@pytest.mark.parametrize('inside', ['', ZERO])
def test_an_idle_joint_of_a_complete_robot_is_named_and_its_force_is_zero(inside):
    model = RobotModel.from_urdf(tool(inside))
    warning, = model.warnings
    assert "joint 'tool'" in warning and 'swing' not in warning and "lock with locked={'tool': 0}" in warning
    q = np.random.default_rng(0).normal(size=(5, 2))
    Q = inverse_dynamics(model, q)
    locked = RobotModel.from_urdf(tool(inside), locked={'tool': 0})
    assert locked.warnings == () and not Q[:, 1].any()
    np.testing.assert_allclose(Q[:, :1], inverse_dynamics(locked, q[:, :1]), rtol=1e-13)
    with pytest.raises(SingularityError, match="'tool'"):
        forward_dynamics(model, q[:2], Q)
    assert RobotModel.from_urdf(tool(inside), armature={'tool': 0.01}).warnings == ()


def test_formulations_agree_on_a_robot_with_an_idle_joint():
    model = RobotModel.from_urdf(tool(''))
    q = np.random.default_rng(1).normal(size=(5, 2))
    for formulation in ('closed_form', 'spatial', 'body_fixed', 'hybrid'):
        np.testing.assert_allclose(inverse_dynamics(model, q, formulation=formulation), inverse_dynamics(model, q), atol=1e-12)


def test_many_idle_joints_are_not_all_listed():
    parts = [joint(f'joint_with_a_long_name_{k}', 'arm', f'f{k}') + link(f'f{k}', '') for k in range(40)]
    warning, = RobotModel.from_urdf(arm().replace('</robot>', ''.join(parts) + '</robot>')).warnings
    assert 'and 32 more' in warning and len(warning) < 700


def test_a_translation_needs_mass_and_not_only_a_tensor():
    without_mass = INERTIAL.replace('mass value="1"', 'mass value="0"')
    assert "joint 'swing' moves has any inertia" in ''.join(RobotModel.from_urdf(arm(kind='prismatic', child=without_mass)).warnings)
    assert 'any inertia' not in ''.join(RobotModel.from_urdf(arm(child=without_mass)).warnings)


def test_a_mimic_joint_is_judged_together_with_its_master():
    def gripper(left, right):
        joints = joint('left', 'base', 'l') + joint('right', 'base', 'r', '<mimic joint="left"/>')
        return RobotModel.from_urdf(robot(link('base'), joints, link('l', left), link('r', right)))

    assert not gripper(INERTIAL, '').massless and not gripper('', INERTIAL).massless
    assert gripper('', '').massless and "'left'" in gripper('', '').warnings[0]


def weightless():
    return RobotModel.from_urdf(arm('<axis xyz="0 0 1"/><origin xyz="1 0 0"/>', child='').replace('</robot>', (
        joint('lift', 'arm', 'hand', '<axis xyz="0 0 1"/><origin xyz="0.5 0 0"/>', 'prismatic') + link('hand', '') + '</robot>')))


def test_a_robot_without_any_inertia_has_its_kinematics():
    model = weightless()
    warning, = model.warnings
    assert 'dynamics are refused, while kinematics work' in warning and "'swing', 'lift'" in warning
    q = np.array([[0.3, 0.2], [1.0, 2.0], [0.5, 0.1]])
    motion = forward_kinematics(model, q, 'hand', 'world_aligned')
    np.testing.assert_allclose(motion.pose[:3, 3], [1 + 0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0.2], atol=1e-15)
    np.testing.assert_allclose(motion.twists[0], jacobian(model, q, 'hand', 'world_aligned')[0] @ q[1], atol=1e-15)
    found = inverse_kinematics(model, q[0], 'hand', motion.twists[:, [2, 5]], 'world_aligned', components=(2, 5))
    np.testing.assert_allclose(found, q, atol=1e-12)
    np.testing.assert_allclose(solve_pose(model, 'hand', motion.pose, np.zeros(2)).q, q[0], atol=1e-9)


Q0 = np.zeros((3, 2))


@pytest.mark.parametrize('call', [
    lambda m: hod_ros.inverse_dynamics(m, Q0),
    lambda m: hod_ros.inverse_dynamics(m, Q0[None], formulation='spatial'),
    lambda m: hod_ros.inverse_dynamics(m, Q0, formulation='closed_form'),
    lambda m: hod_ros.dynamics_matrices(m, Q0),
    lambda m: hod_ros.matrix_derivatives(m, Q0),
    lambda m: hod_ros.inverse_dynamics_derivatives(m, Q0),
    lambda m: hod_ros.force_gradients(m, Q0),
    lambda m: hod_ros.motor_feedforward(m, {}, np.zeros((5, 2))),
])
def test_a_robot_without_any_inertia_is_refused_for_dynamics(call):
    with pytest.raises(ModelError, match='has any inertia: dynamics are refused'):
        call(weightless())


def test_forward_dynamics_without_any_inertia_have_no_solution():
    with pytest.raises(SingularityError, match="'lift' moves no inertia"):
        forward_dynamics(weightless(), Q0[:2], Q0[:1])


def test_a_regressor_needs_no_inertia_since_it_multiplies_it():
    model = weightless()
    assert np.abs(hod_ros.regressor(model, np.ones((3, 2)))).max() > 0


def test_joint_screws_without_inertia_are_judged_alike():
    model = RobotModel.from_screws([screws.revolute((0, 0, 1))] * 2, [np.eye(4)] * 2, [None, None])
    assert model.massless and 'dynamics are refused' in model.warnings[0]
    heavy = RobotModel.from_screws([screws.revolute((0, 0, 1))] * 2, [np.eye(4)] * 2, [screws.link_inertia(
        1.0, (0.1, 0, 0), random_inertia(np.random.default_rng(2))[:3, :3]), None])
    assert not heavy.massless and "joint 'joint2'" in heavy.warnings[0]


def test_a_model_gains_its_dynamics_with_a_payload():
    model = hod_ros.with_payload(weightless(), 'hand', 2.0)
    np.testing.assert_allclose(inverse_dynamics(model, Q0), [[0, 2 * 9.81]])
