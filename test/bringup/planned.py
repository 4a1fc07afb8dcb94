# SPDX-License-Identifier: Apache-2.0
"""The motion that the planner sends, known to the test as well."""

import numpy as np

NAMES = ('joint1', 'joint2', 'joint3')


def planned(index):
    """q (5, 3) of setpoint number `index`."""
    return np.sin(0.1 * index + np.arange(15.0)).reshape(5, 3)
