# SPDX-License-Identifier: Apache-2.0
"""Other drives of the same bodies are another robot: motors in motion keep theirs, or change by little."""

import re
from array import array

import numpy as np
import pytest
from ros_harness import arm_urdf
from ros_harness import setpoint
from setpoint_path import NAMES
from setpoint_path import Path

from hod_ros.ros.guards.record import ACTING

PLACE = np.array([0.4, 0.5, 0.6])
SPRING = {'type': 'series_elastic', 'stiffness': 3000, 'motor_inertia': 2e-5, 'gear_ratio': 100}
RIGID = {'type': 'rigid', 'stiffness': None}


def arm(mass=1.5, effort='effort="100"', **figures):
    figures = ' '.join(f'{name}="{value}"' for name, value in {**SPRING, **figures}.items() if value is not None)
    drives = ''.join(f'<hod_elastic joint="{joint}" {figures}/>' for joint in NAMES)
    return arm_urdf(3, mass=mass).replace('</robot>', f'{drives}</robot>').replace('effort="100"', effort)


@pytest.fixture
def path(monkeypatch, request):
    path = Path(monkeypatch, arm(**getattr(request, 'param', {})), model_changes='small', damping_filter=True)
    yield path
    path.close()


def moving(path):
    path.send(PLACE)
    return path.motors[-1]


def test_motors_in_motion_keep_their_springs(path):
    before = moving(path)
    assert path.set(model_changes='keep').successful
    assert 'a robot in motion keeps its model' in path.offer(path.robot(arm(stiffness=300)))
    assert path.guard('model').state == ACTING
    np.testing.assert_array_equal(moving(path), before)


def test_the_same_drives_of_a_description_that_is_published_again_hinder_nothing(path):
    moving(path)
    assert path.set(model_changes='keep').successful
    assert path.offer(path.robot(arm())) == ''


def test_where_nothing_is_followed_other_springs_are_taken_at_once(path):
    before = moving(path)
    assert path.set(model_changes='auto').successful
    assert path.offer(path.robot(arm(stiffness=300))) == ''
    assert np.abs(moving(path) - before).max() > 0.1


@pytest.mark.parametrize(('figures', 'text'), [
    ({'stiffness': 300}, r"motor 'joint\d' would step by .* \(largest_model_step times the effort limit of its joint, by its spring\)"),
    ({'gear_ratio': 50}, r"motor 'joint\d' would step by"),
    ({'stiffness': 30000}, r"motor 'joint\d' would step by"),
    (RIGID, r"motor 'joint\d' would step by .*, more than 0 "),
])
def test_drives_that_move_motors_by_much_are_kept(path, figures, text):
    moving(path)
    assert re.search(text, path.offer(path.robot(arm(**figures))))


def test_springs_that_differ_by_little_are_taken(path):
    before = moving(path)
    assert path.offer(path.robot(arm(stiffness=2990))) == ''
    step = np.abs(moving(path) - before).max()
    assert 0 < step < 100 * 0.05 * 100 / 3000


def test_a_torque_of_a_motor_that_would_step_is_named(path):
    q = np.zeros((5, 3))
    q[2] = 5.0
    path.take(setpoint(q, NAMES), 'first')
    reason = path.offer(path.robot(arm(motor_inertia=2e-4)))
    assert reason == "the torque of motor 'joint1' would step by 0.08975, more than 0.05 (largest_model_step times its torque limit)"


@pytest.mark.parametrize('path', [{'effort': ''}], indirect=True)
def test_motors_without_any_limit_are_not_judged_to_change_by_little(path):
    moving(path)
    reason = path.offer(path.robot(arm(effort='', stiffness=2990)))
    assert 'has no limit by which a step could be judged; give limits.joint' in reason


def test_other_motors_never_replace_those_in_motion(path):
    moving(path)
    assert path.offer(path.robot(arm_urdf(3))) == 'its motors are none in place of joint1, joint2, joint3'


@pytest.mark.parametrize('path', [{'damping': 5}], indirect=True)
def test_drives_with_a_memory_are_judged_too(path):
    moving(path)
    assert path.offer(path.robot(arm(damping=5, stiffness=2990))) == ''
    assert 'would step by' in path.offer(path.robot(arm(damping=5, stiffness=300)))


def test_motors_that_had_no_setpoint_yet_take_any_drives(path):
    assert path.offer(path.robot(arm(stiffness=300))) == ''
    moving(path)
    path.path.deactivate()
    path.path.activate()
    assert path.offer(path.robot(arm(stiffness=3000))) == ''


def test_a_stiffness_that_was_asked_for_counts(monkeypatch):
    adjustable = {'type': 'adjustable', 'stiffness': 400}
    path = Path(monkeypatch, arm(**adjustable), model_changes='small')
    message = setpoint(np.concatenate([[PLACE], np.zeros((4, 3))]), NAMES)
    message.stiffnesses, message.stiffness_rates, message.stiffness_accelerations = array('d', [900.0] * 3), *[array('d', [0.0] * 3)] * 2
    assert path.take(message, 'first')
    assert path.offer(path.robot(arm(**adjustable | {'stiffness': 40}))) == '', 'the configured one is not in use'
    path.close()
