# SPDX-License-Identifier: Apache-2.0
"""Motions that the node streams itself, at a rate, through the door of all setpoints: begun, spliced, stopped and supervised.

A new motion takes over at a time that is known in advance: until then the one before goes on, and the new one begins with its position and
four derivatives. It is computed in the meantime in another process; where that takes too long, a later time is tried. `starts.py` says from
where it may begin, `stops.py` how a motion ends before its end, `supervision.py` how goals are judged.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import inf
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger

from hod_interfaces.msg import JointSetpoint
from hod_ros.errors import HodError
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.reporting.status import OK
from hod_ros.ros.reporting.status import Status
from hod_ros.ros.setpoints.path import SetpointPath
from hod_ros.ros.streaming.motions import NEWER
from hod_ros.ros.streaming.motions import TOOK_OVER
from hod_ros.ros.streaming.motions import Goal
from hod_ros.ros.streaming.motions import Motion
from hod_ros.ros.streaming.motions import Planned
from hod_ros.ros.streaming.motions import Request
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.planner import Planner
from hod_ros.ros.streaming.planner_host import in_place
from hod_ros.ros.streaming.plans import PlanJob
from hod_ros.ros.streaming.plans import PlanningRobot
from hod_ros.ros.streaming.starts import Starts
from hod_ros.ros.streaming.stops import LEAST_LEAD
from hod_ros.ros.streaming.stops import TRIES
from hod_ros.ros.streaming.stops import Stops
from hod_ros.ros.streaming.supervision import Supervision

MOST_LEAD = 2.0         # [s] between the beginning of a computation and the time when its result takes over
LONGEST_GAP = 0.1       # [s] between two setpoints where none is ever stale, after which a motion is not taken up again


class Streamer:
    """clock(): seconds of the stream's time. Between `open` and `close` it has a publisher and a timer, which calls `tick`."""

    def __init__(
            self, path: SetpointPath, planner: Planner, refresh: Callable[[Measured], None], clock: Callable[[], float],
            now_stamp: Callable[[], Any], logger: RcutilsLogger) -> None:
        self._path, self._planner, self._logger = path, planner, logger
        self._clock, self._now_stamp = clock, now_stamp
        self._starts, self._stops = Starts(path, refresh, logger), Stops(logger)
        self._supervision = Supervision(path, refresh)
        self._message = JointSetpoint()
        self._publisher = self._timer = None
        self._robot: PlanningRobot | None = None
        self._current: Motion | None = None
        self._next: Motion | None = None            # takes over at its origin
        self._planned: Planned | None = None
        self._waiting: Request | None = None
        self._again: Request | None = None          # goes before the one that waits
        self._ticked = self._stood = -inf
        self._streamed = self._moved = -inf         # time of the last setpoint, and when that was on the steady clock
        self.begun = self.refused = 0
        self.last_refusal = ''

    def open(self, publisher, timer) -> None:
        self._publisher, self._timer = publisher, timer
        timer.cancel()

    def close(self) -> None:
        self.end('the node is being cleaned up')
        self._publisher = self._timer = None

    def use(self, robot: PlanningRobot) -> None:
        """For trajectories that have not begun."""
        if self._robot is not None and self._robot.judges_as(robot):
            return
        before, self._robot = self._robot, robot
        self._starts.start_tolerance = robot.start_tolerance
        self._planner.use(robot)
        if before is not None and before.model.joint_names != robot.model.joint_names:
            self.end('the robot has other joints now')
        elif self._next is not None:
            self._again, self._next = self._next.request, None
            self.begun -= 1

    # What comes in

    def objection(self) -> str:
        """Why no goal that is judged by measurement can be accepted now, or ''."""
        if not self._path.active or self._timer is None:
            return 'the node is not active'
        return self._starts.unmeasured() or self._path.stream_hindrance()

    def follow(self, message: bytes, start: float | None, goal: Goal) -> None:
        """The latest trajectory that comes before the one before it has begun takes its place."""
        request = Request(message, start, goal)
        if not self._path.active or self._timer is None:
            self.refuse(request.goal, Refused(Outcome.INVALID_GOAL, 'the node is not active'))
            return
        if goal.tolerances is not None and goal.tolerances.unjudged:
            self.refuse(goal, Refused(Outcome.INVALID_GOAL, goal.tolerances.unjudged))
            return
        if self._waiting is not None:
            self._waiting.goal.finish(Outcome.INVALID_GOAL, NEWER)
        self._waiting = request
        if self._timer.is_canceled():
            self._timer.reset()         # of one that runs it would put off the next setpoint
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
        elif self._again is not None and self._again.goal is goal:
            self._again = None
        elif self._planned is not None and self._planned.request.goal is goal:
            self._planned = None
        elif self._next is not None and self._next.request is not None and self._next.request.goal is goal:
            self._next = None
        goal.finish(*ended)

    def end(self, reason: str) -> None:
        """At once: no further setpoint comes from here."""
        requests = [part.request for part in (self._current, self._next, self._planned) if part is not None] + [self._again, self._waiting]
        self._current = self._next = self._planned = self._again = self._waiting = None
        self._stops.forget()
        for request in requests:
            if request is not None:
                request.goal.finish(Outcome.INVALID_GOAL, reason)

    # What is computed

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
        self._stops.begin(motion, self._clock(), self._robot, tries)

    def _take_stop(self, now):
        stopped, tries = self._stops.take(self._current, now)
        if tries:
            self._stop_because(*self._current.ending, tries=tries)
        elif stopped is not None:
            self._current = stopped

    def _try_again(self, request):
        """With the motion that is the current one now."""
        if request is None:
            return
        request.tries += 1
        if request.tries >= TRIES:
            self.refuse(request.goal, Refused(Outcome.INVALID_GOAL, (
                f'it took too long to interpolate this trajectory, {self._planner.last_seconds:.3f} s, while another runs; give fewer '
                'points, or a later stamp')))
        else:
            self._wait_again(request)

    def _wait_again(self, request):
        if self._waiting is not None:
            request.goal.finish(Outcome.INVALID_GOAL, NEWER)
        else:
            self._waiting = request

    def _plan(self):
        """Begins the next computation, where none is running."""
        request = self._again or self._waiting
        if self._planner.busy or request is None:
            return
        if not self._planner.running and not request.waited:
            request.waited = True
            self._planner.start()
            return
        if self._again is not None:
            self._again = None
        else:
            self._waiting = None
        try:
            self._plan_motion(request, self._clock())
        except Refused as error:
            self.refuse(request.goal, error)

    def _plan_motion(self, request, now):
        base = self._starts.base(request, self._current, now)
        takeover = None if request.start is None and base is None else max(request.start or 0.0, now + self._lead(request.tries))
        if self._next is not None and takeover is not None and takeover >= self._next.origin:
            self._waiting = request     # until that is the current one, from which it will take over
            return
        state, commanded = self._starts.state(request, base, takeover, now)
        self._planned = Planned(request, self._current, takeover, commanded, self._robot)
        self._planner.begin(PlanJob(in_place(request.message), state, None if request.start is None else request.start - takeover))

    def _take_result(self, now):
        result = self._planner.poll()
        if result is None:
            return
        planned, self._planned = self._planned, None
        if planned is not None:
            self._take_motion(result, planned, now)

    def _take_motion(self, result, planned, now):
        request, takeover = planned.request, planned.takeover
        if planned.robot is not self._robot:
            self._wait_again(request)
        elif isinstance(result, HodError):
            self.refuse(request.goal, result)
        elif planned.before is not self._current or takeover is not None and now >= takeover:
            self._try_again(request)            # too late, or another motion has begun or was stopped in the meantime
        else:
            if self._next is not None:
                self._next.finish(Outcome.INVALID_GOAL, NEWER)
            self._next = Motion(result, now if takeover is None else takeover, self._path.rows_of_setpoints, planned.commanded, request)
            self.begun += 1

    def refuse(self, goal: Goal, error: HodError) -> None:
        """Counts it, and says why to whoever hears how it ends."""
        self.refused += 1
        self.last_refusal = str(error)
        outcome = error.outcome if isinstance(error, Refused) else Outcome.INVALID_GOAL
        goal.finish(outcome, str(error))

    # What goes out

    def tick(self) -> None:
        now, stamp = self._clock(), self._now_stamp()       # of one instant, whatever holds up what follows
        self._take_stop(now)
        self._take_result(now)
        if self._next is not None and now >= self._next.origin:
            self._begin_next(now)
        self._plan()
        motion = self._current
        if motion is None:
            if self._next is None and self._again is None and self._waiting is None and not self._planner.busy:
                self._timer.cancel()
            return
        gap, self._ticked = now - self._ticked, now
        longest = self._path.freshness.timeout or LONGEST_GAP
        if not 0 <= gap <= longest:
            self._fail(f'the time between two setpoints was {gap:.3f} s, longer than {longest:g} s: the motion is not taken up again')
            return
        if now == self._streamed:       # simulated time stands still
            if self._path.steady() - self._moved > longest:
                self._fail(f'simulated time has stood still for {longest:g} s: the motion is not taken up again')
            return
        self._streamed, self._moved = now, self._path.steady()
        if now < motion.end:
            self._stood = inf
        elif self._stood == inf:
            self._stood = self._path.steady()
        elif self._path.heard_others_since(self._stood):
            self._fail('another source of setpoints takes over from one that has ended')
            self._path.release()
            return
        q = motion.at(now)
        reason = self._path.stream(self._setpoint(q, stamp), motion.commanded)
        self._publisher.publish(self._message)
        if reason:
            self._fail(reason)
        elif motion.request is not None:
            violated = self._supervision.watch(motion, q, now)
            if violated:
                self._stop_because(*violated)

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

    def _setpoint(self, q, stamp):
        message, names = self._message, self._path.joint_names
        message.header.stamp = stamp
        message.joint_names = list(names)
        data, n = array('d', q.tobytes()), len(names)
        message.positions, message.velocities, message.accelerations = data[:n], data[n:2 * n], data[2 * n:3 * n]
        message.jerks, message.snaps, message.higher = data[3 * n:4 * n], data[4 * n:5 * n], data[5 * n:]
        return message

    def status(self) -> Status:
        values = {
            'process that interpolates': self._planner.readiness, 'begun': self.begun, 'refused': self.refused,
            'last refusal': self.last_refusal, 'last computation [s]': f'{self._planner.last_seconds:.3f}'}
        if self._current is None:
            return Status('trajectories', OK, 'none', values)
        values |= {'commanded': self._current.commanded, 'to go [s]': f'{max(self._current.end - self._clock(), 0.0):.1f}'}
        return Status('trajectories', OK, 'streaming', values)
