# SPDX-License-Identifier: Apache-2.0
"""A motion of ruckig's: its torque rates, at which speed they are within a limit, and the result streamed to a running node.

    python examples/ruckig_motion.py [--picture FILE] [--stream setpoint | joint_trajectory]

ruckig keeps limits of velocity, acceleration and jerk, but knows no torques; where its jerk jumps, their rates jump. It is none of make's:
`.venv/bin/python -m pip install ruckig`, or pip install ruckig 'hod_ros[trajectories,plot]' where hod_ros is installed.
The node must know the robot: config/robots/panda.urdf as its description. A trajectory must begin where joint_states have the robot.
"""

import argparse
import sys
import time
from array import array
from typing import Any
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hod_ros import Limits
from hod_ros import RobotModel
from hod_ros import Trajectory
from hod_ros import evaluate_trajectory
from hod_ros import example_robot
from hod_ros import inverse_dynamics
from hod_ros import read_waypoints
from hod_ros import time_scale

FROM, TO = [0.0, -0.6, 0.0, -2.2, 0.0, 1.8, 0.8], [1.2, 0.3, 0.0, -1.4, 0.0, 2.3, 1.2]
ACCELERATION = [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0]                        # [rad/s^2] of the Panda, as its maker states them
JERK = [750.0, 375.0, 500.0, 625.0, 750.0, 1000.0, 1000.0]                      # [rad/s^3] a tenth of those
EFFORT_RATE, MARGIN = 1000.0, 0.8                                               # [N m/s], []
STEP = 2e-3                                                                     # [s] between setpoints, and points taken from ruckig
PATIENCE = 10.0                                                                 # [s] longest wait for the node

Array: TypeAlias = NDArray[np.float64]


def planned(model: RobotModel) -> Any:
    """ruckig's own Trajectory."""
    import ruckig  # pyright: ignore[reportMissingImports]
    task = ruckig.InputParameter(model.n)
    task.current_position, task.target_position = FROM, TO
    task.max_velocity, task.max_acceleration, task.max_jerk = model.velocity_limits.tolist(), ACCELERATION, JERK
    result = ruckig.Trajectory(model.n)
    if ruckig.Ruckig(model.n).calculate(task, result) not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise RuntimeError('ruckig found no motion')
    return result


def efforts(model: RobotModel, result: Any) -> tuple[Array, Array]:
    """(times, efforts and their rates (samples, 2, n)) of ruckig's own motion, whose jerk is constant in pieces: a difference will do."""
    h = 1e-6
    times = np.linspace(h, result.duration - h, 4001)
    q = np.empty((len(times), 4, model.n))
    for row, at in zip(q, times, strict=True):
        row[:3] = result.at_time(at)[:3]
        row[3] = (np.asarray(result.at_time(at + h)[2]) - result.at_time(at - h)[2]) / (2 * h)
    return times, inverse_dynamics(model, q)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--picture', metavar='FILE', help='draw torque rates before and after there')
    parser.add_argument('--stream', choices=('setpoint', 'joint_trajectory'), help='send the slower motion to the topic of a running node')
    options = parser.parse_args(arguments)
    model = RobotModel.from_urdf(example_robot('panda'))
    try:
        result = planned(model)
    except ImportError as error:
        print(f'skipped: ruckig cannot be imported ({error}); {sys.executable} -m pip install ruckig', file=sys.stderr)
        return 0
    motion = read_waypoints(result, step=STEP, joint_names=model.joint_names).trajectory(max_deviation=5e-3)
    limits = Limits(velocity=model.velocity_limits, effort=model.effort_limits, effort_rate=EFFORT_RATE)
    own = efforts(model, result)
    print(f'{result.duration:.3f} s as ruckig has it: effort rates up to {abs(own[1][:, 1]).max():.0f} N m/s')
    print(f'the same, smooth to the fourth derivative: {evaluate_trajectory(model, motion, limits, margin=MARGIN).message}')
    scaled = time_scale(model, motion, limits, margin=MARGIN)
    if scaled.trajectory is None:
        print(scaled.message)
        return 1
    slower = scaled.trajectory
    after = evaluate_trajectory(model, slower, limits, margin=MARGIN)
    print(f'{slower.duration:.3f} s at {scaled.fastest:.3f} of its speed: {after.message}')
    if options.picture:
        draw(model, own, slower, options.picture)
    if options.stream:
        return stream(slower, options.stream)
    return 0 if after.feasible else 1


