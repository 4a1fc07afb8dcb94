# SPDX-License-Identifier: Apache-2.0
import pytest

from hod_ros import Antagonistic
from hod_ros import HodError
from hod_ros import HyperbolicSineSpring
from hod_ros import SeriesElastic
from hod_ros import drive_from_figures
from hod_ros import drives_from_figures

QBMOVE = {'type': 'antagonistic', 'spring': 'hyperbolic_sine', 'torque': [0.0026, 0.0011], 'rate': [8.9995, 8.9989], 'motor_inertia': 1e-5}


def test_figures_become_the_drives_that_they_name():
    assert drives_from_figures({'a': {'type': 'series_elastic', 'stiffness': 3000.0, 'motor_inertia': 0.2}, 'b': QBMOVE}) == {
        'a': SeriesElastic(stiffness=3000.0, motor_inertia=0.2),
        'b': Antagonistic(spring=(HyperbolicSineSpring(torque=0.0026, rate=8.9995), HyperbolicSineSpring(torque=0.0011, rate=8.9989)),
                          motor_inertia=1e-5),
    }


@pytest.mark.parametrize('figures, text', [
    ({}, 'no type'),
    (None, 'no type'),
    ({'type': 'rubber'}, "'rubber'; give one of rigid, series_elastic"),
    ({'type': 'series_elastic', 'motor_inertia': 0.2}, 'stiffness is missing'),
    ({'type': 'series_elastic', 'stiffness': 0.0, 'motor_inertia': 0.2}, r'stiffness is 0; .*\[N m/rad\]'),
    ({'type': 'series_elastic', 'stifness': 1.0}, "'stifness'.*it knows stiffness"),
    (QBMOVE | {'spring': 'steel'}, "spring is 'steel'"),
    (QBMOVE | {'quadratic': 3.0}, "'quadratic' is no figure of hyperbolic_sine"),
    (QBMOVE | {'rate': [1.0, 2.0, 3.0]}, 'rate has 3 numbers'),
    ({name: value for name, value in QBMOVE.items() if name != 'rate'}, 'rate of its hyperbolic_sine springs is missing'),
])
def test_bad_figures_are_refused_by_joint(figures, text):
    with pytest.raises(HodError, match=f"'elbow'.*{text}"):
        drive_from_figures('elbow', figures)
