# SPDX-License-Identifier: Apache-2.0
"""`hod check`: whether a robot description is sound."""

import argparse

from hod_ros.command import exits
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.reports import styled
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_source
from hod_ros.command.robots import robot_options
from hod_ros.command.robots import warn_of_locks

DESCRIPTION = """\
Whether a robot description can be computed with: all its errors with their lines in the URDF, and warnings of what is implausible.
Exit code 0 where it is sound, 1 where it is not; with --strict, warnings count as errors."""
EXAMPLES = """\
examples:
  hod check my_robot.urdf
  hod check arm.urdf.xacro --strict
  find . -name '*.urdf' -exec hod check {} \\;         in CI: every description of a repository
"""
MOST = 100          # errors, and warnings, that are printed


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument('--strict', action='store_true', help='warnings count as errors')
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from hod_ros.model.judgement import judged
    source = read_source(options.robot)
    errors, warnings = judged(source.text, **robot_options(options))
    if not errors:
        warn_of_locks(options, source, [finding.message for finding in warnings])
    sound = not errors and not (options.strict and warnings)
    if options.json:
        print_json({
            'robot': source.label, 'lines_of': source.expanded_by or source.label, 'sound': sound,
            'errors': [vars(finding) for finding in errors], 'warnings': [vars(finding) for finding in warnings]})
        return exits.DONE if sound else exits.NO
    for findings, label in ((errors, styled('error', 'red')), (warnings, styled('warning', 'yellow'))):
        for finding in findings[:MOST]:
            line = '' if finding.line is None or source.expanded_by else f'{finding.line}:'
            print(f'{source.label}:{line} {label}: {source.placed(finding.message)}')
        if len(findings) > MOST:
            print(f'{source.label}: {label}: {len(findings) - MOST} more like these; --json has all')
    counted = f'{_counted(errors, "error")}, {_counted(warnings, "warning")}' if errors else _counted(warnings, 'warning')
    print(f'{source.label}: {styled("sound", "green") if sound else styled("not sound", "red")}, {counted}')
    return exits.DONE if sound else exits.NO


def _counted(findings, what):
    return f'{len(findings) or "no"} {what}{"" if len(findings) == 1 else "s"}'
