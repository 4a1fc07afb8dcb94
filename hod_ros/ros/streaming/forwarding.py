# SPDX-License-Identifier: Apache-2.0
"""Goals for a controller that interpolates itself: checked, smoothed, filled with effort and passed on; what it answers is passed back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient

from hod_ros.errors import HodError
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.setpoints.path import SetpointPath
from hod_ros.ros.streaming.actions import TrajectoryAction
from hod_ros.ros.streaming.goals import ActionGoal
from hod_ros.ros.streaming.motions import NEWER
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.planner import Planner
from hod_ros.ros.streaming.planner_host import in_place
from hod_ros.ros.streaming.plans import ROWS
from hod_ros.ros.streaming.plans import EffortJob
from hod_ros.ros.streaming.starts import MOVING

MOST_OPEN = 16          # goals on their way


class Forwarding:
    """client: of the controller's action; name: of that. `poll` is to be called again and again."""

    def __init__(
            self, client: ActionClient, action: TrajectoryAction, name: str, path: SetpointPath, refresh: Callable[[Measured], None],
            planner: Planner) -> None:
        self._client, self._action, self._name, self._path, self._refresh, self._planner = client, action, name, path, refresh, planner
        self._running: ActionGoal | None = None         # for which effort is being computed
        self._waiting: tuple[bytes, ActionGoal] | None = None
        self._open: dict[ActionGoal, Any] = {}          # the controller's handles, None until it has accepted
        self._canceled: set[ActionGoal] = set()

    def destroy(self) -> None:
        self.end('the node is being cleaned up')

    def objection(self) -> str:
        path = self._path
        if not path.active:
            return 'the node is not active'
        self._refresh(path.measured)
        if not path.measured.fresh(path.steady()):
            return f'a start is judged by joint_states, and {path.measured.age_text(path.steady())}: let them be published'
        if not self._client.server_is_ready():
            return f'forward_to is {self._name!r}, and no controller offers that action; start it, or correct its name'
        return f'{MOST_OPEN} goals are on their way to the controller' if len(self._open) >= MOST_OPEN else ''

    def follow(self, message: bytes, start: float | None, goal: ActionGoal) -> None:
        if self._waiting is not None:
            self._waiting[1].finish(Outcome.INVALID_GOAL, NEWER)
        self._waiting = message, goal
        self.poll()

    def cancel(self, goal: ActionGoal) -> None:
        if goal in self._open:
            self._canceled.add(goal)
            if self._open[goal] is not None:
                self._open[goal].cancel_goal_async()
            return
        if self._waiting is not None and self._waiting[1] is goal:
            self._waiting = None
        if self._running is goal:
            self._running = None
        goal.finish(Outcome.SUCCESSFUL, 'canceled', canceled=True)

    def end(self, reason: str) -> None:
        """What is on its way is canceled at the controller."""
        for handle in self._open.values():
            if handle is not None:
                handle.cancel_goal_async()
        goals = [*self._open, self._running, None if self._waiting is None else self._waiting[1]]
        self._open, self._running, self._waiting = {}, None, None
        self._canceled.clear()
        for goal in goals:
            if goal is not None:
                goal.finish(Outcome.INVALID_GOAL, reason)

    def poll(self) -> None:
        result = self._planner.poll()
        if result is not None:
            goal, self._running = self._running, None
            if goal is not None:
                self._send(goal, result)
        if self._waiting is not None and not self._planner.busy:
            (message, goal), self._waiting = self._waiting, None
            self._running = goal
            self._planner.begin(EffortJob(in_place(message), self._state()))

    def _state(self):
        """(ROWS, n) at rest where the robot is measured; None where it moves, and the first point says where it begins."""
        measured = self._path.measured
        self._refresh(measured)
        if measured.moving_fresh(self._path.steady()) and (np.abs(measured.velocities) > MOVING).any():
            return None
        state = np.zeros((ROWS, len(measured.positions)))
        state[0] = measured.positions
        return state

    def _send(self, goal, result):
        if isinstance(result, HodError):
            goal.finish(result.outcome if isinstance(result, Refused) else Outcome.INVALID_GOAL, str(result))
            return
        self._open[goal] = None
        future = self._client.send_goal_async(
            self._action.with_trajectory(goal.request, result), lambda feedback: goal in self._open and goal.relay_feedback(
                feedback.feedback))
        future.add_done_callback(lambda future: self._on_accepted(goal, future.result()))

    def _on_accepted(self, goal, handle):
        if goal not in self._open:
            if handle.accepted:
                handle.cancel_goal_async()      # the node gave it up in the meantime
            return
        if not handle.accepted:
            del self._open[goal]
            goal.finish(Outcome.INVALID_GOAL, f'{self._name} refused the goal')
            return
        self._open[goal] = handle
        if goal in self._canceled:
            handle.cancel_goal_async()
        handle.get_result_async().add_done_callback(lambda future: self._on_result(goal, future.result()))

    def _on_result(self, goal, answer):
        if goal in self._open:
            del self._open[goal]
            self._canceled.discard(goal)
            goal.finish_with(answer.result, answer.status == GoalStatus.STATUS_SUCCEEDED)
