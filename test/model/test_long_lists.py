# SPDX-License-Identifier: Apache-2.0
"""Messages about a robot of many joints name the first ones and count the rest."""

import numpy as np
import pytest
from random_trees import random_tree

import hod_ros
from hod_ros import HodError
from hod_ros import Limits
from hod_ros import SeriesElastic
from hod_ros import Trajectory

MODEL = random_tree(np.random.default_rng(0), 60)
FREE = MODEL.replace(base='free')
SPRING = SeriesElastic(stiffness=100.0, motor_inertia=0.1)
ADJUSTABLE = hod_ros.AdjustableStiffness(stiffness=9.0, motor_inertia=1.0)
SHORT = Trajectory.interpolate([0, 1], np.zeros((2, 3)), joint_names=['a', 'b', 'c'])
OTHERS = Trajectory.interpolate([0, 1], np.zeros((2, 60)), joint_names=[f'other{k}' for k in range(60)])


@pytest.mark.parametrize('call', [
    lambda: hod_ros.motor_feedforward(MODEL, {'x': SPRING}, np.zeros((5, 60))),
    lambda: hod_ros.motor_feedforward(MODEL, dict.fromkeys(MODEL.joint_names, ADJUSTABLE),
                                      np.zeros((5, 60)), stiffness=np.zeros((3, 2))),
    lambda: hod_ros.inverse_kinematics(MODEL, np.zeros(60), 'link60', np.zeros((1, 6)), prescribed={'x': [0.0]}),
    lambda: hod_ros.evaluate_trajectory(MODEL, SHORT),
    lambda: hod_ros.evaluate_trajectory(MODEL, OTHERS),
    lambda: hod_ros.evaluate_trajectory(MODEL, Trajectory.interpolate([0, 1], np.zeros((2, 60))), Limits(effort=[1.0, 2.0])),
    lambda: hod_ros.time_optimal(MODEL, SHORT, Limits(velocity=1.0)),
    lambda: hod_ros.time_optimal(MODEL, OTHERS, Limits(velocity=1.0)),
    lambda: OTHERS.of_joints(['x']),
    lambda: hod_ros.slotine_li_regressor(FREE, np.zeros((2, 60)), np.zeros((2, 3)), base=(np.eye(4), np.zeros((1, 6)))),
    lambda: hod_ros.RobotModel.from_urdf(hod_ros.example_robot('panda'), joints=[f'j{k}' for k in range(60)]),
    lambda: hod_ros.RobotModel.from_urdf(hod_ros.example_robot('panda'), joints=['a'] * 99),
    lambda: hod_ros.forward_kinematics(MODEL, np.zeros((1, 60)), 'nowhere'),
    lambda: hod_ros.DampingFilter(MODEL, dict.fromkeys(
        MODEL.joint_names, SeriesElastic(stiffness=9.0, motor_inertia=1.0, damping=1.0)), step=0.001).reset({'x': 0.0}),
    lambda: hod_ros.Waypoints(MODEL.joint_names, [0.0, 1.0], np.zeros((2, 60))).of_joints(['x']),
])
def test_lists_are_capped(call):
    with pytest.raises(HodError) as error:
        call()
    assert len(str(error.value)) < 450 and str(error.value).count("joint") < 25


def test_the_node_says_the_same_of_setpoints_and_of_changed_robots():
    pytest.importorskip('rclpy')
    from hod_ros.ros.setpoints.bad_setpoints import check_joint_names
    with pytest.raises(HodError) as error:
        check_joint_names(MODEL, [f'other{k}' for k in range(60)])
    assert len(str(error.value)) < 600


def test_a_value_within_values_is_shown_by_its_beginning():
    nested = 'x'
    for _ in range(6):
        nested = [nested] * 9
    with pytest.raises(HodError, match='joint_names') as refused:
        Trajectory.interpolate([0, 1], np.zeros((2, 3)), joint_names=nested)
    assert len(str(refused.value)) < 600
