# SPDX-License-Identifier: Apache-2.0
"""The C++ on arm64, by Debian's cross compiler under qemu: all that a hod::Robot computes is Python's to rounding, and so is an exported
project's own check. `make arm64` runs it; without g++-aarch64-linux-gnu and qemu-user it is skipped."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from robots import robot

from hod_ros import Antagonistic
from hod_ros import HardeningSpring
from hod_ros import HyperbolicSineSpring
from hod_ros import PreparedDrives
from hod_ros import SeriesElastic
from hod_ros import cpp_robot
from hod_ros import dynamics_matrices
from hod_ros import export_cpp
from hod_ros import forward_dynamics
from hod_ros import inverse_dynamics_derivatives

ROOT = Path(__file__).resolve().parents[2]
CC, CXX, QEMU = 'aarch64-linux-gnu-gcc', 'aarch64-linux-gnu-g++', 'qemu-aarch64'
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, (CC, CXX, QEMU))), reason='g++-aarch64-linux-gnu or qemu-user is not installed')


def run(*command, given=''):
    done = subprocess.run([str(part) for part in command], input=given, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout


def test_a_robot_computes_on_arm64_what_python_does(tmp_path):
    panda = robot('our_panda')
    kinds = [SeriesElastic(stiffness=3000.0, motor_inertia=0.2), HardeningSpring(stiffness=3000.0, cubic=1e5, motor_inertia=0.2)] * 3
    kinds.insert(3, Antagonistic(spring=HyperbolicSineSpring(torque=2.0, rate=20.0), motor_inertia=(0.2, 0.3)))
    drives = PreparedDrives(panda, dict(zip(panda.joint_names, kinds, strict=True)))
    (tmp_path / 'robot.hpp').write_text(cpp_robot(panda, 'robot', drives))
    run(CXX, '-std=c++17', '-O1', '-static', '-Wall', '-Wextra', '-Werror', f'-I{ROOT}/hod_ros/kernel/core/include', f'-I{tmp_path}',
        ROOT / 'test/kernel/robot_dynamics.cpp', '-o', tmp_path / 'program')
    rng = np.random.default_rng(5)
    q, Q, k = rng.uniform(-1, 1, (8, 5, 7)), rng.uniform(-9, 9, (8, 3, 7)), rng.uniform(-9, 9, (8, 3, 7))
    k[:, 0] += 4000.0
    given = '\n'.join(' '.join(map(float.hex, np.concatenate(rows).ravel().tolist())) for rows in zip(q, Q, k, strict=True))
    answers = run(QEMU, tmp_path / 'program', given=given).splitlines()
    for one, force, stiffness, line in zip(q, Q, k, answers, strict=True):
        answer = np.array([float.fromhex(word) for word in line.split()])
        D, d = dynamics_matrices(panda, one[:4]), inverse_dynamics_derivatives(panda, one[:3])
        m = drives.motor_feedforward_of(one, force, stiffness[:, drives.variable])
        before = np.concatenate([D.M.ravel(), D.C.ravel(), D.g.ravel(), forward_dynamics(panda, one[:2], force).ravel()])
        after = np.concatenate([d.q.ravel(), d.dq.ravel(), d.ddq.ravel(), m.motion.ravel(), m.torques.ravel()])
        for found, expected in ((answer[:len(before)], before), (answer[len(before) + 21:][:len(after)], after)):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize('scalar', ['double', 'float'])
def test_an_exported_project_passes_its_check_on_arm64(tmp_path, monkeypatch, scalar):
    monkeypatch.setenv('CC', 'none')
    panda = robot('our_panda')
    drives = {joint: HardeningSpring(stiffness=3000.0, cubic=1e5, motor_inertia=0.2) for joint in panda.joint_names[::2]}
    made = export_cpp(panda, tmp_path / 'arm', drives=drives, scalar=scalar)
    run(CXX, '-std=c++17', '-O1', '-fno-exceptions', '-fno-rtti', '-Wall', '-Wextra', '-Werror', f'-I{made.folder}/include',
        '-c', made.folder / 'src/robot.cpp', '-o', tmp_path / 'robot.o')
    run(CC, '-O1', f'-I{made.folder}/include', made.folder / 'test/check.c', tmp_path / 'robot.o', '-static', '-lm',
        '-o', tmp_path / 'check')
    done = run(QEMU, tmp_path / 'check', made.folder / 'test/vectors.txt')
    assert '26 vectors' in done and float(done.split()[-1]) < (1e-13 if scalar == 'double' else 1e-5)
