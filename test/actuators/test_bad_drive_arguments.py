# SPDX-License-Identifier: Apache-2.0
"""Every public name of the actuators answers bad arguments with an error of ours, or with finite numbers."""

from dataclasses import fields

import numpy as np
import pytest
from bad_values import misread_shapes
from bad_values import unclear_answers

import hod_ros
from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import DampingFilter
from hod_ros import ExponentialSpring
from hod_ros import FeedbackLinearisation
from hod_ros import HodError
from hod_ros import PreparedDrives
from hod_ros import RobotModel
from hod_ros import SeriesElastic
from hod_ros import motor_feedforward

MODEL = RobotModel.from_screws(
    [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]], [np.eye(4)] * 2, [hod_ros.link_inertia(1.0, (0.1, 0, 0), np.eye(3))] * 2,
    joint_names=['j1', 'j2'], link_names=['l1', 'tool'])
DRIVES = {'j1': SeriesElastic(stiffness=3000.0, motor_inertia=0.1), 'j2': AdjustableStiffness(stiffness=100.0, motor_inertia=0.1)}
DAMPED = {'j1': SeriesElastic(stiffness=3000.0, motor_inertia=0.1, damping=3.0), 'j2': DRIVES['j2']}
SPRING = ExponentialSpring(torque=1.0, rate=1.0)
PREPARED = PreparedDrives(MODEL, DRIVES)
LINEARISATION = FeedbackLinearisation(MODEL, DRIVES)
FIGURES = {'type': 'series_elastic', 'stiffness': 100.0, 'motor_inertia': 1.0}
Q = np.random.default_rng(3).uniform(-1, 1, (5, 2))
STIFFNESS = np.array([[100.0], [0], [0]])
STATE = [np.array([0.1, 0.2])] * 4
PHASES = 3 * np.arange(0, 4, 0.01)[:, None] * [1.0, 1.3]
RECORDED = np.stack([0.3 * np.array([3.0, 3.9])**k * np.sin(PHASES + k * np.pi / 2) for k in range(5)], axis=1)
MOTORS = motor_feedforward(MODEL, {'j1': DRIVES['j1']}, RECORDED)
GOOD = {
    'stiffness': 100.0, 'motor_inertia': 0.1, 'gear_ratio': 2.0, 'motor_friction': 0.1, 'torque_limit': 3.0, 'damping': 0.1,
    'damping_terms': 1, 'cubic': 0.1, 'quintic': 0.1, 'stiffness_range': (1.0, 200.0), 'spring': (SPRING, SPRING), 'torque': 1.0,
    'rate': 1.0, 'quadratic': 1.0, 'linear': 0.1, 'motor_coulomb': 0.2, 'motor_breakaway': 0.3, 'motor_stribeck_velocity': 0.1,
    'motor_friction_width': 0.05, 'motor_link': 'l1', 'motor_axis': (0.0, 0.0, 1.0)}
MADE = ('Rigid', 'SeriesElastic', 'HardeningSpring', 'AdjustableStiffness', 'Antagonistic', 'ExponentialSpring', 'QuadraticSpring',
        'HyperbolicSineSpring', 'CubicSpring')

LAWS = {
    'ExponentialSpring': SPRING, 'QuadraticSpring': hod_ros.QuadraticSpring(quadratic=50.0, linear=10.0),
    'HyperbolicSineSpring': hod_ros.HyperbolicSineSpring(torque=2.0, rate=8.0), 'CubicSpring': hod_ros.CubicSpring(linear=10.0, cubic=2.0)}
