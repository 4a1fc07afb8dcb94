# SPDX-License-Identifier: Apache-2.0
"""Exported C++: time of one evaluation against the kernel's own with the same instruction set, its error, its size."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from bench.timing import Table
from hod_ros import RobotModel
from hod_ros import example_robot
from hod_ros import export_cpp
from hod_ros.kernel import compiled

FLAGS = {'baseline': [], 'avx2': ['-mavx2', '-mfma'], 'avx512': ['-mavx2', '-mfma', '-mavx512f', '-mavx512dq', '-mavx512vl']}
PROGRAM = '''
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>
#include "panda.h"
int main(void)
{
    panda_robot *robot = panda_new(2, 0);
    panda_number q[35], Q[21];
    for (int i = 0; i < 35; i++)
        q[i] = (panda_number)(0.01 * i - 0.2);
    double best = 1e300;
    for (int round = 0; round < 60; round++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 5000; i++)
            panda_inverse_dynamics(robot, q, 2, Q);
        clock_gettime(CLOCK_MONOTONIC, &b);
        const double each = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 5000;
        best = each < best ? each : best;
    }
    printf("%g %g\\n", best, (double)Q[0]);
    return 0;
}
'''


def run():
    model = RobotModel.from_urdf(example_robot('panda'))
    table = Table('Exported C++, 7 joints, order 2; against the kernel alone, with the same flags')
    q = 0.01 * np.arange(35.0).reshape(5, 7) - 0.2
    for name in reversed(compiled.instruction_sets()):
        compiled.use_instruction_set(name)
        kernel = min(model._compiled.inverse_dynamics.time(5000, q) for _ in range(60))
        for scalar in ('double', 'float') if name == 'baseline' else ('double',):
            with tempfile.TemporaryDirectory() as folder:
                made = export_cpp(model, Path(folder, 'panda'), name='panda', scalar=scalar)
                Path(folder, 'time.c').write_text(PROGRAM)
                include = f'-I{made.folder}/include'
                for command in (
                        ['c++', '-std=c++17', '-O3', *FLAGS[name], '-fno-exceptions', '-fno-rtti', include, '-c',
                         made.folder / 'src/panda.cpp', '-o', f'{folder}/panda.o'],
                        ['cc', '-O2', include, f'{folder}/time.c', f'{folder}/panda.o', '-lm', '-o', f'{folder}/time']):
                    subprocess.run(command, check=True)
                each = float(subprocess.run([f'{folder}/time'], capture_output=True, text=True, check=True).stdout.split()[0])
                table.add(f'{name}, {scalar}', each, kernel, 1.0 if scalar == 'double' else None)
                if name == 'baseline':
                    bound = 1e-13 if scalar == 'double' else 1e-5
                    table.add(f'{scalar}: largest error, 1e18 times; against the bound', made.error * 1e18, bound * 1e18, 1.0, '')
                    table.add(f'{scalar}: source [kB]; against 100', made.bytes / 1000, 100.0, 1.0, 'kB')
    return table.rows
