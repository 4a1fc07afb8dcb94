# SPDX-License-Identifier: Apache-2.0
"""`hod evaluate`: what a trajectory asks of a robot, and whether it keeps limits."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.exits import require
from hod_ros.command.folders import add_folders
from hod_ros.command.folders import motions_and_outputs
from hod_ros.command.folders import refuse_folder_options
from hod_ros.command.folders import work_through
from hod_ros.command.motions import add_limits
from hod_ros.command.motions import add_margin
from hod_ros.command.motions import add_motion
from hod_ros.command.motions import read_drives
from hod_ros.command.motions import read_limits
from hod_ros.command.motions import read_motion
from hod_ros.command.reports import add_json
from hod_ros.command.reports import plain
from hod_ros.command.reports import print_json
from hod_ros.command.reports import say_no
from hod_ros.command.reports import styled
from hod_ros.command.reports import table
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot
from hod_ros.command.whole_files import whole_file

if TYPE_CHECKING:
    from hod_ros.command.robots import Source
    from hod_ros.model.robot_model import RobotModel

DESCRIPTION = """\
What a trajectory asks of a robot: the largest velocity, torque, torque rate, ... of each joint, found between samples too, and whether it
keeps limits. Exit code 1 where it does not; then it says at which speed it would."""
EXAMPLES = """\
examples:
  hod evaluate panda pick.csv
  hod evaluate panda pick.csv --limits limits.yaml --margin 0.8
  hod evaluate panda plan.yaml --limits joint_limits.yaml --json | jq .margins.effort
  hod evaluate panda plans/ -o reports/ --jobs 4                         a folder of trajectories, a JSON report each
"""
MOTIONS = ('.csv', '.npz', '.yaml', '.yml', '.json')


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_motion(parser, 'TRAJECTORY')
    add_limits(parser)
    add_margin(parser)
    parser.add_argument('-o', '--output', metavar='FOLDER', type=Path, help='where the reports of a folder of trajectories go, a JSON each')
    add_folders(parser, ['json'])
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    require('scipy', 'trajectories')
    source, model = read_robot(options)
    from hod_ros.recordings.bags import is_bag
    if options.motion.is_dir() and not is_bag(options.motion):
        return _folder(options, source, model)
    refuse_folder_options(options)
    if options.output is not None:
        raise Failure('-o is for folders of trajectories; one is printed', exits.USAGE)
    found, trajectory, limits, slower = _evaluated(options, source, model)
    if options.json:
        print_json(_document(found, trajectory, limits, slower, options))
    else:
        _show(found, trajectory, slower)
        if options.note:
            print(options.note)
    if found.feasible:
        return exits.DONE
    say_no('evaluate', found.message, options.json)
    return exits.NO


def one(options: argparse.Namespace, source: 'Source', model: 'RobotModel', motion: Path, output: Path) -> dict[str, Any]:
    """The report of one trajectory of a folder, which is written too."""
    own = argparse.Namespace(**vars(options) | {'motion': motion})
    document = _document(*_evaluated(own, source, model), own)
    with whole_file(output) as file:
        file.write((json.dumps(plain(document), indent=1) + '\n').encode())
    return document


def _evaluated(options, source, model):
    """(evaluation, trajectory, limits, slow-down or None); beyond the description's position limits nothing is feasible at any speed."""
    from dataclasses import replace

    from hod_ros.trajectories.evaluation import evaluate_trajectory
    from hod_ros.trajectories.position_limits import beyond_position_limits
    trajectory = read_motion(options, source, model)
    drives = read_drives(options, source, model)
    limits = read_limits(options, model, drives)
    found = evaluate_trajectory(
        model, trajectory, limits, drives, options.margin, viscous_friction=options.viscous_friction)
    if beyond_position_limits(model, trajectory):
        return replace(found, feasible=False, message=f'not {found.message}' if found.feasible else found.message), trajectory, limits, None
    return found, trajectory, limits, None if found.feasible else _slower(model, trajectory, limits, drives, options)


def _folder(options, source, model):
    """Exit code NO where some trajectory does not keep its limits, whenever it was evaluated."""
    from hod_ros.checks.arguments import listed
    code = work_through(options, source, model, 'hod_ros.command.evaluate', MOTIONS, '.json')
    reports = [report for _, report in motions_and_outputs(options, MOTIONS, '.json')]
    beyond = [str(path) for path in reports if path.exists() and not json.loads(path.read_text())['feasible']]
    if beyond:
        sentence = f'{len(beyond)} do not keep their limits: {listed(beyond)}'
        if not options.json:
            print(sentence)
        say_no('evaluate', sentence, options.json)
    return exits.NO if beyond and code == exits.DONE else code


def _slower(model, trajectory, limits, drives, options):
    """What a uniform slow-down would do; None where the drives have none that can be computed."""
    from hod_ros.errors import InputError
    from hod_ros.trajectories.scaling import time_scale
    try:
        return time_scale(model, trajectory, limits, drives, options.margin, viscous_friction=options.viscous_friction)
    except InputError:
        return None


def _document(found, trajectory, limits, slower, options):
    peaks = {
        name: {'joint': peak.joint, 'value': peak.value * peak.sign, 'time': peak.time} for name, peak in found.peaks.items()}
    return {
        'feasible': found.feasible, 'message': found.message, 'model': found.model_name, 'hash': found.model_hash, 'margin': found.margin,
        'duration': trajectory.duration, 'peaks': peaks, 'limits': {name: getattr(limits, name) for name in limits.given},
        'margins': found.margins, 'energy': found.energy, 'fastest_speed': None if slower is None else slower.fastest,
        'note': options.note}


def _show(found, trajectory, slower):
    for joints in dict.fromkeys(peak.joint for peak in found.peaks.values()):
        names = [name for name, peak in found.peaks.items() if peak.joint == joints]
        header = ['motor' if names[0].startswith('motor_') else 'joint', *names]
        rows = [[joint, *(_cell(found, name, j) for name in names)] for j, joint in enumerate(joints)]
        print('\n'.join(table(header, rows, right=range(1, len(header)))) + '\n')
    print('largest values in rad, N m, W, s (prismatic joints: m, N); in brackets: the share of the limit, margin included')
    print(f'{trajectory.duration:.4g} s, {styled(found.message, "green" if found.feasible else "red")}')
    if slower is not None and slower.fastest is not None:
        print(f'at {100 * slower.fastest:.4g} % of its speed ({trajectory.duration / slower.fastest:.4g} s) it keeps all limits: '
              'hod retime --slow-down')
    elif slower is not None:
        print(f'no slower speed keeps them: {slower.message}')


def _cell(found, name, j):
    value = f'{found.peaks[name].value[j]:.4g}'
    if name not in found.margins:
        return value
    share = 100 * (1 - found.margins[name][j])
    text = f'{value} ({share:.0f} %)'
    return styled(text, 'red') if share > 100 else text
