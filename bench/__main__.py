# SPDX-License-Identifier: Apache-2.0
"""`python -m bench [name ...]`: all measurements, or those named; a table each, and all figures in one JSON file where --json says."""

import argparse
import json
import platform
from importlib import import_module

NAMES = (
    'accuracy', 'command', 'compiling', 'dynamics', 'elastic', 'elastic_controller', 'elastic_realistic', 'export', 'formulations',
    'identification', 'importing', 'joint_orders', 'kernel', 'recordings', 'ros_beside', 'ros_elastic', 'ros_guards', 'ros_latency',
    'ros_rate', 'ros_service', 'ros_start', 'ros_streaming', 'time_optimal', 'trajectories', 'view')


def main():
    parser = argparse.ArgumentParser(prog='bench', description=__doc__)
    parser.add_argument('names', nargs='*', metavar='name', help=f'any of {", ".join(NAMES)}; all if none is given')
    parser.add_argument('--json', metavar='FILE', help='write the figures there')
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in NAMES:
            parser.error(f'{name!r} is no measurement; there are {", ".join(NAMES)}')
    print(f'{platform.machine()}, Python {platform.python_version()}')
    figures = {name: import_module(f'bench.{name}').run() for name in arguments.names or NAMES}
    if arguments.json:
        with open(arguments.json, 'w') as file:
            json.dump(figures, file, indent=1)


if __name__ == '__main__':
    main()
