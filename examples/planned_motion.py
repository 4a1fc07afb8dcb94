# SPDX-License-Identifier: Apache-2.0
"""A planner's message (panda_plan.yaml, as `ros2 topic echo` prints a RobotTrajectory) made smooth, feasible and filled with effort.

    python examples/planned_motion.py [PLAN.yaml]
"""

import sys
from pathlib import Path

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import evaluate_trajectory
from hod_ros import example_robot
from hod_ros import read_waypoints
from hod_ros import time_scale
from hod_ros import with_effort

PLAN = Path(__file__).parent / 'panda_plan.yaml'
MARGIN = 0.8


def main(plan: str | Path = PLAN) -> int:
    model = RobotModel.from_urdf(example_robot('panda'))
    waypoints = read_waypoints(plan)
    motion = waypoints.trajectory(max_deviation=5e-3)
    limits = Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=30.0)
    before = evaluate_trajectory(model, motion, limits, margin=MARGIN)
    print(f'{len(waypoints)} points, {motion.duration:.2f} s: {before.message}')

    scaled = time_scale(model, motion, limits, margin=MARGIN)
    if scaled.trajectory is None:
        print(scaled.message)
        return 1
    after = evaluate_trajectory(model, scaled.trajectory, limits, margin=MARGIN)
    print(f'at {scaled.fastest:.3f} of its speed, {scaled.trajectory.duration:.2f} s: {after.message}')

    points = with_effort(model, scaled.trajectory)
    print(f'{len(points)} points with effort, which linear interpolation misses by {points.effort_error.max():.3g} N m at most, and '
          f'positions by {points.position_error.max():.1e} rad')
    return 0 if after.feasible else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:2]))
