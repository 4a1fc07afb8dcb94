# SPDX-License-Identifier: Apache-2.0
"""When the machine itself stood still: a process on each processor outranks all others, wakes up each millisecond, and notes delays.

A virtual machine's processors are taken away for milliseconds now and then, from whatever runs on them.
"""

import json
import os
import select
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np

PRIORITY = 98           # SCHED_FIFO
PERIOD = 1e-3           # [s]
LATE = 1e-3             # [s] beyond the period


@contextmanager
def standstills():
    """[their spans (n, 2) [s] of the system's time] once the block has ended; empty where the system refuses such a priority."""
    processes = [
        subprocess.Popen([sys.executable, '-I', __file__, str(processor)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for processor in sorted(os.sched_getaffinity(0))]
    found = []
    try:
        yield found
    finally:
        told = [process.communicate('\n')[0] for process in processes]
        if all(told):
            found.append(np.array([span for spans in told for span in json.loads(spans)]).reshape(-1, 2))


def during(found, begin, end):
    """Whether a span of time holds a part of a standstill."""
    return bool(found) and bool(np.any((found[0][:, 0] < end) & (found[0][:, 1] > begin)))


def main():
    os.sched_setaffinity(0, {int(sys.argv[1])})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    spans, last = [], time.time()
    while not select.select([sys.stdin], [], [], PERIOD)[0]:
        now = time.time()
        if now - last > PERIOD + LATE:
            spans.append((last, now))
        last = now
    print(json.dumps(spans))


if __name__ == '__main__':
    main()
