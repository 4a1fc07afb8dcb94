# SPDX-License-Identifier: Apache-2.0
"""How a trajectory ends, with the error codes that joint_trajectory_controller has for it (control_msgs/FollowJointTrajectory)."""

from enum import IntEnum

from hod_ros.errors import InputError


class Outcome(IntEnum):

    SUCCESSFUL = 0
    INVALID_GOAL = -1               # refused before it began, or ended for a reason that is none of the others
    INVALID_JOINTS = -2
    OLD_HEADER_TIMESTAMP = -3
    PATH_TOLERANCE_VIOLATED = -4
    GOAL_TOLERANCE_VIOLATED = -5


class Refused(InputError):
    """A trajectory that can't be run, and why."""

    def __init__(self, outcome: Outcome, text: str) -> None:
        super().__init__(text)
        self.outcome = outcome

    def __reduce__(self):
        return type(self), (self.outcome, str(self))
