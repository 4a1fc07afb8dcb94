# SPDX-License-Identifier: Apache-2.0
"""What is in C and C++ compiles without a warning: gcc and clang, x86-64 and arm64, macOS; the portable kernel computes the same."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import checkout
import numpy
import pytest

KERNEL = checkout.ROOT / 'hod_ros' / 'kernel'
CORE = KERNEL / 'core'
ALGORITHMS = re.findall(r'^ +LINE\((\w+)', (CORE / 'algorithms.hpp').read_text(), re.MULTILINE)
SOURCES = sorted((checkout.ROOT / 'hod_ros').rglob('_*.c'))
STRICT = ['-Wall', '-Wextra', '-Werror', '-O0', '-fPIC', '-c', '-o', 'unit.o']
CPP = ['-std=c++17', '-DHOD_LENGTHS=1', f'-I{CORE / "include"}']
HEADERS = [f'-I{sysconfig.get_path("include")}', f'-I{numpy.get_include()}']
AVX2 = ['-mavx2', '-mfma']
AVX512 = [*AVX2, '-mavx512f', '-mavx512dq', '-mavx512vl']


@pytest.fixture(scope='module')
def zig():
    """The command of zig's clang, a whole cross compiler in one wheel; it is kept in build/ between runs."""
    version = (checkout.ROOT / 'requirements' / 'cross.txt').read_text().strip()
    target = checkout.ROOT / 'build' / version.replace('==', '-')
    if not (target / 'complete').exists():
        shutil.rmtree(target, ignore_errors=True)
        checkout.run(
            [sys.executable, '-m', 'pip', 'install', '--no-deps', '--target', target, version],
            checkout.ROOT, checkout.bare_environment())
        (target / 'complete').touch()
    return [target / 'ziglang' / 'zig']


def compile_strictly(c, cpp, instruction_sets, folder):
    """Every source, two at a time, for these files take longest of all."""
    assert SOURCES or ALGORITHMS
    dispatch = ['-DHOD_DISPATCH'] if len(instruction_sets) > 1 else []
    units = [[*c, *STRICT, '-std=gnu11', source, *HEADERS] for source in SOURCES]
    units.append([*cpp, *STRICT, *CPP, *dispatch, KERNEL / '_doorway.cpp', *HEADERS])
    units += [
        [*cpp, *STRICT, *CPP, *flags, f'-DHOD_ALGORITHM={algorithm}', f'-DHOD_HEADER="hod/{algorithm}.hpp"', CORE / 'compiled.cpp']
        for algorithm in ALGORITHMS for flags in instruction_sets]
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(compile_one, unit, folder / str(number)) for number, unit in enumerate(units)]:
            done.result()


def compile_one(command, folder):
    folder.mkdir()
    checkout.run(command, folder, checkout.bare_environment())


def debian_headers(target, folder):
    """Where Debian's Python.h finds its pyconfig.h: in a folder of the target's, of which it has the machine's own alone.

    Both are 64-bit machines, whose pyconfig.h say the same of what the kernel uses.
    """
    python = Path(sysconfig.get_path('include')).name
    own = Path('/usr/include') / (sysconfig.get_config_var('MULTIARCH') or 'none') / python / 'pyconfig.h'
    if not own.exists():
        return []
    place = folder / target / python / 'pyconfig.h'
    place.parent.mkdir(parents=True)
    shutil.copy(own, place)
    return [f'-I{folder}']


@pytest.mark.parametrize('compilers', [('gcc', 'g++'), ('clang', 'clang++')], ids=['gcc', 'clang'])
def test_the_kernel_compiles_without_warnings_with(compilers, tmp_path):
    if not all(map(shutil.which, compilers)):
        pytest.skip(f'no {compilers} here')
    compile_strictly(*([compiler] for compiler in compilers), [[], AVX2, AVX512], tmp_path)


@pytest.mark.parametrize(('target', 'instruction_sets'), [
    ('x86_64-linux-gnu', [[], AVX2, AVX512]), ('aarch64-linux-gnu', [[]]),
], ids=['x86_64', 'aarch64'])
def test_the_kernel_compiles_without_warnings_with_zigs_clang_for(target, instruction_sets, zig, tmp_path):
    headers = debian_headers(target, tmp_path / 'include')
    c, cpp = ([*zig, language, '-target', target, *headers] for language in ('cc', 'c++'))
    compile_strictly(c, cpp, instruction_sets, tmp_path)


def test_the_doorway_compiles_without_warnings_for_macos_whose_headers_have_other_macros(zig, tmp_path):
    if 'multiarch' in Path(sysconfig.get_path('include'), 'pyconfig.h').read_text():
        pytest.skip("Debian's Python.h is for Linux alone")
    (tmp_path / 'endian.h').write_text('#include <machine/endian.h>\n')            # which numpy's configuration for Linux asks for
    checkout.run(
        [*zig, 'c++', '-target', 'aarch64-macos', *STRICT, *CPP, KERNEL / '_doorway.cpp', *HEADERS, f'-I{tmp_path}'], tmp_path,
        checkout.bare_environment())


def test_the_portable_kernel_computes_what_the_dispatched_one_does(tmp_path):
    clone = checkout.copy_to(tmp_path / 'hod_ros')
    environment = checkout.bare_environment(CFLAGS='-DHOD_PORTABLE', HOD_ROS_BUILD_KERNEL='required')
    checkout.run([checkout.PYTHON, 'setup.py', 'build_ext', '--inplace'], clone, environment)
    program = '''
import json
import pathlib
import numpy
import hod_ros
model = hod_ros.RobotModel.from_urdf(pathlib.Path('config/robots/panda.urdf').read_text())
q = numpy.random.default_rng(5).uniform(-1, 1, (37, 7, model.n))
single = [hod_ros.inverse_dynamics(model, sample).tolist() for sample in q]
print(json.dumps({'from': hod_ros.__file__, 'single': single, 'batch': hod_ros.inverse_dynamics(model, q).tolist()}))
'''
    answers = []
    for folder in (clone, checkout.ROOT):
        done = subprocess.run(
            [sys.executable, '-c', program], cwd=folder, env={**checkout.bare_environment(), 'PYTHONPATH': str(folder)},
            capture_output=True, text=True, timeout=600, check=True)
        assert done.stderr == ''
        answers.append(json.loads(done.stdout))
    portable, dispatched = answers
    assert str(clone) in portable['from']
    for kind in ('single', 'batch'):
        reference = numpy.array(dispatched[kind])
        scale = numpy.abs(reference).max(axis=(0, 2), keepdims=True)
        assert (numpy.abs(numpy.array(portable[kind]) - reference) / scale).max() < 1e-13