def draw(model: RobotModel, own: tuple[Array, Array], after: Trajectory, file: str) -> None:
    from hod_ros.pictures import style
    figure, axes = style.subplots(2, 2, (style.WIDTH, 4.2), sharex=True, sharey='row')
    times = np.linspace(after.start, after.end, 4001)
    smooth = times, inverse_dynamics(model, after.evaluate(times, 4))
    for column, ((times, Q), title) in enumerate(((own, "ruckig's own"), (smooth, 'smooth, slowed down by time_scale'))):
        for row in (0, 1):
            axes[row, column].set_prop_cycle(style.line_styles())
            axes[row, column].plot(times, Q[:, row], linewidth=1)
            axes[row, column].grid(alpha=0.25)
        for sign in (-1, 1):
            axes[1, column].axhline(sign * MARGIN * EFFORT_RATE, **style.LIMIT)
        axes[0, column].set_title(title, fontsize=style.TITLE)
        axes[1, column].set_xlabel('t [s]')
    axes[0, 0].set_ylabel('Q [N m]')
    axes[1, 0].set_ylabel("Q' [N m/s]")
    figure.legend(axes[0, 0].lines, model.joint_names, loc='outside right center', frameon=False, fontsize=style.TYPE)
    style.save(figure, file)


def stream(motion: Trajectory, topic: str) -> int:
    """Sends the motion and waits for the end of what the node makes of it; 1 with a sentence where nothing comes."""
    import rclpy
    from rclpy.utilities import try_shutdown
    from trajectory_msgs.msg import JointTrajectory

    from hod_interfaces.msg import JointSetpoint
    from hod_interfaces.msg import TorqueFeedforward

    rclpy.init()
    node = rclpy.create_node('ruckig_motion')
    answers: list[Any] = []
    streamed: list[Any] = []
    node.create_subscription(TorqueFeedforward, 'hod/feedforward', answers.append, 100)
    node.create_subscription(JointSetpoint, 'hod/setpoint_stream', streamed.append, 100)
    whole = topic == 'joint_trajectory'
    publisher = node.create_publisher(JointTrajectory if whole else JointSetpoint, f'hod/{topic}', 10)

    def arrived() -> bool:
        last = streamed[-1] if streamed else None
        goal = motion.evaluate([motion.end])[0, 0]
        return last is not None and np.allclose(last.positions, goal, atol=1e-9) and not np.any(last.velocities)

    def wait(condition: Any) -> bool:
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=0.05)
        return bool(condition())

    try:
        if not wait(lambda: publisher.get_subscription_count() and node.count_publishers('hod/feedforward')):
            print(f'nobody takes {publisher.topic_name}; is the node running, and has it the description of the Panda?', file=sys.stderr)
            return 1
        if whole:
            publisher.publish(trajectory_message(motion))
            if not wait(arrived):
                print('the node did not stream it to its end; its log and /diagnostics (last refusal) say why', file=sys.stderr)
                return 1
        else:
            begin, stamp = time.monotonic(), None
            for due in np.arange(0.0, motion.duration, STEP):
                while (left := begin + due - time.monotonic()) > 0:
                    rclpy.spin_once(node, timeout_sec=left)
                setpoint = setpoint_message(motion, motion.start + due)
                setpoint.header.stamp = stamp = node.get_clock().now().to_msg()
                publisher.publish(setpoint)
                rclpy.spin_once(node, timeout_sec=0.0)      # also where it is late
            wait(lambda: answers and answers[-1].header.stamp == stamp)
        if not wait(lambda: bool(answers)):
            print('the node answered nothing; its log and /diagnostics say why', file=sys.stderr)
            return 1
    except KeyboardInterrupt:
        return 1
    finally:
        try_shutdown()
    largest = max(abs(rate) for answer in answers for rate in answer.effort_rates)
    print(f'{len(answers)} feedforwards from the node, effort rates up to {largest:.1f} N m/s')
    return 0


def setpoint_message(motion: Trajectory, at: float) -> Any:
    from hod_interfaces.msg import JointSetpoint
    q = motion.evaluate([at], 4)[0]
    return JointSetpoint(
        joint_names=list(motion.joint_names or ()), positions=array('d', q[0]), velocities=array('d', q[1]),
        accelerations=array('d', q[2]), jerks=array('d', q[3]), snaps=array('d', q[4]))


def trajectory_message(motion: Trajectory) -> Any:
    """Points close enough that the node's interpolation is the motion's own."""
    from builtin_interfaces.msg import Duration
    from trajectory_msgs.msg import JointTrajectory
    from trajectory_msgs.msg import JointTrajectoryPoint
    times = np.linspace(motion.start, motion.end, round(motion.duration / STEP) + 1)
    points = []
    for at, q in zip(times - motion.start, motion.evaluate(times, 2), strict=True):
        seconds, nanoseconds = divmod(round(at * 1e9), 10**9)
        points.append(JointTrajectoryPoint(
            positions=array('d', q[0]), velocities=array('d', q[1]), accelerations=array('d', q[2]),
            time_from_start=Duration(sec=seconds, nanosec=nanoseconds)))
    return JointTrajectory(joint_names=list(motion.joint_names or ()), points=points)


if __name__ == '__main__':
    sys.exit(main())
