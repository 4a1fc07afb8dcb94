# SPDX-License-Identifier: Apache-2.0
"""The argument MOTION and what belongs to it: way points in a file to a trajectory of the model's joints; limits; drives."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.robots import refuse_robot

if TYPE_CHECKING:
    from hod_ros.actuators.prepared_drives import PreparedDrives
    from hod_ros.command.robots import Source
    from hod_ros.model.robot_model import RobotModel
    from hod_ros.trajectories.limits import Limits
    from hod_ros.trajectories.trajectory import Trajectory

_DENSE = 20                 # points, whose first ones tell how a motion begins
MOST_SAMPLES = 200_000      # of a recording that is held in memory with its polynomials


def add_motion(parser: argparse.ArgumentParser, name: str = 'MOTION', optional: bool = False) -> None:
    """The arguments of a motion."""
    parser.add_argument(
        'motion', metavar=name, type=Path, nargs='?' if optional else None,
        help='way points with times: CSV, NPZ, or a JointTrajectory in YAML or JSON, as `ros2 topic echo` prints it; or a bag, Parquet '
        'or CSV file of setpoints with all derivatives up to the snap')
    group = parser.add_argument_group('the motion')
    group.add_argument(
        '--max-deviation', metavar='D', default='1e-3',
        help='how far the motion between points may leave straight lines [rad] or [m]; 1e-3 by default, none for as far as it likes')


def add_limits(parser: argparse.ArgumentParser) -> None:
    """The arguments of limits and drives."""
    group = parser.add_argument_group('limits and drives')
    group.add_argument(
        '--limits', metavar='FILE', type=Path,
        help="YAML or JSON: velocity, acceleration, jerk, effort, effort_rate, motor_effort, motor_velocity, or MoveIt's joint_limits.yaml;"
        " the description's own limits of position, velocity and effort hold beside it")
    add_drives(group)


def add_drives(group: 'argparse._ArgumentGroup') -> None:
    group.add_argument(
        '--drives', metavar='FILE', type=Path,
        help='YAML or JSON: {joint: {type: series_elastic, stiffness: 3000, ...}}, or a parameter file of the nodes; beside the '
        '<hod_elastic> of the description')


def add_margin(parser: argparse.ArgumentParser) -> None:
    """How limits are judged."""
    parser.add_argument(
        '--margin', type=float, default=1.0, help='the part of limits of forces and their rates that may be used; 0.8 where metal moves')
    parser.add_argument('--viscous-friction', action='store_true', help="add the description's damping to the torques")


def read_motion(options: argparse.Namespace, source: 'Source', model: 'RobotModel') -> 'Trajectory':
    """The motion of the model's joints, smooth to the fourth derivative; options.note gets what is to be known of it, '' if nothing."""
    import numpy as np

    from hod_ros.checks.arguments import some
    from hod_ros.command.locked_joints import warn_of_locked
    from hod_ros.command.locked_joints import warn_of_recording
    from hod_ros.recordings.bags import is_bag
    from hod_ros.recordings.bags import topic_of
    from hod_ros.recordings.contradictions import refuse_contradiction
    from hod_ros.recordings.headers import clock_hint
    from hod_ros.recordings.sample_files import unended
    from hod_ros.recordings.waypoints import read_waypoints
    refuse_robot(options.motion)
    options.note = ''
    if is_bag(options.motion) or options.motion.suffix == '.parquet' or _has_snaps(options.motion, model):
        warn_of_recording(options, source, options.motion)
        motion = _recorded(options.motion, model)
        options.note = 'of the topic {} ({})'.format(*topic_of(options.motion)) if is_bag(options.motion) else unended(options.motion)
        return motion
    try:
        points = read_waypoints(options.motion)
    except OSError as error:
        raise Failure(f'{str(options.motion)!r} cannot be read: {error.strerror}') from None
    missing = [joint for joint in model.joint_names if joint not in points.joint_names]
    if missing:
        known = [joint for joint in points.joint_names if joint in model.joint_names]
        remedy = f'choose the joints with --joints {",".join(known)}' if known else f'its columns are {some(points.joint_names, 12)}'
        raise Failure(f'{str(options.motion)!r} has no column of joint {missing[0]!r}; {remedy}')
    warn_of_locked(options, source, points.joint_names, points.positions, options.motion)
    points = points.of_joints(model.joint_names)
    refuse_other_units(model, points.positions, options.motion)
    if points.times is not None and points.velocities is not None:
        rows = [row for row in (points.positions, points.velocities, points.accelerations) if row is not None]
        refuse_contradiction(points.times, np.stack(rows, axis=1), points.joint_names, options.motion.name, dense=False)
    bare = points.times is None and points.velocities is None and points.accelerations is None
    rate = {'chunk_rate': 1.0} if bare and getattr(options, 'needs_no_times', False) else {}
    if points.times is None and not rate:
        raise Failure(f'{str(options.motion)!r} has no times; add a column time [s]{clock_hint(points.joint_names)}')
    motion = points.trajectory(max_deviation=_deviation(options.max_deviation), **rate)
    options.note = '; '.join(filter(None, (_end_in_motion(points), unended(options.motion))))
    return motion


