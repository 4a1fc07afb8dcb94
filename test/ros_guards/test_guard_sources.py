# SPDX-License-Identifier: Apache-2.0
"""Whose message it is, from numbers alone, and how many are lost, of one source or several, whenever these come and go."""

import itertools

import numpy as np
import pytest

from hod_ros.ros.guards.ownership import Ownership
from hod_ros.ros.guards.sources import Sources

PERIOD = 1_000_000     # [ns] between two messages


def information(number, k, **more):
    return {'publication_sequence_number': number, 'source_timestamp': k * PERIOD, **more}


def lost(numbers, publishers=1):
    sources = Sources('setpoint')
    for k, number in enumerate(numbers):
        sources.of(information(number, k), (), lambda: publishers)
    return sources.lost


def test_nothing_is_lost_of_whole_streams_however_they_are_interleaved():
    random = np.random.default_rng(3)
    for firsts in ((1,), (1, 1), (1, 5000), (5000, 1, 12_000)):
        streams = [iter(range(first, first + 500)) for first in firsts]
        numbers = []
        while streams:
            stream = streams[random.integers(len(streams))]
            taken = list(itertools.islice(stream, int(random.integers(1, 5))))
            numbers += taken
            if not taken:
                streams.remove(stream)
        assert lost(numbers, len(firsts)) == 0


def test_gaps_are_counted_of_the_source_that_has_them():
    assert lost([1, 2, 5, 6, 10]) == 5
    assert lost([1, 2, 50, 51], 2) == 47, 'a publisher that says nothing is no source'
    assert lost([1, 1000, 2, 1001, 3, 1005, 4, 9], 2) == 3 + 4


def test_a_planner_that_is_started_anew_and_one_that_joins_late_lose_nothing():
    assert lost([*range(1, 5000), *range(1, 100)]) == 0
    assert lost([*range(80_000, 80_100)]) == 0


def test_a_middleware_without_numbers_counts_nothing_and_the_guard_says_that_it_cannot_judge():
    assert lost([None, None]) == 0
    ownership = Ownership(0.5)
    assert ownership.admits(Sources('setpoint').of(information(None, 0), (), lambda: 2), 0.0)
    assert ownership.record.report() == ('off', 'off: the middleware does not tell publishers apart')
    ownership.forget()
    assert ownership.admits(Sources('setpoint').of(information(1, 0), (), lambda: 2), 0.0) and not ownership.record.off


def sources_of(sequence, publishers=2):
    """The index of the source, in order of appearance, of each (number, position)."""
    sources, seen, found = Sources('setpoint'), [], []
    for k, (number, position) in enumerate(sequence):
        source = sources.of(information(number, k), [position], lambda: publishers)
        if source not in seen:
            seen.append(source)
        found.append(seen.index(source))
    return found


@pytest.mark.parametrize('first', [1, 5000])
def test_two_planners_are_told_apart_by_their_numbers(first):
    sequence = [pair for k in range(50) for pair in ((1000 + k, 0.0), (first + k, 1.0))]
    assert sources_of(sequence) == [0, 1] * 50


def test_two_planners_with_the_same_numbers_are_told_apart_by_their_motions():
    rng = np.random.default_rng(3)
    sequence, expected = [], []
    for k in range(100):
        pair = [(0, (1 + k, np.sin(0.01 * k))), (1, (1 + k, 2 + np.cos(0.01 * k)))]
        for source, message in pair if k == 0 or rng.random() < 0.5 else pair[::-1]:
            sequence.append(message)
            expected.append(source)
    assert sources_of(sequence) == expected


def test_a_planner_whose_numbers_overtake_those_of_another_stays_the_same():
    sequence, expected, k, other = [], [], 500, 400
    for _ in range(120):
        k += 1
        sequence.append((k, 0.0))
        expected.append(0)
        for _ in range(2):
            other += 1
            sequence.append((other, 5.0))
            expected.append(1)
    assert sources_of(sequence) == expected


def test_publishers_that_the_middleware_names_need_no_numbers():
    sources = Sources('setpoint')
    a, b = (sources.of(information(None, 0, publisher_gid=gid), [0.0], lambda: 2) for gid in (b'a', b'b'))
    assert a is not b and sources.of(information(None, 1, publisher_gid=b'a'), [9.0], lambda: 2) is a


def test_a_planner_that_starts_again_is_another_source():
    sequence = [(1, 0.0), (2, 0.0), (3, 0.0), (1, 0.0), (2, 0.0)]
    assert sources_of(sequence, publishers=1) == [0, 0, 0, 1, 1]


def test_no_more_sources_are_remembered_than_there_are_publishers():
    sources = Sources('setpoint')
    for k in range(1000):
        sources.of(information(1, k, publisher_gid=k), [0.0], lambda: 3)
    assert len(sources._sources) == 3
