# SPDX-License-Identifier: Apache-2.0
"""Run the node `hod` with a robot from a file, a URDF or a xacro: python tools/run_node.py FILE [--ros-args ...]

A description is too long for a parameter on the command line; here it reaches the node in a parameter file.
"""

import json
import sys
import tempfile
from pathlib import Path


def description_of(path):
    """The URDF's text."""
    if path.suffix != '.xacro':
        return path.read_text(encoding='utf-8')
    import xacro
    return xacro.process_file(str(path)).toxml()


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(sys.argv[1])
    try:
        text = description_of(path)
    except Exception as error:      # xacro raises many kinds
        print(f'{path} cannot be read: {error}; give the file of a URDF or of a xacro', file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix='hod_robot_') as folder:
        parameters = Path(folder) / 'robot.yaml'
        parameters.write_text('/**:\n  ros__parameters:\n    robot_description: ' + json.dumps(text) + '\n')
        from hod_ros.ros.process import node_main
        given = sys.argv[2:]
        sys.argv = ['hod_node', *given, *([] if '--ros-args' in given else ['--ros-args']), '--params-file', str(parameters)]
        return node_main()


if __name__ == '__main__':
    sys.exit(main())
