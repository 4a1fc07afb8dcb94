# SPDX-License-Identifier: Apache-2.0
"""`hod compute`: torques and their time derivatives of recordings, a file or a folder of them."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.folders import RECORDINGS
from hod_ros.command.folders import add_folders
from hod_ros.command.folders import refuse_folder_options
from hod_ros.command.folders import refuse_topic
from hod_ros.command.folders import work_through
from hod_ros.command.progress import Progress
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot
from hod_ros.command.robots import refuse_robot

if TYPE_CHECKING:
    from hod_ros.command.robots import Source
    from hod_ros.model.robot_model import RobotModel

DESCRIPTION = """\
The torques Q of every sample of a recorded motion, and their time derivatives Q', Q'', ... MOTION is a CSV, NPZ or Parquet file, a ROS 2
bag (its folder, .mcap or .db3, with JointSetpoint, JointState or JointTrajectory; no ROS is needed), or a folder of any of these. A
derivative that a recording does not hold is never taken as zero: say how to get it."""
EXAMPLES = """\
examples:
  hod compute panda motion.mcap --order 2 -o torques.parquet            setpoints with snaps: Q, Q', Q''
  hod compute panda states.db3 --differentiate --order 1 -o Q.mcap       measured positions; their noise is reported
  hod compute panda points.csv --interpolate --rate 1000 -o Q.csv        way points, moved through smoothly
  hod compute panda logs/ --order 2 -o labels/ --format npz --jobs 8     a folder; run it again to go on where it stopped
  hod compute panda logs/ -o labels/ --scheduler tcp://head:8786         the same on a Dask cluster
"""
ENDINGS = ('.csv', '.npz', '.parquet', '.mcap')


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument('motion', metavar='MOTION', type=Path, help='a recording, or a folder of recordings')
    parser.add_argument(
        '-o', '--output', metavar='OUT', type=Path, required=True, help=f'a file {", ".join(ENDINGS)}; of a folder: a folder')
    parser.add_argument('--order', type=int, default=0, help='the highest time derivative of the torques; 0 by default')
    parser.add_argument('--topic', help='of a bag; by default the only one of JointSetpoint, else of JointState, else of JointTrajectory')
    group = parser.add_argument_group('derivatives that the recording does not hold')
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        '--differentiate', action='store_true', help='take them from the positions by smoothing splines, whose noise is reported')
    either.add_argument('--interpolate', action='store_true', help='take the samples for way points of a smooth motion')
    group.add_argument('--cutoff', metavar='HZ', type=float, help='of --differentiate; by default as the noise says')
    group.add_argument('--rate', metavar='HZ', type=float, help='of the samples that --interpolate gives; by default their own times')
    add_folders(parser, [ending[1:] for ending in ENDINGS])
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    for option, needs in (('cutoff', 'differentiate'), ('rate', 'interpolate')):
        if getattr(options, option) is not None and not getattr(options, needs):
            raise Failure(f'--{option} says how to --{needs}; give that too', exits.USAGE)
    if options.differentiate or options.interpolate:
        require('scipy', 'trajectories')
    source, model = read_robot(options)
    refuse_robot(options.motion)
    from hod_ros.recordings.bags import is_bag
    if options.motion.is_dir() and not is_bag(options.motion):
        return work_through(options, source, model, 'hod_ros.command.compute', RECORDINGS, ENDINGS[0])
    from hod_ros.command.whole_files import ending
    from hod_ros.command.whole_files import refuse_inputs
    refuse_folder_options(options)
    refuse_topic(options.topic, '--topic', [options.motion])
    ending(options.output, ENDINGS)
    refuse_inputs(options, options.output)
    return _report(options, one(options, source, model, options.motion, options.output, shown=True))


def one(
        options: argparse.Namespace, source: 'Source', model: 'RobotModel', motion: Path, output: Path, shown: bool = False) -> dict:
    """One recording; the same in a process of its own, where the kernel has one thread."""
    from hod_ros.command.locked_joints import warn_of_recording
    from hod_ros.recordings.bags import is_bag
    from hod_ros.recordings.bags import topic_of
    from hod_ros.recordings.read_samples import count_of
    from hod_ros.recordings.sample_files import unended
    from hod_ros.recordings.torques import compute_torques
    missing = 'differentiate' if options.differentiate else 'interpolate' if options.interpolate else None
    if shown and motion.exists():
        warn_of_recording(options, source, motion)
    total = count_of(motion, options.topic) if shown and motion.exists() else None
    with Progress(total, 'samples') if shown else _Quiet() as progress:
        try:
            done = compute_torques(
                model, motion, output, order=options.order, topic=options.topic, missing=missing, cutoff=options.cutoff, rate=options.rate,
                threads=None if shown else 1, progress=progress)
        except OSError as error:
            if error.filename is not None and Path(error.filename) == motion:
                raise Failure(f'{str(motion)!r} cannot be read: {error.strerror}') from None
            raise Failure(f'{str(output)!r} could not be written: {error.strerror or error}', exits.OUTPUT) from None
    topic, kind = topic_of(motion, options.topic) if shown and is_bag(motion) else (None, None)
    return {'motion': str(motion), 'output': str(output), 'topic': topic, 'type': kind, 'samples': done.samples, 'order': done.order,
            'noise': done.noise, 'duration': done.duration, 'note': '; '.join(filter(None, (done.note, unended(motion))))}


class _Quiet:
    def __call__(self, _: int) -> None:
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def _report(options, done):
    if options.json:
        print_json(done)
        return exits.DONE
    rows = ', '.join("Q" + "'" * k for k in range(min(done['order'], 3) + 1)) + (f' .. Q^({done["order"]})' if done['order'] > 3 else '')
    topic = f', of {done["topic"]} ({done["type"]})' if done['topic'] else ''
    print(f'{done["output"]}: {rows} of {done["samples"]} samples, {done["duration"]:.4g} s{topic}')
    for sentence in filter(None, (done['noise'], done['note'])):
        print(sentence)
    return exits.DONE
