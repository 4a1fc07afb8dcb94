# SPDX-License-Identifier: Apache-2.0
"""The page on a controller in C++: its Python runs, its C++ compiles without a warning and prints Python's numbers."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hod_ros import motor_feedforward

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'cpp-afternoon.md'
pytestmark = pytest.mark.skipif(not shutil.which('c++'), reason='there is no C++ compiler')


def blocks(language):
    return re.findall(rf'```{language}\n(.*?)```', PAGE.read_text(), re.DOTALL)


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout


def test_the_page_on_a_controller_in_cpp_compiles_and_prints_what_python_computes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks('python'):
        exec(compile(block, PAGE.name, 'exec'), names)
    assert capsys.readouterr().out.split() == ['True', 'True']
    Path('CMakeLists.txt').write_text(*blocks('cmake'))
    Path('main.cpp').write_text(*blocks('cpp'))
    cmake = Path(sys.prefix, 'bin', 'cmake')
    run(cmake, '-S', '.', '-B', 'build', f'-DCMAKE_PREFIX_PATH={sys.prefix}', '-DCMAKE_CXX_FLAGS=-Werror')
    run(cmake, '--build', 'build')
    lines = [line.split() for line in run('build/my_controller').splitlines()]
    expected = motor_feedforward(names['model'], names['drives'], np.full((5, 7), 0.1))
    assert [line[0] for line in lines] == list(expected.names)
    printed = np.array([[float(word) for word in line[1:]] for line in lines])
    np.testing.assert_allclose(printed, np.stack([expected.positions, expected.efforts], axis=1), rtol=1e-12)
