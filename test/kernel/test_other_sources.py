# SPDX-License-Identifier: Apache-2.0
"""A compiled module that is older than the sources beside it is not used, for its results could be those of code long gone."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hod_ros.kernel import compiled
from hod_ros.kernel import sources

KERNEL = Path(compiled.__file__).parent
pytestmark = [pytest.mark.telling, pytest.mark.skipif(not compiled.available, reason='the package was built without a C++ compiler')]


def kernel_of(folder):
    """Whether the package in a folder has its compiled kernel, and what it says on standard error."""
    program = 'import hod_ros, hod_ros.kernel.compiled as c; print(c.__file__); print(c.available)'
    done = subprocess.run([sys.executable, '-c', program], cwd=folder, capture_output=True, text=True, timeout=900)
    origin, answer = done.stdout.splitlines()
    assert origin.startswith(str(folder)), done.stderr
    return answer == 'True', done.stderr


@pytest.mark.skipif(not sources.digest(KERNEL), reason='an installed package has no sources beside it')
def test_one_sentence_says_to_run_make_where_the_sources_have_changed(tmp_path):
    shutil.copytree(KERNEL.parent, tmp_path / 'hod_ros', ignore=shutil.ignore_patterns('__pycache__'))
    assert kernel_of(tmp_path) == (True, '')
    header = tmp_path / 'hod_ros/kernel/core/include/hod/robot.hpp'
    text = header.read_text()
    header.write_text(text + '// changed\n')
    available, told = kernel_of(tmp_path)
    assert not available
    assert told.count('RuntimeWarning') == 1
    assert 'compiled from other sources than these: run make and use .venv/bin/python, or pip install' in told
    header.write_text(text)
    assert kernel_of(tmp_path) == (True, '')


def test_one_sentence_says_to_run_make_where_nothing_is_compiled(tmp_path):
    shutil.copytree(KERNEL.parent, tmp_path / 'hod_ros', ignore=shutil.ignore_patterns('__pycache__', '*.so', '*.pyd'))
    available, told = kernel_of(tmp_path)
    assert not available and told.count('RuntimeWarning') == 1
    assert f'which is not compiled in {tmp_path}' in told and 'run make and use .venv/bin/python, or pip install .' in told


def test_a_folder_without_sources_has_no_digest(tmp_path):
    assert sources.digest(tmp_path) == ''
    (tmp_path / 'a.hpp').write_text('int a;')
    one = sources.digest(tmp_path)
    (tmp_path / 'a.hpp').rename(tmp_path / 'b.hpp')
    assert len(one) == len(sources.digest(tmp_path)) == 16 and sources.digest(tmp_path) != one
