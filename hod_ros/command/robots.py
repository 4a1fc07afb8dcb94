# SPDX-License-Identifier: Apache-2.0
"""The argument ROBOT and what belongs to it: a file, a xacro, a name, or standard input, to a description and its model."""

import argparse
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from typing import NamedTuple

from hod_ros.command import exits
from hod_ros.command.exits import Failure

if TYPE_CHECKING:
    from hod_ros.description.urdf import Description
    from hod_ros.model.robot_model import RobotModel


DESCRIPTIONS = ('.urdf', '.xacro', '.sdf')
MOTIONS = ('.csv', '.npz', '.parquet', '.mcap', '.db3')
ORDER = 'the robot comes first, as in hod compute panda motion.mcap; compute, plot, evaluate, retime, view and identify take motions'


class Source(NamedTuple):
    label: str              # how messages call it: the file, or the name
    text: bytes
    folder: Path | None     # where meshes are looked for that are given by relative paths
    expanded_by: str = ''   # the command whose output has the text's lines, where the file has others

    def placed(self, message: str) -> str:
        """A message that says of what its first line is one, where it is not of the file."""
        return re.sub(r'\b(lines? \d+(?:, \d+)*)', rf'\1 of the expanded description, {self.expanded_by}', message, count=1) \
            if self.expanded_by else message


def add_robot(parser: argparse.ArgumentParser) -> None:
    """The arguments of a robot and of the joints that move."""
    parser.add_argument('robot', metavar='ROBOT', help='a URDF, a xacro, a name such as panda, or - for standard input')
    group = parser.add_argument_group('the robot')
    group.add_argument('--joints', metavar='A,B,...', help='the joints that move, in this order; all others are locked at 0')
    group.add_argument('--lock', metavar='JOINT=VALUE', action='append', default=[], help='lock a joint at a position; may be repeated')
    group.add_argument('--gravity', metavar='X,Y,Z', help='in the frame of the base [m/s^2]; 0,0,-9.81 by default')
    group.add_argument('--free-base', action='store_true', help='the base moves freely (a drone, a legged robot)')


def robot_options(options: argparse.Namespace) -> dict:
    """The arguments of a robot as RobotModel.from_urdf takes them."""
    from hod_ros.model.wording import Wording
    gravity = {} if options.gravity is None else {'gravity': numbers(options.gravity, '--gravity')}
    return {
        'joints': None if options.joints is None else [name.strip() for name in options.joints.split(',')],
        'locked': dict(_assignment(text) for text in options.lock) or None,
        'base': 'free' if options.free_base else 'fixed',
        'words': Wording(
            joints='--joints', locked='--lock', entry='{} {}'.format, free_base='give --free-base',
            lock=lambda joints: 'give ' + ' '.join(f'--lock {joint}=0' for joint in joints)),
        **gravity}


def read_robot(options: argparse.Namespace) -> tuple[Source, 'RobotModel']:
    """The description's text and its model."""
    from hod_ros.model.robot_model import RobotModel
    source = read_source(options.robot)
    with _named_in_errors(source):
        model = RobotModel.from_urdf(source.text, **robot_options(options))
    warn_of_locks(options, source)
    return source, model


def described_robot(options: argparse.Namespace) -> tuple['Source', 'Description', 'RobotModel']:
    """The description's text, records and model, of one reading."""
    from hod_ros.description.urdf import read_urdf
    from hod_ros.model.assembly import assemble
    from hod_ros.model.robot_model import RobotModel
    source = read_source(options.robot)
    chosen = robot_options(options)
    with _named_in_errors(source):
        description = read_urdf(source.text)
        model = RobotModel(**assemble(description, keep=chosen.pop('joints'), **chosen))
    warn_of_locks(options, source, model.warnings)
    return source, description, model


def warn_of_locks(options: argparse.Namespace, source: Source, told: Sequence[str] = ()) -> None:
    """Joints that --lock puts where the robot cannot have them, but for those of warnings that are shown; the description is sound."""
    if not options.lock:
        return
    import warnings

    from hod_ros.description.urdf import read_urdf
    locked = dict(_assignment(text) for text in options.lock)
    for joint in read_urdf(source.text).joints:
        lower, upper = joint.position_limits
        if joint.name in locked and not lower <= locked[joint.name] <= upper and not any(
                repr(joint.name) in text and 'locked far' in text for text in told):
            warnings.warn(
                f'--lock {joint.name}={locked[joint.name]:g} lies beyond the limits of the joint, {lower:.4g} and {upper:.4g}: torques are '
                'those of a posture that the robot cannot take', stacklevel=2)


