# SPDX-License-Identifier: Apache-2.0
"""All that is used of rclpy's private members, for want of public ones. A test runs it on every distribution."""

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer
from rclpy.action.server import GoalEvent
from rclpy.action.server import ServerGoalHandle
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.service import Service
from rclpy.subscription import Subscription


def given_parameters(node: Node) -> dict[str, Parameter]:
    """What files and the command line gave, declared or not."""
    return node._parameter_overrides


def lifecycle_state(node: LifecycleNode) -> str:
    """The name of the state that a lifecycle node is in."""
    return node._state_machine.current_state[1]


def take_request(service: Service) -> tuple[Any, Any] | tuple[None, None]:
    """(request, header) of the next request that waits at a service, or (None, None); `send_response` takes the header."""
    return service.handle.service_take_request(service.srv_type.Request)


def take_message(subscription: Subscription) -> bytes | None:
    """The next message that waits at a subscription, as bytes; None where none does. For the executor's thread only."""
    with subscription.handle:
        taken = subscription.handle.take_message(subscription.msg_type, True)
    return None if taken is None else taken[0]


def begin_goal(handle: ServerGoalHandle) -> None:
    """An accepted goal is being executed, although by nothing that rclpy runs."""
    handle._update_state(GoalEvent.EXECUTE)


def finish_goal(server: ActionServer, handle: ServerGoalHandle, result: Any) -> None:
    """Whoever asks for the result of a goal in a terminal state is answered with this; who has asked already is answered at once.

    rclpy would leave that to the executor, which may have run for the last time, and to the server, which may be gone by then.
    """
    response = server.action_type.Impl.GetResultService.Response()
    response.status, response.result = handle.status, result
    future = server._result_futures[bytes(handle.goal_id.uuid)]
    future._set_executor(None)
    future.set_result(response)


class TolerantLifecycleNode(LifecycleNode):
    """rclpy raises where ~/change_state asks for a transition that the state doesn't have: here that is answered with success false.

    Nor does its `destroy_node` take leave of others, for the state machine still holds the node; whoever starts next would hardly be found.
    """

    def destroy_node(self) -> None:
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    def _LifecycleNodeMixin__on_change_state(self, request: Any, response: Any) -> Any:
        answer: Callable = super()._LifecycleNodeMixin__on_change_state
        try:
            return answer(request, response)
        except RuntimeError as error:
            self.get_logger().warning(f'a requested transition is not possible in the state {lifecycle_state(self)}: {error}')
            response.success = False
            return response
