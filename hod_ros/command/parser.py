# SPDX-License-Identifier: Apache-2.0
"""The parser of `hod`. Only the subcommand that is asked for is imported: help must come at once."""

import argparse
from importlib import import_module

from hod_ros.command import exits
from hod_ros.command.reports import print_json
from hod_ros.command.table import TABLE

DESCRIPTION = """\
Joint torques of a robot and their time derivatives, from nothing but its URDF.

  hod info panda                           an example robot that ships with hod_ros: 'panda', 'kuka_iiwa'
  hod check my_robot.urdf                  exit code 1 and the line of the URDF where it is wrong
  xacro arm.urdf.xacro | hod info -        from standard input; `hod info arm.urdf.xacro` expands by itself

ROBOT is a URDF, a xacro (where xacro is installed), the name of an example robot, a name of the package
robot_descriptions (where that is installed), or - for standard input. `hod COMMAND --help` has examples of each command."""
EXIT_CODES = 'exit codes: ' + ', '.join(f'{code} {meaning}' for code, meaning in exits.MEANINGS.items())


class Subcommand(argparse.ArgumentParser):
    """Refuses an argument that is none of its own with its own usage, where argparse shows its parent's."""

    _json = False

    def parse_known_args(self, args=None, namespace=None):
        self._json = '--json' in (args or ())
        options, others = super().parse_known_args(args, namespace)
        if others:
            self.error(f'unrecognized arguments: {" ".join(others)}')
        return options, others

    def error(self, message):
        if self._json:
            print_json({'error': message})
        super().error(message)


def parser_of(word: str | None = None) -> argparse.ArgumentParser:
    """The parser, complete but for the arguments of other subcommands than `word`; None: complete."""
    parser = argparse.ArgumentParser(
        prog='hod', description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--version', action='store_true', help='print the version and end')
    subparsers = parser.add_subparsers(title='commands', metavar='COMMAND', dest='command', parser_class=Subcommand)
    for name, (module, summary) in TABLE.items():
        if word not in (name, None):
            subparsers.add_parser(name, help=summary, add_help=False)
            continue
        subcommand = import_module(module)
        own = subparsers.add_parser(
            name, help=summary, description=subcommand.DESCRIPTION, epilog=subcommand.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter)
        subcommand.arguments(own)
        own.set_defaults(run=subcommand.run)
    return parser
