"""Whether setpoints are fresh: the age of the last good one, by arrival on the steady clock."""


class Freshness:

    def __init__(self, timeout):
        self.timeout = timeout      # [s]; 0: nothing is ever stale
        self.timeouts = 0           # how often setpoints became stale
        self.reset()

    def reset(self):
        self.last = None            # [s] arrival of the last good setpoint since the node became active
        self.stale = False

    def arrived(self, now):
        """A good setpoint came; whether it ends a stale time."""
        ended = self.check(now) or self.stale
        self.stale = False
        self.last = now
        return ended

    def check(self, now):
        """Whether setpoints have become stale since the last look."""
        if self.stale or not self.timeout or self.last is None or now - self.last <= self.timeout:
            return False
        self.stale = True
        self.timeouts += 1
        return True
