"""Losses are counted from numbers alone, of one source or several, whenever these come and go."""

import itertools

import numpy as np

from hod_ros.ros.setpoints.losses import Losses

PERIOD = 1_000_000     # [ns] between two messages


class Counts:
    lost = 0


def lost(numbers, publishers=1):
    counts = Counts()
    losses = Losses(counts)
    for k, number in enumerate(numbers):
        losses.take({'publication_sequence_number': number, 'source_timestamp': k * PERIOD}, lambda: publishers)
    return counts.lost


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


def test_a_middleware_without_numbers_counts_nothing():
    assert lost([None, None]) == 0
