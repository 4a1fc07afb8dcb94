# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node whose transitions never fail silently."""

import traceback

from rclpy.lifecycle import LifecycleState
from rclpy.lifecycle import TransitionCallbackReturn

from hod_ros.errors import HodError
from hod_ros.ros.rclpy_private import TolerantLifecycleNode
from hod_ros.ros.rclpy_private import lifecycle_state
from hod_ros.ros.reporting.quality import WithoutEvents


class ManagedNode(WithoutEvents, TolerantLifecycleNode):
    """Subclasses write `_configure`, `_activate`, `_deactivate` and `_free`, which raise where they can't do it."""

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._transition(self._configure, state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._transition(self._activate, state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._transition(self._deactivate, state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._transition(self._free, state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._transition(self._free, state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self._transition(self._free, state)

    @property
    def state(self) -> str:
        """'unconfigured', 'inactive', 'active', ..."""
        return lifecycle_state(self)

    def _activate_publishers(self, state):
        super().on_activate(state)

    def _deactivate_publishers(self, state):
        super().on_deactivate(state)

    def _transition(self, step, state):
        """rclpy turns an exception in a transition into a silent failure: here it is logged."""
        try:
            step(state)
        except HodError as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        except Exception:
            self.get_logger().error(f'a transition failed:\n{traceback.format_exc()}')
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS
