# SPDX-License-Identifier: Apache-2.0
"""Run the kernel under AddressSanitizer and UndefinedBehaviorSanitizer, and under ThreadSanitizer: its doorway compiled with them, called
from Python with random robots, shapes, kinds and orders, by several threads at once. `make sanitize` does; ARGS='--seconds 60' for long."""

import argparse
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / 'hod_ros' / 'kernel'
CORE = KERNEL / 'core'
BUILD = ROOT / 'build'
ALGORITHM = re.compile(r'^ +LINE\((\w+), (\d)', re.MULTILINE)
# Sanitizers' checks in code that is inlined by force would take minutes to compile.
FLAGS = [
    '-std=c++17', '-O1', '-Dalways_inline=unused', '-g1', '-fPIC', '-fno-omit-frame-pointer', '-Wall', '-Wextra', f'-I{CORE / "include"}']
KINDS = {
    'address': (['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined'], 'libasan.so', {
        'ASAN_OPTIONS': 'detect_leaks=0:abort_on_error=0:exitcode=66', 'UBSAN_OPTIONS': 'print_stacktrace=1:halt_on_error=1'}),
    'thread': (['-fsanitize=thread'], 'libtsan.so', {
        'TSAN_OPTIONS': 'exitcode=66:halt_on_error=1'}),        # Python's GIL it sees by its mutex
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('kinds', nargs='*', metavar='kind', help=f'any of {", ".join(KINDS)}; all if none is given')
    parser.add_argument('--seconds', type=float, default=10.0, help='of random calls for each')
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    for kind in arguments.kinds or KINDS:
        if kind not in KINDS:
            parser.error(f'{kind!r} is no kind; there are {", ".join(KINDS)}')
        flags, library, options = KINDS[kind]
        package = build(kind, flags)
        preload = subprocess.run(['g++', f'-print-file-name={library}'], capture_output=True, text=True, check=True).stdout.strip()
        environment = {
            **os.environ, **options, 'LD_PRELOAD': preload, 'PYTHONPATH': f'{package}:{ROOT / "test" / "helpers"}',
            'PYTHONMALLOC': 'malloc', 'OPENBLAS_NUM_THREADS': '1'}
        calls = [sys.executable, ROOT / 'tools' / 'sanitized_calls.py', str(arguments.seconds), str(arguments.seed)]
        done = subprocess.run(calls, env=environment, check=False)
        if done.returncode:
            sys.exit(f'{kind}: found something (exit code {done.returncode}), see above')
        print(f'{kind}: nothing found', flush=True)


def build(kind, flags):
    """A folder with the package, its doorway compiled with these flags; what is up to date is kept."""
    import numpy
    folder = BUILD / f'sanitize-{kind}'
    package = folder / 'package'
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / 'hod_ros', package / 'hod_ros', ignore=shutil.ignore_patterns('__pycache__', '_*.so'))
    digest = runpy.run_path(str(KERNEL / 'sources.py'))['digest'](KERNEL)
    headers = [f'-I{sysconfig.get_path("include")}', f'-I{numpy.get_include()}']
    table = ALGORITHM.findall((CORE / 'algorithms.hpp').read_text())
    units = [(folder / f'{name}.o', CORE / 'compiled.cpp', [f'-DHOD_ALGORITHM={name}', f'-DHOD_HEADER="hod/{name}.hpp"', '-DHOD_LENGTHS=1'])
             for name, _ in table]
    units.append((folder / 'doorway.o', KERNEL / '_doorway.cpp', [*headers, f'-DHOD_SOURCES={digest}']))

    def compile_unit(unit):
        made, source, own = unit
        mark, wanted = made.with_suffix('.of'), repr([digest, flags, own])
        if not (made.exists() and mark.exists() and mark.read_text() == wanted):
            made.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(['g++', *FLAGS, *flags, *own, '-c', source, '-o', made], check=True)
            mark.write_text(wanted)
        return made
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        objects = list(pool.map(compile_unit, units))
    doorway = package / 'hod_ros' / 'kernel' / f'_doorway{sysconfig.get_config_var("EXT_SUFFIX")}'
    subprocess.run(['g++', '-shared', *flags, *objects, '-pthread', '-o', doorway], check=True)
    return package


if __name__ == '__main__':
    main()
