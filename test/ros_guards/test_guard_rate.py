# SPDX-License-Identifier: Apache-2.0
"""The rate limiter: whatever is wanted and whenever, commands neither jump nor exceed their limits, and get where they can."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from hod_ros.ros.guards.rate_limiter import LONGEST_STEP
from hod_ros.ros.guards.rate_limiter import RateLimiter

ANY = st.floats(allow_nan=True, allow_infinity=True)
SENSIBLE = st.floats(-200.0, 200.0)
PAUSE = st.one_of(st.just(0.0), st.floats(0.0, 0.02), st.floats(0.0, 1e6), st.floats(-1.0, 0.0))


@pytest.mark.filterwarnings('ignore:overflow')
@settings(max_examples=300, deadline=None)
@given(
    wanted=st.lists(st.tuples(st.one_of(ANY, SENSIBLE), st.one_of(ANY, SENSIBLE), PAUSE), min_size=1, max_size=40),
    limit=st.tuples(*2 * [st.floats(0.1, 150.0)]), rate=st.tuples(*2 * [st.floats(0.1, 1e5)]))
def test_no_sequence_of_wishes_makes_a_command_jump_or_exceed_its_limit(wanted, limit, rate):
    limit, rate = np.array(limit), np.array(rate)
    limiter = RateLimiter(limit, rate)
    now, last, then = 50.0, np.zeros(2), -np.inf
    for *values, pause in wanted:
        now += pause
        command = limiter.next(np.array(values), now)
        step = np.abs(command - last)
        assert (step <= rate * min(max(now - then, 0.0), LONGEST_STEP) * (1 + 1e-12) + 1e-12 * limit).all()
        assert (np.abs(command) <= limit).all()
        last, then = np.array(command), now


@settings(max_examples=100, deadline=None)
@given(wanted=st.tuples(*2 * [SENSIBLE]), rate=st.floats(10.0, 1e5))
def test_a_wish_is_reached_in_the_time_that_the_rate_needs(wanted, rate):
    wanted = np.array(wanted)
    limiter = RateLimiter(np.full(2, 100.0), np.full(2, rate))
    within = np.clip(wanted, -100.0, 100.0)
    steps = int(np.ceil(np.abs(within).max() / (rate * LONGEST_STEP))) + 2
    for k in range(steps):
        command = limiter.next(wanted, 0.01 * k)
    np.testing.assert_allclose(command, within, rtol=0, atol=1e-12)
    assert not limiter.behind and limiter.clipped == bool((np.abs(wanted) > 100.0).any())


@pytest.mark.filterwarnings('ignore:overflow')
@settings(max_examples=100, deadline=None)
@given(known=st.tuples(ANY, ANY), wanted=st.tuples(SENSIBLE, ANY), limit=st.tuples(*2 * [st.floats(0.1, 150.0)]))
def test_whatever_torques_are_known_the_first_command_is_within_its_limits(known, wanted, limit):
    limiter = RateLimiter(np.array(limit), np.full(2, 1.0))
    limiter.start_from(np.array(known))
    command = limiter.next(np.array(wanted), 1.0)
    assert np.isfinite(command).all() and (np.abs(command) <= limit).all()


def test_a_command_that_was_within_a_limit_since_lowered_is_taken_over_without_a_jump():
    limiter = RateLimiter(np.full(1, 50.0), np.full(1, 1000.0))
    limiter.take_over([90.0])
    commands = [float(limiter.next(np.array([90.0]), 0.01 * k)[0]) for k in range(5)]
    np.testing.assert_allclose(commands, [80.0, 70.0, 60.0, 50.0, 50.0])


def test_what_is_within_rate_and_limit_goes_through_unchanged():
    limiter = RateLimiter(np.full(3, 100.0), np.full(3, 1000.0))
    wanted = np.array([1.0, -2.0, 3.0])
    limiter.next(wanted, 0.0)
    assert (limiter.next(wanted + 0.9, 0.001) == wanted + 0.9).all() and not limiter.behind


def test_the_first_command_goes_out_from_zero_or_from_what_the_controller_holds():
    limiter = RateLimiter(np.full(2, 100.0), np.full(2, 1000.0))
    np.testing.assert_allclose(limiter.next(np.array([50.0, -3.0]), 7.0), [10.0, -3.0])
    limiter.start_from([40.0, 0.0])
    np.testing.assert_allclose(limiter.next(np.array([50.0, -3.0]), 99.0), [50.0, -3.0])


def test_a_lowered_limit_is_approached_without_a_jump():
    limiter = RateLimiter(np.full(1, 100.0), np.full(1, 1000.0))
    limiter.start_from([90.0])
    limiter.use(np.full(1, 50.0), np.full(1, 1000.0))
    commands = [float(limiter.next(np.array([90.0]), 0.01 * k)[0]) for k in range(6)]
    np.testing.assert_allclose(commands, [80.0, 70.0, 60.0, 50.0, 50.0, 50.0])
    assert limiter.clipped and not limiter.behind


def test_a_wish_that_is_no_number_holds_the_last_command_of_that_joint():
    limiter = RateLimiter(np.full(2, 100.0), np.full(2, 1e5))
    limiter.next(np.array([5.0, 6.0]), 0.0)
    assert limiter.next(np.array([np.nan, 8.0]), 0.01).tolist() == [5.0, 8.0]
    assert limiter.next(np.array([7.0, 8.0]), 0.02).tolist() == [7.0, 8.0]
