# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from hod_ros import InputError
from hod_ros import Limits

pytestmark = pytest.mark.telling


def test_one_number_serves_all_joints_and_none_is_no_limit():
    limits = Limits(velocity=2.0, effort=[10, np.inf])
    assert limits.given == ('velocity', 'effort')
    assert limits.of('velocity', 3).tolist() == [2, 2, 2]
    assert limits.of('effort', ['a', 'b']).tolist() == [10, np.inf]
    assert limits.of('jerk', 2) is None


def test_a_quantity_that_there_is_not_is_named():
    limits = Limits(velocity=2.0)
    with pytest.raises(InputError, match="quantity is 'velcity'; it is one of 'velocity', 'acceleration'"):
        limits.of('velcity', 2)
    with pytest.raises(InputError, match='names is 2.5; give an integer'):
        limits.of('velocity', 2.5)


def test_a_margin_leaves_a_part_of_forces_alone():
    limits = Limits(velocity=2.0, effort=[10, 20], effort_rate=100, motor_effort=5).with_margin(0.8)
    assert limits.velocity == 2 and limits.effort.tolist() == [8, 16] and limits.effort_rate == 80 and limits.motor_effort == 4


@pytest.mark.parametrize(('figures', 'message'), [
    ({'effort': [1, -2]}, r'limits.effort\[1\] is -2'),
    ({'velocity': 0}, 'limits.velocity is 0'),
    ({'jerk': np.nan}, 'limits.jerk is nan'),
    ({'jerk': np.ones((2, 2))}, 'shape'),
    ({'jerk': 'fast'}, 'limits.jerk'),
])
def test_limits_that_are_none_are_refused(figures, message):
    with pytest.raises(InputError, match=message):
        Limits(**figures)


def test_a_wrong_number_of_joints_is_named():
    with pytest.raises(InputError, match='holds 2 numbers, but there are 3 to limit: a, b, c'):
        Limits(effort=[1, 2]).of('effort', ['a', 'b', 'c'])
    with pytest.raises(InputError, match='margin is 1.5'):
        Limits(effort=1).with_margin(1.5)
