# SPDX-License-Identifier: Apache-2.0
"""`hod check`: whether a robot description is sound."""

import argparse
import re

from hod_ros.command import exits
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.reports import styled
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_source
from hod_ros.command.robots import robot_options

DESCRIPTION = """\
Whether a robot description can be computed with: the error that stops it, with its line in the URDF, and warnings of what is implausible.
Exit code 0 where it is sound, 1 where it is not; with --strict, warnings count as errors."""
EXAMPLES = """\
examples:
  hod check my_robot.urdf
  hod check arm.urdf.xacro --strict
  find . -name '*.urdf' -exec hod check {} \\;         in CI: every description of a repository
"""
LINE = re.compile(r'\bline (\d+)\b')


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument('--strict', action='store_true', help='warnings count as errors')
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from hod_ros.errors import DescriptionError
    from hod_ros.model.robot_model import RobotModel
    source = read_source(options.robot)
    chosen = robot_options(options)
    errors, warnings = [], []
    try:
        warnings = list(RobotModel.from_urdf(source.text, **chosen).warnings)
    except DescriptionError as error:
        errors = [str(error)]
    sound = not errors and not (options.strict and warnings)
    if options.json:
        print_json({
            'robot': source.label, 'sound': sound, 'errors': [{'line': _line(text), 'message': text} for text in errors],
            'warnings': warnings})
    else:
        for text in errors:
            print(f'{source.label}:{_line(text) or ""}: {styled("error", "red")}: {text}')
        for text in warnings:
            print(f'{source.label}: {styled("warning", "yellow")}: {text}')
        if sound:
            counted = f'{len(warnings)} warning{"s" if len(warnings) > 1 else ""}' if warnings else 'no warnings'
            print(f'{source.label}: {styled("sound", "green")}, {counted}')
    return exits.DONE if sound else exits.NO


def _line(text):
    """The line of the URDF that an error names; None where it names none."""
    found = LINE.search(text)
    return int(found[1]) if found else None
