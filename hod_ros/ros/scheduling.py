# SPDX-License-Identifier: Apache-2.0
"""Which of a machine's processes go first: the setpoint path, then what plans its motions, then the ordinary, then its services."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from typing import TypeVar

if TYPE_CHECKING:
    from rclpy.impl.rcutils_logger import RcutilsLogger

AHEAD, BEHIND = -5, 5   # niceness of what plans motions, and of services until they answer
NICENESS = 10           # of services that answer
PROCESSES = Path('/proc')
T = TypeVar('T')


def take_priority(logger: RcutilsLogger, priority: int) -> None:
    """What a node does about its parameter realtime_priority."""
    refusal = run_in_real_time(priority) if priority else None
    if refusal:
        logger.info(
            f'messages are answered at ordinary priority: SCHED_FIFO {priority} was refused ({refusal}); '
            'allow it with an rtprio line in /etc/security/limits.conf, or set realtime_priority to 0')


def run_in_real_time(priority: int) -> str | None:
    """All threads of this process, and those they will start, under SCHED_FIFO; returns why the system refuses, or None."""
    if not hasattr(os, 'sched_setscheduler'):
        return 'this system has no SCHED_FIFO'
    try:
        _schedule_all_threads(os.SCHED_FIFO, priority)
    except OSError as error:
        return str(error)
    return None


def run_as_others() -> None:
    """Takes run_in_real_time back."""
    _schedule_all_threads(os.SCHED_OTHER, 0)


def _schedule_all_threads(policy, priority):
    for thread in _threads(os.getpid()):
        with suppress(ProcessLookupError):      # it has ended
            os.sched_setscheduler(thread, policy, os.sched_param(priority))


def at_ordinary_priority(start: Callable[[], T]) -> T:
    """What start() returns. A process that it starts does not inherit our real-time priority, which we may not be free to take again."""
    def in_a_thread():
        if hasattr(os, 'sched_setscheduler') and os.sched_getparam(0).sched_priority:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        return start()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(in_a_thread).result()


def stand_behind_the_node() -> None:
    """Priority for a process for whose motions the node that started it waits: ahead of the ordinary, where the node is in real time."""
    if hasattr(os, 'sched_getscheduler') and os.sched_getscheduler(os.getppid()) == os.SCHED_FIFO:
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, AHEAD)
    else:
        os.nice(BEHIND)


def start_behind() -> None:
    """Priority for services until they answer: a start needs a second of a processor, and would take a minute where all are busy."""
    os.nice(BEHIND)


def give_way() -> None:
    """After start_behind: lower priority for all threads of this process, and one processor left to others where there are several."""
    os.nice(NICENESS - BEHIND)
    if hasattr(os, 'sched_getaffinity'):
        processors = sorted(os.sched_getaffinity(0))
        _place(os.getpid(), processors[1:] or processors)


def no_longer_give_way(process: int) -> None:
    """Takes give_way back for another process, all of whose threads have to end: on all our processors, and as soon as we where we may."""
    if hasattr(os, 'sched_getaffinity'):
        _place(process, sorted(os.sched_getaffinity(0)))


def _place(process, processors):
    """All threads of a process on these processors, with this thread's niceness where we may."""
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(OSError):         # it has ended
        for thread in _threads(process):
            with suppress(OSError):     # the same, or we may not
                os.sched_setaffinity(thread, processors)
                os.setpriority(os.PRIO_PROCESS, thread, niceness)


def _threads(process):
    return [int(thread.name) for thread in (PROCESSES / str(process) / 'task').iterdir()]
