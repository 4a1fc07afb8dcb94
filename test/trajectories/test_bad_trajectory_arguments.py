# SPDX-License-Identifier: Apache-2.0
"""Every public function of the trajectories answers bad arguments with an error of ours, and takes no array for another."""

import importlib
import inspect

import numpy as np
import pytest
from bad_values import misread_shapes
from bad_values import unclear_answers

import hod_ros
from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import Trajectory
from hod_ros import Waypoints

MODEL = RobotModel.from_screws(
    [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]], [np.eye(4)] * 2, [hod_ros.link_inertia(1.0, (0.1, 0, 0), np.eye(3))] * 2,
    joint_names=['j1', 'j2'], link_names=['l1', 'tool'])
TIMES = np.array([0.0, 1.0, 2.5])
POINTS = np.array([[0.0, 0.1], [0.3, -0.2], [0.5, 0.4]])
MOTION = Trajectory.interpolate(TIMES, POINTS, joint_names=['j1', 'j2'])
LIMITS = Limits(velocity=2.0, acceleration=20.0)
WAYPOINTS = Waypoints(('j1', 'j2'), TIMES + 1, POINTS)
COVARIANCE = 1e-4 * np.eye(20)
NOISY = np.arange(100) / 100, np.random.default_rng(0).standard_normal((100, 2))
DRIVES = {'j1': SeriesElastic(stiffness=3000.0, motor_inertia=0.1)}

CALLS = {
    'interpolate': (Trajectory.interpolate, (TIMES, POINTS), {
        'velocities': 0 * POINTS, 'accelerations': 0 * POINTS, 'smoothness': 4, 'max_deviation': 0.05, 'joint_names': ['a', 'b'],
        'position_limits': np.array([[-1.0, -1.0], [1.0, 1.0]]), 'start': np.zeros((2, 2)), 'end': np.zeros((2, 2))}),
    'from_derivatives': (Trajectory.from_derivatives, (TIMES, np.stack([POINTS, 0 * POINTS], axis=1)), {}),
    'Trajectory': (Trajectory, (TIMES, np.ones((2, 4, 2))), {}),
    'evaluate': (MOTION.evaluate, (TIMES,), {'order': 2}),
    'evaluate_pieces': (MOTION.evaluate_pieces, (np.array([0, 1, 1]), np.array([0.5, 0.0, 1.0]), 2), {}),
    'of_half': (MOTION.of_half, (1, True), {}),
    'jumps': (MOTION.jumps, (2,), {}),
    'Limits.of': (LIMITS.of, ('velocity', ['j1', 'j2']), {}),
    'evaluate_trajectory': (hod_ros.evaluate_trajectory, (MODEL, MOTION, LIMITS), {
        'drives': DRIVES, 'margin': 0.8, 'parameter_covariance': COVARIANCE, 'viscous_friction': False}),
    'force_deviations': (hod_ros.force_deviations, (MODEL, MOTION, TIMES, COVARIANCE), {}),
    'time_scale': (hod_ros.time_scale, (MODEL, MOTION, LIMITS), {}),
    'smoothed_motion': (hod_ros.smoothed_motion, (NOISY[0], NOISY[1], 1), {'cutoff': 10.0}),
    'stopped': (hod_ros.stopped, (MOTION, 1.0, 0.5), {}),
    'with_effort': (hod_ros.with_effort, (MODEL, MOTION), {'tolerance': np.array([1.0, 1.0])}),
    'time_optimal': (hod_ros.time_optimal, (MODEL, MOTION, LIMITS), {'margin': 0.9}),
    'Limits': (Limits, (), {'velocity': np.ones(2), 'effort': 3.0}),
    'Waypoints': (Waypoints, (('j1', 'j2'), TIMES, POINTS), {'velocities': 0 * POINTS}),
    'starting_from': (WAYPOINTS.starting_from, (np.zeros(2),), {'velocities': np.zeros(2)}),
    'wrapped_near': (WAYPOINTS.wrapped_near, (np.zeros(2), ['j1']), {}),
    'cartesian_path': (hod_ros.cartesian_path, (
        hod_ros.RobotModel.from_urdf(hod_ros.example_robot('panda')), 'panda_link8', np.stack([np.eye(4)] * 2)), {}),
}
OF_ANY_SIZE = (
    'cartesian_path', 'evaluate', 'Limits.of', 'of_half', 'jumps', 'force_deviations', 'from_derivatives', 'Limits', 'smoothed_motion',
    'Trajectory')
SLOW = ('time_optimal', 'time_scale', 'with_effort', 'cartesian_path', 'interpolate', 'evaluate_trajectory')
NOT_FINITE = ('Limits', 'Waypoints', 'starting_from', 'wrapped_near')       # inf is no limit, NaN a number that is not given


@pytest.mark.parametrize('name', [name for name in CALLS if name not in OF_ANY_SIZE])
def test_arrays_of_a_wrong_shape_are_refused_by_name_and_none_is_misread(name):
    assert misread_shapes(*CALLS[name]) == []


@pytest.mark.parametrize('name', [name for name in CALLS if name not in (*SLOW, *NOT_FINITE)])
def test_bad_arguments_are_answered_with_an_error_of_ours(name):
    assert unclear_answers(*CALLS[name]) == []


def test_every_public_function_of_the_trajectories_is_tried():
    functions = {name for name, module in hod_ros._LAZY.items() if module.split('.')[1] == 'trajectories'
                 and inspect.isfunction(getattr(importlib.import_module(module), name))}
    assert functions <= set(CALLS)
