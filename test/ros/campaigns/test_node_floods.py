# SPDX-License-Identifier: Apache-2.0
"""The short form of `make floods`: one trial of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.alone]

ROOT = Path(__file__).parents[3]


def test_a_flood_on_busy_processors_neither_hangs_the_node_nor_costs_the_last_command(tmp_path):
    file = tmp_path / 'floods.json'
    environment = dict(os.environ)
    environment.pop('ROS_PYTHON_CHECK_FIELDS', None)
    done = subprocess.run(
        [sys.executable, '-m', 'bench.floods', '--trials', '1', '--seconds', '2', '--json', str(file)], cwd=ROOT, env=environment,
        timeout=900, capture_output=True, text=True)
    assert file.exists(), done.stdout + done.stderr
    for trial in json.loads(file.read_text())['results']:
        assert trial['exit_code'] == 0 and trial['last_command'] and trial['answers_per_s'] > 0, trial
