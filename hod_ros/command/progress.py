# SPDX-License-Identifier: Apache-2.0
"""A progress bar on a terminal, on stderr; nothing anywhere else."""

import sys
import time

_WIDTH = 30
_PAUSE = 0.1        # [s] between two drawings


class Progress:
    """Call it with what is done; `with` clears its line at the end."""

    def __init__(self, total: int | None, unit: str) -> None:
        self._total, self._unit = total, unit
        self._begin = time.monotonic()
        self._next = 0.0
        self._shown = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if not self._shown or now < self._next:
            return
        self._next = now + _PAUSE
        passed = now - self._begin
        speed = done / passed if passed > 0 else 0.0
        if self._total:
            part = min(1.0, done / self._total)
            bar = '#' * round(_WIDTH * part) + '.' * (_WIDTH - round(_WIDTH * part))
            rest = f', {passed * (1 - part) / part:.0f} s left' if part > 0 else ''
            text = f'[{bar}] {100 * part:3.0f} %, {done} of {self._total} {self._unit}{rest}'
        else:
            text = f'{done} {self._unit}, {speed:.0f} a second'
        print(f'\r\033[K{text}', end='', file=sys.stderr, flush=True)

    def __enter__(self) -> 'Progress':
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print('\r\033[K', end='', file=sys.stderr, flush=True)
