# SPDX-License-Identifier: Apache-2.0
"""`hod identify`: a robot's masses, friction, rotors and springs from recordings."""

import argparse
from math import isnan
from pathlib import Path

from hod_ros.command import exits
from hod_ros.command import identify_motors
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.folders import recordings
from hod_ros.command.folders import refuse_topic
from hod_ros.command.motions import add_drives
from hod_ros.command.recording_units import refuse_wrong_units
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.reports import styled
from hod_ros.command.reports import table
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot
from hod_ros.command.robots import refuse_robot
from hod_ros.command.whole_files import ending
from hod_ros.command.whole_files import refuse_inputs
from hod_ros.command.whole_files import whole_files

DESCRIPTION = """\
Masses, friction, rotor inertias and joint stiffness from recordings of positions and torques: JointState with efforts in a bag, or a CSV,
NPZ or Parquet file with columns <joint> and <joint>.effort. What the recordings say nothing of stays as described; every body stays
physical. The last quarter of each recording is held out to say how good the result is.

With --motor-states, a recording of the motors of elastic joints on their own side of the gears, the drives instead: stiffness and damping
of the springs, friction of the motors, with the masses as described; written as a parameter file of the nodes."""
EXAMPLES = """\
examples:
  hod identify panda excitation.mcap -o panda_identified.urdf            and beside it panda_identified.npz, .json
  hod identify arm.urdf logs/ --motors motor_states.mcap -o out.urdf     joint stiffness too
  hod identify arm.urdf links.mcap --motor-states motors.mcap --drives believed.yaml -o drives.yaml
  hod identify arm.urdf logs/ --believe 0.2 --json | jq .errors          the description is right to 20 %
"""
_TOGETHER = 0.9         # of the links' samples that the motors' recording must cover
_SHOWN = ('m', 'mx', 'my', 'mz')


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument('recordings', metavar='RECORDING', type=Path, nargs='+', help='recordings, or folders of them')
    parser.add_argument(
        '-o', '--output', metavar='FILE', type=Path,
        help='.urdf: the description with the identified inertias and no other change; beside it .npz (covariance, friction, rotors), '
        '.json; with --motor-states .yaml: the drives, for nodes (--params-file) and for --drives')
    parser.add_argument('--topic', help='of bags; by default the only one of JointState, else of JointTrajectory')
    parser.add_argument(
        '--motors', metavar='RECORDING', type=Path,
        help='motor positions divided by the gear ratio, recorded at the same time as the one recording; for the stiffness of joints')
    parser.add_argument(
        '--motor-states', metavar='RECORDING', type=Path,
        help="motor positions and torques on the motors' own side, by their joints' names, recorded at the same time as the one recording, "
        'of which the links\' positions are used: identifies drives. Columns of a table: <joint>, <joint>.effort')
    parser.add_argument('--motor-topic', metavar='TOPIC', help='of --motor-states where that is a bag, such as motor_states')
    add_drives(parser)
    parser.add_argument(
        '--believe', metavar='PART', type=float, default=0.5, help="how wrong the description's inertias may be; 0.5 by default: by half")
    parser.add_argument('--cutoff', metavar='HZ', type=float, help='of the motion that is followed; by default as the noise says')
    parser.add_argument('--friction-width', metavar='W', type=float, help='of dry friction [rad/s]; by default what fits best')
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    require('scipy', 'trajectories')
    if options.motor_states is not None:
        return identify_motors.run(options)
    from hod_ros.identification.identify import identify
    from hod_ros.identification.recording import refuse_unmeasured
    from hod_ros.recordings.read_samples import measured_topic
    source, model = read_robot(options)
    if options.output is not None and options.output.suffix != '.urdf':
        raise Failure(f'{str(options.output)!r} ends in none of .urdf; name an output that does (.yaml: with --motor-states)', exits.USAGE)
    if options.output is not None:
        ending(options.output, ('.urdf',))
        refuse_inputs(options, *_outputs(options.output))
    paths = [path for given in options.recordings for path in _files(given)]
    if options.motors is not None and len(paths) != 1:
        raise Failure(f'--motors goes with one recording, but there are {len(paths)}', exits.USAGE)
    refuse_topic(options.topic, '--topic', paths if options.motors is None else [*paths, options.motors])
    recordings_of, notes = [], []
    for path in paths:
        recording, own = _recording(path, model, options)
        recordings_of.append(recording)
        notes += own
        refuse_unmeasured(model.joint_names, recording.positions, recording.torques, str(path))
    found = identify(
        model, recordings_of, description_deviation=options.believe, cutoff=options.cutoff,
        friction_width=options.friction_width)
    document = _document(found, paths, [measured_topic(path, options.topic) for path in paths], notes)
    if options.output is not None:
        _write(options.output, found, source, document)
    if options.json:
        print_json(document)
    else:
        _show(found, document, options)
    return exits.DONE


