# SPDX-License-Identifier: Apache-2.0
"""A robot's feedforward as one small C++ project that stands alone: the kernel's headers, its constants, a C interface and test vectors."""

import errno
import keyword
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from string import Template

import numpy as np

from hod_ros.actuators.compiled_drives import KINDS
from hod_ros.actuators.drives import AdjustableStiffness
from hod_ros.actuators.drives import SeriesElastic
from hod_ros.actuators.prepared_drives import Drives
from hod_ros.actuators.prepared_drives import prepared
from hod_ros.checks.arguments import one_of
from hod_ros.checks.arguments import shown
from hod_ros.cpp.constants import Constants
from hod_ros.cpp.header import header_of
from hod_ros.cpp.header import names_of
from hod_ros.cpp.header import number_text
from hod_ros.cpp.identifiers import is_free
from hod_ros.dynamics.inverse_dynamics import inverse_dynamics
from hod_ros.dynamics.loads import FRAMES
from hod_ros.dynamics.loads import LinkWrench
from hod_ros.errors import InputError
from hod_ros.model.robot_model import RobotModel

SCALARS = ('double', 'float')
BOUNDS = {'double': 1e-12, 'float': 2e-3}           # of errors that the exported check admits; what is measured is far less
HEADERS = (
    'target', 'vectors', 'precision', 'series', 'sines', 'memory', 'tree', 'arguments', 'joints', 'recursion', 'base', 'loads',
    'inverse_dynamics', 'robot_constants', 'rigid_feedforward')
MOTOR_HEADERS = ('stretch', 'lanes', 'springs', 'rotor_coupling', 'motor_feedforward', 'feedforward')
_ROOM = 2_000_000           # bytes that compiling takes
PROJECT = Path(__file__).parent / 'project'


@dataclass(frozen=True)
class Export:
    """What export_cpp wrote.

    What export_cpp returns.

        >>> import tempfile
        >>> export_cpp(model, tempfile.mkdtemp(), name='panda').folder.is_dir()
        True
    """

    folder: Path
    bytes: int                  # of source, test vectors apart
    error: float | None         # largest error of the compiled code against Python, of the largest of each row; None: no compiler here


def export_cpp(
        model: RobotModel, folder: str | os.PathLike[str], *, name: str = 'robot', drives: Drives | None = None,
        scalar: str = 'double') -> Export:
    """Writes a C++ project with the robot's inverse dynamics, and motor feedforward where there are drives, to a folder.

    name: of the C interface's functions, its file and its library. drives: as in motor_feedforward. scalar: 'double' or 'float', of all
    numbers. The project is written whole or not at all; an earlier export in the folder is replaced. Where there is a C++ compiler,
    the project is compiled, its vectors are checked, and the error measured is written into its header.

    Raises InputError where a name or scalar is wrong, the folder holds anything else or cannot be written, the model has joints of several
    axes or other numbers than floats, or a drive is of a kind that C++ does not know.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> made = export_cpp(model, folder, name='panda', scalar='float')
        >>> made.bytes < 100_000, (made.folder / 'include' / 'panda.h').exists()
        (True, True)
    """
    if not (is_free(name) and re.fullmatch('[a-z0-9_]{1,41}', name)) or name == 'test' or keyword.iskeyword(name):
        raise InputError(
            f'name is {shown(name)}; give an identifier of lower case ASCII letters, digits and single underscores between them, which C '
            'and C++ leave free')
    if not one_of(scalar, SCALARS):
        raise InputError(f"scalar is {shown(scalar)}; it is 'double' or 'float'")
    constants = Constants(model, drives)
    if model.n == 0 and model.base == 'fixed':
        raise InputError(f'{model.name} has no moving joint and a fixed base, so it takes no forces; give a model that moves')
    target = _target(folder)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f'.{target.name}-') as made:
            project = Path(made, 'project')
            values = _values(constants, drives, name, scalar)
            vectors = _vectors(constants.model, drives)
            values['vectors'] = str(len(vectors))
            _write(project, values, constants, scalar)
            (project / 'test' / 'vectors.txt').write_text(''.join(vectors))
            error = _measured(project, name)
            if error is not None:
                values['error'] = f'{error:.1e}, measured when this was written'
                _write(project, values, constants, scalar)
            size = sum(path.stat().st_size for path in project.rglob('*') if path.is_file() and path.name != 'vectors.txt')
            before = target.rename(Path(made, 'before')) if target.exists() else None
            try:
                project.rename(target)
            except OSError:
                if before:
                    before.rename(target)
                raise
    except OSError as error:
        raise InputError(f'{target} could not be written: {error.strerror or error}; nothing was changed') from error
    return Export(target, size, error)


