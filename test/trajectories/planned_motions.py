# SPDX-License-Identifier: Apache-2.0
"""Robots and motions for the tests of this room."""

import numpy as np
from robots import PANDA

from hod_ros import RobotModel
from hod_ros import Trajectory


def panda(**options):
    return RobotModel.from_urdf(PANDA.read_bytes(), **options)


def random_motion(rng, model, most=6, **options):
    """A trajectory through a few points of a robot's size."""
    points = rng.integers(2, most)
    times = rng.uniform(-1, 1) + np.cumsum(rng.uniform(0.3, 1.5, points))
    return Trajectory.interpolate(times, np.cumsum(rng.uniform(-1, 1, (points, model.n)), axis=0), **({'max_deviation': None} | options))
