# SPDX-License-Identifier: Apache-2.0
"""What an action that follows trajectories looks like: control_msgs/FollowJointTrajectory, where it is installed."""

from array import array
from typing import Any
from typing import Protocol

from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.tolerances import Tolerances

NAME = '~/follow_joint_trajectory'
MISSING = (
    f'{NAME} is not offered, because control_msgs is not installed; install it (rosdep install, or apt install ros-<distro>-control-msgs), '
    'or use ~/joint_trajectory')


class TrajectoryAction(Protocol):
    """type: the action. Servers and forwarding are written over this, so that any action that carries a trajectory serves."""

    type: Any

    def trajectory(self, goal: Any) -> Any:
        """The JointTrajectory of a goal."""

    def tolerances(self, goal: Any, default: Tolerances) -> Tolerances:
        """Those of a goal; Refused where they can't be."""

    def result(self, outcome: Outcome, text: str) -> Any:
        """A Result."""

    def feedback(self, stamp: Any, joint_names: tuple[str, ...], desired: Any, measured: Measured) -> Any:
        """A Feedback; desired (rows, n)."""

    def with_trajectory(self, goal: Any, trajectory: Any) -> Any:
        """The same goal with another trajectory."""


class FollowJointTrajectory:

    def __init__(self) -> None:
        from control_msgs.action import FollowJointTrajectory as Action
        self.type = Action

    def trajectory(self, goal: Any) -> Any:
        return goal.trajectory

    def tolerances(self, goal: Any, default: Tolerances) -> Tolerances:
        if goal.multi_dof_trajectory.points:
            raise Refused(Outcome.INVALID_GOAL, 'multi_dof_trajectory has points; this node moves joints of one axis: give trajectory')
        time = goal.goal_time_tolerance
        return default.with_goals_own(goal.path_tolerance, goal.goal_tolerance, time.sec + 1e-9 * time.nanosec)

    def result(self, outcome: Outcome, text: str) -> Any:
        return self.type.Result(error_code=int(outcome), error_string=text)

    def feedback(self, stamp: Any, joint_names: tuple[str, ...], desired: Any, measured: Measured) -> Any:
        feedback = self.type.Feedback(joint_names=list(joint_names))
        feedback.header.stamp = stamp
        feedback.desired.positions, feedback.desired.velocities = _numbers(desired[0]), _numbers(desired[1])
        feedback.desired.accelerations = _numbers(desired[2])
        feedback.actual.positions, feedback.actual.velocities = _numbers(measured.positions), _numbers(measured.velocities)
        feedback.error.positions = _numbers(desired[0] - measured.positions)
        feedback.error.velocities = _numbers(desired[1] - measured.velocities)
        return feedback

    def with_trajectory(self, goal: Any, trajectory: Any) -> Any:
        goal.trajectory = trajectory
        return goal


def installed() -> FollowJointTrajectory | None:
    """None where control_msgs is missing."""
    try:
        return FollowJointTrajectory()
    except ImportError:
        return None


def _numbers(values):
    """Empty where one is not known."""
    return array('d', values.tolist() if (values == values).all() else [])