def _files(path):
    from hod_ros.recordings.bags import is_bag
    refuse_robot(path)
    if not path.exists():
        raise Failure(f'there is no recording {str(path)!r}')
    return sorted(recordings(path)) if path.is_dir() and not is_bag(path) else [path]


def _recording(path, model, options):
    """(Recording, sentences about it)"""
    from hod_ros.identification.recording import Recording
    from hod_ros.recordings.order import without_repeats
    from hod_ros.recordings.read_samples import measured_topic
    from hod_ros.recordings.read_samples import read_samples
    try:
        samples = read_samples(path, topic=measured_topic(path, options.topic), joint_names=model.joint_names)
    except OSError as error:
        raise Failure(f'{str(path)!r} cannot be read: {error.strerror}') from None
    if samples.efforts is None:
        raise Failure(f'{str(path)!r} has no torques; record JointState with efforts, or add columns <joint>.effort')
    samples = without_repeats(samples, str(path))
    refuse_wrong_units(model, samples, path)
    if options.motors is not None:
        motors = read_samples(options.motors, topic=measured_topic(options.motors, options.topic), joint_names=model.joint_names)
        motors = without_repeats(motors, str(options.motors))
        refuse_wrong_units(model, motors, options.motors)
        return _beside_motors(samples, motors, path, options.motors)
    return Recording(samples.joint_names, (samples.stamps - samples.stamps[0]) * 1e-9, samples.q[:, 0], samples.efforts), []


def _beside_motors(samples, motors, path, motor_path):
    """(Recording, sentences): the links' samples at which the motors' positions are known."""
    from hod_ros.identification.recording import Recording
    from hod_ros.recordings.courses import course
    from hod_ros.trajectories.sample_times import off_text
    own, theirs = course(samples, samples.stamps[0]), course(motors, samples.stamps[0])
    positions, known = theirs.positions_at(own.times)
    within = (own.times >= theirs.times[0]) & (own.times <= theirs.times[-1])
    if within.mean() < _TOGETHER:
        raise Failure(f'{str(motor_path)!r} was not recorded at the same time as {str(path)!r}')
    notes = [f'{str(name)!r}: {text}' for name, part in ((path, own), (motor_path, theirs)) if (text := off_text(part.taken))]
    lost = int((within & ~known).sum())
    if lost:
        notes.append(f'{lost} of {len(known)} samples of {str(path)!r} fall into gaps of {str(motor_path)!r}, and are left out')
    return Recording(samples.joint_names, own.times[known], samples.q[known, 0], samples.efforts[known], positions[known]), notes


