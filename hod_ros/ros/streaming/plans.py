# SPDX-License-Identifier: Apache-2.0
"""From a JointTrajectory to the motion that leads from a present state through its points: interpolated, blended into and judged.

Nothing here knows a clock: time 0 is where the new motion takes over.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from dataclasses import fields
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hod_ros.errors import HodError
from hod_ros.model.robot_model import RobotModel
from hod_ros.recordings.messages import waypoints
from hod_ros.ros.setpoints.bad_setpoints import check_joint_names
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.trajectories.controller_points import PART_OF_LIMIT
from hod_ros.trajectories.controller_points import with_effort
from hod_ros.trajectories.evaluation import evaluate_trajectory
from hod_ros.trajectories.interpolation import interpolate
from hod_ros.trajectories.limits import Limits
from hod_ros.trajectories.stopping import stopped
from hod_ros.trajectories.trajectory import Trajectory
from hod_ros.trajectories.waypoints import Waypoints

ROWS = 5                        # of a state: q, q', ... q'''': a splice is continuous in all of them
MOST_POINTS = 20_000
STILL = 1e-9                    # velocities and higher derivatives of joints that stand
STOPS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)     # [s] within which a stop along the path is tried, in this order
BEFORE = 2.0                    # [s] before a stop that are kept, longer than its computation may take
BLENDS = (0.0, 0.05, 0.2)       # [s] by which the first points of a chunk are passed over, in this order
ROUNDING = 1e-9                 # of a time

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PlanningRobot:
    """What trajectories are judged with. limits hold in full: `margin` is the part of forces and rates that may be used."""

    model: RobotModel
    limits: Limits
    box: Array                          # (2, n) lower and upper positions, inf where there are none
    drives: dict = field(default_factory=dict)
    max_deviation: float | None = 1e-3  # from straight lines between points [rad] or [m]; None: any
    margin: float = 0.8
    start_tolerance: float = 0.1        # by which a trajectory may begin elsewhere [rad] or [m]
    chunk_rate: float = 0.0             # of points without times [1/s]; 0: these are refused
    partial: bool = False               # whether joints may be left out, which then stay where they are
    friction: bool = False              # viscous friction counts

    def judges_as(self, other: 'PlanningRobot') -> bool:
        """Whether the same trajectories are refused, and become the same motions."""
        return all(_equal(getattr(self, item.name), getattr(other, item.name)) for item in fields(self))


def _equal(one, other):
    if isinstance(one, Limits):
        return all(_equal(getattr(one, item.name), getattr(other, item.name)) for item in fields(one))
    if isinstance(one, RobotModel):
        return one is other
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


@dataclass(frozen=True)
class Rehearsal:
    """A motion that nobody wants, so that the first that somebody does is not held up by imports; the result: how long it took then."""

    def run(self, robot: PlanningRobot, read: Callable[[NDArray[np.uint8]], Any]) -> float:
        times, seconds = np.linspace(0, 1, 40), 0.0
        positions = np.sin(times)[:, None] + np.zeros(robot.model.n)
        for _ in range(2):
            began = monotonic()
            motion = stopped(Trajectory.interpolate(times, positions), 0.5, 0.5)
            evaluate_trajectory(robot.model, motion, robot.limits, robot.drives or None, viscous_friction=robot.friction)
            seconds = monotonic() - began
        return seconds


@dataclass(frozen=True)
class PlanJob:
    """message: a serialized JointTrajectory, see in_place. state: (ROWS, n) where the joints are when it takes over, in the model's order,
    None: not known. start: [s] when the trajectory's own time 0 is; None: when it takes over."""

    message: NDArray[np.uint8]
    state: Array | None
    start: float | None = None

    def run(self, robot: PlanningRobot, read: Callable[[NDArray[np.uint8]], Any]) -> Trajectory:
        return plan(read(self.message), self.state, self.start, robot)


@dataclass(frozen=True)
class EffortJob:
    """As PlanJob, but the result is the message that came, smoothed and with effort, for a controller that interpolates itself."""

    message: NDArray[np.uint8]
    state: Array | None

    def run(self, robot: PlanningRobot, read: Callable[[NDArray[np.uint8]], Any]) -> Any:
        message = read(self.message)
        trajectory = plan(message, self.state, None, robot)
        effort = robot.limits.of('effort', robot.model.n)
        peak = np.abs(evaluate_trajectory(robot.model, trajectory).peaks['effort'].value)
        reference = np.maximum(peak, 1.0) if effort is None else np.where(np.isfinite(effort), effort, np.maximum(peak, 1.0))
        points = with_effort(
            robot.model, trajectory, PART_OF_LIMIT * reference, robot.drives or None, viscous_friction=robot.friction)
        if len(message.joint_names) < robot.model.n:
            message.joint_names = list(robot.model.joint_names)
        return points.message(message)


