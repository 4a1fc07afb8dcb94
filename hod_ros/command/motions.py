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

DEVIATION = '1e-3'          # [rad] or [m] between way points, where none is given
_WILD = 3.0                 # times the samples' own peaks, between samples
_NOTHING = (1e-3, 0.1, 10.0)        # of accelerations, jerks and snaps, which torques do not show
_INSIDE = 50                # points at which a gap is judged
_WILDER = 1.5               # times what samples have
_STIR = (1e-3, 0.1)         # of velocities and accelerations, which tell nothing
_PARTS = 4                  # of the distance of knots, between the samples that are kept of a smoothed motion
MOST_SAMPLES = 200_000      # of a recording that is held in memory with its polynomials


def add_motion(parser: argparse.ArgumentParser, name: str = 'MOTION', optional: bool = False) -> None:
    """The arguments of a motion."""
    parser.add_argument(
        'motion', metavar=name, type=Path, nargs='?' if optional else None,
        help='way points with times: CSV, NPZ, or a JointTrajectory in YAML or JSON, as `ros2 topic echo` prints it; or a bag, Parquet '
        'CSV or NPZ file of setpoints with all derivatives up to the snap; or any recording of positions, with --differentiate')
    group = parser.add_argument_group('the motion')
    group.add_argument(
        '--max-deviation', metavar='D',
        help='how far the motion between points may leave straight lines [rad] or [m]; 1e-3 by default, none for as far as it likes')
    group.add_argument(
        '--differentiate', action='store_true',
        help='of a recording: a smooth motion along its positions, by splines whose noise is reported; other derivatives are not used')


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
    from hod_ros.recordings.measured import as_way_points
    from hod_ros.recordings.sample_files import unended
    refuse_robot(options.motion)
    options.note = ''
    if options.differentiate or _is_recording(options.motion, model):
        if options.max_deviation is not None:
            what = 'differentiated' if options.differentiate else 'a recording with derivatives'
            raise Failure(
                f'--max-deviation is of motions between way points, but {str(options.motion)!r} is {what}; leave it out', exits.USAGE)
        warn_of_recording(options, source, options.motion)
        motion, note = (_differentiated if options.differentiate else _recorded)(options.motion, model)
        read = 'of the topic {} ({})'.format(*topic_of(options.motion)) if is_bag(options.motion) else unended(options.motion)
        options.note = '; '.join(filter(None, (read, note)))
        return motion
    try:
        points = _points(options.motion, model)
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
    motion = points.trajectory(max_deviation=_deviation(options.max_deviation or DEVIATION), **rate)
    note = '' if points.times is None else as_way_points(points.times, points.positions, points.velocities)
    read = 'of the topic {} ({})'.format(*topic_of(options.motion)) if is_bag(options.motion) else unended(options.motion)
    options.note = '; '.join(filter(None, (note, read)))
    return motion


def _is_recording(path, model):
    """Whether the samples of a file have all derivatives, or ought to: others are way points."""
    from hod_ros.recordings.bags import is_bag
    from hod_ros.recordings.bags import trajectories
    from hod_ros.recordings.headers import has_column
    from hod_ros.recordings.sample_files import has_snaps
    if is_bag(path):
        return not path.exists() or trajectories(path) != 1
    if path.suffix == '.csv':
        return path.is_file() and has_column(path, f'{model.joint_names[0]}.snap')
    return path.suffix == '.parquet' or path.suffix == '.npz' and path.is_file() and has_snaps(path)


def _points(path, model):
    """Way points of a file, or of the only trajectory in a bag."""
    from hod_ros.recordings.bags import is_bag
    from hod_ros.recordings.read_samples import read_samples
    from hod_ros.recordings.waypoints import read_waypoints
    from hod_ros.trajectories.waypoints import Waypoints
    if not is_bag(path):
        return read_waypoints(path)
    samples = read_samples(path, joint_names=model.joint_names)
    return Waypoints(samples.joint_names, (samples.stamps - samples.stamps[0]) * 1e-9, *samples.q.swapaxes(0, 1))


def _differentiated(path, model):
    """(the smooth motion along a recording's positions without its ends, where nothing beyond holds its derivatives; a sentence)."""
    import numpy as np

    from hod_ros.recordings.contradictions import refuse_wrong_times
    from hod_ros.recordings.derivatives import Noise
    from hod_ros.recordings.samples import ROWS
    from hod_ros.recordings.speeds import refuse_too_fast
    from hod_ros.recordings.speeds import share_of_limits
    from hod_ros.recordings.speeds import slow_text
    from hod_ros.trajectories.sample_times import SampleTimes
    from hod_ros.trajectories.sample_times import gaps
    from hod_ros.trajectories.sample_times import sample_times
    from hod_ros.trajectories.smoothing import smoothed_motion
    from hod_ros.trajectories.trajectory import Trajectory
    times, samples = _samples(path, model)
    taken = SampleTimes(times)
    steps = np.diff(times)
    if len(steps) and (steps > 0).all():
        if samples.q.shape[1] > 1:
            refuse_wrong_times(times, samples.q, samples.joint_names, path.name)
        refuse_too_fast(model, times, samples.q[:, 0], path.name)
        missing = gaps(times)
        if len(missing):
            at = missing[steps[missing].argmax()]
            raise Failure(
                f'{str(path)!r} has a gap of {steps[at]:.4g} s behind {times[at]:.6g} s, over which nothing can be differentiated; give a '
                'part without one (hod compute --differentiate takes each by itself)')
        taken = sample_times(times, samples.q[:, 0])
        times = taken.times
    smooth = smoothed_motion(times, samples.q[:, 0], len(ROWS) - 1)
    knots = smooth.knot_distance
    kept = np.unique(np.searchsorted(times, np.arange(knots, times[-1] - knots, knots / _PARTS)))
    kept = kept[np.concatenate([[True], np.diff(times[kept]) > 0.1 * knots / _PARTS])]
    note = Noise([smooth.cutoff], [smooth.noise], [smooth.deviations], [taken]).text()
    motion = Trajectory.from_derivatives(times[kept] - times[kept[0]], smooth.derivatives[kept], model.joint_names)
    slow = slow_text(share_of_limits(model, taken.times, samples.q[:, 0]), path.name)
    return motion, '; '.join(filter(None, (note, f'{knots:.2g} s at either end are left out, where the splines err more', slow)))


