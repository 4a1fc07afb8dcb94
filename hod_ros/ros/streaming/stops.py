# SPDX-License-Identifier: Apache-2.0
"""Stops of a motion along its path, computed in a thread, so that none waits for a motion that is being computed."""

from __future__ import annotations

from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor

from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_ros.ros.streaming.motions import Motion
from hod_ros.ros.streaming.plans import PlanningRobot
from hod_ros.ros.streaming.plans import stop

LEAST_LEAD = 0.02       # [s] between the beginning of a computation and the time when its result takes over
TRIES = 6               # with twice the lead each time


class Stops:

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self._thread = ThreadPoolExecutor(1, thread_name_prefix='stop')
        self._running: tuple[Future, Motion, float, int] | None = None      # of which motion, when it begins, how often tried

    def begin(self, motion: Motion, now: float, robot: PlanningRobot, tries: int) -> None:
        """Where the motion does not end before."""
        begin = now + LEAST_LEAD * 2**tries
        if begin < motion.end:
            self._running = self._thread.submit(stop, motion.trajectory, begin - motion.origin, robot), motion, begin, tries

    def take(self, current: Motion | None, now: float) -> tuple[Motion | None, int]:
        """(the current motion with its stop, None: there is none yet; which try is to be begun now, 0: none)"""
        if self._running is None or not self._running[0].done():
            return None, 0
        (future, motion, begin, tries), self._running = self._running, None
        if motion is not current:
            return None, 0
        if future.exception() is not None or tries >= TRIES:
            why = future.exception() or f'in {tries + 1} tries none was computed in time'
            self._logger.error(f'a trajectory goes on to its end, where it rests, for no earlier stop along its path was found: {why}')
            return None, 0
        if now >= begin:
            return None, tries + 1
        return Motion(future.result(), motion.origin, motion.rows, motion.commanded, motion.request, motion.ending), 0

    def forget(self) -> None:
        self._running = None