def plan(message: Any, state: Array | None, start: float | None, robot: PlanningRobot) -> Trajectory:
    """The motion from `state` at time 0 through the points that are later; Refused where it can't be."""
    model = robot.model
    missing = _missing_joints(message, robot)
    given, chunk = _points(message, robot)
    given = given.of_joints(model.joint_names) if not missing else _with_joints_at_rest(given, missing, state, robot)
    times = given.times + (0.0 if start is None else start)
    if state is None:
        if times[0] > 0 or start is not None:
            raise Refused(Outcome.INVALID_GOAL, (
                'where the robot is is not known, because no joint_states come and nothing was streamed: such a trajectory begins at once, '
                'with its first point at 0 s'))
        state = np.zeros((ROWS, model.n))
        state[0] = given.positions[0]
    given = given.wrapped_near(state[0], _continuous(model))
    later = times > 0
    if not later.any():
        if start is None:
            raise Refused(Outcome.INVALID_GOAL, 'all points are at 0 s, which leaves no time to get there; give the last one a later time')
        raise Refused(Outcome.OLD_HEADER_TIMESTAMP, (
            f'all points are in the past: the last was due {-times[-1]:.3f} s before this trajectory could take over; send a later '
            'stamp, or 0 for now'))
    _check_jump(given, times, state, robot)
    if chunk:
        return _with_stop_at_its_end(_through_chunk(given, times, state, robot), robot)
    _check_end(given)
    motion = _through(given, times, later, state, robot)
    judge(motion, robot, robot.margin)
    return motion


def judge(motion: Trajectory, robot: PlanningRobot, margin: float) -> None:
    """Refused where a limit is not kept."""
    if robot.limits.given:
        found = evaluate_trajectory(
            robot.model, motion, robot.limits, robot.drives or None, margin, viscous_friction=robot.friction)
        if not found.feasible:
            raise Refused(Outcome.INVALID_GOAL, found.message)


def stop(trajectory: Trajectory, time: float, robot: PlanningRobot) -> Trajectory:
    """The trajectory from shortly before `time` on, then along its path to a stand, as soon as its limits allow; as it was where no stop
    keeps them."""
    near = _around(trajectory, time)
    for duration in STOPS:
        if time + duration / 2 >= trajectory.end:
            break
        try:
            motion = stopped(near, time, duration)
            judge(motion, robot, 1.0)
        except HodError:
            continue
        return motion
    return trajectory


def _around(trajectory: Trajectory, time: float) -> Trajectory:
    """What a stop from `time` on needs of it, so that a long trajectory is stopped as quickly as a short one."""
    breaks = trajectory.breaks
    first = max(int(np.searchsorted(breaks, time - BEFORE, side='right')) - 1, 0)
    last = min(int(np.searchsorted(breaks, time + STOPS[-1] / 2)), len(breaks) - 1)
    return Trajectory(breaks[first:last + 1], trajectory.coefficients[first:last], trajectory.joint_names)


def _points(message: Any, robot: PlanningRobot) -> tuple[Waypoints, bool]:
    """The message's points with times; whether these are the chunk rate's, and more points are to come."""
    if len(message.points) > MOST_POINTS:
        raise Refused(Outcome.INVALID_GOAL, f'the trajectory has {len(message.points)} points; give up to {MOST_POINTS}')
    try:
        given = waypoints(message)
    except HodError as error:
        raise Refused(Outcome.INVALID_GOAL, str(error)) from None
    if given.times is not None:
        return given, False
    if not robot.chunk_rate:
        raise Refused(Outcome.INVALID_GOAL, (
            f'the {len(given)} points have no times; give time_from_start, or the parameter trajectory.chunk_rate, the points a second'))
    times = np.arange(1, len(given) + 1) / robot.chunk_rate
    return Waypoints(given.joint_names, times, given.positions, given.velocities, given.accelerations), True


def _missing_joints(message: Any, robot: PlanningRobot) -> list[str]:
    """Those that are left out, where they may be."""
    names = list(message.joint_names)
    missing = [name for name in robot.model.joint_names if name not in names] if names else []
    try:
        if names:
            check_joint_names(robot.model, [*names, *missing] if robot.partial else names)
    except HodError as error:
        hint = '; joints may be left out with the parameter allow_partial_joints_goal' if missing and not robot.partial else ''
        raise Refused(Outcome.INVALID_JOINTS, f'{error}{hint}') from None
    return missing


