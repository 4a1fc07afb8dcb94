# SPDX-License-Identifier: Apache-2.0
"""`hod export`: a robot's feedforward as a C++ project that stands alone."""

import argparse
from pathlib import Path

from hod_ros.command import exits
from hod_ros.command.exits import Failure
from hod_ros.command.motions import add_drives
from hod_ros.command.motions import read_drives
from hod_ros.command.reports import add_json
from hod_ros.command.reports import print_json
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import read_robot

DESCRIPTION = """\
A robot's inverse dynamics, and motor feedforward where it has drives, as one small C++ project: the kernel's headers, the robot's
constants, a C interface, test vectors, CMake, and a control loop at 1 kHz. It is compiled and its vectors are checked where there is a
compiler. The folder is written whole or not at all."""
EXAMPLES = """\
examples:
  hod export panda --out panda_cpp
  hod export arm.urdf --drives drives.yaml --float --name arm --out arm_cpp
  cmake -S panda_cpp -B build && cmake --build build && ctest --test-dir build
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_drives(parser.add_argument_group('drives'))
    group = parser.add_argument_group('the project')
    group.add_argument('-o', '--out', metavar='DIR', type=Path, required=True, help='a new folder, or one of an earlier export')
    group.add_argument('--name', default='robot', help='of the functions, files and library; robot by default')
    group.add_argument('--float', dest='scalar', action='store_const', const='float', default='double', help='in float, with its error')
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from hod_ros.cpp.export import export_cpp
    from hod_ros.errors import InputError
    source, model = read_robot(options)
    drives = read_drives(options, source, model)
    try:
        made = export_cpp(model, options.out, name=options.name, drives=drives, scalar=options.scalar)
    except InputError as error:
        raise Failure(str(error), exits.OUTPUT if isinstance(error.__cause__, OSError) else exits.INPUT) from None
    if options.json:
        print_json({'folder': str(made.folder), 'bytes': made.bytes, 'error': made.error, 'hash': model.hash, 'scalar': options.scalar})
        return exits.DONE
    checked = 'not compiled, for there is no compiler' if made.error is None else f'compiled; largest error {made.error:.1e}'
    print(f'{options.out}: {model.name} (model {model.hash}) in {options.scalar}, {made.bytes / 1000:.0f} kB of source, {checked}')
    return exits.DONE