def _has_snaps(path, model):
    from hod_ros.recordings.headers import has_column
    return path.suffix == '.csv' and path.is_file() and has_column(path, f'{model.joint_names[0]}.snap')


def _end_in_motion(points):
    """A sentence about points that move from the first on, or up to the last, where a motion from rest to rest is made of them; or ''."""
    import numpy as np
    if points.times is None or len(points) < _DENSE:
        return ''
    speeds = np.linalg.norm(np.diff(points.positions, axis=0), axis=1) / np.diff(points.times)
    for at, first, does in ((0, speeds[:_DENSE // 2], 'begin'), (-1, speeds[:-_DENSE // 2:-1], 'end')):
        given = points.velocities is not None and np.isfinite(points.velocities[at]).all()
        if not given and first[0] > 0.5 * np.median(first) > 0:
            return (f'its points {does} at {first[0]:.3g} rad/s or m/s, yet the motion {does}s at rest, for no velocities are given there: '
                    'what it takes there is not what the robot did')
    return ''


def _recorded(path, model):
    """A recording with all its derivatives as the motion that has them at its samples."""
    from hod_ros.recordings.contradictions import refuse_contradiction
    from hod_ros.recordings.read_samples import read_samples
    from hod_ros.recordings.samples import ROWS
    from hod_ros.trajectories.trajectory import Trajectory
    samples = read_samples(path, joint_names=model.joint_names)
    refuse_other_units(model, samples.q[:, 0], path)
    rows = samples.q.shape[1]
    if rows < len(ROWS):
        raise Failure(
            f'{str(path)!r} holds {", ".join(ROWS[:rows])} alone, but a motion needs all of {", ".join(ROWS)}: '
            'hod compute --differentiate makes torques of such recordings')
    if len(samples.stamps) > MOST_SAMPLES:
        raise Failure(f'{str(path)!r} holds {len(samples.stamps)} samples; give a part of {MOST_SAMPLES} at most, or hod compute all of it')
    times = (samples.stamps - samples.stamps[0]) * 1e-9
    refuse_contradiction(times, samples.q[:, :len(ROWS)], samples.joint_names, path.name)
    return Trajectory.from_derivatives(times, samples.q[:, :len(ROWS)], model.joint_names)


def refuse_other_units(model: 'RobotModel', positions: Any, path: Path) -> None:
    """Positions (points, n) of a file that look like degrees or millimetres."""
    from hod_ros.model.far_positions import in_other_units
    sentence = in_other_units(model, positions)
    if sentence:
        raise Failure(f'{str(path)!r} has {sentence}')


def _deviation(text):
    if text == 'none':
        return None
    try:
        return float(text)
    except ValueError:
        raise Failure(f'--max-deviation is {text!r}; give a number [rad] or [m], or none', exits.USAGE) from None


def read_limits(options: argparse.Namespace, model: 'RobotModel', drives: 'PreparedDrives | None') -> 'Limits':
    """The description's limits of velocity and effort, and those of --limits, which come first. Positions are judged by themselves."""
    from hod_ros.recordings import limit_files
    from hod_ros.trajectories.limits import Limits
    if options.limits is None:
        return Limits(**limit_files.of_description(model))
    try:
        return limit_files.read_limits(options.limits, model, () if drives is None else drives.motor_names)
    except OSError as error:
        raise Failure(f'{str(options.limits)!r} cannot be read: {error.strerror}') from None


def read_drives(options: argparse.Namespace, source: 'Source', model: 'RobotModel') -> 'PreparedDrives | None':
    """The drives of --drives and of the description; None where there are none."""
    from hod_ros.actuators.figures import drives_from_figures
    from hod_ros.actuators.prepared_drives import PreparedDrives
    from hod_ros.command.drive_files import read_figures
    figures = read_figures(options, source, model)
    return PreparedDrives(model, drives_from_figures(figures)) if figures else None
