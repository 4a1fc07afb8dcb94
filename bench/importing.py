# SPDX-License-Identifier: Apache-2.0
"""Time of importing what everybody uses of hod_ros in a fresh interpreter against `import numpy`."""

import subprocess
import sys
from time import perf_counter

from bench.timing import Table


def seconds(statement):
    start = perf_counter()
    subprocess.run([sys.executable, '-c', statement], check=True)
    return perf_counter() - start


def run():
    ours = 'from hod_ros import RobotModel, inverse_dynamics'
    statements = ('pass', 'import numpy', ours)
    best = dict.fromkeys(statements, float('inf'))
    for _ in range(15):
        for statement in statements:
            best[statement] = min(best[statement], seconds(statement))
    table = Table('Import in a fresh interpreter, its own start taken off')
    start = best['pass']
    with_hod, with_numpy = (1e3 * (best[statement] - start) for statement in (ours, 'import numpy'))
    table.add(f'{ours} against import numpy', with_hod, with_numpy, 2.0, 'ms')
    return table.rows


if __name__ == '__main__':
    run()
