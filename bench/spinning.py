# SPDX-License-Identifier: Apache-2.0
"""How much two processors of this machine do at once: figures of two threads or workers count only where that is near 2."""

import time
from multiprocessing import get_context

SPIN = 20_000_000
ENOUGH = 1.8


def spin(_):
    begin = time.perf_counter()
    total = 0
    for k in range(SPIN):
        total += k
    return time.perf_counter() - begin


def two_processes():
    """How many times as much two processes that only count do as one."""
    with get_context('spawn').Pool(2) as pool:
        one = pool.map(spin, [0], chunksize=1)[0]
        begin = time.perf_counter()
        pool.map(spin, [0, 0], chunksize=1)
        return 2 * one / (time.perf_counter() - begin)
