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
LONGEST_GAP = 5.0       # steps
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
    step, q, theta, tau = _measured(options, prepared, sought)
    found = identify_drives(
        model, prepared, step=step, positions=q, motor_positions=theta, torques=tau, friction_width=options.friction_width)
    told = {joint: _told(found.drives[joint], found.deviations[joint]) for joint in sought}
    for joint in sought:
        figures[joint] = {name: value for name, value in figures[joint].items() if name != 'motor_breakaway'} | told[joint]
    rows = [
        {'joint': joint, 'figure': name, 'identified': told[joint][name], 'deviation': deviation,
         'believed': getattr(drives[joint], name), 'unit': UNITS[name]}
        for joint in sought for name, deviation in found.deviations[joint].items()]
    notes = spring_notes(found.delays, found.unexplained)
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
    """(step [s], q (samples, n), theta, tau (samples, motors)) at even times."""
    import numpy as np
    from scipy.interpolate import CubicSpline

    from hod_ros.identification.recording import refuse_unmeasured
    from hod_ros.recordings.read_samples import measured_topic
    from hod_ros.recordings.read_samples import read_samples
    path = options.recordings[0]
    links = read_samples(path, topic=measured_topic(path, options.topic), joint_names=prepared.model.joint_names)
    motors = read_samples(options.motor_states, topic=measured_topic(options.motor_states, options.motor_topic), joint_names=sought)
    if motors.efforts is None:
        raise Failure(f'{str(options.motor_states)!r} has no torques of the motors; record motor_states with efforts, or add columns '
                      '<joint>.effort')
    links, motors = _increasing(links, options.recordings[0]), _increasing(motors, options.motor_states)
    refuse_unmeasured(sought, motors.q[:, 0], motors.efforts, str(options.motor_states))
    begin, end = max(links.stamps[0], motors.stamps[0]), min(links.stamps[-1], motors.stamps[-1])
    if end - begin < 0.5 * (links.stamps[-1] - links.stamps[0]):
        raise Failure(f'{str(options.motor_states)!r} was not recorded at the same time as {str(options.recordings[0])!r}')
    inside = (links.stamps >= begin) & (links.stamps <= end)
    times, q = (links.stamps[inside] - begin) * 1e-9, links.q[inside, 0]
    step = float(times[-1]) / (len(times) - 1)
    if np.abs(np.diff(times) - step).max() > EVEN * step:
        even = times[0] + step * np.arange(len(times))
        q, times = CubicSpline(times, q)(even), even
    at = (motors.stamps - begin) * 1e-9
    columns = [prepared.motor_names.index(joint) for joint in sought]
    theta, tau = np.zeros((2, len(times), len(prepared.motor_names)))
    theta[:, columns] = CubicSpline(at, motors.q[:, 0])(times)
    tau[:, columns] = np.stack([np.interp(times, at, column) for column in motors.efforts.T], axis=1)
    return step, q, theta, tau


def _increasing(samples, path):
    """Without samples that were sent twice; Failure where there is a gap."""
    import numpy as np

    from hod_ros.recordings.samples import Samples
    keep = np.concatenate([[True], np.diff(samples.stamps) > 0])
    stamps = samples.stamps[keep]
    steps = np.diff(stamps)
    if len(steps) and steps.max() > LONGEST_GAP * np.median(steps):
        at = int(np.argmax(steps))
        raise Failure(f'{str(path)!r} has a gap of {steps[at] * 1e-9:.3g} s after {(stamps[at] - stamps[0]) * 1e-9:.3g} s; '
                      'give a recording without one')
    return Samples(samples.joint_names, stamps, samples.q[keep], None if samples.efforts is None else samples.efforts[keep])


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
