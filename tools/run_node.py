# SPDX-License-Identifier: Apache-2.0
"""Run the node `hod` with a robot from a file, a URDF or a xacro: python tools/run_node.py FILE [--ros-args ...]

A description is too long for a parameter on the command line; here it reaches the node in a parameter file.
"""

import sys
import tempfile
from pathlib import Path

from hod_ros import DescriptionError


def description_of(path):
    """The URDF's text."""
    from hod_ros.description.xml_text import text_of
    if path.suffix.lower() != '.xacro':
        text = text_of(path.read_bytes())
        if not _is_xacro(text):
            return text
    import xacro
    return xacro.process_file(str(path)).toxml()


def _is_xacro(text):
    """Whether a text is one to expand, whatever its file is called."""
    from hod_ros.description.xml_text import read_xml
    try:
        root = read_xml(text)
    except DescriptionError:        # of which the node tells
        return False
    return 'xmlns:xacro' in root.attrib and any(child.tag.startswith('xacro:') for child in root)


def parameter_file(text):
    """A file that sets the description for every node."""
    return f'/**:\n  ros__parameters:\n    robot_description: "{"".join(map(_in_yaml, text))}"\n'


def _in_yaml(character):
    """As ROS 2 reads it in quotation marks; it knows no halves of characters, as JSON writes them."""
    return character if ' ' <= character <= '~' and character not in '"\\' else f'\\U{ord(character):08X}'


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(sys.argv[1])
    try:
        text = description_of(path)
    except DescriptionError as error:
        print(f'{path}: {error}', file=sys.stderr)
        return 1
    except Exception as error:      # xacro raises many kinds
        print(f'{path} cannot be read: {error}; give the file of a URDF or of a xacro', file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix='hod_robot_') as folder:
        parameters = Path(folder) / 'robot.yaml'
        parameters.write_text(parameter_file(text))
        from hod_ros.ros.process import node_main
        given = sys.argv[2:]
        sys.argv = ['hod_node', *given, *([] if '--ros-args' in given else ['--ros-args']), '--params-file', str(parameters)]
        return node_main()


if __name__ == '__main__':
    sys.exit(main())
