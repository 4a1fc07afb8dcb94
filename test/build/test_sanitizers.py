# SPDX-License-Identifier: Apache-2.0
"""The kernel under sanitizers, for a few seconds: `make sanitize` takes longer."""

import shutil
import subprocess
import sys

import checkout
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize('kind', ['address', 'thread'])
def test_no_sanitizer_finds_anything_in_random_calls_from_several_threads(kind):
    if not shutil.which('g++'):
        pytest.skip('there is no g++')
    command = [sys.executable, checkout.ROOT / 'tools' / 'sanitize.py', kind, '--seconds', '3']
    done = subprocess.run(command, cwd=checkout.ROOT, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert f'{kind}: nothing found' in done.stdout
