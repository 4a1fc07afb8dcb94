# SPDX-License-Identifier: Apache-2.0
"""Motions that the node streams itself, at a rate, through the door of all setpoints: begun, spliced, stopped and supervised.

A new motion takes over at a time that is known in advance: until then the one before goes on, and the new one begins with its position and
four derivatives. It is computed in the meantime in another process; where that takes too long, a later time is tried.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import Any
from typing import Protocol

import numpy as np
from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_interfaces.msg import JointSetpoint
from hod_ros.errors import HodError
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.setpoints.path import SetpointPath
from hod_ros.ros.streaming.cursor import Cursor
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.planner import Planner
from hod_ros.ros.streaming.plans import ROWS
from hod_ros.ros.streaming.plans import PlanJob
from hod_ros.ros.streaming.plans import PlanningRobot
from hod_ros.ros.streaming.plans import stop
from hod_ros.ros.streaming.tolerances import Tolerances
from hod_ros.trajectories.trajectory import Trajectory

LEAST_LEAD, MOST_LEAD = 0.02, 2.0       # [s] between the beginning of a computation and the time when its result takes over
TRIES = 6               # with twice the lead each time
FARTHEST = 3600.0       # [s] in the future that a trajectory may begin
LONGEST_GAP = 0.1       # [s] between two setpoints where none is ever stale, after which a motion is not taken up again
LOOK = 0.01             # [s] between two looks at joint_states
FEEDBACK = 0.05         # [s]
NEWER, TOOK_OVER = 'a newer trajectory came before this one could begin', 'a newer trajectory took over'
MOVING = 0.1            # [rad/s] or [m/s] measured: nothing starts at rest from there


class Goal(Protocol):
    """Whoever sent a trajectory. tolerances: None where nothing is judged by measurement."""

    tolerances: Tolerances | None

    def finish(self, outcome: Outcome, text: str, canceled: bool = False) -> None:
        """Once: how it ended; text: why."""

    def feed_back(self, desired: Any, measured: Measured) -> None:
        """desired: (rows, n) now."""


@dataclass
class Request:
    """start: [s] on the stream's clock, when the trajectory's time 0 is; None: now."""

    message: bytes
    start: float | None
    goal: Goal
    tries: int = 0
    waited: bool = False                # for the process that computes


@dataclass
class Motion:
    """origin: [s] on the stream's clock, when the trajectory's time 0 is."""

    trajectory: Trajectory
    origin: float
    rows: int
    commanded: bool
    request: Request | None             # None: nobody waits for its end any more
    ending: tuple[Outcome, str, bool] | None = None     # with which the goal ends when the motion stands, where it is being stopped

    def __post_init__(self):
        self.cursor = Cursor(self.trajectory, max(self.rows, ROWS))

    @property
    def end(self) -> float:
        return self.origin + self.trajectory.end

    def at(self, time: float):
        """(rows, n)"""
        return self.cursor.at(time - self.origin)

    def finish(self, outcome: Outcome, text: str, canceled: bool = False) -> None:
        request, self.request = self.request, None
        if request is not None:
            request.goal.finish(outcome, text, canceled)


@dataclass
class Planned:
    """A motion that is being computed. before: the current one, as long as which this may take over. takeover: [s]; None: at once."""

    request: Request
    before: Motion | None
    takeover: float | None
    commanded: bool


class Streamer:
    """clock(): seconds of the stream's time. Between `open` and `close` it has a publisher and a timer, which calls `tick`."""

    def __init__(
            self, path: SetpointPath, planner: Planner, refresh: Callable[[Measured], None], clock: Callable[[], float],
            now_stamp: Callable[[], Any], logger: RcutilsLogger) -> None:
        self._path, self._planner, self._refresh, self._logger = path, planner, refresh, logger
        self._clock, self._now_stamp = clock, now_stamp
        self._stopper = ThreadPoolExecutor(1, thread_name_prefix='stop')
        self._message = JointSetpoint()
        self._publisher = self._timer = None
        self._robot: PlanningRobot | None = None
        self._current: Motion | None = None
        self._next: Motion | None = None            # takes over at its origin
        self._planned: Planned | None = None
        self._waiting: Request | None = None
        self._stop: tuple[Future, Motion, float, int] | None = None     # being computed: of which motion, when it begins, how often tried
        self._ticked = self._looked = self._fed = self._stood = -inf
        self.begun = self.refused = 0
        self.last_refusal = ''

    def open(self, publisher, timer) -> None:
        self._publisher, self._timer = publisher, timer
        timer.cancel()

    def close(self) -> None:
        self.end('the node is being cleaned up')
        self._publisher = self._timer = None

    def use(self, robot: PlanningRobot) -> None:
        """For trajectories from now on."""
        before, self._robot = self._robot, robot
        self._planner.use(robot)
        if before is not None and before.model.joint_names != robot.model.joint_names:
            self.end('the robot has other joints now')

    # What comes in

    def objection(self) -> str:
        """Why no goal that is judged by measurement can be accepted now, or ''."""
        path = self._path
        if not path.active or self._timer is None:
            return 'the node is not active'
        measured, steady = path.measured, path.steady()
        self._refresh(measured)
        if not measured.fresh(steady):
            return f'start and success are judged by joint_states, and {measured.age_text(steady)}: let them be published'
        return path.stream_hindrance()

    def follow(self, message: bytes, start: float | None, goal: Goal) -> None:
        """The latest trajectory that comes before the one before it has begun takes its place."""
        request = Request(message, start, goal)
        if not self._path.active or self._timer is None:
            self._refuse(request, Refused(Outcome.INVALID_GOAL, 'the node is not active'))
            return
        if self._waiting is not None:
            self._waiting.goal.finish(Outcome.INVALID_GOAL, NEWER)
        self._waiting = request
        self._timer.reset()
        self._plan()

    def cancel(self, goal: Goal) -> None:
        """Ends a goal's trajectory: by a stop along its path, where it has begun."""
        ended = Outcome.SUCCESSFUL, 'canceled', True
        current = self._current
        if current is not None and current.request is not None and current.request.goal is goal:
            self._stop_because(*ended)
            return
        if self._waiting is not None and self._waiting.goal is goal:
            self._waiting = None
        elif self._planned is not None and self._planned.request.goal is goal:
            self._planned = None
        elif self._next is not None and self._next.request is not None and self._next.request.goal is goal:
            self._next = None
        goal.finish(*ended)

    def end(self, reason: str) -> None:
        """At once: no further setpoint comes from here."""
        requests = [part.request for part in (self._current, self._next, self._planned) if part is not None] + [self._waiting]
        self._current = self._next = self._planned = self._waiting = self._stop = None
        for request in requests:
            if request is not None:
                request.goal.finish(Outcome.INVALID_GOAL, reason)

    # What is computed: motions in another process, stops in a thread, so that none waits for a motion

    def _lead(self, tries):
        return min(max(LEAST_LEAD, 2 * self._planner.last_seconds) * 2**tries, MOST_LEAD)

    def _stop_because(self, outcome, text, canceled=False, tries=0):
        """The current motion stops along its path; `ending` is what its goal then hears."""
        motion = self._current
        if motion.ending is not None and not tries:
            return
        motion.ending = outcome, text, canceled
        if self._next is not None:              # it was to take over from what is stopped now
            self._try_again(self._next.request)
            self._next = None
        begin = self._clock() + LEAST_LEAD * 2**tries
        if begin < motion.end:
            self._stop = self._stopper.submit(stop, motion.trajectory, begin - motion.origin, self._robot), motion, begin, tries

    def _take_stop(self, now):
        future, motion, begin, tries = self._stop
        if not future.done():
            return
        self._stop = None
        if motion is not self._current:
            return
        if future.exception() is not None or tries >= TRIES:
            why = future.exception() or f'in {tries + 1} tries none was computed in time'
            self._logger.error(f'a trajectory goes on to its end, where it rests, for no earlier stop along its path was found: {why}')
            return
        if now >= begin:
            self._stop_because(*motion.ending, tries=tries + 1)
            return
        self._current = Motion(future.result(), motion.origin, motion.rows, motion.commanded, motion.request, motion.ending)

    def _try_again(self, request):
        """With the motion that is the current one now."""
        if request is None:
            return
        request.tries += 1
        if request.tries >= TRIES:
            self._refuse(request, Refused(Outcome.INVALID_GOAL, (
                f'it took too long to interpolate this trajectory, {self._planner.last_seconds:.3f} s, while another runs; give fewer '
                'points, or a later stamp')))
        elif self._waiting is not None:
            request.goal.finish(Outcome.INVALID_GOAL, NEWER)
        else:
            self._waiting = request

    def _plan(self):
        """Begins the next computation, where none is running."""
        request = self._waiting
        if self._planner.busy or request is None:
            return
        if not self._planner.running and not request.waited:
            request.waited = True
            self._planner.start()
            return
        self._waiting = None
        try:
            self._plan_motion(request, self._clock())
        except Refused as error:
            self._refuse(request, error)

    def _plan_motion(self, request, now):
        path, base, judged = self._path, self._current, request.goal.tolerances is not None
        if request.start is not None and request.start - now > FARTHEST:
            raise Refused(Outcome.INVALID_GOAL, (
                f'its stamp is {request.start - now:.6g} s in the future; nothing waits longer than {FARTHEST:g} s'))
        measured, steady = path.measured, path.steady()
        self._refresh(measured)
        fresh = measured.fresh(steady)
        if judged and not fresh:
            raise Refused(Outcome.INVALID_GOAL, (
                f'start and success are judged by joint_states, and {measured.age_text(steady)}: let them be published'))
        if base is not None and fresh and not base.commanded and now > base.end:
            base = None         # what stands there never came to the robot
        takeover = None if request.start is None and base is None else max(request.start or 0.0, now + self._lead(request.tries))
        if self._next is not None and takeover is not None and takeover >= self._next.origin:
            self._waiting = request     # until that is the current one, from which it will take over
            return
        commanded = base.commanded if base is not None else fresh
        hindrance = path.stream_hindrance() if commanded else ''
        if hindrance:
            raise Refused(Outcome.INVALID_GOAL, hindrance)
        if base is None:
            state = self._state_at_rest(measured if fresh else None)
            if not fresh:
                self._logger.warning(
                    f'a trajectory is streamed as feedforward only, and not on ~/commands, because {measured.age_text(steady)}')
        else:
            state = base.at(takeover)[:ROWS]
            if judged:
                self._check_start(measured.positions, base.at(now)[0])
        self._planned = Planned(request, self._current, takeover, commanded)
        self._planner.begin(PlanJob(request.message, state, None if request.start is None else request.start - takeover))

    def _check_start(self, measured, desired):
        distance = np.abs(measured - desired)
        joint = int(np.argmax(distance))
        if distance[joint] > self._robot.start_tolerance:
            raise Refused(Outcome.INVALID_GOAL, (
                f'joint {self._path.joint_names[joint]!r} is measured at {measured[joint]:.4g}, but is to be at {desired[joint]:.4g} now; '
                f'nothing begins further than start_tolerance = {self._robot.start_tolerance:g} from where the robot is'))

    def _state_at_rest(self, measured):
        """(ROWS, n), None: not known."""
        if measured is None:
            positions = self._path.last_position
        else:
            positions = measured.positions
            speed = np.abs(measured.velocities) if measured.moving_fresh(self._path.steady()) else np.zeros(len(positions))
            joint = int(np.argmax(speed))
            if speed[joint] > MOVING:
                raise Refused(Outcome.INVALID_GOAL, (
                    f'joint {self._path.joint_names[joint]!r} is measured to move with {speed[joint]:.3g}; a trajectory starts from rest'))
        if positions is None:
            return None
        state = np.zeros((ROWS, len(positions)))
        state[0] = positions
        return state

    def _take_result(self, now):
        result = self._planner.poll()
        if result is None:
            return
        planned, self._planned = self._planned, None
        if planned is not None:
            self._take_motion(result, planned, now)

    def _take_motion(self, result, planned, now):
        request, takeover = planned.request, planned.takeover
        if isinstance(result, HodError):
            self._refuse(request, result)
        elif planned.before is not self._current or takeover is not None and now >= takeover:
            self._try_again(request)            # too late, or another motion has begun or was stopped in the meantime
        else:
            if self._next is not None:
                self._next.finish(Outcome.INVALID_GOAL, NEWER)
            self._next = Motion(result, now if takeover is None else takeover, self._path.rows_of_setpoints, planned.commanded, request)
            self.begun += 1

    def _refuse(self, request, error):
        self.refused += 1
        self.last_refusal = str(error)
        outcome = error.outcome if isinstance(error, Refused) else Outcome.INVALID_GOAL
        request.goal.finish(outcome, str(error))

    # What goes out

    def tick(self) -> None:
        now = self._clock()
        if self._stop is not None:
            self._take_stop(now)
        self._take_result(now)
        if self._next is not None and now >= self._next.origin:
            self._begin_next(now)
        self._plan()
        motion = self._current
        if motion is None:
            if self._next is None and self._waiting is None and not self._planner.busy:
                self._timer.cancel()
            return
        gap, self._ticked = now - self._ticked, now
        longest = self._path.freshness.timeout or LONGEST_GAP
        if not 0 <= gap <= longest:
            self._fail(f'the time between two setpoints was {gap:.3f} s, longer than {longest:g} s: the motion is not taken up again')
            return
        if now < motion.end:
            self._stood = inf
        elif self._stood == inf:
            self._stood = self._path.steady()
        elif self._path.heard_others_since(self._stood):
            self._fail('another source of setpoints takes over from one that has ended')
            self._path.release()
            return
        q = motion.at(now)
        reason = self._path.stream(self._setpoint(q), motion.commanded)
        self._publisher.publish(self._message)
        if reason:
            self._fail(reason)
        elif motion.request is not None:
            self._supervise(motion, q, now)

    def _begin_next(self, now):
        before, self._current, self._next = self._current, self._next, None
        self._stood = inf
        if before is None:
            self._ticked = now
        else:
            before.finish(*(before.ending or (Outcome.INVALID_GOAL, TOOK_OVER)))

    def _fail(self, reason):
        if self._current.request is not None:
            self._logger.warning(f'a trajectory ends: {reason}')
        self.end(reason)

    def _setpoint(self, q):
        message, names = self._message, self._path.joint_names
        message.header.stamp = self._now_stamp()
        message.joint_names = list(names)
        data, n = array('d', q.tobytes()), len(names)
        message.positions, message.velocities, message.accelerations = data[:n], data[n:2 * n], data[2 * n:3 * n]
        message.jerks, message.snaps, message.higher = data[3 * n:4 * n], data[4 * n:5 * n], data[5 * n:]
        return message

    def _supervise(self, motion, q, now):
        goal, over = motion.request.goal, now >= motion.end
        if goal.tolerances is None or motion.ending is not None:
            if over:
                motion.finish(*(motion.ending or (Outcome.SUCCESSFUL, '')))
            return
        if not LOOK <= now - self._looked:
            return
        self._looked = now
        measured, steady = self._path.measured, self._path.steady()
        self._refresh(measured)
        if not measured.fresh(steady):
            self._give_up(motion, over, Outcome.INVALID_GOAL, f'{measured.age_text(steady)}: without measurement nothing is judged')
            return
        if now - self._fed >= FEEDBACK:
            self._fed = now
            goal.feed_back(q, measured)
        error = measured.positions - q[0]
        if not over:
            fault = goal.tolerances.path_fault(error)
            if fault:
                self._give_up(motion, over, Outcome.PATH_TOLERANCE_VIOLATED, fault)
            return
        fault = goal.tolerances.goal_fault(error, measured.velocities if measured.moving_fresh(steady) else None)
        if not fault:
            motion.finish(Outcome.SUCCESSFUL, '')
        elif goal.tolerances.goal_time and now - motion.end > goal.tolerances.goal_time:
            motion.finish(Outcome.GOAL_TOLERANCE_VIOLATED, f'{fault}, {goal.tolerances.goal_time:g} s after the end')

    def _give_up(self, motion, over, outcome, text):
        if over:
            motion.finish(outcome, text)
        else:
            self._stop_because(outcome, text)

    def status(self) -> Status:
        values = {
            'process that interpolates': self._planner.readiness, 'begun': self.begun, 'refused': self.refused,
            'last refusal': self.last_refusal, 'last computation [s]': f'{self._planner.last_seconds:.3f}'}
        if self._current is None:
            return Status('trajectories', OK, 'none', values)
        values |= {'commanded': self._current.commanded, 'to go [s]': f'{max(self._current.end - self._clock(), 0.0):.1f}'}
        return Status('trajectories', OK, 'streaming', values)
