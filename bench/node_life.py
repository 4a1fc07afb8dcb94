# SPDX-License-Identifier: Apache-2.0
"""Memory and descriptors of a process over its life."""

import time
from pathlib import Path

import numpy as np

WARM_UP = 60.0          # [s] after which memory must not grow


class Life:
    """Memory and descriptors of one process of the node, looked at once a second."""

    def __init__(self, pid):
        self.pid = pid
        self.began = self.next = time.perf_counter()
        self.observed = []      # (age [s], memory [MB], descriptors)

    def observe(self, now):
        if now >= self.next:
            self.next = now + 1.0
            self.observed.append((now - self.began, memory(self.pid), descriptors(self.pid)))

    def growth(self):
        """From the end of the warm-up, or of the first half of a short life, to the end: medians over a tenth of the life."""
        ages, megabytes, counts = np.array(self.observed).T
        warm = min(WARM_UP, ages[-1] / 2)
        some = max(len(ages) // 10, 3)
        first = np.flatnonzero(ages >= warm)[:some]
        return {
            'seconds': float(ages[-1]), 'from_s': float(warm), 'memory_MB': float(np.median(megabytes[-some:])),
            'memory_growth_MB': float(np.median(megabytes[-some:]) - np.median(megabytes[first])),
            'descriptors': int(np.median(counts[-some:])),
            'descriptor_growth': int(np.median(counts[-some:]) - np.median(counts[first]))}


def memory(pid):
    """[MB] that a process holds for itself."""
    status = Path(f'/proc/{pid}/status').read_text()
    return int(status.split('RssAnon:')[1].split()[0]) / 1024


def descriptors(pid):
    return len(list(Path(f'/proc/{pid}/fd').iterdir()))