@contextmanager
def _named_in_errors(source):
    from hod_ros.errors import DescriptionError
    try:
        yield
    except DescriptionError as error:
        raise Failure(f'{source.label}: {source.placed(str(error))}') from None


def read_source(robot: str) -> Source:
    """The text of a description, wherever it is."""
    if robot == '-':
        return Source('standard input', sys.stdin.buffer.read(), Path())
    path = Path(robot)
    if path.exists() and (path.suffix in MOTIONS or (path / 'metadata.yaml').exists()):
        raise Failure(f'{robot!r} holds a motion, where a robot is expected: {ORDER}')
    if path.is_dir():
        raise Failure(f'{robot!r} is a folder; name a URDF in it')
    if path.exists():
        return _of_xacro(robot, path) if path.suffix == '.xacro' else Source(robot, _read(path), path.parent)
    return _named(robot)


def refuse_robot(motion: Path) -> None:
    """Ends the command where what is given for a motion is a robot."""
    if motion.suffix in DESCRIPTIONS or (not motion.exists() and str(motion) in _examples()):
        raise Failure(f'{str(motion)!r} is a robot, where a motion is expected: {ORDER}')


def _examples():
    from hod_ros.description.example_robots import FOLDER
    return sorted(path.stem for path in FOLDER.glob('*.urdf'))


def _read(path):
    from hod_ros.description.xml_text import MAX_BYTES
    try:
        with open(path, 'rb') as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Failure(f'{str(path)!r} cannot be read: {error.strerror}') from None


def _of_xacro(label, path, arguments=None):
    try:
        import xacro
    except ImportError:
        raise Failure(f'{str(path)!r} is a xacro, and xacro is not installed: pip install xacro', exits.MISSING) from None
    try:
        text = xacro.process_file(str(path), mappings=arguments).toprettyxml(indent='  ')          # as the command gives it
    except Exception as error:          # xacro raises many kinds
        raise Failure(f'xacro cannot expand {str(path)!r}: {error}') from None
    words = ['xacro', shlex.quote(str(path)), *(shlex.quote(f'{name}:={value}') for name, value in (arguments or {}).items())]
    return Source(label, text.encode(), path.parent, ' '.join(words))


def _named(robot):
    from hod_ros.description.example_robots import FOLDER
    examples = _examples()
    if robot in examples:
        return Source(robot, (FOLDER / f'{robot}.urdf').read_bytes(), None)
    module = f'robot_descriptions.{robot if robot.endswith("_description") else robot + "_description"}'
    if re.fullmatch(r'\w+', robot) and find_spec('robot_descriptions') and find_spec(module):
        return _of_robot_descriptions(module)
    more = '' if find_spec('robot_descriptions') else '; with the package robot_descriptions, its names too'
    raise Failure(f'there is no file {robot!r}, nor a robot of that name; names are {", ".join(examples)}{more}')


def _of_robot_descriptions(module):
    from importlib import import_module
    try:
        with redirect_stdout(sys.stderr):
            found = import_module(module)       # which may clone a repository, and tells that
    except Exception as error:
        raise Failure(f'{module} could not be loaded: {error}') from None
    if hasattr(found, 'URDF_PATH'):
        return read_source(found.URDF_PATH)
    if not hasattr(found, 'XACRO_PATH'):
        raise Failure(f'{module} has no URDF; choose one that has')
    return _of_xacro(module, Path(found.XACRO_PATH), getattr(found, 'XACRO_ARGS', None))


def _assignment(text):
    name, equals, value = text.partition('=')
    if not equals:
        raise Failure(f'--lock {text!r} has no value; write --lock JOINT=VALUE', exits.USAGE)
    return name.strip(), numbers(value, f'--lock {name}', 1)[0]


def numbers(text: str, option: str, count: int = 3) -> list[float]:
    """The numbers of an option, separated by commas."""
    try:
        values = [float(word) for word in text.split(',')]
    except ValueError:
        values = []
    if len(values) != count:
        raise Failure(f'{option} is {text!r}; give {count} number{"s separated by commas" if count > 1 else ""}', exits.USAGE)
    return values
