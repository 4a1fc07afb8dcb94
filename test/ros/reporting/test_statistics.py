# SPDX-License-Identifier: Apache-2.0
"""Counts of setpoints, and how often their faults are logged."""

from rclpy.logging import get_logger

from hod_ros.ros.reporting.statistics import MOST_DURATIONS
from hod_ros.ros.reporting.statistics import Statistics


def statistics(name):
    return Statistics(get_logger(name))


def test_every_drop_is_counted_by_its_reason_and_a_burst_is_logged_once(capfd):
    counts = statistics('burst')
    for k in range(5):
        counts.drop('gap', f'fault {k}')
    counts.drop('not finite', 'the last')
    said = capfd.readouterr().err
    assert said.count('dropped a setpoint') == 1 and 'fault 0' in said
    values = counts.values()
    assert (values['dropped'], values['dropped: gap'], values['dropped: not finite'], values['last fault']) == (6, 5, 1, 'the last')


def test_durations_are_those_since_the_last_report_and_are_bounded():
    counts = statistics('durations')
    assert 'computation p50 [us]' not in counts.values()
    for seconds in (1e-5, 2e-5, 3e-5):
        counts.answered(seconds)
    values = counts.values()
    assert (values['computation p50 [us]'], values['computation max [us]']) == ('20', '30')
    assert values['published'] == 3
    assert 'computation p50 [us]' not in counts.values()
    for _ in range(MOST_DURATIONS + 10):
        counts.answered(1e-5)
    assert len(counts._durations) == MOST_DURATIONS and counts.published == MOST_DURATIONS + 13


def test_counts_go_on_from_report_to_report():
    counts = statistics('counts')
    counts.received += 4
    counts.inactive += 1
    counts.lost += 2
    for _ in range(2):
        values = counts.values()
        assert (values['received'], values['received while inactive'], values['lost before arrival']) == (4, 1, 2)
    assert values['rate in [Hz]'] == '0.0'
