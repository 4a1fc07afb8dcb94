# SPDX-License-Identifier: Apache-2.0
"""The blackboard between the node and its services' process: always the latest whole value, or the one before."""

import errno
import os
import threading

import pytest

from hod_ros.errors import HodError
from hod_ros.ros.services import blackboard
from hod_ros.ros.services.blackboard import Blackboard
from hod_ros.ros.services.blackboard import SignsOfLife


@pytest.fixture
def pair():
    """(writer, reader)"""
    writer = Blackboard()
    yield writer, Blackboard(writer.descriptor)
    writer.close()


def test_the_reader_sees_the_latest_value_and_whether_it_is_new(pair):
    writer, reader = pair
    writer.write({'value': 1})
    assert reader.changed() and reader.read() == {'value': 1}
    assert not reader.changed()
    writer.write('longer than before ' * 100)
    writer.write('short')
    assert reader.changed() and reader.read() == 'short'
    assert reader.read() == 'short' and not reader.changed()


def test_a_write_in_the_middle_of_reads_is_never_seen_half(pair):
    writer, reader = pair
    values = [bytes([k]) * (200_000 * (k % 3 + 1)) for k in range(8)]
    writer.write(values[0])
    done = threading.Event()

    def write():
        for k in range(200):
            writer.write(values[k % 8])
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    reads = 0
    while not done.is_set() or not reads:
        assert reader.read() in values
        reads += 1
    thread.join()
    assert reader.read() == values[199 % 8]


def test_a_full_disk_is_an_error_and_the_value_before_stays(pair, monkeypatch):
    """A short write is what a full file system answers with."""
    writer, reader = pair
    writer.write('the last good one')
    whole = os.pwrite

    def short(descriptor, data, offset):
        return whole(descriptor, bytes(data)[:100], offset) if len(data) > 100 else whole(descriptor, data, offset)

    monkeypatch.setattr(blackboard.os, 'pwrite', short)
    with pytest.raises(OSError) as caught:
        writer.write('x' * 10_000)
    assert caught.value.errno == errno.ENOSPC
    assert reader.read() == 'the last good one'
    with pytest.raises(OSError):
        writer.write('y' * 10_000)
    assert not reader.changed() and reader.read() == 'the last good one'
    monkeypatch.undo()
    writer.write('room again')
    assert reader.changed() and reader.read() == 'room again'


def test_the_file_does_not_grow_with_the_number_of_writes(pair):
    writer, reader = pair
    for k in range(1000):
        writer.write('x' * (1000 + k % 7))
        assert k % 100 or reader.read() == 'x' * (1000 + k % 7)
    assert os.fstat(writer.descriptor).st_size < 5000


def test_a_damaged_value_is_an_error_and_no_endless_wait(pair, monkeypatch):
    writer, reader = pair
    monkeypatch.setattr(blackboard, 'PATIENCE', 0.1)
    writer.write('value')
    os.pwrite(writer.descriptor, b'\xff', blackboard.HEADER.size + 3)
    with pytest.raises(HodError, match='cannot be read'):
        reader.read()


def test_signs_of_life_have_an_age():
    signs = SignsOfLife()
    assert signs.age() is None
    signs.give()
    assert 0.0 <= signs.age() < 60.0
    signs.forget()
    assert signs.age() is None
    signs.close()
