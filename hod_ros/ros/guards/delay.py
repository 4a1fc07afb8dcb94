# SPDX-License-Identifier: Apache-2.0
"""How old states are when torques answer them, against the delay that the loop's gains bear.

Measured by stamps and the clock that they are of. A median over many states judges, for a few that come late harm no loop: one beyond its
margin swings up over many periods. Clearly beyond it, feedback does harm, also while it holds the arm; states so old are as good as none.
"""

import numpy as np

from hod_ros.ros.guards.record import Record

STATES = 256            # over which the median is taken
FIRST = 64              # states after which there is one
EVERY = 32              # states between two looks
LATEST = 1.0            # [s] states older than this, or from the future, are stamped by another clock
STRANGE = 32            # such states in a row after which that is believed
CLEARLY = 2.0           # times the margin: it is that of the worst posture, of springs that damp no more than they are known to
UNAGREED = 'no state whose stamp agrees with the clock has come'


class Delay:
    """margin: of the loop; told: the delay that it is computed for; held: that which comes on top, half a period [s]."""

    def __init__(self, margin: float, *, told: float, held: float, off: str = '') -> None:
        self.record = Record('delay', off=off or UNAGREED)
        self.fault = ''         # why the loop is clearly beyond its margin
        self.median: float | None = None        # [s] None: too few states came
        self._margin, self._told, self._held, self._judges = margin, told, held, not off
        self._ages = np.zeros(STATES)
        self._count = self._strange = 0

    def take(self, stamp: int, clock: int) -> None:
        """A state of this stamp is answered when it is `clock`, both in [ns]."""
        if not self._judges:
            return
        age = 1e-9 * (clock - stamp)
        if not 0 <= age <= LATEST:
            self._strange += 1
            if self._strange == STRANGE:
                self._forget()
            return
        self._strange = 0
        self._ages[self._count % STATES] = age
        self._count += 1
        if self._count >= FIRST and self._count % EVERY == 0:
            self._look()

    def _forget(self) -> None:
        self._count, self.median, self.fault, self.record.off = 0, None, '', UNAGREED

    def _look(self) -> None:
        self.median = float(np.median(self._ages[:self._count]))
        self.record.off = ''
        late = self.median + self._held
        self.fault = '' if late <= CLEARLY * self._margin else (
            f'torques act {1e3 * late:.3g} ms after the time of their state (median; half a period of it while they are held), and the '
            f'loop bears {1e3 * self._margin:.3g} ms: it would be unstable; make it quicker, lower bandwidth, '
            'or stamp by one clock; where clocks of two hosts differ by so much, measure_delay: false')

    @property
    def warning(self) -> str:
        """What is not as gains and feedforward were computed for, or ''."""
        if self.median is None:
            return ''
        if self.median + self._held > self._margin:
            return (f'torques act {1e3 * (self.median + self._held):.3g} ms late, and the loop bears {1e3 * self._margin:.3g} ms in its '
                    'worst posture')
        if self.median > self._told + self._held:
            return f'states are {1e3 * self.median:.3g} ms old when they are answered, and delay says {1e3 * self._told:.3g} ms'
        return ''

    @property
    def values(self) -> dict[str, str]:
        """What diagnostics say of it."""
        seen = self._ages[:min(self._count, STATES)]
        measured = 'not known'
        if self.median is not None:
            measured = ', '.join(f'{1e3 * age:.3g}' for age in (self.median, np.quantile(seen, 0.95), seen.max()))
        return {
            'age of states when answered: median, 95 %, largest [ms]': measured, 'delay, as told [ms]': f'{1e3 * self._told:.3g}',
            'delay that the loop bears [ms]': f'{1e3 * (self._margin - self._held):.3g}'}
