# SPDX-License-Identifier: Apache-2.0
"""What docs/command.md shows is what the command prints."""

import os
import re
import shutil
import subprocess
from importlib.util import find_spec

import pytest
from running import HOD
from running import ROOT

pytestmark = pytest.mark.slow

NEEDS = {'plot': 'matplotlib', 'view': 'viser', 'compute': 'rosbags'}
BLOCK = re.compile(r'^```\n(\$ hod .*?)^```$', re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall((ROOT / 'docs' / 'command.md').read_text())


@pytest.mark.parametrize('block', BLOCKS, ids=lambda block: block.partition('\n')[0])
def test_the_page_shows_what_is_printed(block, tmp_path):
    shutil.copy(ROOT / 'config' / 'motions' / 'panda_pick.csv', tmp_path / 'pick.csv')
    (tmp_path / 'limits.yaml').write_text('effort_rate: 50')
    (tmp_path / 'drives.yaml').write_text(
        'panda_joint1: &arm {type: series_elastic, stiffness: 300, motor_inertia: 2.0e-4, gear_ratio: 100}\npanda_joint2: *arm')
    command, _, expected = block.partition('\n')
    needed = NEEDS.get(command.split()[2], 'scipy')
    if find_spec(needed) is None:
        pytest.skip(f'{needed} is not installed')
    done = subprocess.run(['bash', '-c', command.removeprefix('$ ')], cwd=tmp_path, capture_output=True, text=True, timeout=900, env={
        **os.environ, 'PATH': f'{HOD.parent}:{os.environ["PATH"]}'})
    pattern = '.*'.join(re.escape(part) for part in expected.split('...'))
    assert re.fullmatch(pattern, done.stdout, re.DOTALL), done.stdout + done.stderr
