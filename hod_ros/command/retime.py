# SPDX-License-Identifier: Apache-2.0
"""`hod retime`: the fastest motion along a path within limits, or a motion slowed down to keep them."""

import argparse
from pathlib import Path

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.motions import add_limits
from hod_ros.command.motions import add_margin
from hod_ros.command.motions import add_motion
from hod_ros.command.motions import read_drives
from hod_ros.command.motions import read_limits
from hod_ros.command.motions import read_motion
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.reports import say_no
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot
from hod_ros.command.whole_files import ending
from hod_ros.command.whole_files import refuse_inputs
from hod_ros.command.whole_files import whole_file

DESCRIPTION = """\
The fastest motion along a trajectory's path within limits of torques, torque rates, motors and motion, from rest to rest; or, with
--slow-down, the trajectory itself as much slower as its limits ask. With --effort the points carry the torque that they need, close enough
that a controller may interpolate it linearly. CSV and NPZ carry jerk and snap too and so are the motion that was found; YAML and JSON do
not, and what a controller makes of their points is said. Exit code 1, and no output, where no speed keeps the limits."""
EXAMPLES = """\
examples:
  hod retime panda pick.csv --limits limits.yaml --margin 0.8 --out fast.csv
  hod retime panda pick.csv --limits limits.yaml --slow-down --out slower.yaml
  hod retime panda pick.csv --limits limits.yaml --effort --out goal.yaml          for joint_trajectory_controller
"""
KINDS = ('.csv', '.npz', '.yaml', '.json')
STEP = 0.01         # [s]
_CLOSEST = 1e-6     # [s] between points with snaps, which rounding would drown


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_motion(parser, 'TRAJECTORY')
    add_limits(parser)
    add_margin(parser)
    group = parser.add_argument_group('the result')
    group.add_argument('--slow-down', action='store_true', help='change the speed as a whole, in place of the time-optimal timing')
    group.add_argument('--effort', action='store_true', help='fill in effort; motors\' where all joints have drives')
    group.add_argument('--effort-error', metavar='N m', type=float, help="the most that linear interpolation of effort errs; by default a "
                       "thousandth of the joints' limits")
    group.add_argument('--step', metavar='S', type=float, help='between points without --effort, at most [s]; 0.01 by default')
    group.add_argument('-o', '--out', metavar='FILE', type=Path, help='.csv, .npz, .yaml or .json; without it only the report is printed')
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    require('scipy', 'trajectories')
    from hod_ros.trajectories.position_limits import beyond_position_limits
    kind = None
    if options.out is not None:
        kind = ending(options.out, KINDS)
        refuse_inputs(options, options.out)
    if options.step is not None and not 1e-6 <= options.step < float('inf'):
        raise Failure(f'--step is {options.step}; give a time of 1e-6 s or more', exits.USAGE)
    if options.effort_error is not None and not options.effort:
        raise Failure('--effort-error says how close points with --effort are; give that too', exits.USAGE)
    if options.step is not None and options.effort:
        raise Failure('--step is of points without --effort; give --effort-error, or leave it out', exits.USAGE)
    source, model = read_robot(options)
    options.needs_no_times = not options.slow_down
    trajectory = read_motion(options, source, model)
    drives = read_drives(options, source, model)
    limits = read_limits(options, model, drives)
    outside = beyond_position_limits(model, trajectory)
    if outside:         # at every speed
        motion, report = None, {
            'feasible': False, 'message': f'no timing is feasible for {model.name} (model {model.hash}): {outside}', 'hash': model.hash,
            'margin': options.margin, 'duration_before': trajectory.duration}
    else:
        motion, report = (_slowed if options.slow_down else _fastest)(model, trajectory, limits, drives, options)
    report['note'] = options.note
    points = None
    if motion is not None and options.out is not None:
        from hod_ros.recordings.waypoint_writers import TABLES
        from hod_ros.recordings.waypoint_writers import write_waypoints
        points, higher = _points(model, motion, drives, options, kind in TABLES)
        with whole_file(options.out) as file:
            write_waypoints(file, points, kind, higher)
        report |= {'points': len(points), 'out': str(options.out)}
        if higher is None:
            report['interpolated'] = _interpolated(model, points, limits, drives, options)
    if options.json:
        print_json(report)
    else:
        print(report['message'])
        if motion is not None:
            print(f'{report["duration_before"]:.4g} s before, {report["duration"]:.4g} s now')
        if points is not None:
            print(f'{options.out}: {len(points)} points{_said(report, options)}')
        if options.note:
            print(options.note)
    if motion is None:
        say_no('retime', report['message'], options.json)
        return exits.NO
    return exits.DONE


