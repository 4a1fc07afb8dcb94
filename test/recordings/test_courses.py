# SPDX-License-Identifier: Apache-2.0
"""Recordings by clocks of their own: order, gaps, jitter, and speeds that tell another unit of time."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from hod_ros import InputError  # noqa: E402
from hod_ros import RobotModel  # noqa: E402
from hod_ros import example_robot  # noqa: E402
from hod_ros.recordings.courses import course  # noqa: E402
from hod_ros.recordings.order import without_repeats  # noqa: E402
from hod_ros.recordings.samples import Samples  # noqa: E402
from hod_ros.recordings.speeds import refuse_too_fast  # noqa: E402
from hod_ros.recordings.speeds import share_of_limits  # noqa: E402
from hod_ros.recordings.speeds import slow_text  # noqa: E402

MODEL = RobotModel.from_urdf(example_robot('panda'))
T = 2e-3 * np.arange(5000)


def motion(t):
    return 0.4 * np.sin(np.outer(t, 1.5 + 0.2 * np.arange(7)))


def samples(times, positions):
    return Samples(MODEL.joint_names, np.round(1e9 * times).astype(np.int64), positions[:, None])


def test_samples_in_gaps_are_unknown_and_all_others_found():
    kept = (T < 3) | (T > 5)
    own = course(samples(T[kept], motion(T[kept])), 0)
    at = T[:-1] + 0.7e-3
    positions, known = own.positions_at(at)
    np.testing.assert_array_equal(known, (at < T[kept][T[kept] < 3][-1]) | (at > 5.002))
    np.testing.assert_allclose(positions[known], motion(at[known]), atol=1e-9)
    assert len(own.stretches) == 2 and not own.positions_at(np.array([-1.0, 11.0]))[1].any()


def test_stamps_that_jitter_are_looked_up_at_even_times():
    noisy = motion(T) + 1e-6 * np.random.default_rng(0).normal(size=(len(T), 7))
    own = course(samples(T + 4e-4 * np.sin(2 * np.pi * 18 * T), noisy), 0)
    positions, known = own.positions_at(T[10:-10])
    assert known.all() and own.taken[0].off == pytest.approx(2.8e-4, rel=0.05)
    np.testing.assert_allclose(positions, motion(T[10:-10]), atol=2e-5)


def test_samples_that_were_sent_twice_count_once_and_those_that_go_back_are_refused():
    twice = samples(np.repeat(T[:100], 2), motion(np.repeat(T[:100], 2)))
    assert without_repeats(twice, 'm.csv').stamps.tolist() == samples(T[:100], motion(T[:100])).stamps.tolist()
    back = np.where(T > 5, T - 1.0, T)
    with pytest.raises(InputError, match=r"times\[2501\] is 4.002, not later than 5 before it; .* sort the samples of 'm.csv'"):
        without_repeats(samples(back, motion(T)), 'm.csv')


@pytest.mark.parametrize('factor', [1e-3, 1e-6])
def test_speeds_beyond_what_a_robot_can_do_tell_another_unit_of_time(factor):
    noisy = motion(T) + 1e-4 * np.random.default_rng(0).normal(size=(len(T), 7))
    refuse_too_fast(MODEL, T, noisy, 'm.csv')
    with pytest.raises(InputError, match=r"joint 'panda_joint\d' of 'm.csv' moves at .* times its velocity limit of .* whole nanosec"):
        refuse_too_fast(MODEL, factor * T, noisy, 'm.csv')
    jump = motion(T) + 2 * np.pi * (T > 5)[:, None]
    refuse_too_fast(MODEL, T, jump, 'm.csv')
    refuse_too_fast(MODEL.replace(velocity_limits=np.zeros(7)), factor * T, noisy, 'm.csv')


def test_speeds_far_below_what_a_robot_does_tell_another_unit_of_time():
    assert slow_text(share_of_limits(MODEL, T, motion(T)), 'm.csv') == ''
    assert "fastest joint of 'm.csv' never moves at more than 0.000" in slow_text(share_of_limits(MODEL, 1e3 * T, motion(T)), 'm.csv')
    assert slow_text(share_of_limits(MODEL, 1e3 * T, np.zeros((len(T), 7))), 'm.csv') == ''
    assert slow_text(share_of_limits(MODEL.replace(velocity_limits=np.zeros(7)), 1e3 * T, motion(T)), 'm.csv') == ''
