# SPDX-License-Identifier: Apache-2.0
"""Recordings, identification, the plant, the export and prepared loads answer bad arguments with errors of ours, and misread no array."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from bad_values import misread_shapes
from bad_values import unclear_answers

import hod_ros
from hod_ros import ElasticPlant
from hod_ros import Recording
from hod_ros import RobotModel
from hod_ros import Samples
from hod_ros import SeriesElastic

MODEL = RobotModel.from_screws(
    [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]], [np.eye(4)] * 2, [hod_ros.link_inertia(1.0, (0.1, 0, 0), np.eye(3))] * 2,
    joint_names=['j1', 'j2'], link_names=['l1', 'tool'])
PENDULUM = RobotModel.from_dh([0], [np.pi / 2], [0], [0], [hod_ros.link_inertia(2.0, [0.2, 0, 0], 0.05 * np.eye(3))], joint_names=['j1'])
DRIVES = {'j1': SeriesElastic(stiffness=3000.0, motor_inertia=0.1)}
FOLDER = Path(tempfile.mkdtemp())
T = np.linspace(0, 4, 400)
SWINGS = (0.8 * np.sin(2 * T + 0.5 * np.sin(3 * T)))[:, None]
TORQUES = hod_ros.inverse_dynamics(PENDULUM, hod_ros.smoothed_motion(T, SWINGS, order=2).derivatives)[:, 0]
RECORDING = Recording(['j1'], T, SWINGS, TORQUES)
POINTS = [{'positions': [0.1 * k, 0.2], 'velocities': [0.0, 0.0], 'time_from_start': {'sec': k, 'nanosec': 0}} for k in range(3)]
LOADS = hod_ros.PreparedLoads(MODEL, {'tool': 'world'})
PLANT = ElasticPlant(MODEL, DRIVES)
SAMPLES = Samples(('j1', 'j2'), np.arange(4) * 1_000_000, np.zeros((4, 3, 2)), np.ones((4, 2)))


def written():
    """A recording of the model."""
    np.savez(FOLDER / 'm.npz', joint_names=MODEL.joint_names, times=T, positions=np.tile(SWINGS, 2), velocities=np.tile(SWINGS, 2),
             accelerations=np.tile(SWINGS, 2))
    return FOLDER / 'm.npz'


CALLS = {
    'Samples': (Samples, (('j1', 'j2'), np.arange(4) * 1e6, np.zeros((4, 3, 2))), {'efforts': np.ones((4, 2))}),
    'of_joints': (SAMPLES.of_joints, (['j2'],), {}),
    'read_samples': (hod_ros.read_samples, (written(),), {'topic': None}),
    'read_waypoints': (hod_ros.read_waypoints, ({'joint_names': ['j1', 'j2'], 'points': POINTS},), {'step': 0.01, 'joint_names': None}),
    'compute_torques': (hod_ros.compute_torques, (MODEL, written(), FOLDER / 'Q.npz'), {
        'order': 0, 'topic': None, 'missing': None, 'cutoff': None, 'rate': None, 'threads': 1}),
    'compute_torques by splines': (hod_ros.compute_torques, (MODEL, written(), FOLDER / 'Q.npz'), {
        'missing': 'differentiate', 'cutoff': 10.0}),
    'compute_torques between points': (hod_ros.compute_torques, (MODEL, written(), FOLDER / 'Q.npz'), {
        'missing': 'interpolate', 'rate': 50.0}),
    'Recording': (Recording, (['j1'], T, SWINGS, TORQUES), {'motor_positions': SWINGS}),
    'of_model': (RECORDING.of_model, (PENDULUM,), {}),
    'identify': (hod_ros.identify, (PENDULUM, [RECORDING]), {
        'description_deviation': 0.5, 'cutoff': 10.0, 'friction_width': 0.1, 'rates': False}),
    'export_cpp': (hod_ros.export_cpp, (MODEL, FOLDER / 'exported'), {'name': 'two', 'drives': DRIVES, 'scalar': 'double'}),
    'ElasticPlant': (ElasticPlant, (MODEL, DRIVES), {'step': 2e-4, 'integrator': 'RK4', 'torque_limits': np.ones(2)}),
    'set_state': (PLANT.set_state, (np.zeros(2), np.zeros(2)), {
        'motor_positions': np.zeros(2), 'motor_velocities': np.zeros(2), 'time': 0.0}),
    'step': (PLANT.step, (np.zeros(2),), {'joint_torques': np.zeros(2)}),
    'PreparedLoads': (hod_ros.PreparedLoads, (MODEL, {'tool': 'world'}), {}),
    'forces of prepared loads': (LOADS.inverse_dynamics, (np.ones((4, 2)), np.ones((2, 1, 6))), {'threads': 1}),
    'derivatives of prepared loads': (LOADS.inverse_dynamics_derivatives, (np.ones((3, 2)), np.ones((1, 1, 6))), {'threads': 1}),
    'example_robot': (hod_ros.example_robot, ('panda',), {}),
    'accelerations': (PLANT.accelerations, (np.zeros(2), np.zeros(2)), {}),
}


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv('CC', 'no-compiler')
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize('name', [name for name in CALLS if name != 'Samples'])      # NaN: not measured
def test_bad_arguments_are_answered_with_an_error_of_ours(name):
    call, arguments, options = CALLS[name]
    call(*arguments, **options)
    assert unclear_answers(call, arguments, options) == []


@pytest.mark.parametrize('name', CALLS)
def test_arrays_of_a_wrong_shape_are_refused_by_name_and_none_is_misread(name):
    assert misread_shapes(*CALLS[name]) == []