def _document(found, paths, topics, notes):
    from hod_ros.recordings.sample_files import unended
    return {
        'robot': found.model.name, 'hash': found.model.hash, 'recordings': [str(path) for path in paths], 'topics': topics,
        'joints': list(found.model.joint_names),
        'errors': {'described': found.errors_described, 'held_out': found.errors_held_out, 'all': found.errors},
        'friction_width': found.friction_width, 'condition': found.condition, 'rates_used': list(found.rates_used),
        'filtering': {
            'cutoff': list(found.filtering.cutoff), 'samples': found.filtering.samples, 'equations': found.filtering.equations,
            'position_noise': found.filtering.position_noise, 'acceleration_noise': found.filtering.acceleration_noise},
        'figures': [_figure(figure) for figure in found.figures], 'base_figures': [_figure(figure) for figure in found.base_figures],
        'notes': [*notes, *found.notes, *filter(None, map(unended, paths))]}


def _figure(figure):
    return {
        'name': figure.name, 'value': figure.value, 'deviation': figure.deviation, 'described': figure.described,
        'excitation': figure.excitation, 'unit': figure.unit}


def _outputs(path):
    return path, path.with_suffix('.npz'), path.with_suffix('.json')


def _write(path, found, source, document):
    """The URDF, the figures that it has no place for, and the report: all three, or none."""
    import json

    import numpy as np

    from hod_ros.command.reports import plain
    from hod_ros.dynamics.regressor import inertial_parameters
    from hod_ros.dynamics.regressor import parameter_names
    text = found.urdf(source.text.decode('utf-8-sig'))
    model = found.model
    with whole_files(*_outputs(path)) as (urdf, figures, report):
        urdf.write(text.encode())
        np.savez(
            figures, parameter_names=parameter_names(model), parameters=inertial_parameters(model), covariance=found.covariance,
            joint_names=model.joint_names, armature=model.armature, damping=model.damping, friction=model.friction,
            friction_width=found.friction_width, torque_offsets=found.offsets)
        report.write((json.dumps(plain(document), indent=2) + '\n').encode())


def _show(found, document, options):
    f = found.filtering
    low, high = min(f.cutoff), max(f.cutoff)
    print(f'{f.samples} samples, followed up to {low:.3g}' + (f' to {high:.3g}' if high > 1.01 * low else '') + ' Hz; noise of positions '
          f'{f.position_noise.max():.2g}, of accelerations behind the filter {f.acceleration_noise.max():.2g} (worst joint)')
    topics = [f'{name}: {topic}' for name, topic in zip(document['recordings'], document['topics'], strict=True) if topic]
    if topics:
        print(f'of the topics {", ".join(topics)}')
    print(f'condition of the equations {found.condition:.3g}; dry friction turns within {found.friction_width:g} rad/s; '
          + (f'torque rates helped for {", ".join(found.rates_used)}' if found.rates_used else 'torque rates told nothing more') + '\n')
    rows = [
        [joint, *(f'{errors[j]:.4g}' for errors in (found.errors_described, found.errors_held_out))]
        for j, joint in enumerate(found.model.joint_names)]
    print('\n'.join(table(('torque error on the held-out part [N m]', 'as described', 'identified'), rows, right=(1, 2))) + '\n')
    shown = [figure for figure in found.figures if figure.name.rpartition('/')[2] in _SHOWN or figure.unit.endswith(('/rad', 'N m'))
             or figure.name.endswith(('armature', 'motor delay'))]
    rows = [
        [figure.name, f'{figure.value:.4g}', f'{figure.deviation:.2g}', '' if isnan(figure.described) else f'{figure.described:.4g}',
         f'{100 * figure.excitation:.0f} %', figure.unit] for figure in shown]
    print('\n'.join(table(('figure', 'identified', '+-', 'described', 'excited', 'unit'), rows, right=(1, 2, 3, 4))))
    print('\nexcited: 0 % where the recordings say nothing of a figure by itself, which then stays as described')
    for note in document['notes']:
        print(f'\n{styled("note", "yellow")}: {note}')
    if options.output is not None:
        stem = options.output.with_suffix('')
        print(f'\n{options.output}: the inertias; {stem}.npz: covariance, friction, rotors; {stem}.json: all of this')
