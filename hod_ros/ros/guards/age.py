# SPDX-License-Identifier: Apache-2.0
"""What is old by its stamp is not commanded, where stamps and clock have once agreed."""

from hod_ros.ros.guards.record import Record


class Age:
    """max_age [s]; 0: nothing is ever old. Once they have agreed, stamps are judged until the guard is reset."""

    def __init__(self, max_age: float) -> None:
        self.record = Record('age')
        self.use(max_age)

    def use(self, max_age: float) -> None:
        self._max_age = max_age
        self._longest = round(1e9 * max_age)
        self.forget()

    def forget(self) -> None:
        """Whether stamps and clock agree is found out anew, as after a reset."""
        self._agreed = [False, False]
        self.record.off = 'no stamp that agrees with the clock has come yet' if self._max_age else 'max_age is 0'

    def fault(self, stamp: int, now: int, sent: int, received: int) -> str:
        """Why this setpoint is too old to be commanded, or ''. All in [ns]: its stamp and the clock that stamps are of, and when the
        middleware sent it and now has it, by the system's clock; 0: it has none."""
        if not self._longest:
            return ''
        return self._of(0, stamp, now, 'by its stamp') or self._of(1, sent, received, 'by the time when it was sent')

    def _of(self, kind: int, then: int, now: int, how: str) -> str:
        if not then:
            return ''
        age = now - then
        if self._agreed[kind]:
            if age > self._longest:
                reason = f'a setpoint is {1e-9 * age:.3f} s old {how}; max_age is {self._max_age:g} s'
                self.record.act(reason)
                return reason
        elif abs(age) <= self._longest:
            self._agreed[kind] = True
            self.record.off = ''
        return ''
