# SPDX-License-Identifier: Apache-2.0
"""The command `hod`: how soon its help and a robot's figures are there, by processor time, which others on the machine don't change."""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.timing import Table
from hod_ros.command.bench import chain
from hod_ros.command.parser import parser_of

HOD = Path(sys.prefix) / 'bin' / 'hod'
IMPORTS = 'import numpy, lxml.etree, yaml'


def same_parser():
    """A script that builds the parser of `hod --help` and nothing else."""
    parser = parser_of('')
    lines = [
        'import argparse', f'p = argparse.ArgumentParser(prog="hod", description={parser.description!r}, epilog={parser.epilog!r}, '
        'formatter_class=argparse.RawDescriptionHelpFormatter)', 'p.add_argument("--version", action="store_true", help="print")',
        's = p.add_subparsers(title="commands", metavar="COMMAND", dest="command")']
    group = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    lines += [f's.add_parser({choice.dest!r}, help={choice.help!r}, add_help=False)' for choice in group._choices_actions]
    return '\n'.join([*lines, 'p.parse_args(["--help"])'])


def processor_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run():
    with tempfile.TemporaryDirectory() as folder:
        robot = Path(folder) / 'chain.urdf'
        robot.write_text(chain(30))
        commands = {
            'help': (HOD, '--help'), 'parser': (sys.executable, '-c', same_parser()),
            'info': (HOD, 'info', robot), 'imports': (sys.executable, '-c', IMPORTS)}
        seconds = {name: [] for name in commands}
        for _ in range(20):
            for name, command in commands.items():
                seconds[name].append(processor_seconds(*command))
    usual = {name: 1e3 * median(values) for name, values in seconds.items()}     # the least depend on the clock of one lucky moment
    table = Table('The command hod, whole processes, processor time')
    table.add('hod --help against a script that builds the same parser', usual['help'], usual['parser'], 1.3, 'ms')
    table.add('hod info of 30 joints against importing numpy, lxml and yaml', usual['info'], usual['imports'], 1.5, 'ms')
    return table.rows


if __name__ == '__main__':
    run()
