# SPDX-License-Identifier: Apache-2.0
"""When setpoints are stale, by a clock that the test holds."""

import pytest

from hod_ros.ros.setpoints.freshness import Freshness

pytestmark = pytest.mark.telling


def test_nothing_is_stale_before_the_first_setpoint():
    freshness = Freshness({'setpoint_timeout': 0.1})
    assert not freshness.check(1e9)
    assert not freshness.stale and freshness.timeouts == 0


def test_a_setpoint_is_stale_after_the_timeout_and_that_is_told_once():
    freshness = Freshness({'setpoint_timeout': 0.1})
    assert not freshness.arrived(5.0)
    assert not freshness.check(5.1)
    assert freshness.check(5.2) and freshness.stale
    assert not freshness.check(6.0), 'it was told'
    assert freshness.timeouts == 1


@pytest.mark.parametrize('looked', [True, False], ids=['after a look', 'before anyone looked'])
def test_a_setpoint_ends_a_stale_time_and_says_so(looked):
    freshness = Freshness({'setpoint_timeout': 0.1})
    freshness.arrived(5.0)
    if looked:
        freshness.check(5.5)
    assert freshness.arrived(6.0)
    assert not freshness.stale and freshness.last == 6.0 and freshness.timeouts == 1
    assert not freshness.arrived(6.05)


def test_without_a_timeout_nothing_is_ever_stale():
    freshness = Freshness({'setpoint_timeout': 0.0})
    freshness.arrived(0.0)
    assert not freshness.check(1e9) and not freshness.stale


def test_a_changed_timeout_counts_from_the_next_look():
    parameters = {'setpoint_timeout': 10.0}
    freshness = Freshness(parameters)
    freshness.arrived(0.0)
    assert not freshness.check(1.0)
    parameters['setpoint_timeout'] = 0.5
    assert freshness.check(1.0)


def test_a_reset_forgets_the_last_setpoint_but_not_the_count():
    freshness = Freshness({'setpoint_timeout': 0.1})
    freshness.arrived(0.0)
    freshness.check(1.0)
    freshness.reset()
    assert freshness.last is None and not freshness.stale and freshness.timeouts == 1
    assert not freshness.check(2.0)
