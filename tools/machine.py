# SPDX-License-Identifier: Apache-2.0
"""What only the user can install, checked before the set-up begins: venv module, compilers, Python's headers."""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

COMPILERS = (
    ('C', 'CC', ('cc', 'gcc', 'clang'), '.c'),
    ('C++', 'CXX', ('c++', 'g++', 'clang++'), '.cpp'),
)
ON_DEBIAN = 'on Debian and Ubuntu with `sudo apt install'


class SetupError(Exception):
    """A reason why the set-up cannot go on, with the remedy, in one sentence; a second argument is shown before it."""


def check_machine(wheels_of_ros=True):
    """Raise SetupError where something is missing."""
    if wheels_of_ros and (sys.platform != 'linux' or platform.machine() != 'x86_64'):
        raise SetupError(
            f'PyPI has ROS 2 wheels for Linux on x86-64 only, and this is {platform.system()} on {platform.machine()}: '
            'install ROS 2, source it and build with colcon (see README.md), or `pip install .` for the library alone.')
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        raise SetupError(
            f'This Python cannot make virtual environments ({error}): install its venv module, {ON_DEBIAN} '
            'python3-venv`, or choose another Python with make PYTHON=python3.12.') from None
    with tempfile.TemporaryDirectory() as scratch:
        for language, variable, usual, suffix in COMPILERS:
            check_compiler(language, compiler(variable, usual), Path(scratch) / f'probe{suffix}')


def check_compiler(language, command, source):
    if not command:
        raise SetupError(
            f'No {language} compiler was found (the kernel is C, and ROS 2 generates C++ for interfaces): install one, '
            f'{ON_DEBIAN} build-essential`, or name it in CC and CXX.')
    if not compiles(command, source, '#include <stdlib.h>\n#include <math.h>\n'):
        raise SetupError(
            f'The {language} compiler {command[0]} fails on an empty program: install a whole one, {ON_DEBIAN} '
            'build-essential`, or name another in CC and CXX.')
    if not compiles(command, source, '#include <Python.h>\n'):
        raise SetupError(
            f'Python {platform.python_version()} has no header Python.h: install it, {ON_DEBIAN} python3-dev`, or '
            'choose another Python with make PYTHON=python3.12.')


def compiler(variable, usual):
    """The command of a compiler as a list: what the variable says, else the first of the usual ones on PATH."""
    if os.environ.get(variable):
        command = os.environ[variable].split()
        return command if shutil.which(command[0]) else []
    return next(([name] for name in usual if shutil.which(name)), [])


def compiles(command, source, text):
    source.write_text(text)
    include = f'-I{sysconfig.get_path("include")}'
    return subprocess.run(
        [*command, '-c', source, '-o', source.with_suffix('.o'), include], capture_output=True).returncode == 0
