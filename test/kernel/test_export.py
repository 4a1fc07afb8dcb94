# SPDX-License-Identifier: Apache-2.0
"""Exported projects: built by CMake without warnings, they compute what Python does, in both precisions, whatever the robot."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_trees import random_tree
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import ExponentialSpring
from hod_ros import HardeningSpring
from hod_ros import HyperbolicSineSpring
from hod_ros import InputError
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import export_cpp
from hod_ros import inverse_dynamics
from hod_ros import with_payload

pytestmark = pytest.mark.skipif(not shutil.which('c++'), reason='there is no C++ compiler')

DRIVES = [
    Rigid(motor_inertia=1e-4, gear_ratio=100.0),
    SeriesElastic(stiffness=3000.0, motor_inertia=0.2, motor_coulomb=1.0, motor_friction_width=0.1),
    HardeningSpring(stiffness=3000.0, cubic=1e5, motor_inertia=0.2), AdjustableStiffness(stiffness=700.0, motor_inertia=0.2),
    *(Antagonistic(spring=spring, stiffness=4000.0, motor_inertia=(0.2, 0.3)) for spring in (
        ExponentialSpring(torque=2.0, rate=20.0), QuadraticSpring(quadratic=4e3), HyperbolicSineSpring(torque=2.0, rate=20.0)))]


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.mark.parametrize(('scalar', 'error'), [('double', 1e-13), ('float', 1e-5)])
def test_the_project_builds_without_warnings_and_its_check_and_loop_run(tmp_path, scalar, error):
    panda = with_payload(robot('our_panda'), 'panda_link3', mass=1.0, inertia=np.eye(3))
    drives = dict(zip(panda.joint_names, DRIVES, strict=True))
    drives['panda_joint4'] = replace(drives['panda_joint4'], motor_link='panda_link3', motor_axis=(1.0, 2.0, 3.0))
    made = export_cpp(panda, tmp_path / 'arm', name='panda', drives=drives, scalar=scalar)
    assert made.error < error and made.bytes < 100_000
    header = (made.folder / 'include/panda.h').read_text()
    assert f'#define PANDA_HASH "{panda.hash}"' in header and f'{made.error:.1e}' in header and '"panda_joint5/2"' in header
    cmake = Path(sys.prefix, 'bin', 'cmake')
    flags = '-DCMAKE_CXX_FLAGS=-Werror -Wdouble-promotion', '-DCMAKE_C_FLAGS=-Werror -Wall -Wextra'
    run(cmake, '-S', made.folder, '-B', tmp_path / 'build', *flags)
    run(cmake, '--build', tmp_path / 'build')
    assert '26 vectors' in run(tmp_path / 'build/check', made.folder / 'test/vectors.txt')
    assert '20 cycles' in run(tmp_path / 'build/loop', 20)
    vectors = (made.folder / 'test/vectors.txt').read_text()
    (made.folder / 'test/vectors.txt').write_text(vectors[:vectors.rstrip().rindex(' ')] + ' 1000\n')
    wrong = subprocess.run([tmp_path / 'build/check', made.folder / 'test/vectors.txt'], capture_output=True, timeout=900)
    assert wrong.returncode != 0


@pytest.mark.parametrize('kind', ['free base', 'tree with mimics', 'damped', 'talos'])
def test_every_kind_of_robot_is_exported_within_its_error_and_size(tmp_path, kind):
    rng = np.random.default_rng(4)
    drives = None
    if kind == 'free base':
        model = robot('our_panda', base='free')
    elif kind == 'tree with mimics':
        model = random_tree(rng, 9, kinds=('revolute', 'prismatic', 'helical'), mimics=2, armature=True)
    elif kind == 'damped':
        model = robot('our_panda')
        drives = {'panda_joint2': HardeningSpring(stiffness=900.0, cubic=1e4, damping=2.0, damping_terms=1, motor_inertia=0.1)}
    else:
        model = robot('talos_full_v2')
    made = export_cpp(model, tmp_path / 'project', drives=drives)
    assert made.error < 1e-13 and made.bytes < 100_000


def test_an_earlier_export_is_replaced_and_nothing_else_is(tmp_path, monkeypatch):
    monkeypatch.setenv('CC', 'no-such-compiler')
    panda = robot('our_panda')
    made = export_cpp(panda, tmp_path / 'a', name='first')
    assert made.error is None and 'not measured' in (tmp_path / 'a/include/first.h').read_text()
    export_cpp(panda, tmp_path / 'a', name='second')
    assert (tmp_path / 'a/include/second.h').exists() and not (tmp_path / 'a/include/first.h').exists()
    (tmp_path / 'b').mkdir()
    (tmp_path / 'b/mine.txt').write_text('kept')
    (tmp_path / 'c').write_text('a file')
    for place in ('b', 'c'):
        with pytest.raises(InputError, match='other things than an earlier export'):
            export_cpp(panda, tmp_path / place)
    assert (tmp_path / 'b/mine.txt').read_text() == 'kept'
    assert sorted(path.name for path in tmp_path.iterdir()) == ['a', 'b', 'c']


def test_what_fails_its_own_check_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr('hod_ros.cpp.export.inverse_dynamics', lambda *args, **options: 1.001 * inverse_dynamics(*args, **options))
    with pytest.raises(InputError, match='failed its own check'):
        export_cpp(robot('our_panda'), tmp_path / 'a')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write anywhere')
def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match='could not be written'):
        export_cpp(robot('our_panda'), tmp_path / 'a')


@pytest.mark.parametrize('options', [
    {'name': 'Arm'}, {'name': 'int'}, {'name': ''}, {'name': None}, {'scalar': 'half'}, {'scalar': None}, {'drives': {'x': 1}}])
def test_wrong_arguments_are_refused(tmp_path, options):
    with pytest.raises(InputError):
        export_cpp(robot('our_panda'), tmp_path / 'a', **options)
    assert not (tmp_path / 'a').exists()


@pytest.mark.parametrize('folder', [None, 3, b'\0', '', 'a\0b'])
def test_wrong_folders_are_refused(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'mine').touch()
    with pytest.raises(InputError):
        export_cpp(robot('our_panda'), folder)
