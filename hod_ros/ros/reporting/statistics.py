"""Counts of what came, what was answered, what was dropped and why, and how long it took."""

from collections import Counter
from dataclasses import dataclass
from time import monotonic

LOG_PERIOD = 1.0        # [s] between two log lines about dropped setpoints
MOST_DURATIONS = 20000  # kept between two reports


@dataclass
class Excess:
    """How often, and how far, one joint went beyond one of its limits."""

    count: int
    worst: float
    limit: float


class Statistics:

    def __init__(self, logger):
        self._logger = logger
        self.received = 0
        self.published = 0
        self.inactive = 0
        self.lost = 0
        self.clipped = 0
        self.dropped = Counter()
        self.last_fault = ''
        self.durations = []             # [s] of the setpoints answered since the last report
        self.excesses = {}              # (joint, kind) -> Excess since the last report
        self.exceeded = Counter()       # (joint, kind) -> count since the start
        self._next_log = 0.0
        self._unlogged = 0

    def answered(self, seconds, clipped):
        self.published += 1
        self.clipped += clipped
        if len(self.durations) < MOST_DURATIONS:
            self.durations.append(seconds)

    def drop(self, reason, text):
        """Counts a bad setpoint, and logs it unless another was logged within the last second."""
        self.dropped[reason] += 1
        self.last_fault = text
        now = monotonic()
        if now < self._next_log:
            self._unlogged += 1
            return
        more = f' ({self._unlogged} more were dropped since the last such line)' if self._unlogged else ''
        self._logger.warning(f'dropped a setpoint: {text}{more}')
        self._next_log = now + LOG_PERIOD
        self._unlogged = 0

    def exceed(self, joint, kind, value, limit):
        key = joint, kind
        self.exceeded[key] += 1
        excess = self.excesses.get(key)
        if excess is None:
            self.excesses[key] = Excess(1, value, limit)
            return
        excess.count += 1
        if abs(value) > abs(excess.worst):
            excess.worst, excess.limit = value, limit

    def take_durations(self):
        taken, self.durations = self.durations, []
        return taken

    def take_excesses(self):
        taken, self.excesses = self.excesses, {}
        return taken
