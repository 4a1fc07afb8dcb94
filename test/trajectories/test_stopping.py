# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from planned_motions import panda
from planned_motions import random_motion

from hod_ros import InputError
from hod_ros import Trajectory
from hod_ros import stopped

MODEL = panda()


@pytest.mark.parametrize('seed', range(4))
def test_a_stop_keeps_to_the_path_and_is_smooth(seed):
    rng = np.random.default_rng(seed)
    t = random_motion(rng, MODEL, max_deviation=None if seed % 2 else 0.01)
    time = t.start + rng.uniform(0, 0.6) * t.duration
    s = stopped(t, time, 0.5 * (t.end - time))
    assert s.start == t.start and s.end == pytest.approx(time + 0.5 * (t.end - time))
    before = np.linspace(t.start, time, 100)
    np.testing.assert_allclose(s.evaluate(before, 4), t.evaluate(before, 4), rtol=1e-6, atol=1e-6 * np.abs(t.evaluate(before, 4)).max())
    np.testing.assert_allclose(s.evaluate([s.end], 4)[0, 1:], 0, atol=1e-9)
    size = np.abs(s.evaluate(np.linspace(s.start, s.end, 3000), 4)).max(axis=(0, 2))
    assert (np.abs(s.jumps(4)).max(axis=(0, 2)) <= 1e-9 * size).all()
    path = t.evaluate(np.linspace(time, t.end, 200_001))[:, 0]
    for q in s.evaluate(np.linspace(time, s.end, 40))[:, 0]:
        assert np.abs(path - q).max(axis=1).min() < 1e-4 * np.abs(np.diff(path[[0, -1]], axis=0)).max() + 1e-8


def test_the_clock_slows_down_from_one_to_nothing():
    t = Trajectory([0.0, 10.0], [[[0.0], [10.0]]])              # q = t
    s = stopped(t, 2.0, 4.0)
    rows = s.evaluate([2.0, 4.0, 6.0], 2)[:, :, 0]
    np.testing.assert_allclose(rows[[0, 2]], [[2, 1, 0], [4, 0, 0]], atol=1e-9)
    assert rows[1, 1] == pytest.approx(0.5)
    assert (np.diff(s.evaluate(np.linspace(2, 6, 500))[:, 0, 0]) >= -1e-12).all()


def test_a_motion_that_ends_at_rest_may_be_stopped_at_any_time():
    t = Trajectory.interpolate([0, 1], [[0.0], [1.0]])
    s = stopped(t, 0.9, 1.0)
    assert s.evaluate([s.end])[0, 0, 0] == pytest.approx(1.0) and np.abs(s.evaluate([s.end], 4)[0, 1:]).max() < 1e-9


def test_a_stop_that_the_path_is_too_short_for_is_refused():
    t = Trajectory([0.0, 10.0], [[[0.0], [10.0]]])
    with pytest.raises(InputError, match='give at most 2 s'):
        stopped(t, 9.0, 3.0)
    with pytest.raises(InputError, match='time is 11 s'):
        stopped(t, 11.0, 1.0)
    with pytest.raises(InputError, match='duration'):
        stopped(t, 1.0, 0.0)
