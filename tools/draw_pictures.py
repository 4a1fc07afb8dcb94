# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the pages about the command `hod`, by the command itself: python tools/draw_pictures.py FOLDER"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOD = Path(sys.prefix) / 'bin' / 'hod'
MOTION = ROOT / 'config' / 'motions' / 'panda_pick.csv'
ELASTIC = '{type: series_elastic, stiffness: 300, motor_inertia: 2.0e-4, gear_ratio: 100}'


def main():
    images = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        limits, drives = Path(folder) / 'limits.yaml', Path(folder) / 'drives.yaml'
        limits.write_text('effort_rate: 50\n')
        drives.write_text(f'panda_joint1: {ELASTIC}\npanda_joint2: {ELASTIC}\n')
        hod('plot', 'panda', MOTION, '--limits', limits, '--drives', drives, '--title', '', '--out', images / 'plot.png')


def hod(*words):
    subprocess.run([HOD, *map(str, words)], check=True)


if __name__ == '__main__':
    main()
