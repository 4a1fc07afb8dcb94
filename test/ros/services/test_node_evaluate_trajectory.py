# SPDX-License-Identifier: Apache-2.0
"""evaluate_trajectory: the library's figures over DDS, the trajectory with effort, and every wrong request refused."""

from array import array

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from ros_harness import arm_urdf
from ros_harness import node_with_arm
from trajectory_msgs.msg import JointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

from hod_interfaces.srv import EvaluateTrajectory
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import inverse_dynamics
from hod_ros import parameter_names
from hod_ros import time_scale
from hod_ros import with_effort

MODEL = RobotModel.from_urdf(arm_urdf(3))
TIMES = np.array([0.0, 0.7, 1.5])
POINTS = np.array([[0.0, 0.2, -0.1], [0.4, 0.3, 0.2], [0.9, -0.2, 0.3]])
JUMBLED = [2, 0, 1]
MOTION = Trajectory.interpolate(TIMES, POINTS, max_deviation=0.01)


@pytest.fixture(scope='module', autouse=True)
def node(client):
    with node_with_arm(client, parameters={'max_samples': 200, 'limits.joint1.effort_rate': 5.0, 'limits.joint2.velocity': 0.9}) as node:
        yield node


def message(times=TIMES, positions=POINTS, names=MODEL.joint_names):
    points = [
        JointTrajectoryPoint(positions=array('d', row), time_from_start=Duration(sec=int(t), nanosec=round(t % 1 * 1e9)))
        for t, row in zip(times, positions, strict=True)]
    return JointTrajectory(joint_names=list(names), points=points)


def ask(client, **fields):
    return client.call(EvaluateTrajectory, 'evaluate_trajectory', EvaluateTrajectory.Request(
        **({'trajectory': message(), 'max_deviation': 0.01} | fields)))


def named(response, field):
    return dict(zip(zip(response.quantities, response.owners, strict=True), getattr(response, field), strict=True))


def test_peaks_margins_and_work_are_the_librarys_with_the_nodes_limits(client):
    response = ask(client)
    assert response.margin == 0.8 and response.duration == 1.5 and list(response.joint_names) == list(MODEL.joint_names)
    velocity = np.where([False, True, False], 0.9, MODEL.velocity_limits)
    limits = Limits(velocity=velocity, effort=MODEL.effort_limits, effort_rate=[5.0, np.inf, np.inf])
    expected = evaluate_trajectory(MODEL, MOTION, limits, margin=0.8)
    assert response.success and response.feasible == expected.feasible and response.message == expected.message
    peaks, times, margins = named(response, 'peaks'), named(response, 'peak_times'), named(response, 'margins')
    assert len(peaks) == len(response.peaks) == 3 * len(expected.peaks)
    for name, peak in expected.peaks.items():
        for j, joint in enumerate(peak.joint):
            assert peaks[name, joint] == pytest.approx(peak.value[j], rel=1e-12)
            assert times[name, joint] == pytest.approx(peak.time[j], abs=1e-6)
            assert margins[name, joint] == pytest.approx(expected.margins[name][j] if name in expected.margins else 1.0)
    np.testing.assert_allclose(response.energies, expected.energy)
    assert not response.trajectory_with_effort.points and not response.deviations and response.fastest == 0


def test_limits_of_the_request_follow_its_own_joint_order(client):
    names, points = [MODEL.joint_names[i] for i in JUMBLED], POINTS[:, JUMBLED]
    limits = np.array([0.5, 2.0, 3.0])
    response = ask(client, trajectory=message(positions=points, names=names), velocity_limits=array('d', limits[JUMBLED]), scale=True)
    expected = evaluate_trajectory(MODEL, MOTION, Limits(velocity=limits))
    margins = named(response, 'margins')
    for joint, margin in zip(MODEL.joint_names, expected.margins['velocity'], strict=True):
        assert margins['velocity', joint] == pytest.approx(margin)
    wanted = Limits(velocity=limits, effort=MODEL.effort_limits, effort_rate=[5.0, np.inf, np.inf])
    scaled = time_scale(MODEL, MOTION, wanted, margin=0.8)
    assert response.fastest == pytest.approx(scaled.fastest) and 0 < response.fastest < 1
    np.testing.assert_allclose(response.speed_intervals, np.ravel(scaled.intervals))
    assert response.speed_message == scaled.message


def test_the_trajectory_comes_back_with_effort_in_the_callers_order(client):
    names = [MODEL.joint_names[i] for i in JUMBLED]
    response = ask(client, trajectory=message(positions=POINTS[:, JUMBLED], names=names), effort=True, effort_tolerance=0.05)
    filled, expected = response.trajectory_with_effort, with_effort(MODEL, MOTION, 0.05)
    assert response.success and list(filled.joint_names) == names and len(filled.points) == len(expected)
    np.testing.assert_allclose([point.effort for point in filled.points], expected.efforts[:, JUMBLED])
    q = MOTION.evaluate(expected.times, 2)
    np.testing.assert_allclose(
        [point.effort for point in filled.points], inverse_dynamics(MODEL, q)[:, 0][:, JUMBLED], atol=1e-9)
    assert max(response.effort_errors) <= 0.05 and len(response.position_errors) == 3


def test_a_covariance_gives_deviations(client):
    p = len(parameter_names(MODEL))
    covariance = 1e-4 * np.eye(p)
    response = ask(client, parameter_covariance=array('d', covariance.ravel()))
    expected = evaluate_trajectory(MODEL, MOTION, parameter_covariance=covariance).peaks['effort']
    deviations = named(response, 'deviations')
    np.testing.assert_allclose([deviations['effort', joint] for joint in MODEL.joint_names], expected.deviation, rtol=1e-6)
    assert deviations['velocity', 'joint1'] == 0


@pytest.mark.parametrize(('fields', 'text'), [
    ({'trajectory': JointTrajectory()}, '0 points of 0 joints'),
    ({'trajectory': message(TIMES[:1], POINTS[:1])}, '1 points of 3 joints; a motion needs 2 points or more'),
    ({'trajectory': message(TIMES[[0, 2, 1]])}, 'times must increase'),
    ({'trajectory': message(names=['joint1', 'joint2', 'elbow'])}, "'elbow' unknown or locked"),
    ({'trajectory': message(positions=POINTS[:, :2])}, 'has 2 positions for 3 joints'),
    ({'trajectory': message(positions=np.where(POINTS == 0.4, np.nan, POINTS))}, 'point 1'),
    ({'trajectory': message(np.arange(201.0), np.zeros((201, 3)))}, '201 points, but this node takes up to max_samples = 200'),
    ({'velocity_limits': array('d', [1.0, 2.0])}, 'velocity_limits has 2 values for 3 joints'),
    ({'effort_limits': array('d', [-1.0])}, 'effort_limits holds -1'),
    ({'motor_effort_limits': array('d', [1.0])}, 'no drives are'),
    ({'margin': 1.5}, 'margin is 1.5'),
    ({'margin': -1.0}, 'margin is -1'),
    ({'max_deviation': np.nan}, 'max_deviation is nan'),
    ({'parameter_covariance': array('d', [1.0])}, 'parameter_covariance has 1 values'),
    ({'chunk_rate': 50.0}, 'times and chunk_rate are both given'),
])
def test_wrong_requests_are_refused_with_a_sentence(client, fields, text):
    response = ask(client, **fields)
    assert not response.success and text in response.message
    assert not response.peaks and not response.feasible
