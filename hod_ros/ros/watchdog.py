# SPDX-License-Identifier: Apache-2.0
"""Ends a process whose loop stands still: with a last command where one can be sent, a sentence, and an exit code that others can act upon.

A thread watches, which is no part of the executor. It counts its own steps rather than seconds, so that a process that was stopped is not
taken for one that hangs. Where the lock of the interpreter is never given back, so that no Python runs, faulthandler's thread ends it.
"""

import faulthandler
import os
import select
import signal
import threading
import time
from contextlib import suppress
from typing import Protocol

STEP = 0.1              # [s]
COMMANDING = 2.0        # [s] longest callback while commands go out
IDLE = 30.0             # [s] the same while none do: a large description may be loaded
SIGNALLED = 2.0         # [s] longest callback after a signal
ENDING = 4.0            # [s] from the end of the loop to that of the process
PARTING = 1.0           # [s] for the last command
NO_PYTHON = 5.0         # [s]
STOOD_STILL = 3         # exit code
STDERR = 2


class Watched(Protocol):
    """A node; `send_last_command` is for a thread that is not the executor's."""

    @property
    def commanding(self) -> bool: ...

    def send_last_command(self) -> None: ...


class Watchdog:

    def __init__(self, name: str) -> None:
        self._name = name
        self._node = None
        self._beats = 0
        self._ending = self._closed = False
        self._signals, self._wakeup = os.pipe()
        os.set_blocking(self._wakeup, False)
        signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)       # tells of a signal even where the main thread hangs

    def watch(self, node: Watched) -> None:
        """From now on. The node has `commanding`, and `send_last_command()` for a thread that is not the executor's."""
        self._node = node
        threading.Thread(target=self._run, name='watchdog', daemon=True).start()

    def beat(self) -> None:
        """The loop goes on."""
        self._beats += 1

    def end(self) -> None:
        """The loop has ended, the process is about to."""
        self._ending = True

    def close(self) -> None:
        self._closed = True
        signal.set_wakeup_fd(-1)
        faulthandler.cancel_dump_traceback_later()

    def _run(self):
        beats, still, signalled = 0, 0.0, False
        while not self._closed:
            faulthandler.dump_traceback_later(NO_PYTHON, exit=True, file=STDERR)
            if select.select([self._signals], [], [], STEP)[0] and os.read(self._signals, 64):
                signalled = True
                continue
            beats, still = self._beats, still + STEP if beats == self._beats else 0.0
            longest = ENDING if self._ending else SIGNALLED if signalled else COMMANDING if self._node.commanding else IDLE
            if still >= longest and not self._closed:
                self._give_up(still)

    def _give_up(self, still):
        _say(f'{self._name}: callbacks have stood still for {still:.1f} s; this process sends its last command and ends. It stands here:\n')
        faulthandler.dump_traceback(file=STDERR)
        faulthandler.dump_traceback_later(PARTING, exit=True, file=STDERR)      # should the last command hang as well
        try:
            self._node.send_last_command()
            time.sleep(STEP)        # for it to arrive
        except Exception as error:
            _say(f'{self._name}: the last command could not be sent: {error!r}\n')
        os._exit(STOOD_STILL)


def _say(text):
    with suppress(OSError):
        os.write(STDERR, text.encode())
