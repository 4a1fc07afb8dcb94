# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from robots import robot

from hod_ros import AdjustableStiffness
from hod_ros import Antagonistic
from hod_ros import ExponentialSpring
from hod_ros import HardeningSpring
from hod_ros import HodError
from hod_ros import HyperbolicSineSpring
from hod_ros import QuadraticSpring
from hod_ros import Rigid
from hod_ros import SeriesElastic
from hod_ros import motor_feedforward


@pytest.mark.parametrize('drive', [SeriesElastic, HardeningSpring, AdjustableStiffness])
@pytest.mark.parametrize('stiffness', [0.0, -5.0, float('nan'), float('inf'), 'stiff', True])
def test_bad_stiffness_is_refused_with_its_unit(drive, stiffness):
    with pytest.raises(HodError, match=r'stiffness.*\[N m/rad\]'):
        drive(stiffness=stiffness, motor_inertia=0.2)


@pytest.mark.parametrize('drive', [SeriesElastic, HardeningSpring])
def test_missing_stiffness_is_refused(drive):
    with pytest.raises(HodError, match='stiffness is missing'):
        drive(motor_inertia=0.2)


@pytest.mark.parametrize('values, text', [
    ({'motor_inertia': None}, 'motor_inertia is missing'),
    ({'motor_inertia': -1.0}, r'motor_inertia is -1; .*\[kg m\^2\]'),
    ({'gear_ratio': 0.0}, 'gear_ratio is 0'),
    ({'motor_friction': -1.0}, r'motor_friction.*\[N m s/rad\]'),
    ({'damping': float('nan')}, r'damping.*\[N m s/rad\]'),
    ({'damping': 1.0, 'damping_terms': 0}, 'damping_terms'),
    ({'damping_terms': 1}, 'damping is 0'),
])
def test_other_bad_figures_are_refused_with_their_unit(values, text):
    with pytest.raises(HodError, match=text):
        SeriesElastic(**({'stiffness': 3000.0, 'motor_inertia': 0.2} | values))


def test_antagonistic_pairs_need_two_springs_of_one_kind():
    exponential = ExponentialSpring(torque=1.0, rate=2.0)
    for spring in (None, 3.0, (exponential,), (exponential, QuadraticSpring(quadratic=1.0))):
        with pytest.raises(HodError, match='spring'):
            Antagonistic(spring=spring, motor_inertia=0.1)
    with pytest.raises(HodError, match=r'motor_inertia.*\[kg m\^2\]'):
        Antagonistic(spring=QuadraticSpring(quadratic=1.0), motor_inertia=(0.1, -0.1))
    with pytest.raises(HodError, match='rate'):
        HyperbolicSineSpring(torque=1.0, rate=0.0)


def test_drives_are_frozen():
    with pytest.raises(AttributeError):
        Rigid().motor_inertia = 3.0


def test_drives_of_unknown_joints_and_things_that_are_no_drives_are_refused():
    model = robot('our_panda')
    q = np.zeros((5, 7))
    with pytest.raises(HodError, match="'elbow'.*panda_joint1"):
        motor_feedforward(model, {'elbow': Rigid()}, q)
    with pytest.raises(HodError, match='panda_joint1.*3000'):
        motor_feedforward(model, {'panda_joint1': 3000.0}, q)
    with pytest.raises(HodError, match='mapping'):
        motor_feedforward(model, [Rigid()], q)
