# SPDX-License-Identifier: Apache-2.0
"""Faults of a soak that cost setpoints by their nature: what got no answer must be what the node says that it lost or dropped, no more.

Each has a time of its own, when no other fault goes on, for what others send would be counted with it.
"""

import os
import signal
import subprocess
import time
from pathlib import Path

from bench.faults import MASSES

OTHER_JOINTS = next(iter(MASSES.values())).replace('panda_joint', 'other_joint')
QUIET = 0.5             # [s] after which all that was sent has been answered or lost
SWAPPED = 1.5           # [s] for which another robot is in use
BURST = 800             # setpoints while the node stands still: more than its queue holds, fewer than our own does
PATIENCE = 10.0         # [s]
TELLING = ('dropped', 'lost before arrival', 'received while inactive')


def accounted(soak):
    """{fault: {'unanswered': setpoints, 'told': what the node says of them, 'sent'}}; 'must_lose': whether it costs any for certain."""
    results = {
        'other_joints': _account(soak, other_joints) | {'must_lose': True},
        'own_queue': _account(soak, own_queue) | {'must_lose': True}}
    if soak.small_disk:
        results['full_disk'] = _account(soak, full_disk) | {'must_lose': False}
    return results


def faults_in(results):
    """What is not as it must be, as sentences."""
    found = []
    for name, result in results.items():
        if result['unanswered'] != result['told']:
            found.append(f'{name}: {result["unanswered"]} setpoints got no answer, and the node tells of {result["told"]}')
        if result['must_lose'] and not result['told']:
            found.append(f'{name}: no setpoint was lost, so this was no test')
    return found


def _account(soak, fault):
    before, sent = _told(soak), soak.number
    soak.sent.clear()
    began = time.perf_counter()
    soak.accounted.append((began, float('inf')))
    fault(soak)
    after = _told(soak)
    soak.accounted[-1] = began, time.perf_counter()
    unanswered = len(soak.sent)
    soak.sent.clear()
    return {'sent': soak.number - sent, 'unanswered': unanswered, 'told': after - before}


def _told(soak):
    """How many setpoints the node says that it did not answer, when nothing is on its way any more."""
    soak.spin_until(time.perf_counter() + QUIET)
    soak.report = None
    end = time.perf_counter() + PATIENCE
    while soak.report is None:
        assert time.perf_counter() < end, 'the node reports nothing'
        soak.spin_until(time.perf_counter() + 0.05)
    return sum(int(soak.report[key]) for key in TELLING)


def other_joints(soak):
    """A robot of other joints for a while: the setpoints name none of its own."""
    soak.describe(OTHER_JOINTS)
    soak.stream(SWAPPED)
    soak.describe(next(iter(MASSES.values())))
    soak.stream(SWAPPED)


def own_queue(soak):
    """More setpoints than the node's queue holds, while it stands still."""
    soak.stream(0.2)
    soak.process.send_signal(signal.SIGSTOP)
    for _ in range(BURST):
        soak.send()
    time.sleep(0.1)
    soak.process.send_signal(signal.SIGCONT)
    soak.spin_until(time.perf_counter() + 1.0)
    soak.stream(0.5)            # a number after the gap tells of it


def full_disk(soak):
    """TMPDIR full while another robot comes: nothing is lost, and services answer with it."""
    ballast = Path(soak.small_disk) / 'ballast'
    _fill(ballast)
    soak.describe(MASSES['heavier'])
    soak.stream(1.0)
    assert soak.asks_in_vain() == '', f'with TMPDIR full: {soak.asks_in_vain()}'
    soak.describe(MASSES['as it is'])
    soak.stream(0.5)
    ballast.unlink()


def _fill(path):
    with open(path, 'wb', buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass


def small_disk(folder):
    """A file system of a few pages in this folder; '' where none can be made. To be asked for in a mount namespace of our own only."""
    made = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=128k', 'hod_soak', folder], capture_output=True).returncode == 0
    return os.fspath(folder) if made else ''
