# SPDX-License-Identifier: Apache-2.0
"""Claims on outputs between real processes: one has a topic, until it gives it back or dies, however it dies."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hod_ros.ros.guards.claims import Claims

OURS, THEIRS = bytes(range(12)), bytes(range(50, 62))
OWNER = '''
import sys
from hod_ros.ros.guards.claims import Claims
claims = Claims(sys.argv[1], bytes(range(50, 62)), '/left/hod')
print(claims.take(sys.argv[2:]), flush=True)
sys.stdin.readline()
claims.release()
print('released', flush=True)
sys.stdin.readline()
'''


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path))
    monkeypatch.setenv('TMPDIR', str(tmp_path))


@pytest.fixture
def owner():
    """start(network, *topics) of a process that claims these topics."""
    started = []

    def start(network, *topics):
        process = subprocess.Popen(
            [sys.executable, '-c', OWNER, network, *topics], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=Path(__file__).parents[2])
        started.append(process)
        assert process.stdout.readline() == '[]\n'
        return process
    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_topic_is_one_process_own_and_is_free_as_soon_as_that_is_killed(owner):
    process, claims = owner('net', '/commands', '/feedforward'), Claims('net', OURS, '/right/hod')
    assert claims.others(['/other', '/commands']) == [('/commands', '/left/hod')]
    assert claims.take(['/other', '/commands']) == [('/commands', '/left/hod')]
    assert Claims('net', THEIRS, '/x').take(['/other']) == [], 'what was not granted as a whole was kept'
    process.send_signal(signal.SIGSTOP)
    assert claims.take(['/commands']) and not claims.is_dead(THEIRS + b'\0\0\3\3')
    process.kill()
    process.wait()
    assert claims.take(['/commands', '/feedforward']) == []
    assert claims.is_dead(THEIRS + b'\0\0\3\3') and not claims.is_dead(OURS + b'\0\0\3\3')
    assert Claims('net', THEIRS, '/x').others(['/commands']) == [('/commands', '/right/hod')]
    claims.release()
    assert Claims('net', THEIRS, '/x').take(['/commands']) == []


def test_who_gives_a_topic_back_is_not_taken_for_dead(owner):
    process, claims = owner('net', '/commands'), Claims('net', OURS, '/right/hod')
    process.stdin.write('\n')
    process.stdin.flush()
    assert process.stdout.readline() == 'released\n'
    assert claims.take(['/commands']) == [] and not claims.is_dead(THEIRS)


def test_other_networks_and_topics_are_no_concern(owner):
    owner('net', '/commands')
    claims = Claims('other net', OURS, '/right/hod')
    assert claims.take(['/commands']) == [] and Claims('net', OURS, '/right/hod').take(['/commands_too']) == []


def test_where_no_file_can_be_made_nobody_is_hindered(tmp_path, monkeypatch):
    folder = tmp_path / f'hod_ros_{os.getuid()}'
    folder.symlink_to('/nowhere')
    claims = Claims('net', OURS, '/right/hod')
    assert claims.take(['/commands']) == claims.others(['/commands']) == []
    claims.release()


def test_a_file_system_without_locks_has_no_claims(monkeypatch):
    def flock(descriptor, how):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr('fcntl.flock', flock)
    claims = Claims('network', OURS, '/ours/hod')
    assert claims.others(['/a']) == [] and claims.take(['/a']) == []