CALLS = {
    'motor_feedforward': (motor_feedforward, (MODEL, DRIVES, Q), {'stiffness': STIFFNESS, 'wrenches': {'tool': np.zeros((3, 6))}}),
    'motor_feedforward of prepared drives': (motor_feedforward, (MODEL, PREPARED, Q), {}),
    'motor_feedforward of rigid drives': (motor_feedforward, (MODEL, {}, Q), {}),
    'PreparedDrives': (PreparedDrives, (MODEL, DRIVES), {}),
    'motor_feedforward_of': (PREPARED.motor_feedforward_of, (Q, Q[:3], STIFFNESS), {}),
    'effort_rates': (PREPARED.effort_rates, (Q, PREPARED.motor_feedforward(Q)), {}),
    'motor_feedforward from deflections': (PreparedDrives(MODEL, DAMPED).motor_feedforward, (Q,), {'deflections': {'j1': 0.1}}),
    'DampingFilter': (DampingFilter, (MODEL, DAMPED), {'step': 0.001}),
    'DampingFilter of prepared drives': (DampingFilter, (MODEL, PreparedDrives(MODEL, DAMPED)), {'step': 0.001}),
    'reset': (DampingFilter(MODEL, DAMPED, step=0.001).reset, ({'j1': 0.1},), {}),
    'filtering': (DampingFilter(MODEL, DAMPED, step=0.001), (Q,), {'stiffness': STIFFNESS, 'wrenches': {'tool': np.zeros((3, 6))}}),
    'DisturbanceObserver': (hod_ros.DisturbanceObserver, (MODEL, DRIVES), {'step': 0.001, 'bandwidth': 100.0, 'delay': 1}),
    'observing': (hod_ros.DisturbanceObserver(MODEL, DRIVES, step=0.001, bandwidth=100.0), (STATE[0], STATE[0]),
                  {'motor_velocities': STATE[0], 'positions': STATE[0], 'spring_torques': STATE[0]}),
    'motor_gains': (hod_ros.motor_gains, (MODEL, DRIVES, Q[0]), {'bandwidth': 0.05, 'damping': 0.7}),
    'delay_margin': (hod_ros.delay_margin, (MODEL, DRIVES, Q[0], np.eye(len(PREPARED.motor_names)), np.eye(len(PREPARED.motor_names))), {}),
    'largest_bandwidth': (hod_ros.largest_bandwidth, (0.001, 1), {}),
    'identify_drives': (hod_ros.identify_drives, (MODEL, {'j1': DRIVES['j1']}), {
        'step': 0.01, 'positions': RECORDED[:, 0], 'motor_positions': MOTORS.positions, 'torques': MOTORS.efforts, 'friction_width': 0.1,
        'window': 0.1}),
    'FeedbackLinearisation': (FeedbackLinearisation, (MODEL, DRIVES), {}),
    'chain': (LINEARISATION.chain, STATE, {'stiffness': STIFFNESS}),
    'stiffness_chain': (LINEARISATION.stiffness_chain, STATE, {}),
    'state': (LINEARISATION.state, (Q[:4],), {'stiffness': STIFFNESS}),
    'torques': (LINEARISATION.torques, [*STATE, STATE[0]], {'stiffness': STIFFNESS}),
    'pole_gains': (hod_ros.pole_gains, ([-1.0, -2.0, -3.0],), {}),
    'drive_from_figures': (hod_ros.drive_from_figures, ('j1', FIGURES), {}),
    'drives_from_figures': (hod_ros.drives_from_figures, ({'j1': FIGURES},), {}),
    'drives_from_urdf': (hod_ros.drives_from_urdf, ('<robot name="r"/>', MODEL, {'j1': FIGURES}), {}),
    'least_stiffness': (Antagonistic(spring=SPRING, motor_inertia=1.0).least_stiffness, (1.0,), {}),
    **{f'{function} of {name}': (getattr(law, function), (0.1 if function.endswith('at') else 20.0,), {})
       for name, law in LAWS.items() for function in ('force_at', 'stiffness_at', 'curvature_at', 'stretch', 'stretch_of_stiffness')},
    **{name: (getattr(hod_ros, name), (), {field.name: GOOD[field.name] for field in fields(getattr(hod_ros, name))}) for name in MADE},
}


