# SPDX-License-Identifier: Apache-2.0
"""Derivatives in another unit than their positions or times are told from noise, filters, gaps and coarse samples."""

import re

import numpy as np
import pytest

from hod_ros import InputError
from hod_ros import RobotModel
from hod_ros import compute_torques
from hod_ros import example_robot
from hod_ros.recordings.contradictions import contradiction

T = np.arange(2000) * 2e-3
PHASE = np.array([0.0, 1.0])
NAMES = ('a', 'b')


def motion(times=T):
    x = 2 * times[:, None] + PHASE
    return np.stack([np.sin(x), 2 * np.cos(x), -4 * np.sin(x)], axis=1)


def changed(row, factor, joint=slice(None)):
    q = motion()
    q[:, row, joint] *= factor
    return q


@pytest.mark.parametrize(('times', 'q', 'said'), [
    (T, changed(1, 180 / np.pi), "velocity of joint 'a' is 57.* times .* in degrees"),
    (T, changed(2, 180 / np.pi, 1), "acceleration of joint 'b' is 57.* times .* velocity .* in degrees"),
    (T * 1e3, motion(), 'velocity .* is 1000 times .* are the times in seconds'),
    (T * 1e-3, motion(), 'velocity .* is 0.001 times .* are the times in seconds'),
    (T, changed(0, 20.0), 'velocity .* is 0.05 times .* are all in rad'),
    (T, changed(1, 0.0, 1), "velocity of joint 'b' is 0 throughout, while its position changes by"),
    (T, changed(2, 0.0), "acceleration of joint 'a' is 0 throughout, while its velocity changes by"),
    (T, changed(1, -1.0), "velocity of joint 'a' is -1 times .* is its sign right"),
    (T, changed(2, -1.0, 1), "acceleration of joint 'b' is -1 times .* is its sign right"),
    (T, changed(0, 0.0, 1), "position of joint 'b' stands at 0, while its velocity is up to 2"),
    (T, changed(1, 0.0) + [[[0], [0.3], [0]]], "velocity of joint 'a' stands at 0.3, while its acceleration is up to 4|velocity .* times"),
])
def test_rows_in_different_units_are_told(times, q, said):
    assert re.match(said, contradiction(times, q, NAMES))


def disturbed():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(2000, 3, 2)) * [[1e-4], [0.3], [20.0]]
    late = np.searchsorted(T, 2.0)
    gap = np.where(np.arange(2000) < late, T, T + 30.0)
    yield 'noise', T, motion() + noise
    yield 'velocities of a filter that lags', T, np.concatenate([motion()[:, :1], motion(T - 0.05)[:, 1:]], axis=1)
    yield 'coarse positions', T, np.concatenate([np.round(motion()[:, :1], 2), motion()[:, 1:]], axis=1)
    yield 'few samples', T[::200], motion()[::200]
    yield 'a gap', gap, motion(gap)
    yield 'stamps that run back', np.concatenate([T[:1000], T[:1000]]), np.concatenate([motion()[:1000]] * 2)
    yield 'rest', T, np.tile(motion()[:1] * [[[1], [0], [0]]], (2000, 1, 1))
    yield 'noise at rest', T, noise
    yield 'a drift of velocities at rest', T, motion()[:1] * [[[1], [0], [0]]] + [[[0], [0.01], [0]]] + noise * [[[0], [1], [1]]]
    yield 'nothing given', T, np.concatenate([motion()[:, :1], np.full((2000, 2, 2), np.nan)], axis=1)


@pytest.mark.parametrize(('times', 'q'), [pytest.param(times, q, id=name) for name, times, q in disturbed()])
def test_what_is_imperfect_does_not_contradict_itself(times, q):
    assert contradiction(times, q, NAMES) == ''


def test_way_points_may_rest_where_they_are_passed():
    assert contradiction(T, changed(1, 0.0)[:, :2], NAMES, dense=False) == ''


@pytest.mark.parametrize('missing', [None, 'interpolate', 'differentiate'])
def test_torques_of_a_recording_that_contradicts_itself_are_refused(tmp_path, missing):
    if missing:
        pytest.importorskip('scipy')
    model = RobotModel.from_urdf(example_robot('panda'))
    q = np.array([0, -0.5, 0, -2, 0, 1.5, 0.5]) * [[1], [0], [0]] + 0.1 * motion()[..., :1]
    np.savez(tmp_path / 'm.npz', joint_names=model.joint_names, times=T, q=q)
    compute_torques(model, tmp_path / 'm.npz', tmp_path / 'Q.npz', missing=missing)
    np.savez(tmp_path / 'm.npz', joint_names=model.joint_names, times=T * 1e3, q=q)
    with pytest.raises(InputError, match="'m.npz' contradicts itself: velocity of joint 'panda_joint1' is 1000 times .* in seconds.*1e-3"):
        compute_torques(model, tmp_path / 'm.npz', tmp_path / 'Q.npz', missing=missing)


def test_velocities_in_degrees_are_left_out_by_differentiating_positions(tmp_path):
    pytest.importorskip('scipy')
    model = RobotModel.from_urdf(example_robot('panda'))
    q = np.array([0, -0.5, 0, -2, 0, 1.5, 0.5]) * [[1], [0], [0]] + 0.1 * motion()[..., :1]
    for name, factor in (('right', 1.0), ('degrees', 180 / np.pi)):
        np.savez(tmp_path / 'm.npz', joint_names=model.joint_names, times=T, q=q[:, :2] * [[1.0], [factor]])
        compute_torques(model, tmp_path / 'm.npz', tmp_path / f'{name}.npz', missing='differentiate')
    np.testing.assert_array_equal(np.load(tmp_path / 'right.npz')['Q'], np.load(tmp_path / 'degrees.npz')['Q'])


def test_degrees_are_refused_wherever_in_a_recording_the_robot_moves(tmp_path):
    model = RobotModel.from_urdf(example_robot('panda'), joints=['panda_joint1', 'panda_joint2'])
    q = np.zeros((20_000, 3, 2))
    q[16_384:, 0] = 80.0
    np.savez(tmp_path / 'm.npz', joint_names=model.joint_names, times=np.arange(20_000) * 1e-3, q=q)
    with pytest.raises(InputError, match='look like degrees'):
        compute_torques(model, tmp_path / 'm.npz', tmp_path / 'Q.npz')
