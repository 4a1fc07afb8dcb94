# SPDX-License-Identifier: Apache-2.0
"""C++ users: the headers, the CMake package and the constants written for them give what Python gives, without allocation."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_trees import random_motion
from random_trees import random_tree
from robots import robot

from hod_ros import InputError
from hod_ros import LinkWrench
from hod_ros import PreparedDrives
from hod_ros import SeriesElastic
from hod_ros import cpp_robot
from hod_ros import inverse_dynamics
from hod_ros import robot_bytes
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
    done = subprocess.run([str(part) for part in command], input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows_of(text):
    return np.array([[float.fromhex(word) for word in line.split()] for line in text.splitlines()])


def hex_rows(array):
    return '\n'.join(' '.join(map(float.hex, row)) for row in array.reshape(len(array), -1).tolist())


def test_the_example_answers_as_python_does_and_allocates_nothing(tmp_path, flags):
    panda = robot('our_panda')
    (tmp_path / 'panda.hpp').write_text(cpp_robot(panda, 'panda'))
    cmake = Path(sys.prefix, 'bin', 'cmake')
    run(cmake, '-S', ROOT / 'examples/cpp/control_loop', '-B', tmp_path / 'build', f'-DROBOT_HEADER={tmp_path / "panda.hpp"}',
        f'-DCMAKE_PREFIX_PATH={sys.prefix}', f'-DCMAKE_CXX_FLAGS={" ".join(["-Werror", *flags])}')
    run(cmake, '--build', tmp_path / 'build')
    rows = rows_of(run(tmp_path / 'build/control_loop', 50))
    q, Q, motors = rows[:, :35].reshape(50, 5, 7), rows[:, 35:56].reshape(50, 3, 7), rows[:, 56:].reshape(50, 4, 7)
    wrench = np.zeros((3, 6))
    wrench[0, 5] = -10
    drives = PreparedDrives(panda, dict.fromkeys(panda.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2)))
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


@pytest.mark.parametrize('name', ['', '7dof', 'a b', 'a-b', None, 'größe'])
def test_a_name_that_is_no_identifier_is_refused(name):
    with pytest.raises(InputError, match='identifier'):
        cpp_robot(robot('our_panda'), name)


def test_models_that_the_kernel_does_not_know_are_refused():
    panda = robot('our_panda')
    with pytest.raises(InputError, match='63 bytes'):
        cpp_robot(panda.replace(joint_names=['j' * 64, *panda.joint_names[1:]]))
    with pytest.raises(InputError, match='not a RobotModel'):
        cpp_robot('panda')
