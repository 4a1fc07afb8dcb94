# SPDX-License-Identifier: Apache-2.0
"""Whether a trajectory leaves position limits is told between its points too, and in evaluate_trajectory's message."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from hod_ros import RobotModel  # noqa: E402
from hod_ros import Trajectory  # noqa: E402
from hod_ros import evaluate_trajectory  # noqa: E402
from hod_ros import example_robot  # noqa: E402
from hod_ros.trajectories.position_limits import beyond_position_limits  # noqa: E402

PANDA = RobotModel.from_urdf(example_robot('panda'))
LOWER, UPPER = PANDA.position_limits.T
MIDDLE = (LOWER + UPPER) / 2


def test_within_the_limits_and_exactly_at_them_nothing_is_said():
    t = Trajectory.interpolate([0, 1, 2], [LOWER, MIDDLE, UPPER], max_deviation=None)
    assert beyond_position_limits(PANDA, t) == ''
    assert 'leaves' not in evaluate_trajectory(PANDA, t).message


def test_an_overshoot_between_points_is_found_with_its_size_and_time():
    times = [0, 1.0, 1.1, 2]
    points = np.array([MIDDLE, UPPER - 0.01, UPPER - 0.01, MIDDLE])
    t = Trajectory.interpolate(times, points, max_deviation=None)
    dense = np.linspace(0, 2, 200_001)
    excess = (t.evaluate(dense, 0)[:, 0] - UPPER).max(axis=0)
    joint = int(np.argmax(excess))
    assert excess[joint] > 1e-3
    said = beyond_position_limits(PANDA, t)
    assert said.startswith(f'joint {PANDA.joint_names[joint]!r} leaves its position limits')
    by, at = said.rpartition(' by ')[2].removesuffix(' s').split(' at ')
    assert float(by) == pytest.approx(excess[joint], rel=1e-3)
    assert t.evaluate([float(at)], 0)[0, 0, joint] - UPPER[joint] == pytest.approx(excess[joint], rel=1e-3)
    assert evaluate_trajectory(PANDA, t).message.endswith(said)
