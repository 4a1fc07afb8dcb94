# SPDX-License-Identifier: Apache-2.0
"""How long the kernel takes to compile, from nothing and after a header has changed, on all processors that there are."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import ROOT
from bench.timing import Table

HEADERS = ROOT / 'hod_ros' / 'kernel' / 'core' / 'include' / 'hod'


def compiled(folder):
    """(seconds, seconds of all processors) of a build of what is new."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, 'setup.py', 'build_ext', '--inplace'], cwd=folder, check=True, stdout=subprocess.DEVNULL,
        env=os.environ | {'HOD_ROS_BUILD_KERNEL': 'required'})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run():
    table = Table(f'Compiling the kernel on {os.cpu_count()} processors, against what two may take')
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in ('hod_ros', 'hod_interfaces', 'config', 'examples', 'launch', 'resource'):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns('*.so', '__pycache__', 'build'), symlinks=True)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, folder / path.name)
        for what, header, bound in (
                ('everything', None, 60), ('a header of one algorithm', 'regressor', 30), ('a header of several', 'matrices', 30),
                ('a header of all', 'series', 60)):
            if header:
                with (folder / HEADERS.relative_to(ROOT) / f'{header}.hpp').open('a') as file:
                    file.write('// Another line.\n')
            wall, processors = compiled(folder)
            table.add(what, wall, bound, 1.0, unit='s')
            table.add(f'{what}: time of all processors', processors, wall, unit='s')
    return table.rows


if __name__ == '__main__':
    run()
