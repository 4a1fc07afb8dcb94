# SPDX-License-Identifier: Apache-2.0
"""`hod identify --motor-states`: the drives of elastic joints from a recording of links and motors, as a parameter file."""

import argparse
from typing import Any

from hod_ros.command import exits
from hod_ros.command.drive_files import read_figures
from hod_ros.command.drive_files import write_figures
from hod_ros.command.exits import Failure
from hod_ros.command.folders import refuse_topic
from hod_ros.command.reports import print_json
from hod_ros.command.reports import styled
from hod_ros.command.reports import table
from hod_ros.command.robots import read_robot
from hod_ros.command.whole_files import ending
from hod_ros.command.whole_files import refuse_inputs

ENDINGS = ('.yaml', '.yml')
TELLING = 3.0           # standard deviations, below which a figure counts as 0
TOGETHER = 0.5          # of the links' samples that the motors' recording must cover
EVEN = 0.01             # of a step, by which steps may differ
UNITS = {
    'stiffness': 'N m/rad', 'damping': 'N m s/rad', 'motor_friction': 'N m s/rad', 'motor_coulomb': 'N m'}


def run(options: argparse.Namespace) -> int:
    from hod_ros.actuators.drive_identification import identify_drives
    from hod_ros.actuators.drive_identification import spring_notes
    from hod_ros.actuators.drives import SeriesElastic
    from hod_ros.actuators.figures import drives_from_figures
    from hod_ros.actuators.prepared_drives import PreparedDrives
    if options.output is not None:
        ending(options.output, ENDINGS)
        refuse_inputs(options, options.output)
    if len(options.recordings) != 1 or options.motors is not None:
        raise Failure('--motor-states goes with one recording of the links, and without --motors', exits.USAGE)
    refuse_topic(options.topic, '--topic', options.recordings)
    refuse_topic(options.motor_topic, '--motor-topic', [options.motor_states])
    source, model = read_robot(options)
    figures = read_figures(options, source, model)
    drives = drives_from_figures(figures)
    sought = [joint for joint in model.joint_names if isinstance(drives.get(joint), SeriesElastic)]
    if not sought:
        raise Failure('no joint has a drive of the type series_elastic, whose figures are sought; name its gear_ratio and motor_inertia, '
                      'and a stiffness as it is believed, by --drives or in the description')
    prepared = PreparedDrives(model, drives)
    step, q, theta, tau, notes = _measured(options, prepared, sought)
    found = identify_drives(
        model, prepared, step=step, positions=q, motor_positions=theta, torques=tau, friction_width=options.friction_width)
    told = {joint: _told(found.drives[joint], found.deviations[joint]) for joint in sought}
    for joint in sought:
        figures[joint] = {name: value for name, value in figures[joint].items() if name != 'motor_breakaway'} | told[joint]
    rows = [
        {'joint': joint, 'figure': name, 'identified': told[joint][name], 'deviation': deviation,
         'believed': getattr(drives[joint], name), 'unit': UNITS[name]}
        for joint in sought for name, deviation in found.deviations[joint].items()]
    notes += spring_notes(found.delays, found.unexplained)
    if options.output is not None:
        write_figures(options.output, figures, [
            f'Drives of {model.name}, identified by hod identify from {options.recordings[0].name} and {options.motor_states.name}.'])
    if options.json:
        print_json({'robot': model.name, 'samples': len(q), 'step': step, 'drives': figures, 'figures': rows, 'offsets': found.offsets,
                    'delays': found.delays, 'unexplained': found.unexplained, 'notes': notes})
    else:
        _show(rows, found, len(q), step, notes, options)
    return exits.DONE


def _told(drive, deviations) -> dict[str, Any]:
    """The figures that were found, as a file has them; 0 where the recording does not tell them from 0."""
    told = {name: float(getattr(drive, name)) for name in deviations}
    told = {name: value if value > TELLING * deviations[name] else 0.0 for name, value in told.items()}
    return told | ({'motor_friction_width': float(drive.motor_friction_width)} if told.get('motor_coulomb') else {})


