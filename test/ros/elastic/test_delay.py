# SPDX-License-Identifier: Apache-2.0
"""How old states are when torques answer them: measured where stamps and clock agree, warned of, a fault where no loop would bear it."""

import pytest

pytest.importorskip('rclpy')

from hod_ros.ros.guards.delay import Delay  # noqa: E402

MS = 1_000_000
MARGIN, TOLD, HELD = 4e-3, 1e-3, 0.5e-3


def measured(*ages, clock=10**18, **options):
    delay = Delay(MARGIN, told=TOLD, held=HELD, **options)
    for age in ages:
        delay.take(clock - round(age * 1e9), clock)
    return delay


@pytest.mark.parametrize(('age', 'warning', 'fault'), [
    (0.9e-3, '', False),
    (2e-3, 'states are 2 ms old when they are answered, and delay says 1 ms', False),
    (4e-3, 'torques act 4.5 ms late, and the loop bears 4 ms in its worst posture', False),
    (7e-3, 'torques act 7.5 ms late', False),
    (8e-3, 'torques act 8.5 ms late', True),
])
def test_more_than_is_told_or_borne_is_warned_of_and_clearly_more_is_a_fault(age, warning, fault):
    delay = measured(*[age] * 64)
    assert delay.median == pytest.approx(age) and delay.record.state == 'watching'
    assert delay.warning.startswith(warning) and bool(delay.warning) == bool(warning)
    assert bool(delay.fault) == fault and (not fault or 'the loop bears 4 ms: it would be unstable' in delay.fault)


def test_a_third_of_the_states_late_is_no_fault_and_what_comes_again_in_time_ends_one():
    delay = measured(*[0.5e-3, 0.1, 0.5e-3] * 100)
    assert not delay.fault and '0.5, 100, 100' in delay.values.values()
    for _ in range(256):
        delay.take(0, 20 * MS)
    assert delay.fault
    for _ in range(256):
        delay.take(0, MS)
    assert not delay.fault


@pytest.mark.parametrize('age', [3.0, -0.002])
def test_stamps_of_another_clock_are_not_judged_and_few_of_them_hide_no_fault(age):
    assert measured(*[9e-3] * 100, *[age] * 31, 9e-3, *[age] * 31).fault
    delay = measured(*[9e-3] * 100, *[age] * 32)
    assert delay.median is None and not delay.fault and not delay.warning and delay.record.state == 'off'


def test_few_states_and_a_measurement_that_is_switched_off_judge_nothing():
    assert measured(*[0.1] * 63).median is None
    delay = measured(*[0.1] * 100, off='measure_delay is false')
    assert delay.median is None and not delay.fault and delay.record.report()[1] == 'off: measure_delay is false'
