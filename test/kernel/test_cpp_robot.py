# SPDX-License-Identifier: Apache-2.0
"""C++ users: the headers, the CMake package and the constants written for them give what Python gives, without allocation."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_trees import random_motion
from random_trees import random_pose
from random_trees import random_tree
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import ExponentialSpring
from hod_ros import HardeningSpring
from hod_ros import HyperbolicSineSpring
from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import PreparedDrives
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import cpp_robot
from hod_ros import dynamics_matrices
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics
from hod_ros import inverse_dynamics_derivatives
from hod_ros import robot_bytes
from hod_ros import with_payload
from hod_ros.kernel import compiled

ROOT = Path(__file__).resolve().parents[2]
FLAGS = {'baseline': [], 'avx2': ['-mavx2', '-mfma']}
pytestmark = pytest.mark.skipif(not compiled.available or not shutil.which('c++'), reason='there is no C++ compiler')


@pytest.fixture(scope='module', params=[name for name in FLAGS if name in compiled.instruction_sets()])
def flags(request):
    """Flags of an instruction set, which Python's kernel uses too."""
    before = compiled.instruction_set()
    compiled.use_instruction_set(request.param)
    yield FLAGS[request.param]
    compiled.use_instruction_set(before)


def run(*command, given=''):
    done = subprocess.run([str(part) for part in command], input=given, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows_of(text):
    return np.array([[float.fromhex(word) for word in line.split()] for line in text.splitlines()])


def hex_rows(array):
    return '\n'.join(' '.join(map(float.hex, row)) for row in array.reshape(len(array), -1).tolist())


def test_the_example_answers_as_python_does_and_allocates_nothing(tmp_path, flags):
    panda = robot('our_panda')
    drives = PreparedDrives(panda, dict.fromkeys(panda.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2)))
    (tmp_path / 'panda.hpp').write_text(cpp_robot(panda, 'panda', drives))
    cmake = Path(sys.prefix, 'bin', 'cmake')
    run(cmake, '-S', ROOT / 'examples/cpp/control_loop', '-B', tmp_path / 'build', f'-DROBOT_HEADER={tmp_path / "panda.hpp"}',
        f'-DCMAKE_PREFIX_PATH={sys.prefix}', f'-DCMAKE_CXX_FLAGS={" ".join(["-Werror", *flags])}')
    run(cmake, '--build', tmp_path / 'build')
    rows = rows_of(run(tmp_path / 'build/control_loop', 50))
    q, Q, motors = rows[:, :35].reshape(50, 5, 7), rows[:, 35:56].reshape(50, 3, 7), rows[:, 56:].reshape(50, 4, 7)
    wrench = np.zeros((3, 6))
    wrench[0, 5] = -10
    for one, forces, motion in zip(q, Q, motors, strict=True):
        assert np.array_equal(inverse_dynamics(panda, one, wrenches={'panda_link7': LinkWrench(wrench, 'world_aligned')}), forces)
        assert np.array_equal(drives.motor_feedforward_of(one, forces).positions, motion[0])


def test_a_robot_of_bytes_answers_as_python_does_and_damaged_bytes_make_none(tmp_path, flags):
    rng = np.random.default_rng(2)
    model = random_tree(rng, 9, kinds=('revolute', 'prismatic', 'helical'), mimics=2, armature=True)
    program, data = tmp_path / 'robot', tmp_path / 'robot.bin'
    run('c++', '-std=c++17', '-O3', '-Wall', '-Wextra', '-Werror', *flags, f'-I{ROOT}/hod_ros/kernel/core/include',
        ROOT / 'test/kernel/robot_of_bytes.cpp', '-o', program)
    good = robot_bytes(model)
    data.write_bytes(good)
    q = random_motion(rng, model, 5, 20)
    title, answers = run(program, data, given=hex_rows(q)).split('\n', 1)
    assert title.split() == [model.name, model.hash, model.joint_names[0]]
    expected = np.array([inverse_dynamics(model, one) for one in q])
    assert np.array_equal(rows_of(answers), expected.reshape(20, -1))
    for damaged in (good[:-1], b'', good[:100], b'x' + good[1:], good[:8] + b'\x09' + good[9:]):
        data.write_bytes(damaged)
        assert run(program, data) == 'refused\n'
    data.write_bytes(good.replace(np.float64(model.armature[0]).tobytes(), np.float64(np.nan).tobytes()))
    assert 'damaged' in run(program, data)


@pytest.mark.parametrize('name', [
    '', '7dof', 'a b', 'a-b', None, 'größe', 'class', 'co_await', 'a__b', '_a', '_A', 'a_', 'std', 'hod'])
def test_a_name_that_is_no_identifier_is_refused(name):
    with pytest.raises(InputError, match='identifier'):
        cpp_robot(robot('our_panda'), name)


def test_models_that_the_kernel_does_not_know_are_refused():
    panda = robot('our_panda')
    with pytest.raises(InputError, match='63 bytes'):
        cpp_robot(panda.replace(joint_names=['j' * 64, *panda.joint_names[1:]]))
    with pytest.raises(InputError, match='not a RobotModel'):
        cpp_robot('panda')


DRIVES = [
    Rigid(motor_inertia=1e-4, gear_ratio=100.0),
    SeriesElastic(stiffness=3000.0, motor_inertia=0.2, motor_coulomb=1.0, motor_friction_width=0.1),
    HardeningSpring(stiffness=3000.0, cubic=1e5, motor_inertia=0.2), AdjustableStiffness(motor_inertia=0.2),
    *(Antagonistic(spring=spring, motor_inertia=(0.2, 0.3)) for spring in (
        ExponentialSpring(torque=2.0, rate=20.0), QuadraticSpring(quadratic=4e3), HyperbolicSineSpring(torque=2.0, rate=20.0)))]


