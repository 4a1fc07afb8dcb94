# SPDX-License-Identifier: Apache-2.0
"""The node with an action of test_msgs in place of FollowJointTrajectory, which is not among the wheels: the same server, another type.

A goal's `order` chooses a trajectory; the result's sequence is the outcome and the characters of its text. Run by itself this is a
controller that such goals are forwarded to.
"""

import sys
import time
from array import array

import rclpy
from builtin_interfaces.msg import Duration
from rclpy.action import ActionServer
from rclpy.action import CancelResponse
from test_msgs.action import Fibonacci
from trajectory_msgs.msg import JointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

from hod_ros.ros.nodes.hod import HodNode
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused

NAMES = ['joint1', 'joint2', 'joint3']
HOME = [0.4, -0.3, 0.6]
GOOD, LONG, UNSORTED, TOO_FAST, BAD_TOLERANCE = 1, 2, 3, 4, 5


def trajectory(order):
    """There and back by `order` % 10 kinds; order // 10: percent of a radian that joint1 goes."""
    kind, far = order % 10, order // 10 / 100
    times = {GOOD: (0.3, 0.6), LONG: (1.5, 3.0), UNSORTED: (0.5, 0.2), TOO_FAST: (0.01, 0.02)}[kind]
    points = []
    for seconds, part in zip(times, (0.5, 1.0), strict=True):
        point = JointTrajectoryPoint(positions=array('d', [HOME[0] + part * far, *HOME[1:]]))
        point.time_from_start = Duration(sec=int(seconds), nanosec=round(seconds % 1 * 1e9))
        points.append(point)
    return JointTrajectory(joint_names=NAMES, points=points)


class FibonacciAction:
    type = Fibonacci

    def trajectory(self, goal):
        return trajectory(goal.order)

    def tolerances(self, goal, default):
        if goal.order % 10 == BAD_TOLERANCE:
            raise Refused(Outcome.INVALID_JOINTS, 'a tolerance is for a joint that is none')
        return default

    def result(self, outcome, text):
        return Fibonacci.Result(sequence=array('i', [int(outcome), *text.encode()]))

    def feedback(self, stamp, joint_names, desired, measured):
        return Fibonacci.Feedback(sequence=array('i', [round(1e6 * desired[0, 0]), round(1e6 * measured.positions[0])]))

    def with_trajectory(self, goal, trajectory):
        """Its order says how many points there are with effort."""
        return Fibonacci.Goal(order=sum(len(point.effort) == 3 for point in trajectory.points))


class ActionNode(HodNode):
    trajectory_action = staticmethod(FibonacciAction)


def controller(steps=40):
    """Tells how many points with effort came; runs for this many hundredths of a second, or until it is canceled."""
    rclpy.init()
    node = rclpy.create_node('controller')
    executor = rclpy.executors.MultiThreadedExecutor()

    def run(handle):
        for step in range(steps):
            time.sleep(0.01)
            if handle.is_cancel_requested:
                handle.canceled()
                return Fibonacci.Result(sequence=array('i', [-7]))
            handle.publish_feedback(Fibonacci.Feedback(sequence=array('i', [step])))
        handle.succeed()
        return Fibonacci.Result(sequence=array('i', [handle.request.order]))

    server = ActionServer(node, Fibonacci, '/controller/follow', run, cancel_callback=lambda _: CancelResponse.ACCEPT)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass
    server.destroy()
    return 0


if __name__ == '__main__':
    sys.exit(controller(*map(int, sys.argv[1:])))
