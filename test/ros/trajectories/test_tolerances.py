# SPDX-License-Identifier: Apache-2.0
"""Tolerances of goals: what they bring, what is refused, and what exceeds them on the way."""

from types import SimpleNamespace

import numpy as np
import pytest

from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.streaming.outcomes import Outcome
from hod_ros.ros.streaming.outcomes import Refused
from hod_ros.ros.streaming.supervision import Supervision
from hod_ros.ros.streaming.tolerances import Tolerances

NAMES = ('a', 'b')
ANY = np.full(2, np.inf)
DEFAULT = Tolerances(NAMES, ANY, ANY, ANY, ANY, 0.0)


def entry(name, position=0.0, velocity=0.0, acceleration=0.0):
    return SimpleNamespace(name=name, position=position, velocity=velocity, acceleration=acceleration)


def with_path(*entries):
    return DEFAULT.with_goals_own(entries, (), 0.0)


def test_a_goals_path_tolerance_of_velocity_is_judged():
    tolerances = with_path(entry('b', velocity=0.2))
    np.testing.assert_array_equal(tolerances.path_velocity, [np.inf, 0.2])
    assert tolerances.path_fault(np.zeros(2), np.array([9.0, 0.1])) == ''
    assert tolerances.path_fault(np.zeros(2), np.array([0.0, -0.3])) == (
        "joint 'b' is 0.3 from the velocity of the trajectory; its path tolerance of velocity is 0.2")
    assert tolerances.path_fault(np.zeros(2), None) == (
        'joint_states have no velocities, by which the path tolerance of velocity is judged')


def test_without_one_velocities_need_not_be_measured():
    assert with_path(entry('a', position=0.1), entry('b', velocity=-1.0)).path_fault(np.zeros(2), None) == ''
    assert 'its path tolerance is 0.1' in with_path(entry('a', position=0.1)).path_fault(np.array([0.2, 0.0]), None)


@pytest.mark.parametrize(('bad', 'text'), [
    (entry('c', position=0.1), "a tolerance is for joint 'c'; the joints are a, b"),
    (entry('a', velocity=float('nan')), "a tolerance of joint 'a' is nan; give a finite number"),
    (entry('a', acceleration=float('inf')), "a tolerance of joint 'a' is inf; give a finite number"),
])
def test_what_can_not_be_judged_is_refused(bad, text):
    for path, goal in (((bad,), ()), ((), (bad,))):
        with pytest.raises(Refused, match=text):
            DEFAULT.with_goals_own(path, goal, 0.0)


def test_one_of_an_acceleration_is_left_to_whoever_measures_it():
    tolerances = with_path(entry('a', acceleration=0.5))
    assert tolerances.unjudged == "a tolerance of joint 'a' is for its acceleration, which joint_states do not measure; give 0"
    assert with_path(entry('a', position=0.1, acceleration=-1.0)).unjudged == ''


@pytest.mark.parametrize(('velocities', 'fault'), [([0.0, 0.5], ''), ([0.0, 0.0], "joint 'b' is 0.5 from"), ([], 'have no velocities')])
def test_a_motion_is_supervised_by_measured_velocities(velocities, fault):
    measured = Measured(NAMES, ANY, 0.1)
    measured.take(NAMES, [0.0, 0.0], velocities, 10.0)
    goal = SimpleNamespace(tolerances=with_path(entry('b', velocity=0.2)), feed_back=lambda *arguments: None)
    motion = SimpleNamespace(request=SimpleNamespace(goal=goal), end=99.0, ending=None)
    path = SimpleNamespace(measured=measured, steady=lambda: 10.0)
    verdict = Supervision(path, lambda measured: None).watch(motion, np.array([[0.0, 0.0], [0.0, 0.5]]), 5.0)
    assert verdict is None if not fault else verdict[0] == Outcome.PATH_TOLERANCE_VIOLATED and fault in verdict[1]