def _measured(options, prepared, sought):
    """(step [s], q (samples, n), theta, tau (samples, motors), sentences) at even times."""
    import numpy as np
    from scipy.interpolate import CubicSpline

    from hod_ros.command.recording_units import refuse_wrong_units
    from hod_ros.identification.recording import refuse_unmeasured
    from hod_ros.recordings.contradictions import refuse_wrong_times
    from hod_ros.recordings.order import without_repeats
    from hod_ros.recordings.read_samples import measured_topic
    from hod_ros.recordings.read_samples import read_samples
    path, motor_path = options.recordings[0], options.motor_states
    links = read_samples(path, topic=measured_topic(path, options.topic), joint_names=prepared.model.joint_names)
    motors = read_samples(motor_path, topic=measured_topic(motor_path, options.motor_topic), joint_names=sought)
    if motors.efforts is None:
        raise Failure(f'{str(motor_path)!r} has no torques of the motors; record motor_states with efforts, or add columns '
                      '<joint>.effort')
    links, motors = without_repeats(links, str(path)), without_repeats(motors, str(motor_path))
    refuse_unmeasured(sought, motors.q[:, 0], motors.efforts, str(motor_path))
    refuse_wrong_units(prepared.model, links, path)
    refuse_wrong_times((motors.stamps - motors.stamps[0]) * 1e-9, motors.q[:, :2], motors.joint_names, str(motor_path))
    times, link_note = _times(links, links.stamps[0], path)
    at, motor_note = _times(motors, links.stamps[0], motor_path)
    inside = (times >= at[0]) & (times <= at[-1])
    if inside.mean() < TOGETHER:
        raise Failure(f'{str(motor_path)!r} was not recorded at the same time as {str(path)!r}')
    times, q = times[inside], links.q[inside, 0]
    step = float(times[-1] - times[0]) / (len(times) - 1)
    if np.abs(np.diff(times) - step).max() > EVEN * step:
        even = np.linspace(times[0], times[-1], len(times))
        q, times = CubicSpline(times, q)(even), even
    columns = [prepared.motor_names.index(joint) for joint in sought]
    theta, tau = np.zeros((2, len(times), len(prepared.motor_names)))
    theta[:, columns] = CubicSpline(at, motors.q[:, 0])(times)
    tau[:, columns] = np.stack([np.interp(times, at, column) for column in motors.efforts.T], axis=1)
    return step, q, theta, tau, [note for note in (link_note, motor_note) if note]


def _times(samples, begin, path):
    """(times [s] since `begin` at which samples were taken, a sentence about their stamps); Failure where there is a gap."""
    from hod_ros.recordings.courses import course
    from hod_ros.trajectories.sample_times import off_text
    own = course(samples, begin)
    if len(own.stretches) > 1:
        stamps = samples.stamps - samples.stamps[0]
        at = max((stretch.stop - 1 for stretch in own.stretches[:-1]), key=lambda at: stamps[at + 1] - stamps[at])
        raise Failure(f'{str(path)!r} has a gap of {(stamps[at + 1] - stamps[at]) * 1e-9:.3g} s after {stamps[at] * 1e-9:.3g} s; '
                      'give a recording without one')
    text = off_text(own.taken)
    return own.times, text and f'{str(path)!r}: {text}'


def _show(rows, found, samples, step, notes, options):
    print(f'{samples} samples, {step * 1e3:.3g} ms apart\n')
    shown = [[row['joint'], row['figure'], f'{row["identified"]:.4g}', f'{row["deviation"]:.2g}', f'{row["believed"]:.4g}', row['unit']]
             for row in rows]
    print('\n'.join(table(('joint', 'figure', 'identified', '+-', 'believed', 'unit'), shown, right=(2, 3, 4))))
    print('\nencoder offsets [rad]: ' + ', '.join(f'{joint} {offset:.2g}' for joint, offset in found.offsets.items()))
    print('delays of the motors\' stamps [ms]: ' + ', '.join(f'{joint} {1e3 * delay:.3g}' for joint, delay in found.delays.items()))
    print('unexplained parts of the deflections: ' + ', '.join(f'{joint} {100 * part:.2g} %' for joint, part in found.unexplained.items()))
    print(f'0: less than {TELLING:g} standard deviations from it')
    for note in notes:
        print(f'\n{styled("note", "yellow")}: {note}')
    if options.output is not None:
        print(f'\n{options.output}: a parameter file of the nodes, which --drives takes too')
