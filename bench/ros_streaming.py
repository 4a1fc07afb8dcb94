# SPDX-License-Identifier: Apache-2.0
"""Trajectories replaced in flight: how late setpoints of a stream of 1 kHz are then, against the same stream left alone; splices' jumps.
What the machine itself stood still for counts for none.

Usage: python -m bench.ros_streaming [--replacements 200]
"""

import argparse
import itertools
import time
from array import array

import numpy as np

from bench.ros_peers import PRIORITY
from bench.ros_peers import isolate
from bench.ros_peers import robot
from bench.ros_peers import running
from bench.standstills import during
from bench.standstills import standstills
from bench.timing import Table

PLACE = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7])
POINTS, LONG_ONES = 10_000, 5      # of long trajectories, and how many there are
LATER = 2.0             # [ms] beyond the stream's own 99th percentile
JUMP = 1e-6             # of q^(4), relative


def jumps(count):
    """The largest jump of q^(4) at splices of random trajectories, in parts of the largest value that it has there."""
    from types import SimpleNamespace

    from hod_ros import Limits
    from hod_ros import RobotModel
    from hod_ros.ros.streaming.plans import PlanningRobot
    from hod_ros.ros.streaming.plans import plan
    model, rng = RobotModel.from_urdf(robot(7)), np.random.default_rng(1)
    planning = PlanningRobot(model, Limits(), np.stack(np.asarray(model.position_limits).T), max_deviation=None)

    def message(seconds, places):
        return SimpleNamespace(joint_names=model.joint_names, points=[
            SimpleNamespace(positions=place, time_from_start=SimpleNamespace(sec=0, nanosec=round(1e9 * at)))
            for at, place in zip(seconds, places, strict=True)])

    state, worst = np.stack([PLACE, *np.zeros((4, 7))]), 0.0
    for _ in range(count):
        motion = plan(message((0.4, 0.9), PLACE + rng.uniform(-0.2, 0.2, (2, 7))), state, None, planning)
        snaps = np.abs(motion.evaluate(np.linspace(0, motion.end, 200), 4)[:, 4]).max()
        worst = max(worst, np.abs(motion.evaluate([0.0], 4)[0, 4] - state[4]).max() / max(snaps, np.abs(state[4]).max()))
        state = motion.evaluate([rng.uniform(0.1, 0.8)], 4)[0]
    return float(worst)


def stream(replacements, long_ones=0, rate=1000.0):
    """[s] when setpoints went out in a stream left alone, while it is replaced again and again, and while trajectories of POINTS come."""
    import rclpy
    from builtin_interfaces.msg import Duration
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.qos import QoSDurabilityPolicy
    from rclpy.qos import QoSProfile
    from std_msgs.msg import String
    from trajectory_msgs.msg import JointTrajectory
    from trajectory_msgs.msg import JointTrajectoryPoint

    from hod_interfaces.msg import JointSetpoint
    from hod_ros import RobotModel
    names, stamps = list(RobotModel.from_urdf(robot(7)).joint_names), []
    isolate()
    rclpy.init()
    node, executor = rclpy.create_node('planner'), SingleThreadedExecutor()
    executor.add_node(node)
    node.create_subscription(
        JointSetpoint, '/hod/hod/setpoint_stream', lambda m: stamps.append(m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec), 5000)
    latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
    node.create_publisher(String, '/hod/robot_description', latched).publish(String(data=robot(7)))
    publisher = node.create_publisher(JointTrajectory, '/hod/hod/joint_trajectory', 10)

    def send(*points):
        message = JointTrajectory(joint_names=names)
        for seconds, place in points:
            message.points.append(JointTrajectoryPoint(
                positions=array('d', place), time_from_start=Duration(sec=int(seconds), nanosec=round(seconds % 1 * 1e9))))
        publisher.publish(message)

    def spin(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            executor.spin_once(timeout_sec=0.01)

    try:
        with running('hod', 'hod_ros.ros.process', '-p', f'realtime_priority:={PRIORITY}', '-p', f'rate:={rate}', '-p',
                     'trajectory.max_deviation:=.inf'):
            end = time.monotonic() + 30.0
            while not publisher.get_subscription_count() and time.monotonic() < end:
                spin(0.1)
            spin(2.0)                   # the process that interpolates starts as soon as somebody publishes
            send((0.0, PLACE), (60.0, PLACE + 0.1))
            spin(1.0)
            first = len(stamps)
            spin(4.0)
            alone, first = stamps[first:], len(stamps)
            rng = np.random.default_rng(1)
            for _ in range(replacements):
                send(*((at, PLACE + rng.uniform(-0.1, 0.1, 7)) for at in (0.4, 0.8)))
                spin(0.1)
            replaced, first = stamps[first:], len(stamps)
            for _ in range(long_ones):
                send(*((at, PLACE + 0.1 * np.sin(at)) for at in 1 + np.arange(1, POINTS + 1) / 100))
                spin(4.0)
            return np.array(alone), np.array(replaced), np.array(stamps[first:])
    finally:
        rclpy.try_shutdown()


def steps(stamps, still):
    """[ms] from each setpoint to the next, without those during which the machine itself stood still."""
    own = [not during(still, before, after) for before, after in itertools.pairwise(stamps)]
    return 1e3 * np.diff(stamps)[own]


def run(replacements=200):
    table = Table(f'{replacements} replacements in flight, Panda, 1 kHz')
    with standstills() as still:
        stamps = stream(replacements, LONG_ONES)
    alone, replaced, long_ones = (steps(part, still) for part in stamps)
    own = float(np.percentile(alone, 99))
    for what, value in (('p99', np.percentile(replaced, 99)), ('p99.9', np.percentile(replaced, 99.9)), ('the longest', replaced.max())):
        table.add(f'{what} of the times between setpoints, against p99 alone', float(value), own, (own + LATER) / own, 'ms')
    what = f'the longest while {LONG_ONES} trajectories of {POINTS} points come, against p99 alone'
    table.add(what, float(long_ones.max()), own, (own + LATER) / own, 'ms')
    table.add('the longest time where it is left alone, against its p99', float(alone.max()), own, None, 'ms')
    late = int((replaced > own + LATER).sum())
    jump = jumps(replacements)
    print(f'{late} of {len(replaced)} setpoints came more than {LATER:g} ms beyond p99; largest jump of q^(4) {jump:.1e}, bound {JUMP:g}')
    stood = [1e3 * np.diff(spans, axis=1) for spans in still]
    told = f'{len(stood[0])} times, {stood[0].max(initial=0.0):.1f} ms at the longest' if stood else 'unknown: no real-time priority'
    print(f'the machine itself stood still: {told}')
    return {'late': late, 'setpoints': len(replaced), 'jump': jump, 'rows': table.rows}


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--replacements', type=int, default=200)
    run(parser.parse_args().replacements)
