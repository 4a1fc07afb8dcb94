# SPDX-License-Identifier: Apache-2.0
"""Measurements of hod_ros, each as a ratio to something measured in the same run: `make bench`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / 'test' / 'helpers'), str(ROOT / 'examples')]