def _with_joints_at_rest(given: Waypoints, missing: list[str], state: Array | None, robot: PlanningRobot) -> Waypoints:
    """The points in the model's order, with joints that stay where they are."""
    names = robot.model.joint_names
    if state is None:
        raise Refused(Outcome.INVALID_JOINTS, f'{missing[0]!r} is left out, and where it is is not known, because no joint_states come')
    columns = [names.index(name) for name in missing]
    moving = np.abs(state[1:, columns]).max(axis=0) > STILL
    if moving.any():
        raise Refused(Outcome.INVALID_JOINTS, (
            f'{missing[int(np.argmax(moving))]!r} is left out, but moves when this takes over; name it too'))
    rest = np.broadcast_to(state[0, columns], (len(given), len(missing)))
    none = np.full_like(rest, np.nan)
    extended = {
        what: None if getattr(given, what) is None else np.concatenate([getattr(given, what), none], axis=1)
        for what in ('velocities', 'accelerations')}
    return Waypoints(
        (*given.joint_names, *missing), given.times, np.concatenate([given.positions, rest], axis=1), **extended).of_joints(names)


def _continuous(model: RobotModel) -> list[str]:
    """Joints that turn without end."""
    limits = np.asarray(model.position_limits)
    out = []
    for name, (lower, upper) in zip(model.joint_names, limits, strict=True):
        screws = model.X[[i for i, joint in enumerate(model.joints) if joint == name]]
        if np.isinf(lower) and np.isinf(upper) and len(screws) == 1 and screws[0, :3].any() and not screws[0, 3:].any():
            out.append(name)
    return out


def _check_jump(given: Waypoints, times: Array, state: Array, robot: PlanningRobot) -> None:
    """Points that are due or past say where the joints should be."""
    if times[0] > 0:
        return
    wanted = np.array([np.interp(0.0, times, column) for column in given.positions.T])
    distance = np.abs(wanted - state[0])
    joint = int(np.argmax(distance))
    if distance[joint] > robot.start_tolerance:
        raise Refused(Outcome.INVALID_GOAL, (
            f'the trajectory begins with joint {given.joint_names[joint]!r} at {wanted[joint]:.4g}, but it is at {state[0, joint]:.4g} '
            f'then; begin within start_tolerance = {robot.start_tolerance:g} of where the robot is, or later, with time to get there'))


def _check_end(given: Waypoints) -> None:
    if given.velocities is None:
        return
    speed = np.nan_to_num(given.velocities[-1])
    joint = int(np.argmax(np.abs(speed)))
    if abs(speed[joint]) > 1e-6:
        raise Refused(Outcome.INVALID_GOAL, (
            f'the last point has the velocity {speed[joint]:.4g} for joint {given.joint_names[joint]!r}; a trajectory ends at rest: give 0 '
            'or none there'))


def _through_chunk(given: Waypoints, times: Array, state: Array, robot: PlanningRobot) -> Trajectory:
    """It goes on at its end, and is joined as early as limits allow."""
    end = np.full((1, robot.model.n), np.nan) if given.velocities is None else given.velocities[-1:]
    if len(given) > 1:
        end = np.where(np.isnan(end), np.diff(given.positions[-2:], axis=0) * robot.chunk_rate, end)
    refusal = None
    for blend in BLENDS:
        later = times > blend
        if not later.any():
            break
        motion = _through(given, times, later, state, robot, end)
        try:
            judge(motion, robot, robot.margin)
        except Refused as error:
            refusal = error
        else:
            return motion
    raise refusal


def _through(
        given: Waypoints, times: Array, later: NDArray[np.bool_], state: Array, robot: PlanningRobot,
        end: Array | None = None) -> Trajectory:
    """Interpolated; a line to the first point that a moving robot is blended into is none of the plan's, so no distance from it counts."""
    names = robot.model.joint_names
    optional: dict[str, Array | None] = {}
    for what in ('velocities', 'accelerations'):
        rows = getattr(given, what)
        if rows is not None:
            rows = np.concatenate([np.full((1, len(names)), np.nan), rows[later]])
            rows[-1] = np.nan       # at rest: planners of trapezoids have an acceleration there
        optional[what] = rows
    free = end is not None or bool((np.abs(state[1:]) > STILL).any())
    box = np.stack([np.minimum(robot.box[0], state[0]), np.maximum(robot.box[1], state[0])])
    try:
        return interpolate(
            np.concatenate([[0.0], times[later]]), np.concatenate([state[:1], given.positions[later]]), optional['velocities'],
            optional['accelerations'], ROWS - 1, robot.max_deviation, joint_names=names,
            position_limits=box if np.isfinite(box).any() else None, start=state[1:], end=end, chunk_rate=None, blended=free)
    except HodError as error:
        raise Refused(Outcome.INVALID_GOAL, f'{error} (point 0 is where the robot is)') from None


def _with_stop_at_its_end(motion: Trajectory, robot: PlanningRobot) -> Trajectory:
    """A chunk is followed as if more of it came, until the last moment at which limits allow to stand at its last point."""
    whole = 2 * motion.end * (1 - ROUNDING)
    for duration in [*(duration for duration in STOPS if duration < whole), whole]:
        ended = stopped(motion, max(motion.end - duration / 2 * (1 + ROUNDING), 0.0), duration)
        try:
            judge(ended, robot, robot.margin)
        except Refused:
            if duration == whole:
                raise
        else:
            break
    return ended