@pytest.mark.parametrize('name', [name for name in CALLS if name not in ('pole_gains', *MADE)])         # whose numbers may be of any count
def test_arrays_of_a_wrong_shape_are_refused_by_name_and_none_is_misread(name):
    assert misread_shapes(*CALLS[name]) == []


@pytest.mark.parametrize('name', CALLS)
def test_bad_arguments_are_answered_with_an_error_of_ours(name):
    call, arguments, options = CALLS[name]
    call(*arguments, **options)
    assert unclear_answers(call, arguments, options) == []


def test_every_public_name_of_the_actuators_is_tried():
    public = {name for name, module in hod_ros._LAZY.items() if module.startswith('hod_ros.actuators')}
    assert public - {'IdentifiedDrives', 'MotorFeedforward', 'SpringLaw'} <= set(CALLS)


@pytest.mark.parametrize('name', ['PreparedDrives', 'DampingFilter', 'DampingFilter of prepared drives', 'FeedbackLinearisation',
                                  'motor_feedforward', 'motor_feedforward of rigid drives'])
def test_what_is_no_model_is_named(name):
    call, arguments, options = CALLS[name]
    with pytest.raises(HodError, match='model is NoneType, not a RobotModel|prepared for .* not for None'):
        call(None, *arguments[1:], **options)


@pytest.mark.parametrize('call, said', [
    (lambda: FeedbackLinearisation(MODEL.replace(gravity=(0, 0, 0)), PREPARED), 'drives were prepared for'),
    (lambda: PREPARED.motor_feedforward_of(Q, Q), r'Q has the shape \(5, 2\), but q with \(5, 2\) needs \(3, 2\)'),
    (lambda: PREPARED.effort_rates(Q[:3], PREPARED.motor_feedforward(Q)), r'q has the shape \(3, 2\); give \(rows, 2\) with 5 rows'),
    (lambda: PREPARED.effort_rates(Q, MOTORS), 'q has the shape|feedforward is .* of these drives'),
    (lambda: PREPARED.motor_feedforward(Q, deflections={'elbow': 0.1}), "deflections names 'elbow', but the joints of robot are j1, j2"),
    (lambda: DampingFilter(MODEL, DAMPED, step=0.1).reset({'j1': 0.1, 'j2': 0.1}), "names 'j2', but the filtered joints are j1"),
    (lambda: hod_ros.pole_gains([-1e200] * 3), 'whose gains are too large'),
    (lambda: hod_ros.pole_gains(['-1', '-2']), 'poles is .*; give numbers'),
    (lambda: hod_ros.drives_from_figures(None), 'figures is None; give a mapping from joint names'),
    (lambda: hod_ros.drive_from_figures(3, FIGURES), 'joint is 3; give the name'),
    (lambda: SPRING.force_at(1e5), r'ExponentialSpring: e is 100000.0; give one number \[rad\] or \[m\] that the spring can have'),
    (lambda: SPRING.stretch(-2.0), 'ExponentialSpring: force is -2.0; give one number'),
    (lambda: LAWS['CubicSpring'].stretch('2'), "CubicSpring: force is '2'; give one number"),
    (lambda: SeriesElastic(stiffness='3000', motor_inertia=1.0), "SeriesElastic: stiffness is '3000'; give one finite number"),
])
def test_messages_name_the_argument_and_the_remedy(call, said):
    with pytest.raises(HodError, match=said):
        call()


def test_one_deflection_serves_all_samples():
    prepared = PreparedDrives(MODEL, DAMPED)
    many = prepared.motor_feedforward(np.stack([Q, -Q]), deflections={'j1': 0.01})
    for one, q in zip(many.motion, (Q, -Q), strict=True):
        assert np.allclose(one, prepared.motor_feedforward(q, deflections={'j1': 0.01}).motion, rtol=1e-12, atol=0)