def _fastest(model, trajectory, limits, drives, options):
    """(motion, or None where no speed serves; report) of the time-optimal timing."""
    from hod_ros.trajectories.timing.speed_search import NoSpeedError
    from hod_ros.trajectories.timing.time_optimal import time_optimal
    if options.viscous_friction:
        raise Failure('--viscous-friction is not considered by the time-optimal timing; leave it out, or give --slow-down', exits.USAGE)
    try:
        motion = time_optimal(model, trajectory, limits, drives=drives, margin=options.margin)
    except NoSpeedError as error:
        return None, {
            'feasible': False, 'message': f'no timing is feasible for {model.name} (model {model.hash}): {error}', 'hash': model.hash,
            'margin': options.margin, 'duration_before': trajectory.duration}
    certificate = motion.certificate
    return motion, {
        'feasible': True, 'message': certificate.message, 'hash': model.hash, 'margin': options.margin,
        'duration_before': trajectory.duration, 'duration': motion.duration, 'usage': certificate.usage}


def _slowed(model, trajectory, limits, drives, options):
    """(motion, or None where no speed serves; report)."""
    from hod_ros.trajectories.scaling import time_scale
    found = time_scale(model, trajectory, limits, drives, options.margin, viscous_friction=options.viscous_friction)
    report = {
        'feasible': found.fastest is not None, 'message': found.message, 'hash': model.hash, 'margin': options.margin,
        'duration_before': trajectory.duration, 'speed': found.fastest, 'intervals': found.intervals}
    if found.trajectory is None:
        return None, report
    return found.trajectory, report | {'duration': found.trajectory.duration}


def _points(model, motion, drives, options, whole):
    """(the motion as way points; their jerks and snaps, or None). whole: with these, so that the points are the motion."""
    import numpy as np

    from hod_ros.trajectories.controller_points import with_effort
    from hod_ros.trajectories.waypoints import Waypoints
    points = with_effort(model, motion, options.effort_error, drives, viscous_friction=options.viscous_friction) if options.effort else None
    if points is not None and not whole:
        return Waypoints(
            points.joint_names, points.times, points.positions, points.velocities, points.accelerations, points.efforts), None
    step = STEP if options.step is None else options.step
    if points is not None:
        times = points.times
    elif whole:
        times = _at_breaks(motion.breaks, step)
    else:
        times = np.linspace(motion.start, motion.end, max(2, int(np.ceil(motion.duration / step - 1e-9)) + 1))
    if not whole:
        q = motion.evaluate(times, 2)
        return Waypoints(model.joint_names, times, q[:, 0], q[:, 1], q[:, 2]), None
    kept = np.concatenate([[True], np.diff(times) > _CLOSEST])
    times = np.round(times[kept], 9)            # readers of recordings count nanoseconds
    q = motion.evaluate(np.clip(times, motion.start, motion.end), 4)
    efforts = None if points is None else points.efforts[kept]
    return Waypoints(model.joint_names, times, q[:, 0], q[:, 1], q[:, 2], efforts), q[:, 3:].swapaxes(0, 1)


def _at_breaks(breaks, step):
    """Times at the ends of all pieces, and so many within them that they are no more than a step apart."""
    import numpy as np
    counts = np.maximum(1, np.ceil(np.diff(breaks) / step - 1e-9)).astype(int)
    parts = [np.linspace(a, b, count, endpoint=False) for a, b, count in zip(breaks[:-1], breaks[1:], counts, strict=True)]
    return np.concatenate([*parts, breaks[-1:]])


def _interpolated(model, points, limits, drives, options):
    """What a controller that interpolates q, q' and q'' of points by degree five uses of the limits; None where that cannot be told."""
    import numpy as np

    from hod_ros.errors import HodError
    from hod_ros.trajectories.evaluation import evaluate_trajectory
    from hod_ros.trajectories.trajectory import Trajectory
    q = np.stack([points.positions, points.velocities, points.accelerations], axis=1)
    try:
        found = evaluate_trajectory(
            model, Trajectory.from_derivatives(points.times, q, model.joint_names), limits, drives, options.margin,
            viscous_friction=options.viscous_friction)
    except HodError:            # such as one of drives that need snaps
        return None
    used = {name: 1 - np.asarray(margins) for name, margins in found.margins.items()}
    if not used:
        return None
    name = max(used, key=lambda name: used[name].max())
    j = int(used[name].argmax())
    return {'quantity': name, 'joint': found.peaks[name].joint[j], 'usage': float(used[name][j])}


def _said(report, options):
    """Of a JointTrajectory: what is made of it."""
    if 'interpolated' not in report:
        return ''
    told = report['interpolated']
    if told is None:
        return " of q, q' and q'' alone"
    over = f'; a smaller {"--effort-error" if options.effort else "--step"} errs less' if told['usage'] > 1 else ''
    return (f" of q, q' and q'' alone: where a controller interpolates them by degree five, {100 * told['usage']:.2f} % is used of "
            f"{told['quantity']} of {told['joint']!r}{over}")
