# SPDX-License-Identifier: Apache-2.0
"""The demo of elastic joints: four processes over DDS, whose tracking figures must hold."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.alone]

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')

DEMO = Path(__file__).parents[3] / 'examples' / 'sea_demo.py'


def test_tracking_over_dds_is_as_much_better_with_full_feedforward_as_it_must_be(tmp_path):
    picture = tmp_path / 'tracking.png'
    command = [sys.executable, str(DEMO), '--duration', '0.5', '--picture', str(picture), '--cases', '0', '1', '2', '4', '5']
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count('holds:') == 3
    assert picture.stat().st_size > 10000