def _samples(path, model):
    """(times [s] from 0 on, samples) of a recording that is one motion."""
    from hod_ros.recordings.bags import is_bag
    from hod_ros.recordings.bags import trajectories
    from hod_ros.recordings.read_samples import read_samples
    count = trajectories(path) if is_bag(path) and path.exists() else 0
    if count > 1:
        raise Failure(
            f'{str(path)!r} holds {count} trajectories, which are no way points of one motion; give a bag of one, or each as a file '
            '(YAML, as `ros2 topic echo` prints it, CSV)')
    samples = read_samples(path, joint_names=model.joint_names)
    refuse_other_units(model, samples.q[:, 0], path)
    if len(samples.stamps) > MOST_SAMPLES:
        raise Failure(f'{str(path)!r} holds {len(samples.stamps)} samples; give a part of {MOST_SAMPLES} at most, or hod compute all of it')
    return (samples.stamps - samples.stamps[0]) * 1e-9, samples


def _recorded(path, model):
    """(a recording with all its derivatives as the motion that has them at its samples, a sentence)."""
    from hod_ros.recordings.contradictions import refuse_contradiction
    from hod_ros.recordings.samples import ROWS
    from hod_ros.trajectories.trajectory import Trajectory
    times, samples = _samples(path, model)
    rows = samples.q.shape[1]
    if rows < len(ROWS):
        raise Failure(
            f'{str(path)!r} holds {", ".join(ROWS[:rows])} alone, but a motion needs all of {", ".join(ROWS)}: '
            '--differentiate makes a smooth motion of its positions')
    refuse_contradiction(times, samples.q[:, :len(ROWS)], samples.joint_names, path.name)
    motion = Trajectory.from_derivatives(times, samples.q[:, :len(ROWS)], model.joint_names)
    note = _gaps(motion, times, samples.q, path)
    _refuse_coarse(motion, samples.q[:, 2:len(ROWS)], path)
    return motion, note


def _gaps(motion, times, q, path):
    """A sentence about gaps; ends the command where what fills them moves in another way than the samples do."""
    import numpy as np

    from hod_ros.recordings.samples import ROWS
    from hod_ros.trajectories.sample_times import gaps
    found = gaps(times)
    if not len(found):
        return ''
    at = found[np.diff(times)[found].argmax()]
    told = f'{str(path)!r} has a gap of {times[at + 1] - times[at]:.4g} s behind {times[at]:.6g} s'
    inside = np.concatenate([np.linspace(times[k], times[k + 1], _INSIDE) for k in found])
    filled = np.abs(motion.evaluate(inside, len(_STIR))[:, 1:]).max(axis=0)
    own = np.abs(q[:, 1:len(_STIR) + 1]).max(axis=0)
    wild = filled > _WILDER * own + np.array(_STIR)[:, None]
    if wild.any():
        k, j = np.argwhere(wild)[0]
        raise Failure(
            f'{told}, in which a motion that has all derivatives at its samples has a {ROWS[k + 1]} of joint {motion.joint_names[j]!r} of '
            f'{filled[k, j]:.3g}, where samples have {own[k, j]:.3g} at most; give a part without one')
    return f'{told}, which is filled by polynomials from one sample to the next' + (f'; there are {len(found)}' if len(found) > 1 else '')


def _refuse_coarse(motion, given, path):
    """Ends the command where a motion swings between samples, because what they say of the next one is not what that says."""
    import numpy as np

    from hod_ros.recordings.samples import ROWS
    between = np.abs(motion.evaluate((motion.breaks[1:] + motion.breaks[:-1]) / 2, len(ROWS) - 1)[:, 2:]).max(axis=(0, 2))
    own = np.abs(given).max(axis=(0, 2))
    wild = np.flatnonzero(between > _WILD * np.maximum(own, _NOTHING))
    if wild.size:
        k = wild[0]
        raise Failure(
            f'the stamps or digits of {str(path)!r} are too coarse for its derivatives: a motion that has all of them at its samples has a '
            f'{ROWS[k + 2]} of up to {between[k]:.3g} between them, they themselves of {own[k]:.3g} at most; --differentiate makes a '
            'smooth motion of its positions, and hod compute judges each sample by itself')


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
