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
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import export_cpp
from hod_ros import inverse_dynamics
from hod_ros import with_payload
from hod_ros.cpp.constants import Constants

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


def series_elastic(model, **figures):
    """A drive for each joint, of figures that no two have in common."""
    rng = np.random.default_rng(3)
    return {joint: SeriesElastic(
        stiffness=rng.uniform(1e3, 1e4), gear_ratio=100.0, motor_inertia=rng.uniform(1e-5, 3e-5), motor_coulomb=rng.uniform(5e-3, 0.01),
        motor_friction_width=0.1, **figures) for joint in model.joint_names}


@pytest.mark.parametrize('kind', ['free base', 'tree with mimics', 'damped', 'talos', 'tiago_dual', 'tiago_dual with drives'])
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
    elif kind == 'talos':
        model = robot('talos_full_v2')
    else:
        model = robot('tiago_dual')                 # 101 joints: the largest of the public robots
        drives = series_elastic(model) if 'drives' in kind else None
    made = export_cpp(model, tmp_path / 'project', drives=drives)
    assert made.error < 1e-13 and made.bytes < 100_000


@pytest.mark.parametrize('scalar', ['double', 'float'])
@pytest.mark.parametrize(('drives', 'without'), [
    (None, {'feedforward', 'motor_feedforward', 'springs', 'rotor_coupling', 'lanes'}),
    ('linear', {'lanes'}), ('rotors', {'lanes'}), ('springs', set())])
def test_an_export_holds_the_headers_that_its_drives_need_and_they_compile_without_warnings(tmp_path, scalar, drives, without):
    panda = robot('our_panda')
    given = {
        None: None,
        'linear': {**series_elastic(panda, damping=2.0, damping_terms=1), 'panda_joint1': AdjustableStiffness(motor_inertia=0.2)},
        'rotors': series_elastic(panda, motor_link='panda_link0', motor_axis=(0.0, 0.0, 1.0))
        | {'panda_joint7': SeriesElastic(stiffness=900.0, motor_inertia=1e-5, motor_link='panda_link5', motor_axis=(1.0, 2.0, 3.0))},
        'springs': dict(zip(panda.joint_names, DRIVES, strict=True))}[drives]
    made = export_cpp(panda, tmp_path / 'arm', drives=given, scalar=scalar)
    assert made.error < (1e-13 if scalar == 'double' else 1e-5)
    assert without.isdisjoint(path.stem for path in (made.folder / 'src/hod').iterdir())
    for flags in ((), ('-mavx2', '-mfma') if os.uname().machine == 'x86_64' else ()):
        run('c++', '-std=c++17', '-fsyntax-only', '-Wall', '-Wextra', '-Wdouble-promotion', '-Werror', *flags, f'-I{made.folder}/include',
            made.folder / 'src/robot.cpp')


@pytest.mark.parametrize('scalar', [np.float64, np.float32])
def test_constants_are_written_so_that_they_read_back_bit_for_bit(tmp_path, scalar):
    panda = with_payload(robot('our_panda'), 'panda_link3', mass=1.0, inertia=np.eye(3))
    drives = dict(zip(panda.joint_names, DRIVES, strict=True))
    constants = Constants(panda, drives)
    made = export_cpp(panda, tmp_path / 'arm', drives=drives, scalar='double' if scalar is np.float64 else 'float')
    (tmp_path / 'print.cpp').write_text('''
        #include <cstdio>
        #include "robot_constants.hpp"
        int main()
        {
            for (double number : robot_constants_numbers.of) std::printf("%a ", number);
            for (double number : robot_constants_drives.of) std::printf("%a ", number);
            for (double number : robot_constants_motors.of) std::printf("%a ", number);
            for (const auto &link : robot_constants_links.of) {
                std::printf("%a ", double(link.body));
                for (double number : link.pose) std::printf("%a ", number);
            }
        }''')
    run('c++', '-std=c++17', f'-I{made.folder}/include', f'-I{made.folder}/src', tmp_path / 'print.cpp', '-o', tmp_path / 'print')
    read = [float.fromhex(number) for number in run(tmp_path / 'print').split()]
    links = [number for _, body, pose in constants.links for number in (body, *pose)]
    expected = np.concatenate([constants.numbers.ravel(), constants.drives.ravel(), constants.motors.ravel(), links])
    assert np.array_equal(read, expected.astype(scalar))


@pytest.mark.parametrize('terms', [1, 3, 6])
def test_motors_are_checked_whatever_their_dampers_terms(tmp_path, terms):
    drive = SeriesElastic(stiffness=900.0, damping=2.0, damping_terms=terms, motor_inertia=0.1)
    made = export_cpp(robot('our_panda'), tmp_path / 'arm', drives={'panda_joint2': drive})
    assert made.error < 1e-13
    orders = [int(line.split()[1]) for line in (made.folder / 'test/vectors.txt').read_text().splitlines() if line.startswith('motors')]
    assert set(orders) == set(range(2 + terms, max(4, 2 + terms) + 1))


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


@pytest.mark.parametrize('base', ['fixed', 'free'])
def test_the_check_tells_loads_that_are_left_out(tmp_path, monkeypatch, base):
    def unloaded(model, q, *, base=None, wrenches=None):
        return inverse_dynamics(model, q, base=base)

    monkeypatch.setattr('hod_ros.cpp.export.inverse_dynamics', unloaded)
    with pytest.raises(InputError, match='failed its own check'):
        export_cpp(robot('our_panda', base=base), tmp_path / 'a')


@pytest.mark.skipif(os.geteuid() == 0, reason='root may write anywhere')
def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match='could not be written'):
        export_cpp(robot('our_panda'), tmp_path / 'a')


@pytest.mark.parametrize('options', [
    {'name': 'Arm'}, {'name': 'int'}, {'name': 'friend'}, {'name': 'a__b'}, {'name': ''}, {'name': None}, {'scalar': 'half'},
    {'scalar': None}, {'drives': {'x': 1}}])
def test_wrong_arguments_are_refused(tmp_path, options):
    with pytest.raises(InputError):
        export_cpp(robot('our_panda'), tmp_path / 'a', **options)
    assert not (tmp_path / 'a').exists()


def test_figures_beyond_float_and_robots_that_do_not_move_are_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv('CC', 'no-such-compiler')
    panda = robot('our_panda')
    drives = {'panda_joint2': SeriesElastic(stiffness=1e60, motor_inertia=0.2)}
    with pytest.raises(InputError, match='the figure 1e[+]60, which is beyond the range of float; export to double'):
        export_cpp(panda, tmp_path / 'a', drives=drives, scalar='float')
    export_cpp(panda, tmp_path / 'b', drives=drives)
    still = RobotModel.from_urdf('<robot name="still"><link name="base"/></robot>')
    with pytest.raises(InputError, match='still has no moving joint and a fixed base'):
        export_cpp(still, tmp_path / 'c')
    assert [path.name for path in tmp_path.iterdir()] == ['b']


@pytest.mark.parametrize('folder', [None, 3, b'\0', '', 'a\0b'])
def test_wrong_folders_are_refused(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'mine').touch()
    with pytest.raises(InputError):
        export_cpp(robot('our_panda'), folder)
