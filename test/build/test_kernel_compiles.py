"""What is in C compiles without a warning: gcc and clang, x86-64 and arm64; the portable kernel computes the same."""

import json
import shutil
import subprocess
import sys
import sysconfig

import checkout
import numpy
import pytest

SOURCES = sorted((checkout.ROOT / 'hod_ros').rglob('_*.c'))
STRICT = ['-O3', '-std=gnu11', '-Wall', '-Wextra', '-Werror', '-fPIC', '-c']
HEADERS = [f'-I{sysconfig.get_path("include")}', f'-I{numpy.get_include()}']


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
    return [target / 'ziglang' / 'zig', 'cc']


def compile_strictly(command, folder):
    assert SOURCES
    for source in SOURCES:
        checkout.run(
            [*command, *STRICT, source, *HEADERS, '-o', folder / f'{source.stem}.o'], folder,
            checkout.bare_environment())


@pytest.mark.parametrize('macros', [[], ['-DHOD_PORTABLE']], ids=['dispatch', 'portable'])
@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_the_kernel_compiles_without_warnings_with(compiler, macros, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f'no {compiler} here')
    compile_strictly([compiler, *macros], tmp_path)


@pytest.mark.parametrize('target', ['x86_64-linux-gnu', 'aarch64-linux-gnu'])
def test_the_kernel_compiles_without_warnings_with_zigs_clang_for(target, zig, tmp_path):
    compile_strictly([*zig, '-target', target], tmp_path)


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
            capture_output=True, text=True, timeout=60, check=True)
        assert done.stderr == ''
        answers.append(json.loads(done.stdout))
    portable, dispatched = answers
    assert str(clone) in portable['from']
    for kind in ('single', 'batch'):
        reference = numpy.array(dispatched[kind])
        scale = numpy.abs(reference).max(axis=(0, 2), keepdims=True)
        assert (numpy.abs(numpy.array(portable[kind]) - reference) / scale).max() < 1e-13
