# SPDX-License-Identifier: Apache-2.0
"""The example's effort controller: feedforward while setpoints come, a hold where they stop, nothing unbounded, nothing from nonsense."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from robots import robot

from hod_ros import PreparedDrives
from hod_ros import SeriesElastic
from hod_ros import cpp_robot

ROOT = Path(__file__).resolve().parents[2]
FOLLOWING, HOLDING, FAULT = 1, 2, 3
TORQUE, RATE, KP, KD, STEP = 87.0, 2000.0, 50.0, 5.0, 1e-3
pytestmark = pytest.mark.skipif(not shutil.which('c++'), reason='there is no C++ compiler')


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout


@pytest.fixture(scope='module')
def cycles(tmp_path_factory):
    """(states, torques, what the feedforward asks for at each cycle's own setpoint)"""
    folder = tmp_path_factory.mktemp('controller')
    panda = robot('our_panda')
    drives = PreparedDrives(panda, dict.fromkeys(panda.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=0.2)))
    (folder / 'panda.hpp').write_text(cpp_robot(panda, 'panda', drives))
    cmake = Path(sys.prefix, 'bin', 'cmake')
    run(cmake, '-S', ROOT / 'examples/cpp/effort_controller', '-B', folder / 'build', f'-DROBOT_HEADER={folder / "panda.hpp"}',
        f'-DCMAKE_PREFIX_PATH={sys.prefix}', '-DCMAKE_CXX_FLAGS=-Werror')
    run(cmake, '--build', folder / 'build')
    lines = [line.split() for line in run(folder / 'build/law_on_motors').splitlines()]
    t = np.arange(1000) * STEP
    q = np.stack([0.2 * 1.5**k * np.sin(1.5 * t + k * np.pi / 2) for k in range(5)], axis=-1)[:, :, None].repeat(7, axis=-1)

    def asked(q):
        m = drives.motor_feedforward(q)
        return m.efforts + KP * m.positions + KD * m.velocities         # of motors that stand still at 0
    states, torques = [int(words[0]) for words in lines], [[float.fromhex(word) for word in words[1:]] for words in lines]
    return np.array(states), np.array(torques), asked, q


def test_torques_are_bounded_in_value_and_rate_whatever_happens(cycles):
    states, torques, _, _ = cycles
    assert np.isfinite(torques).all() and np.abs(torques).max() <= TORQUE
    assert np.abs(np.diff(torques, axis=0, prepend=0)).max() <= RATE * STEP * (1 + 1e-12)
    assert set(states) == {FOLLOWING, HOLDING, FAULT}


def test_setpoints_are_followed_exactly_and_a_bad_one_is_passed_over(cycles):
    states, torques, asked, q = cycles
    assert (states[:450] == FOLLOWING).all()
    follows = np.r_[100:200, 201:400]           # the rate has caught up
    np.testing.assert_allclose(torques[follows], np.clip(asked(q[follows]), -TORQUE, TORQUE), atol=1e-9)
    np.testing.assert_array_equal(torques[200], torques[199])


def test_without_setpoints_joints_are_held_at_the_last_one(cycles):
    states, torques, asked, q = cycles
    assert (states[452:600] == HOLDING).all() and states[449] == FOLLOWING
    still = q[399].copy()
    still[1:] = 0
    np.testing.assert_allclose(torques[550], np.clip(asked(still), -TORQUE, TORQUE), atol=1e-9)
    assert states[600] == FOLLOWING


def test_measured_nonsense_is_a_fault_until_it_is_reset(cycles):
    states, torques, _, _ = cycles
    assert (states[700:751] == FAULT).all() and states[751] == FOLLOWING
    falling = np.abs(torques[699:750])
    assert (np.diff(falling, axis=0) <= 0).all() and (falling[-1] == 0).all()
