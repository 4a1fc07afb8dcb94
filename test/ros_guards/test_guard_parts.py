# SPDX-License-Identifier: Apache-2.0
"""The single guards: what each judges, what it counts, and its way back."""

import numpy as np
import pytest
from guard_robot import MODEL
from guard_robot import NAMES
from guard_robot import NONE
from guard_robot import arm

from hod_ros import HodError
from hod_ros import inverse_dynamics
from hod_ros.ros.guards.bounds import command_bounds
from hod_ros.ros.guards.bounds import motion_bounds
from hod_ros.ros.guards.faults import Fault
from hod_ros.ros.guards.measured import Measured
from hod_ros.ros.guards.model_changes import hindrance
from hod_ros.ros.guards.motion_limits import MotionLimits
from hod_ros.ros.guards.outputs import Outputs
from hod_ros.ros.guards.record import Record

MOTION = np.array([[0.3, 0.5, -0.4], [0.1, 0.2, 0.3], [0.5, 0.6, 0.7]])


# Bounds

def test_bounds_come_from_the_description_and_parameters_come_first():
    bounds = command_bounds(MODEL, **NONE | {'effort': {'b': 40.0}, 'effort_rate': {'c': 7.0}, 'upper': {'a': 1.0}})
    assert bounds.effort.tolist() == [100.0, 40.0, 100.0] and bounds.effort_rate.tolist() == [1000.0, 400.0, 7.0]
    assert bounds.upper.tolist() == [1.0, 2.5, 2.5] and bounds.velocity.tolist() == [3.0] * 3


def test_a_joint_without_effort_limit_is_refused_with_the_remedy():
    with pytest.raises(HodError, match='a, b, c of robot .arm. has none.*limits.a.effort'):
        command_bounds(arm(effort=0.0), **NONE)
    assert command_bounds(arm(effort=0.0), **NONE | {'effort': dict.fromkeys(NAMES, 5.0)}).effort.tolist() == [5.0] * 3


@pytest.mark.parametrize('given', [{'effort': {'a': 0.0}}, {'effort_rate': {'a': 0.0}}, {'effort_rate': {'a': float('inf')}}])
def test_commands_that_could_never_change_or_might_jump_are_refused(given):
    with pytest.raises(HodError, match="joint 'a'"):
        command_bounds(MODEL, **NONE | given)


def test_placeholders_of_a_description_are_no_limits():
    lower, upper, velocity = motion_bounds(arm(velocity=0.0, lower=0.0, upper=0.0), velocity={}, lower={}, upper={})
    assert np.isinf([lower, upper, velocity]).all()
    with pytest.raises(HodError, match='nowhere'):
        motion_bounds(MODEL, velocity={}, lower={'a': 1.0}, upper={'a': 1.0})


# Records and faults

def test_a_record_acts_until_it_is_reported_and_tells_its_last_reason_afterwards():
    record = Record('guard')
    assert record.report() == ('watching', 'watching')
    record.act('because')
    assert record.report() == ('acting', 'acting: because (1 times)')
    assert record.report() == ('watching', 'watching (1 times; last: because)')
    record.off = 'no clock'
    assert record.report() == ('off', 'off: no clock (1 times; last: because)')


def test_the_first_fault_stays_until_it_is_reset():
    fault = Fault()
    assert fault.reset(0.0) == (True, 'there was no fault')
    assert fault.latch('reach', 'one') and not fault.latch('start', 'two')
    assert (fault.reason, fault.guard, fault.count) == ('one', 'reach', 1)
    fault.hinder('still there', 5.0)
    assert fault.reset(4.9) == (False, 'the cause is still there: still there') and fault.reason == 'one'
    assert fault.reset(5.0) == (True, 'ended: one') and not fault.reason


# Measured

def test_joint_states_are_taken_by_name_from_several_sources():
    measured = Measured(NAMES, np.full(3, 3.0), 0.1)
    assert not measured.known and measured.record.state == 'off'
    measured.take(['gripper', 'c', 'a'], [9.0, 3.0, 1.0], [0.9, 0.3, 0.1], 10.0)
    assert not measured.known and 'not come for b' in measured.age_text(10.0)
    measured.take(['b'], [2.0], [], 10.05)
    assert measured.known and measured.positions.tolist() == [1.0, 2.0, 3.0]
    assert measured.fresh(10.1) and not measured.moving_fresh(10.1) and not measured.fresh(10.11)
    measured.take(['gripper'], [9.0], [0.0], 10.2)
    assert not measured.fresh(10.2)