def major_of_the_compiler():
    return int(run('c++', '-dumpversion').split('.')[0])


def test_matrices_forward_dynamics_derivatives_and_all_drives_are_pythons_without_allocation(tmp_path, flags):
    panda = with_payload(robot('our_panda'), 'panda_link3', mass=1.0, inertia=np.eye(3))
    drives = dict(zip(panda.joint_names, DRIVES, strict=True))
    drives |= {joint: replace(drives[joint], motor_link='panda_link3', motor_axis=(1.0, 2.0, 3.0)) for joint in panda.joint_names[:6:2]}
    drives = PreparedDrives(panda, drives)
    assert len(drives.rotors.rotors) == 4
    (tmp_path / 'robot.hpp').write_text(cpp_robot(panda, 'robot', drives))
    program = tmp_path / 'program'
    run('c++', '-std=c++17', '-O3', '-Wall', '-Wextra', '-Werror', *flags, f'-I{ROOT}/hod_ros/kernel/core/include', f'-I{tmp_path}',
        ROOT / 'test/kernel/robot_dynamics.cpp', '-o', program)
    last_bits = 1e-14 if '-mfma' in flags and major_of_the_compiler() > 12 else 0.0     # later ones fuse as they inline, here and there
    rng = np.random.default_rng(5)
    q, Q, k = rng.uniform(-1, 1, (20, 5, 7)), rng.uniform(-9, 9, (20, 3, 7)), rng.uniform(-9, 9, (20, 3, 7))
    k[:, 0] += 4000.0
    answers = rows_of(run(program, given=hex_rows(np.concatenate([q, Q, k], axis=1))))
    wrench = LinkWrench(np.full((3, 6), 0.5), 'world_aligned')
    for one, force, stiffness, answer in zip(q, Q, k, answers, strict=True):
        D, d = dynamics_matrices(panda, one[:4]), inverse_dynamics_derivatives(panda, one[:3])
        m = drives.motor_feedforward_of(one, force, stiffness[:, drives.variable])
        expected = [
            D.M, D.C, D.g, forward_dynamics(panda, one[:2], force),
            forward_dynamics(panda, one[:2], force, wrenches={next(iter(panda.links)): wrench}), d.q, d.dq, d.ddq, m.motion, m.torques]
        expected = [np.ravel(part) for part in (*expected, m.stiffnesses)]
        given = np.split(answer, np.cumsum([part.size for part in expected[:-1]]))
        given[-1] = given[-1][drives.elastic]
        for part, wanted in zip(given, expected, strict=True):
            assert np.abs(part - wanted).max() <= last_bits * np.abs(wanted).max()


def test_matrices_and_derivatives_of_a_free_base_under_loads_are_pythons_without_allocation(tmp_path, flags):
    rng = np.random.default_rng(7)
    model = random_tree(rng, 5, shape='chain', base='free')
    model = model.replace(links=dict(model.links) | {'last': (model.n - 1, random_pose(rng))})
    (tmp_path / 'robot.hpp').write_text(cpp_robot(model, 'robot'))
    program = tmp_path / 'program'
    run('c++', '-std=c++17', '-O3', '-Wall', '-Wextra', '-Werror', *flags, f'-I{ROOT}/hod_ros/kernel/core/include', f'-I{tmp_path}',
        ROOT / 'test/kernel/robot_free_base.cpp', '-o', program)
    last_bits = 1e-13 if '-mfma' in flags and major_of_the_compiler() > 12 else 0.0
    motions = [
        (rng.uniform(-1, 1, (3, model.n)), random_pose(rng), rng.uniform(-1, 1, (2, 6)), rng.uniform(-9, 9, (2, 6))) for _ in range(10)]
    rows = np.array([np.concatenate([np.ravel(part) for part in motion]) for motion in motions])
    answers = rows_of(run(program, given=hex_rows(rows)))
    for (q, pose, twists, (held, resting)), answer in zip(motions, answers, strict=True):
        D = dynamics_matrices(model, q, base=(pose, twists))
        wrenches = [('last', LinkWrench(held[None])), ('last', LinkWrench(resting[None], 'world'))]
        d = inverse_dynamics_derivatives(model, q, base=(pose, twists), wrenches=wrenches)
        expected = np.concatenate([np.ravel(part) for part in (D.M, D.C, D.g, d.q, d.dq, d.ddq)])
        assert np.abs(answer - expected).max() <= last_bits * np.abs(expected).max()


def test_drives_come_with_the_bytes_too(tmp_path):
    panda = robot('our_panda')
    plain, driven = robot_bytes(panda), robot_bytes(panda, {'panda_joint1': DRIVES[-1]})
    assert len(driven) - len(plain) == 7 * 13 * 8 + 8 * (8 * 8 + 64)
    coupled = robot_bytes(panda, {'panda_joint1': Rigid(motor_inertia=1e-6, motor_link='panda_link7', motor_axis=(0, 0, 1))})
    assert len(coupled) - len(plain) == 7 * 13 * 8 + 7 * ((8 + 5) * 8 + 64)


def test_drives_that_cpp_does_not_know_are_refused():
    panda = robot('our_panda')
    with pytest.raises(InputError, match="'panda_joint2'.*damping_terms"):
        cpp_robot(panda, drives={'panda_joint2': SeriesElastic(stiffness=30.0, damping=1.0, motor_inertia=0.2)})
    coupled = {'panda_joint2': SeriesElastic(stiffness=30.0, motor_inertia=1e-3, motor_link='panda_link1')}
    with pytest.raises(InputError, match="exact.*'five_rows'"):
        cpp_robot(panda, drives=PreparedDrives(panda, coupled, coupling='exact'))
