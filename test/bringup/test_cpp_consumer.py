# SPDX-License-Identifier: Apache-2.0
"""The consumer in C++, compiled where rclcpp is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest
from ament_index_python import PackageNotFoundError
from ament_index_python import get_package_prefix

EXAMPLE = Path(__file__).parents[2] / 'examples' / 'cpp'


def missing():
    """What is not installed of all that it takes to compile for rclcpp, or None."""
    for tool in ('cmake', 'c++'):
        if shutil.which(tool) is None:
            return tool
    try:
        get_package_prefix('rclcpp')
    except PackageNotFoundError:
        return 'rclcpp'
    return None


@pytest.mark.skipif(missing() is not None, reason=f'{missing()} is not installed')
def test_the_consumer_in_cpp_compiles_without_a_warning(tmp_path):
    for arguments in (
            ['-S', EXAMPLE, '-B', tmp_path, '-DCMAKE_CXX_FLAGS=-Werror'], ['--build', tmp_path]):
        done = subprocess.run(['cmake', *arguments], capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / 'consume_feedforward').is_file()
