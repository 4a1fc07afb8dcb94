# SPDX-License-Identifier: Apache-2.0
"""~/joint_trajectory: trajectories without anybody who waits for their end. Messages stay bytes: another process reads them."""

from collections.abc import Callable
from struct import Struct

from rclpy.impl.rcutils_logger import RcutilsLogger
from trajectory_msgs.msg import JointTrajectory

from hod_ros.errors import InputError
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.serialized import refuse
from hod_ros.ros.streaming.motions import NEWER
from hod_ros.ros.streaming.motions import TOOK_OVER
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.streamer import Streamer
from hod_ros.ros.streaming.tolerances import Tolerances

TOPIC = '~/joint_trajectory'
MOST_BYTES = 16_000_000     # more points than are taken: not even read
LEAST_BYTES = 12        # up to the end of the stamp
STAMPS = {0: Struct('>iI'), 1: Struct('<iI')}       # by the second byte of a serialized message: which end comes first


def stamp_of(data: bytes) -> int:
    """[ns] of a serialized JointTrajectory; InputError where it is too long, or ends before its stamp does."""
    if len(data) > MOST_BYTES:
        raise InputError(f'it has {len(data)} bytes; give up to {MOST_BYTES}')
    if len(data) < LEAST_BYTES:
        refuse(data, JointTrajectory)
    seconds, nanoseconds = STAMPS[data[1] & 1].unpack_from(data, 4)
    return seconds * 10**9 + nanoseconds


class TopicGoal:
    """Nobody hears how it ends, but for the log."""

    tolerances: Tolerances | None = None

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger

    def finish(self, outcome: Outcome, text: str, canceled: bool = False) -> None:
        if outcome != Outcome.SUCCESSFUL and text not in (NEWER, TOOK_OVER):
            self._logger.warning(f'a trajectory on {TOPIC} is refused or ends early: {text}', **ONCE_A_SECOND)

    def feed_back(self, desired, measured) -> None:
        pass


class TrajectoryTopic:
    """start_of(stamp [ns]): when that is on the stream's clock [s]."""

    def __init__(self, streamer: Streamer, start_of: Callable[[int], float], logger: RcutilsLogger) -> None:
        self._streamer, self._start_of, self._logger = streamer, start_of, logger

    def take(self, data: bytes) -> None:
        goal = TopicGoal(self._logger)
        try:
            stamp = stamp_of(data)
        except InputError as error:
            self._streamer.refuse(goal, error)
            return
        self._streamer.follow(data, self._start_of(stamp) if stamp else None, goal)
