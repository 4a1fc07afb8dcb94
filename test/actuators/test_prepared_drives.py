# SPDX-License-Identifier: Apache-2.0
"""What prepared drives take and refuse is the same with the compiled modules and without; what a session holds can be stored."""

import pickle
import warnings

import numpy as np
import pytest
from robots import robot

from hod_ros import DampingFilter
from hod_ros import FeedbackLinearisation
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import PreparedDrives
from hod_ros import SeriesElastic
from hod_ros import inverse_dynamics
from hod_ros import motor_feedforward

ELASTIC = SeriesElastic(stiffness=3000.0, motor_inertia=0.2)


@pytest.fixture(scope='module')
def arm():
    return robot('our_panda')


@pytest.fixture(params=['compiled', 'numpy'])
def prepared(arm, request):
    drives = PreparedDrives(arm, dict.fromkeys(arm.joint_names, ELASTIC))
    if request.param == 'numpy':
        drives._motors = None
    return drives


Q = np.random.default_rng(0).uniform(-1, 1, (5, 7))


@pytest.mark.parametrize('q, torques', [
    (Q, np.ones((3, 1))), (Q, np.ones((1, 7))), (Q, np.ones(7)), (Q, np.ones((2, 3, 7))), (Q, np.ones((5, 7))), (Q[:, :6], np.ones((3, 6))),
    (Q[:4], np.ones((2, 7))), (Q[None, None], np.ones((1, 1, 3, 7))), (Q, 'torques'), (Q, None)])
def test_shapes_that_do_not_belong_together_are_refused(prepared, q, torques):
    with pytest.raises(HodError, match='shape|Q is|numbers'):
        prepared.motor_feedforward_of(q, torques)


@pytest.mark.parametrize('row', range(5))
@pytest.mark.parametrize('bad', [np.nan, np.inf])
def test_no_row_of_q_may_be_anything_but_numbers(prepared, arm, row, bad):
    q, torques = Q.copy(), inverse_dynamics(arm, Q)
    q[row, 3] = bad
    with pytest.raises(HodError, match="panda_joint4.*finite|finite.*panda_joint4|q'* of joint 'panda_joint4'"):
        prepared.motor_feedforward_of(q, torques)
    with pytest.raises(HodError):
        prepared.motor_feedforward_of(np.stack([Q, q]), np.stack([torques, torques]))


def test_deflections_of_joints_that_do_not_exist_are_refused(prepared):
    for call in (prepared.motor_feedforward, lambda q, deflections: prepared.motor_feedforward_of(q, np.ones((3, 7)), None, deflections)):
        with pytest.raises(HodError, match="deflections names 'elbow'"):
            call(Q, deflections={'elbow': 0.1})


@pytest.mark.parametrize('drive', [ELASTIC, HardeningSpring(stiffness=900.0, cubic=1e4, motor_inertia=0.2)])
def test_drives_and_their_results_can_be_stored(arm, drive):
    drives = dict.fromkeys(arm.joint_names, drive)
    prepared = PreparedDrives(arm, drives)
    result = motor_feedforward(arm, prepared, Q)
    assert pickle.loads(pickle.dumps(drive)) == drive
    model, again, same, filtered = pickle.loads(pickle.dumps((arm, prepared, result, FeedbackLinearisation(arm, prepared))))
    assert again.model is model
    np.testing.assert_array_equal(motor_feedforward(model, again, Q).efforts, result.efforts)
    np.testing.assert_array_equal(same.efforts, result.efforts)
    np.testing.assert_array_equal(same.stiffnesses, result.stiffnesses)
    np.testing.assert_array_equal(filtered.state(Q[:4])[0], FeedbackLinearisation(arm, prepared).state(Q[:4])[0])


def test_a_stored_filter_goes_on_where_it_was(arm):
    drive = SeriesElastic(stiffness=300.0, motor_inertia=0.2, damping=60.0)
    advance = DampingFilter(arm, dict.fromkeys(arm.joint_names, drive), step=1e-2)
    advance(Q)
    again = pickle.loads(pickle.dumps(advance))
    np.testing.assert_array_equal(again(0.9 * Q).efforts, advance(0.9 * Q).efforts)


def test_a_rotors_inertia_on_the_wrong_side_of_its_gear_is_a_warning_that_names_the_motor(arm):
    with pytest.warns(UserWarning, match="motor 'panda_joint2' has the motor_inertia 0.2, which a gear_ratio of 100 makes 2000"):
        PreparedDrives(arm, {'panda_joint2': SeriesElastic(stiffness=3000.0, motor_inertia=0.2, gear_ratio=100.0)})
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        PreparedDrives(arm, dict.fromkeys(arm.joint_names, SeriesElastic(stiffness=3000.0, motor_inertia=2e-5, gear_ratio=100.0)))