@pytest.mark.parametrize('positions, velocities, reason', [
    ([0.0, 0.0], [0.0] * 3, '2 positions'), ([0.0] * 3, [0.0], '1 velocities'), ([0.0, np.nan, 0.0], [], 'not finite'),
    ([0.0] * 3, [np.inf, 0.0, 0.0], 'not finite'), ([0.0, 0.5, 0.0], [], "'b' jumps from 0 to 0.5")])
def test_bad_joint_states_are_counted_and_change_nothing(positions, velocities, reason):
    measured = Measured(NAMES, np.full(3, 3.0), 0.1)
    measured.take(NAMES, [0.0] * 3, [], 10.0)
    measured.take(NAMES, positions, velocities, 10.01)
    assert measured.positions.tolist() == [0.0] * 3 and measured.record.count == 1 and reason in measured.record.reason


def test_a_robot_that_is_really_elsewhere_is_believed_once_the_old_place_is_no_longer_fresh():
    measured = Measured(NAMES, np.full(3, 3.0), 0.1)
    for k in range(30):
        measured.take(NAMES, [0.0, 0.5 if k else 0.0, 0.0], [], 10.0 + 0.01 * k)
    assert measured.positions.tolist() == [0.0, 0.5, 0.0]


# Limits

def test_motions_at_their_limits_are_within_them():
    limits = MotionLimits(NAMES, *(np.full(3, value) for value in (-2.5, 2.5, 3.0)))
    assert limits.flags(np.array([[2.5, -2.5, 0.0], [3.0, -3.0, 0.0], [1e3] * 3])) is None
    assert limits.flags(np.array([[2.6, 0.0, 0.0], [3.1, -3.1, 0.0]])).tolist() == [24, 16, 0]
    assert limits.fault(np.full((3, 3), 2.6)).endswith('from -2.5 to 2.5')
    assert limits.fault(np.full((3, 3), 90.0)).endswith('from -2.5 to 2.5: is that in [rad], or in [m]?')
    free = MotionLimits(NAMES, *(np.full(3, value) for value in (-np.inf, np.inf, np.inf)))
    assert not free.exist and free.flags(np.full((2, 3), 1e6)) is None


# Changes of the model

LIMIT = np.full(3, 100.0)


class Computes:
    def __init__(self, model):
        self.model = model

    def efforts(self, motion):
        return inverse_dynamics(self.model, motion)[0]


def why_not(model, how, motion=MOTION):
    return hindrance(Computes(MODEL), Computes(model), motion, LIMIT, how=how, largest_step=0.05)


def test_a_model_is_kept_unless_changes_are_allowed_and_small():
    heavier, other = arm(mass=2.2), arm().replace(gravity=(0.0, 0.0, -20.0))
    assert 'a robot in motion keeps its model' in why_not(heavier, 'keep') and why_not(heavier, 'small') == ''
    assert "torque of joint 'b' would step by" in why_not(other, 'small')
    assert why_not(other, 'small', motion=None) == '' and why_not(other, 'keep', motion=None)


def test_a_robot_of_other_joints_never_replaces_one_in_motion():
    assert 'its joints are a, b, d' in why_not(arm().replace(joint_names=('a', 'b', 'd')), 'small')


# Outputs

def test_topics_that_another_node_publishes_on_are_taken():
    outputs, own = Outputs('/hod'), {'/hod/commands': 1, '/hod/feedforward': 1}
    ours = [('/hod/commands', '/hod'), ('/hod/feedforward', '/hod')]
    assert outputs.taken(ours, own) == ''
    assert 'another node named /hod publishes' in outputs.taken(ours, {})
    assert outputs.taken([*ours, ('/hod/commands', '/hod')], own).startswith('/hod/commands is taken: another node named /hod')
    assert 'the node /left/impostor publishes there' in outputs.taken([*ours, ('/hod/commands', '/left/impostor')], own)
