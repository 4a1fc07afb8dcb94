# SPDX-License-Identifier: Apache-2.0
"""Stamps that jitter are told from samples that were taken unevenly."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from hod_ros import smoothed_motion  # noqa: E402
from hod_ros.trajectories.sample_times import gaps  # noqa: E402
from hod_ros.trajectories.sample_times import off_text  # noqa: E402
from hod_ros.trajectories.sample_times import sample_times  # noqa: E402

STEP, NOISE = 2e-3, 2e-6
T = STEP * np.arange(5000)
ALL = np.ones(len(T), bool)
KEPT = np.random.default_rng(6).random(len(T)) > 0.01


def motion(t):
    w = np.array([1.3, 4.1, 7.7])[:, None]
    return np.stack([(0.3 * w**k * np.sin(w * t + k * np.pi / 2 + w)).T for k in range(3)], axis=1)


def measured(t):
    return motion(t)[:, 0] + NOISE * np.random.default_rng(5).normal(size=(len(t), 3))


def persistent(deviation, persistence=0.02):
    rng, a = np.random.default_rng(3), np.exp(-STEP / persistence)
    late = [0.0]
    for push in rng.normal(size=len(T) - 1):
        late.append(a * late[-1] + np.sqrt(1 - a * a) * push)
    return np.maximum.accumulate(T + deviation * np.array(late) + 1e-9 * np.arange(len(T)))


def white(deviation):
    return T + np.clip(deviation * np.random.default_rng(4).normal(size=len(T)), -0.45 * STEP, 0.45 * STEP)


def beat():
    return np.maximum.accumulate(T + 5e-4 * np.sin(2 * np.pi * 18 * T) + 1e-10 * np.arange(len(T)))


def held_up(mean):
    """A receiver that stands still now and then: what waits is stamped at once."""
    rng, out, until = np.random.default_rng(3), [], -1.0
    for t in T:
        if rng.random() < 0.02:
            until = max(until, t + rng.exponential(mean))
        out.append(max(t, until, out[-1] + 2e-5 if out else 0.0))
    return np.array(out)


def polled():
    return np.maximum.accumulate(np.ceil(T / 0.016 - 1e-9) * 0.016 + 2e-5 * (np.arange(len(T)) % 8) + 1e-9 * np.arange(len(T)))


def error(times, true):
    own = smoothed_motion(times, measured(true), 2).derivatives[200:-200, 2] - motion(true)[200:-200, 2]
    return np.sqrt(np.mean(own**2, axis=0)).max()


LEAST = 5 * error(T, T)


@pytest.mark.parametrize('stamps', [
    persistent(1e-4), persistent(4e-4), white(1e-4), beat(), held_up(5e-3), held_up(2e-2), persistent(1e-4)[KEPT]],
    ids=['persistent', 'more', 'white', 'beat', 'held up', 'longer', 'some lost'])
def test_stamps_that_jitter_are_replaced_by_even_times(stamps):
    true = T if len(stamps) == len(T) else T[KEPT]
    found = sample_times(stamps, measured(true))
    assert error(found.times, true) < LEAST
    assert found.off == pytest.approx(np.sqrt(np.mean((stamps - true - np.mean(stamps - true))**2)), rel=0.2)
    assert found.farthest <= np.abs(stamps - true).max() * 1.1
    assert 'stamps are off these by' in off_text([found]) and 'in 1 of 2 stretches' in off_text([found, sample_times(T, measured(T))])


@pytest.mark.parametrize('times', [
    T, T[KEPT], persistent(1e-4), persistent(4e-4)[KEPT], white(1e-4), T * (1 + 2e-5 * np.sin(T)), T + 1e-3 * np.sin(T / 50),
    np.r_[T[:2000], T[2000::2]]], ids=['even', 'some lost', 'persistent', 'both', 'white', 'drift', 'slow drift', 'other rate'])
def test_samples_that_were_taken_unevenly_keep_their_stamps(times):
    found = sample_times(times, measured(times))
    assert found.times is times and found.off == 0 and off_text([found]) == ''


def test_clocks_that_drift_are_followed_though_their_stamps_jitter():
    long = STEP * np.arange(20_000)
    true = long + 0.02 * np.sin(long / 20)
    stamps = true + np.clip(1e-4 * np.random.default_rng(4).normal(size=len(long)), -9e-4, 9e-4)
    found = sample_times(stamps, measured(true))
    assert found.off == pytest.approx(1e-4, rel=0.1) and error(found.times, true) < LEAST


def test_samples_that_come_late_in_a_burst_are_no_gap():
    late = np.where((T > 3) & (T < 3.1), 3.1 + 2e-5 * (np.arange(len(T)) - 1550), T)
    assert np.diff(late).max() > 40 * STEP and (np.diff(late) > 0).all() and not len(gaps(late))
    assert not len(gaps(held_up(2e-2))) and not len(gaps(polled()))
    assert gaps(np.where(T > 3, T + 0.1, T)).tolist() == [1500]
    assert gaps(T[(T < 3) | (T > 7)]).tolist() == [1499]
    assert gaps(T[(T < 0.5) | (T > 9.5)]).tolist() == [249]


def test_a_loop_that_runs_slower_for_a_while_leaves_no_gap():
    rng = np.random.default_rng(1)
    steps = STEP * np.where((np.arange(4999) > 2000) & (np.arange(4999) < 2600), 1.2, 1.0) * rng.uniform(0.8, 1.2, 4999)
    steps[2500] = 4 * STEP
    assert not len(gaps(np.concatenate([[0], np.cumsum(steps)])))
    steps[2500] = 8 * STEP
    assert gaps(np.concatenate([[0], np.cumsum(steps)])).tolist() == [2500]


def test_where_positions_say_nothing_stamps_stay():
    still = np.zeros((len(T), 3))
    assert sample_times(persistent(1e-4), still).off == 0
    assert sample_times(persistent(1e-4)[:20], still[:20]).off == 0
