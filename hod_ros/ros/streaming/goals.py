# SPDX-License-Identifier: Apache-2.0
"""~/follow_joint_trajectory: goals that are streamed by the node, or forwarded; start and success are judged by measurement.

No goal is executed by a coroutine: a handle is kept until the streamer tells how the goal ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import Protocol

from action_msgs.msg import GoalStatus
from rclpy.action import ActionServer
from rclpy.action import CancelResponse
from rclpy.action import GoalResponse
from rclpy.node import Node
from rclpy.serialization import serialize_message

from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.rclpy_private import begin_goal
from hod_ros.ros.rclpy_private import finish_goal
from hod_ros.ros.reporting.log import ONCE_A_SECOND
from hod_ros.ros.reporting.quality import CALLS
from hod_ros.ros.stamps import nanoseconds
from hod_ros.ros.streaming.actions import NAME
from hod_ros.ros.streaming.actions import TrajectoryAction
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.tolerances import Tolerances

RESULT_KEPT = 60        # [s] for a client that asks late


class Follower(Protocol):
    """Who runs goals: the streamer, or the forwarding to a controller."""

    def objection(self) -> str:
        """Why no goal can be accepted now, or ''."""

    def follow(self, message: bytes, start: float | None, goal: ActionGoal) -> None: ...

    def cancel(self, goal: ActionGoal) -> None: ...


class ActionGoal:
    """One accepted goal. request: the action's Goal."""

    def __init__(self, server: GoalServer, handle: Any, tolerances: Tolerances) -> None:
        self._server, self._handle = server, handle
        self.request = handle.request
        self.tolerances = tolerances

    def finish(self, outcome: Outcome, text: str, canceled: bool = False) -> None:
        """Once."""
        self.finish_with(self._server.action.result(outcome, text), outcome == Outcome.SUCCESSFUL and not canceled)

    def finish_with(self, result: Any, succeeded: bool) -> None:
        """With a result of the action's; canceled where that was asked for."""
        handle = self._handle
        self._server.forget(self)
        if succeeded:
            handle.succeed()
        elif handle.status == GoalStatus.STATUS_CANCELING:
            handle.canceled()
        else:
            handle.abort()
        finish_goal(self._server.server, handle, result)

    def feed_back(self, desired: Any, measured: Measured) -> None:
        self._server.feed_back(self._handle, desired, measured)

    def relay_feedback(self, feedback: Any) -> None:
        self._handle.publish_feedback(feedback)

    def is_of(self, handle: Any) -> bool:
        return self._handle is handle


class GoalServer:
    """tolerances(): those of the parameters; start_of(stamp [ns]): when that is on the stream's clock [s]."""

    def __init__(
            self, node: Node, action: TrajectoryAction, follower: Follower, tolerances: Callable[[], Tolerances],
            start_of: Callable[[int], float]) -> None:
        self.action = action
        self._node, self._follower, self._tolerances, self._start_of = node, follower, tolerances, start_of
        self._goals: list[ActionGoal] = []
        self.server = ActionServer(
            node, action.type, NAME, lambda handle: None, goal_callback=self._admit, handle_accepted_callback=self._begin,
            cancel_callback=self._cancel, goal_service_qos_profile=CALLS, result_service_qos_profile=CALLS,
            cancel_service_qos_profile=CALLS, result_timeout=RESULT_KEPT)

    def destroy(self) -> None:
        self.server.destroy()

    def forget(self, goal: ActionGoal) -> None:
        self._goals.remove(goal)

    def feed_back(self, handle: Any, desired: Any, measured: Measured) -> None:
        default = self._tolerances()
        handle.publish_feedback(
            self.action.feedback(self._node.get_clock().now().to_msg(), default.joint_names, desired, measured))

    def _admit(self, goal):
        objection = self._follower.objection()
        try:
            if not objection:
                self.action.tolerances(goal, self._tolerances())
        except Refused as error:
            objection = str(error)
        if not objection:
            return GoalResponse.ACCEPT
        self._node.get_logger().warning(f'a goal of {NAME} is refused: {objection}', **ONCE_A_SECOND)
        return GoalResponse.REJECT

    def _begin(self, handle):
        goal = ActionGoal(self, handle, self.action.tolerances(handle.request, self._tolerances()))
        self._goals.append(goal)
        begin_goal(handle)
        message = self.action.trajectory(handle.request)
        stamp = nanoseconds(message.header.stamp)
        self._follower.follow(serialize_message(message), self._start_of(stamp) if stamp else None, goal)

    def _cancel(self, handle):
        if not any(goal.is_of(handle) for goal in self._goals):
            return CancelResponse.REJECT        # it has ended in the meantime
        self._node.executor.create_task(self._cancel_now, handle)       # the handle knows of it only after this callback
        return CancelResponse.ACCEPT

    def _cancel_now(self, handle):
        for goal in self._goals:
            if goal.is_of(handle):
                self._follower.cancel(goal)
                return
