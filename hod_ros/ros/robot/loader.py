# SPDX-License-Identifier: Apache-2.0
"""Robots made in a thread, so that parsing a large description holds up no setpoint."""

from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.robot.settings import RobotSettings


class Loaded(NamedTuple):
    source: str
    robot: Robot | None
    error: BaseException | None


class BackgroundLoader:
    """The latest request wins."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix='description')
        self._future: Future[Robot] | None = None
        self._source = ''
        self._next: tuple[str, str, RobotSettings] | None = None

    def request(self, text: str, source: str, settings: RobotSettings) -> None:
        self._next = text, source, settings
        if self._future is None:
            self._begin(self._next)

    def _begin(self, request):
        self._next = None
        self._source = request[1]
        self._future = self._pool.submit(Robot.build, *request)

    def poll(self) -> Loaded | None:
        """What the running request gave once it is done, else None. Begins the next request."""
        future, source = self._future, self._source
        if future is None or not future.done():
            return None
        self._future = None
        if self._next is not None:
            self._begin(self._next)
        error = future.exception()
        return Loaded(source, None if error else future.result(), error)

    @property
    def busy(self) -> bool:
        return self._future is not None

    def cancel(self) -> None:
        """Forgets what was requested; a running request ends unseen."""
        self._future = self._next = None

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