def _target(folder):
    """The folder to be written, which must be new, empty or an earlier export."""
    try:
        target = Path(folder).absolute()
        if '\0' in str(target):
            raise ValueError('it holds a zero')
        earlier = (target / 'src' / 'hod' / 'inverse_dynamics.hpp').exists()
        strangers = target.exists() and not earlier and (not target.is_dir() or any(target.iterdir()))
    except (TypeError, ValueError, OSError) as error:
        raise InputError(f'folder is {shown(folder)}, which is no usable path: {error}') from None
    if strangers:
        raise InputError(f'{target} holds other things than an earlier export; name a folder that is new or empty')
    return target


def _values(constants, drives, name, scalar):
    from hod_ros import __version__
    model, motors = constants.model, len(constants.motor_names)
    alike = constants.motor_names == model.joint_names
    terms = int(constants.drives[:, 6].max()) if motors else 0
    values = {
        'name': name, 'NAME': name.upper(), 'robot': re.sub(r'[^\w .-]', '_', model.name, flags=re.ASCII), 'hash': model.hash,
        'version': __version__,
        'n': str(model.n), 'm': str(motors), 'scalar': scalar, 'joints': names_of(model.joint_names),
        'motors': f'{name.upper()}_JOINTS' if alike else names_of(constants.motor_names),
        'header': 'feedforward' if motors else 'rigid_feedforward', 'class': 'Feedforward' if motors else 'RigidFeedforward',
        'error': "not measured, for there was no compiler; build/check says it", 'bound': f'{BOUNDS[scalar]:g}',
        'with_motors': ' and the motors of its elastic joints' if motors else '',
        'base_arguments': 'in, in + 16' if model.base == 'free' else 'NULL, NULL',
        'terms': str(terms), 'most': str(max(4, terms + 2)),
        'call': f'{name}_inverse_dynamics(robot, q, 2, Q)',
        'base_declaration': '', 'motor_declaration': '', 'motor_definition': '', 'motor_check': ''}
    if model.base == 'free':
        values['call'] = f'{name}_loaded_inverse_dynamics(robot, q, 2, NULL, 0, pose, twists, Q, W)'
        values['base_declaration'] = (
            f'    {name}_number pose[16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, twists[24] = {{0}}, W[18];\n')
    if motors:
        for key, file in (('motor_declaration', 'motors.h'), ('motor_definition', 'motors.cpp'), ('motor_check', 'motors_check.c')):
            values[key] = Template((PROJECT / file).read_text()).substitute(values).rstrip('\n')
    return values


def _write(project, values, constants, scalar):
    name = values['name']
    files = {
        'CMakeLists.txt': 'CMakeLists.txt', 'README.md': 'README.md', f'include/{name}.h': 'include/robot.h',
        f'src/{name}.cpp': 'src/robot.cpp', 'example/loop.c': 'example/loop.c', 'test/check.c': 'test/check.c'}
    texts = {to: Template((PROJECT / source).read_text()).substitute(values) for to, source in files.items()}
    texts[f'src/{name}_constants.hpp'] = header_of(
        constants, f'{name}_constants', (f'"{name}.h"', f'"hod/{values["header"]}.hpp"'), scalar,
        joint_names=f'{name.upper()}_JOINTS', motor_names=f'{name.upper()}_MOTORS')
    for header, source in _headers(constants, scalar).items():
        texts[f'src/hod/{header}.hpp'] = _header(source, scalar)
    for path, text in texts.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding='utf-8')


def _headers(constants, scalar):
    """{name in the project: name in the kernel} of the headers that this robot needs."""
    headers = {header: header for header in HEADERS}
    if constants.motor_names:
        headers |= {header: header for header in MOTOR_HEADERS}
        if np.isin(constants.drives[:, 0], (KINDS[SeriesElastic], KINDS[AdjustableStiffness])).all():
            headers['springs'] = 'no_springs'
            del headers['lanes']
        if not len(constants.rotors):
            headers['rotor_coupling'] = 'no_rotors'
    if scalar == 'float':
        headers |= {'target': 'float_target', 'precision': 'float_precision'}
    return headers


