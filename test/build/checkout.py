# SPDX-License-Identifier: Apache-2.0
"""Copies of the repository, and environments that know nothing of the one the tests run in."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(sys.executable)
BASE_PYTHON = Path(sys._base_executable)
MADE = shutil.ignore_patterns(
    '.git', '.venv*', '*.so', '__pycache__', '*.egg-info', '.pytest_cache', '.hypothesis', '.ruff_cache', '.mypy_cache')
MADE_AT_TOP = {'build', 'install', 'log', 'dist'}
FOREIGN = (
    '_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH', 'LD_LIBRARY_PATH', 'PYTHONPATH',
    'HOD_ROS_BUILD_KERNEL', 'HOD_ROS_KERNEL', 'PYTEST_CURRENT_TEST')


def copy_to(target):
    """Copy the repository as a clone would have it, without anything that was built."""
    def ignored(folder, names):
        at_top = MADE_AT_TOP.intersection(names) if Path(folder) == ROOT else set()
        pages = {'_build', 'python'}.intersection(names) if Path(folder) == ROOT / 'docs' else set()
        return MADE(folder, names) | at_top | pages
    return Path(shutil.copytree(ROOT, target, ignore=ignored, symlinks=True))


def compiled_to(build):
    """Copy what the repository's own set-up compiled of the kernel to another `build`, which keeps of it what is up to date."""
    for objects in ROOT.glob('build/temp.*/kernel-*'):
        shutil.copytree(objects, build / objects.relative_to(ROOT / 'build'))


def bare_environment(**variables):
    """This process's environment without ROS and without the tests' own virtual environment."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    own = str(Path(sys.prefix) / 'bin')
    environment['PATH'] = os.pathsep.join(part for part in os.environ['PATH'].split(os.pathsep) if part != own)
    return {**environment, **{name: str(value) for name, value in variables.items()}}


def run(command, cwd, environment, timeout=1800, code=0):
    """Run a command; fail with all its output where its exit code is not `code`."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=timeout)
    assert done.returncode == code, f'{command} gave {done.returncode}:\n{done.stdout}\n{done.stderr}'
    return done


def virtual_environment(prefix):
    run([BASE_PYTHON, '-m', 'venv', prefix], ROOT, bare_environment())
    return prefix / 'bin' / 'python'


def ros_alone(prefix):
    """Make `prefix` the stand-in of an installed ROS: this virtual environment by links, but for what is ours."""
    own = Path(sys.prefix)
    packages = Path(sysconfig.get_path('purelib')).relative_to(own)
    link_all(own, prefix, skip={'bin', 'lib', 'lib64', 'share', 'pyvenv.cfg'})
    link_all(own / 'share', prefix / 'share', skip={'ament_index'})
    shutil.copytree(
        own / 'share' / 'ament_index', prefix / 'share' / 'ament_index', ignore=shutil.ignore_patterns('hod_*'))
    link_all(own / 'lib', prefix / 'lib', skip={packages.parts[1]})
    link_all(own / packages, prefix / packages)
    link_all(own / 'bin', prefix / 'bin', skip={'python', 'python3', PYTHON.resolve().name})
    for name in ('python', 'python3'):
        (prefix / 'bin' / name).symlink_to(BASE_PYTHON)
    shutil.copy(own / 'pyvenv.cfg', prefix / 'pyvenv.cfg')
    return prefix / 'bin' / 'python'


def link_all(source, target, skip=()):
    """Link every entry of `source` into `target`, but for what belongs to hod_ros and hod_interfaces."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.name not in skip and not any(ours in entry.name for ours in ('hod_ros', 'hod_interfaces', 'hod_node')):
            (target / entry.name).symlink_to(entry)
