# SPDX-License-Identifier: Apache-2.0
"""What Ctrl-C, SIGTERM and SIGHUP do: leave at once and silently, or raise, so that what is half written is removed on the way out."""

import os
import signal
from types import FrameType

from hod_ros.command.exits import HungUp
from hod_ros.command.exits import Terminated

ENDED_BY = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated, signal.SIGHUP: HungUp}
SOON, LATEST = 0.02, 1.0        # [s] until an import that was interrupted is looked at again, and until it is not waited for any more


def leave_at_a_signal() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    _handle(lambda number, _: os._exit(128 + number))


def raise_at_a_signal() -> None:
    _handle(_raise)


def _handle(handler):
    for number in ENDED_BY:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:       # which nohup asks for
            signal.signal(number, handler)


def _raise(number: int, frame: FrameType | None, waited: float = 0.0) -> None:
    """At once, and at the next one leave; soon, where a module is being imported, which could swallow what is raised."""
    if waited < LATEST and _imports(frame):
        signal.signal(signal.SIGALRM, lambda _, frame: _raise(number, frame, waited + SOON))
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    leave_at_a_signal()
    raise ENDED_BY[signal.Signals(number)]


def _imports(frame):
    while frame is not None and frame.f_globals.get('__name__') not in ('importlib._bootstrap', '_frozen_importlib'):
        frame = frame.f_back
    return frame is not None
