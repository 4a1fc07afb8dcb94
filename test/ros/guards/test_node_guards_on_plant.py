# SPDX-License-Identifier: Apache-2.0
"""The short form of `python -m bench.guards`: an arm on MuJoCo that moves under the node's commands over DDS.

Faults come at random instants; and the node is killed, which leaves its last torque to the controller.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('mujoco')

pytestmark = [pytest.mark.slow, pytest.mark.alone]

ROOT = Path(__file__).parents[3]
FAULTS = ('jump', 'second_planner', 'timeout', 'payload', 'joint_states_stop', 'joint_states_jump', 'deactivation', 'signal')
ROUNDING = 1e-6


def measured(tmp_path, *options):
    """The figures of a process of its own, which has a real-time priority where the system lets it."""
    file = tmp_path / 'guards.json'
    environment = {name: value for name, value in os.environ.items() if name != 'ROS_PYTHON_CHECK_FIELDS'}
    done = subprocess.run(
        [sys.executable, '-m', 'bench.guards', *options, '--json', str(file)], cwd=ROOT, env=environment, timeout=900,
        capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    return json.loads(file.read_text())


def test_faults_in_motion_make_no_command_jump_the_arm_is_held_and_is_led_back_to_its_motion(tmp_path):
    figures = measured(tmp_path, '--faults', ','.join(FAULTS))
    assert set(figures) == set(FAULTS)
    for fault, result in figures.items():
        assert result['step'] <= 1 + ROUNDING and result['effort'] <= 1 + ROUNDING, fault
        assert result['held'] == result['within'] == result['back'] == result['trials'] == 1, fault


def test_a_node_that_is_killed_leaves_its_last_torque_and_a_receiver_that_times_out_brakes(tmp_path):
    figures = measured(tmp_path, '--kill')
    alone, watched = figures['without'], figures['watched']
    assert alone['commands'] == 0, 'nobody else sends anything'
    assert alone['moved'] > 0.02, 'the arm is driven on'
    assert watched['commands'] > 20
    assert watched['moved'] < 0.5 * alone['moved'] and watched['speed'] < 0.7 * alone['speed']
