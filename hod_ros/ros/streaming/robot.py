# SPDX-License-Identifier: Apache-2.0
"""The robot of the moment as trajectories are judged with it."""

from math import inf

import numpy as np

from hod_ros.ros.guards.bounds import motion_bounds
from hod_ros.ros.parameters.declared import ChangedParameters
from hod_ros.ros.parameters.declared import Parameters
from hod_ros.ros.robot.robot import Robot
from hod_ros.ros.setpoints.commands import bounds_of
from hod_ros.ros.setpoints.setpoint_limits import JERK
from hod_ros.ros.setpoints.setpoint_limits import limits_of
from hod_ros.ros.setpoints.setpoint_limits import motion_limits
from hod_ros.ros.setpoints.setpoint_limits import named_limits
from hod_ros.ros.setpoints.setpoint_limits import of_parameters
from hod_ros.ros.streaming.plans import PlanningRobot


def planning_robot(robot: Robot, parameters: Parameters | ChangedParameters) -> PlanningRobot:
    """Limits are those of commands, where these are published."""
    model = robot.model
    if parameters['publish_commands']:
        bounds = bounds_of(model, parameters)
        limits = limits_of(
            velocity=bounds.velocity, effort=bounds.effort, effort_rate=bounds.effort_rate, jerk=of_parameters(JERK, model, parameters))
        box = np.stack([bounds.lower, bounds.upper])
    else:
        limits = motion_limits(model, parameters)
        box = np.stack(motion_bounds(model, **named_limits(parameters))[:2])
    deviation = parameters['trajectory.max_deviation']
    return PlanningRobot(
        model, limits, box, robot.drives, None if deviation == inf else deviation, parameters['trajectory.margin'],
        parameters['start_tolerance'], parameters['trajectory.chunk_rate'], parameters['allow_partial_joints_goal'],
        parameters['joint_friction'])
