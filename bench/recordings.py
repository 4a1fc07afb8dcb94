# SPDX-License-Identifier: Apache-2.0
"""`hod compute` on a bag of a million setpoints against reading it raw; two workers against one on a folder."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import Reader

from bench.spinning import ENOUGH
from bench.spinning import two_processes
from bench.timing import Table
from hod_ros.recordings import cdr
from hod_ros.recordings.mcap_writer import McapWriter

HOD = str(Path(sys.prefix) / 'bin' / 'hod')
NAMES = tuple(f'panda_joint{i}' for i in range(1, 8))
DEFINITION = '\n'.join([
    'std_msgs/Header header', 'string[] joint_names', *(f'float64[] {field}' for field in cdr.ARRAYS[cdr.SETPOINT]), '=' * 80,
    'MSG: std_msgs/Header', 'builtin_interfaces/Time stamp', 'string frame_id', '=' * 80, 'MSG: builtin_interfaces/Time', 'int32 sec',
    'uint32 nanosec'])
READ = '''
import sys, time
from rosbags.rosbag2 import Reader
begin = time.perf_counter()
with Reader(sys.argv[1]) as reader:
    size = sum(len(data) for _, _, data in reader.messages())
print(time.perf_counter() - begin)
'''


def motion(t):
    w = np.linspace(0.5, 2, 7)
    return np.stack([0.5 * w**k * np.sin(np.outer(t, w) + k * np.pi / 2) - (k == 0) for k in range(5)], axis=1)


def bag(path, setpoints):
    """Setpoints with snaps, one a millisecond."""
    writer = cdr.Writer([('stamp', None), ('text', ''), ('texts', NAMES)] + [('doubles', 7)] * 5 + [('doubles', 0)] * 4)
    with open(path, 'wb') as file:
        out = McapWriter(file, '/hod/setpoint', cdr.SETPOINT, DEFINITION, {})
        for first in range(0, setpoints, 2000):
            k = np.arange(first, min(first + 2000, setpoints))
            stamps = 1_700_000_000_000_000_000 + 1_000_000 * k
            out.add(stamps, writer.messages(stamps, *np.swapaxes(motion(1e-3 * k), 0, 1), *[None] * 4))
        out.finish()


def used(*words, **environment):
    """(seconds, MB at most) of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=os.environ | environment)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f'{words} gave {status}'
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def million(folder):
    table = Table('hod compute, MCAP of 1 million setpoints, 7 joints, order 2, end to end; against reading it raw with rosbags')
    path = folder / 'million.mcap'
    bag(path, 1_000_000)
    with Reader(path) as reader:
        assert reader.message_count == 1_000_000
    raw, ours = [], []
    for _ in range(3):          # in turns
        raw.append(float(subprocess.run([sys.executable, '-c', READ, path], check=True, capture_output=True, text=True).stdout))
        ours.append(used(HOD, 'compute', 'panda', str(path), '--order', '2', '-o', str(folder / 'Q.mcap')))
    table.add('time', 1e3 * min(ours)[0], 1e3 * min(raw), 3.0, unit='ms')
    table.add('memory against 300 MB', max(memory for _, memory in ours), 300.0, 1.0, unit='MB')
    path.unlink()
    return table.rows


def workers(folder):
    """Counts only where the machine has two processors for us."""
    machine = two_processes()
    table = Table(f'64 recordings by two workers against one; two spinning processes reach {machine:.2f} of 2')
    for what, samples in (('of a quarter of a minute at 1 kHz', 15_000), ('of a minute', 60_000)):
        logs = folder / f'logs{samples}'
        logs.mkdir()
        bag(logs / '00.mcap', samples)
        for i in range(1, 64):
            os.link(logs / '00.mcap', logs / f'{i:02}.mcap')
        found = {
            jobs: used(
                HOD, 'compute', 'panda', str(logs), '--order', '2', '-o', str(folder / f'out{samples}_{jobs}'), '--format', 'npz',
                '--jobs', jobs, HOD_ROS_THREADS='1')[0]
            for jobs in ('1', '2')}
        table.add(what, 1e3 * found['1'], 1e3 * found['2'], 1.7 if machine >= ENOUGH else None, unit='ms', at_least=True)
    return table.rows


def run():
    with tempfile.TemporaryDirectory() as folder:
        return million(Path(folder)) + workers(Path(folder))


if __name__ == '__main__':
    run()
