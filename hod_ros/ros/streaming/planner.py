# SPDX-License-Identifier: Apache-2.0
"""The node's end of the process that interpolates: one job at a time, whose result a timer of the node looks for.

A process of its own, because reading a message of thousands of points, and solving for its motion, would hold up setpoints from a thread.
"""

import subprocess
import sys
import threading
from contextlib import suppress
from time import monotonic
from typing import Any

from hod_ros.errors import HodError
from hod_ros.ros.scheduling import at_ordinary_priority
from hod_ros.ros.services.host_process import APART
from hod_ros.ros.services.host_process import DYING
from hod_ros.ros.services.host_process import search_path
from hod_ros.ros.streaming.planner_host import receive
from hod_ros.ros.streaming.planner_host import send
from hod_ros.ros.streaming.plans import PlanningRobot
from hod_ros.ros.streaming.plans import Rehearsal

LONGEST = 10.0          # [s] a job may take
LONGEST_START = 60.0    # [s] longer, where the process has to start first: busy processors make it wait
PARTING = 0.3           # [s] longest wait for the thread that waits for a result
PROGRAM = 'import sys; sys.path[:] = sys.argv[1:]; from hod_ros.ros.streaming.planner_host import main; sys.exit(main())'


class Planner:
    """Started by `start`, which takes a second, or by a job; one that died or took too long is started again."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None
        self._robot: PlanningRobot | None = None        # that jobs are run with
        self._told: PlanningRobot | None = None         # that the process knows
        self._result: list[Any] | None = None           # of the running job: empty until it is there
        self._thread: threading.Thread | None = None
        self._rehearsing = False
        self._began = self._longest = 0.0
        self.last_seconds = 0.0                         # that the last job took

    def use(self, robot: PlanningRobot) -> None:
        """From the next job on."""
        self._robot = robot

    @property
    def busy(self) -> bool:
        return self._result is not None and not (self._rehearsing and self._result)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def readiness(self) -> str:
        if not self.running:
            return 'not started: there is no publisher'
        return 'starting' if self._rehearsing and self.busy else 'ready'

    def start(self) -> None:
        """Busy until it is ready, where it isn't running."""
        if not self.busy and not self.running:
            self.begin(Rehearsal())
            self._rehearsing = True

    def begin(self, job: Any) -> None:
        """Not while busy."""
        self._longest = LONGEST
        if not self.running:
            self.close()
            self._told, self._longest = None, LONGEST_START + LONGEST
            self._process = at_ordinary_priority(lambda: subprocess.Popen(
                [sys.executable, '-I', '-c', PROGRAM, *search_path()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **APART))
        robot, self._told = None if self._told is self._robot else self._robot, self._robot
        self._result, self._began, self._rehearsing = [], monotonic(), False
        self._thread = threading.Thread(target=_exchange, args=(self._process, (robot, job), self._result), daemon=True)
        self._thread.start()

    def poll(self) -> Any:
        """The result of the job once it is done, a HodError where it has none; None until then."""
        result = self._result
        if result is None:
            return None
        seconds = monotonic() - self._began
        if result:
            self._result = None
            if self._rehearsing:
                self._rehearsing = False
                self.last_seconds = result[0] if isinstance(result[0], float) else 0.0
                return None
            self.last_seconds = seconds
            return result[0]
        if seconds > self._longest:
            self.close()
            self._result, self._rehearsing = None, False
            remedy = 'give fewer points' if self._longest == LONGEST else 'leave the process that interpolates a processor to start on'
            return HodError(f'a trajectory could not be interpolated within {self._longest:g} s; {remedy}')
        return None

    def kill(self) -> None:
        """Only `close` waits for the end of the process; a running job has no result."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        self.kill()
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(subprocess.TimeoutExpired):       # it needs a processor even for this
            process.wait(DYING)
        if self._thread is not None:
            self._thread.join(PARTING)      # its pipes are broken now
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()


def _exchange(process, request, result):
    """In a thread: all its time is spent in waiting for pipes."""
    try:
        send(process.stdin.fileno(), request)
        result.append(receive(process.stdout.fileno()))
    except Exception:
        result.append(HodError('the process that interpolates trajectories ended by itself; send the trajectory again'))