def _header(header, scalar):
    """A kernel's header without comments, indented by tabs; for floats with float's name and literals."""
    text = (_kernel() / f'{header}.hpp').read_text()
    lines = (re.sub(r'\s*//.*$', '', line) for line in text.splitlines())
    text = '\n'.join(re.sub('^( {4})+', lambda indent: '\t' * (len(indent[0]) // 4), line) for line in lines if line)
    if scalar == 'float':
        text = re.sub(r'\bdouble\b', 'float', text)
        text = re.sub(r'(?<![\w.])(\d+\.\d*([eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.])', r'\1f', text)
    return f'// SPDX-License-Identifier: Apache-2.0\n{text}\n'


def _kernel():
    """The folder of the kernel's headers: beside this package's sources, or where an installation put them."""
    package = Path(__file__).resolve().parents[1]
    places = [package / 'kernel' / 'core' / 'include' / 'hod', *(parent / 'include' / 'hod_ros' / 'hod' for parent in package.parents)]
    for place in places:
        if (place / 'feedforward.hpp').exists():
            return place
    raise InputError("the kernel's C++ headers are missing from this installation of hod_ros; install it again with pip or colcon")


def _vectors(model, drives):
    """Lines of inputs and of what Python computes of them, inputs of few digits, which either scalar represents."""
    rng = np.random.default_rng(7)
    moving = [i for i, (body, _) in enumerate(model.links.values()) if body >= 0 or model.base == 'free']

    def random(*shape):
        return rng.integers(-64, 65, shape) / 64

    def load(order):
        """(link and frame by their numbers, values, the same as inverse_dynamics takes it) of a link that moves, where there is one."""
        link, frame, values = int(rng.choice(moving or [0])), len(lines) % len(FRAMES), random(order + 1, 6)
        return [link, frame], values, {list(model.links)[link]: LinkWrench(values, FRAMES[frame])}

    def line(what, order, *arrays):
        return ' '.join([what, str(order), *(number_text(value) for array in arrays for value in np.ravel(array))]) + '\n'

    lines = []
    for order in (0, 1, 2, 3, 4):
        for _ in range(2):
            q = random(order + 3, model.n)
            if model.base == 'free':
                pose, twists = np.eye(4), random(order + 2, 6)
                pose[:3, :3], pose[:3, 3] = np.roll(np.eye(3), 1, axis=0), random(3)
                place, values, wrenches = load(order)
                lines.append(line('free', order, q, place, values, pose, twists, *inverse_dynamics(
                    model, q, base=(pose, twists), wrenches=wrenches)))
                continue
            lines.append(line('fixed', order, q, inverse_dynamics(model, q)))
            place, values, wrenches = load(order)
            lines.append(line('loaded', order, q, place, values, inverse_dynamics(model, q, wrenches=wrenches)))
    if drives is not None:
        lines += _motor_vectors(prepared(model, drives), random, line)
    return lines


def _motor_vectors(drives, random, line):
    terms = drives.rows - 5
    for order in range(2 + terms, max(5, 3 + terms)):
        for _ in range(2):
            q, k = random(order + 3, drives.model.n), np.zeros((order + 1, drives.model.n))
            Q = inverse_dynamics(drives.model, q).astype(np.float32).astype(float)
            for j in drives.variable:
                k[0, j] = drives.drives[j].stiffness or 1.0
                if drives.drives[j].motors('') != ('',):
                    k[0, j] = np.float32(2.0 * max(k[0, j], drives.drives[j].least_stiffness(Q[0, j])))
            m = drives.motor_feedforward_of(q, Q, k[:, drives.variable] if drives.variable.size else None)
            rest = np.zeros((terms, m.motion.shape[-1]))
            yield line('motors', order, q, Q, k, m.motion, rest, m.torques, rest)


def _measured(project, name):
    """The largest error of the compiled project; None without a compiler."""
    cc, cxx = shutil.which(os.environ.get('CC', 'cc')), shutil.which(os.environ.get('CXX', 'c++'))
    if not (cc and cxx):
        return None
    with tempfile.TemporaryDirectory() as build:
        commands = (
            [cxx, '-std=c++17', '-O1', '-fno-exceptions', '-fno-rtti', f'-I{project}/include', '-c', f'{project}/src/{name}.cpp',
             '-o', f'{build}/robot.o'],
            [cc, '-O1', f'-I{project}/include', f'{project}/test/check.c', f'{build}/robot.o', '-lm', '-o', f'{build}/check'],
            [f'{build}/check', f'{project}/test/vectors.txt'])
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                _probe(Path(build), done.stdout + done.stderr)
                first = '; '.join((done.stdout + done.stderr).splitlines()[:2])
                raise InputError(f'the exported project failed its own check, so it was not written: {command[0]} says {first}')
        return float(done.stdout.split()[-1])


def _probe(folder, said):
    """OSError where a compiler failed since its folder is full, which it tells as an error of its own or not at all."""
    full = any(text in said for text in ('No space left', 'File size limit', 'Disk quota', 'File too large'))
    try:
        with open(folder / 'probe', 'wb') as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        raise OSError(error.errno, f'{os.strerror(error.errno)} in {folder.parent}, where it is compiled') from None
    if full:
        raise OSError(errno.ENOSPC, f'{os.strerror(errno.ENOSPC)} in {folder.parent}, where it is compiled')
