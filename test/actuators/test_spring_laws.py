# SPDX-License-Identifier: Apache-2.0
"""The interface of spring laws: what a law of one's own must have, and that every registered law keeps it."""

import math
import re
from dataclasses import dataclass
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from hod_ros import Antagonistic
from hod_ros import CubicSpring
from hod_ros import ExponentialSpring
from hod_ros import HodError
from hod_ros import HyperbolicSineSpring
from hod_ros import QuadraticSpring
from hod_ros import SpringLaw
from hod_ros import drive_from_figures
from hod_ros.actuators.drives import Motor
from hod_ros.actuators.figures import TYPES
from hod_ros.actuators.figures import figures_of
from hod_ros.actuators.figures import unit_of
from hod_ros.actuators.spring_inverse import least_stiffness
from hod_ros.actuators.spring_inverse import paired_stretches
from hod_ros.actuators.springs import SPRINGS
from hod_ros.algebra import taylor

EXAMPLES = {
    'exponential': ExponentialSpring(torque=2.0, rate=12.0),
    'quadratic': QuadraticSpring(quadratic=900.0, linear=40.0),
    'hyperbolic_sine': HyperbolicSineSpring(torque=2.0, rate=12.0),
    'cubic': CubicSpring(linear=200.0, cubic=4e4),
}


@dataclass(frozen=True, kw_only=True)
class Sinh(SpringLaw):
    """A law of a user's own, with other names of its figures."""

    a: float
    b: float

    def force_at(self, e):
        return self.a * math.sinh(self.b * e)

    def stiffness_at(self, e):
        return self.a * self.b * math.cosh(self.b * e)

    def curvature_at(self, e):
        return self.a * self.b**2 * math.sinh(self.b * e)

    def stretch(self, force):
        return math.asinh(force / self.a) / self.b

    def stretch_of_stiffness(self, stiffness):
        return math.acosh(max(1.0, stiffness / (self.a * self.b))) / self.b

    def taylor(self, e):
        sinh, cosh = taylor.hyperbolic([self.b * term for term in e])
        return [self.a * term for term in sinh], [self.a * self.b * term for term in cosh]


@pytest.mark.parametrize('kind', SPRINGS)
def test_every_law_is_one_function_with_its_derivatives_and_inverses(kind):
    law, h = EXAMPLES[kind], 1e-5
    assert isinstance(law, SpringLaw) and type(law) is SPRINGS[kind]
    for e in (0.02, 0.07) if law.pulls_only else (-0.05, 0.02, 0.07):
        np.testing.assert_allclose((law.force_at(e + h) - law.force_at(e - h)) / (2 * h), law.stiffness_at(e), rtol=1e-7)
        np.testing.assert_allclose((law.stiffness_at(e + h) - law.stiffness_at(e - h)) / (2 * h), law.curvature_at(e), rtol=1e-7)
        assert law.stretch(law.force_at(e)) == pytest.approx(e, rel=1e-13)
        assert law.stretch_of_stiffness(law.stiffness_at(e)) == pytest.approx(abs(e), rel=1e-12)
        force, stiffness = law.taylor([e, 1.0, 0.0])
        np.testing.assert_allclose(force, [law.force_at(e), law.stiffness_at(e), law.curvature_at(e) / 2], rtol=1e-12)
        np.testing.assert_allclose(stiffness[:2], [law.stiffness_at(e), law.curvature_at(e)], rtol=1e-12)
    assert law.force_at(0.0) == 0


def test_a_law_of_ones_own_serves_a_pair():
    own, ours = (Sinh(a=2.0, b=12.0), Sinh(a=1.3, b=16.0)), (HyperbolicSineSpring(torque=2.0, rate=12.0),
                                                             HyperbolicSineSpring(torque=1.3, rate=16.0))
    for torque in (0.0, 8.0, -30.0):
        assert least_stiffness(own, torque) == pytest.approx(least_stiffness(ours, torque), rel=1e-14)
    assert Antagonistic(spring=own, motor_inertia=1.0).least_stiffness(5.0) == pytest.approx(least_stiffness(ours, 5.0))
    with pytest.raises(HodError, match='spring is .*give one of ExponentialSpring.*CubicSpring'):
        Antagonistic(spring=3.0, motor_inertia=1.0)


@pytest.mark.parametrize('torque', [0.0, 5.0, -40.0, 400.0])
def test_a_pair_of_cubic_springs_begins_at_the_end_of_its_co_contracted_branch(torque):
    """Where deflections are large, the stiffness along one torque has several extrema; the branch ends at the outermost."""
    springs = (CubicSpring(linear=200.0, cubic=4e4), CubicSpring(linear=150.0, cubic=6e4))
    least = least_stiffness(springs, torque)
    second = springs[1].stretch
    places = np.linspace(min(0, springs[0].stretch(torque)), max(0, springs[0].stretch(torque)) + 0.5, 4001)
    k = np.array([springs[0].stiffness_at(d) + springs[1].stiffness_at(second(springs[0].force_at(d) - torque)) for d in places])
    falling = np.flatnonzero(np.diff(k) < 0)
    end = k[falling[-1] + 1] if falling.size else k[0]
    assert least == pytest.approx(end, rel=1e-3)        # as near as the places are
    for factor in (1.0011, 1.05, 3.0):
        d1, d2 = paired_stretches(springs, [torque, 1.0, 0.0], [factor * least, 0.0, 0.0])
        (f1, k1), (f2, k2) = springs[0].taylor(d1), springs[1].taylor(d2)
        np.testing.assert_allclose(np.subtract(f1, f2), [torque, 1.0, 0.0], atol=1e-9 * max(1, abs(torque)))
        np.testing.assert_allclose(np.add(k1, k2), [factor * least, 0.0, 0.0], atol=1e-8 * least)


def test_every_figure_has_a_unit_and_every_law_and_drive_can_be_configured():
    for kind in TYPES:
        for name in figures_of(kind):
            assert unit_of(name)
    for name, law in EXAMPLES.items():
        figures = {field.name: getattr(law, field.name) for field in fields(law)}
        drive = drive_from_figures('elbow', {'type': 'antagonistic', 'spring': name, 'motor_inertia': 0.1, **figures})
        assert drive.spring == (law, law)
    with pytest.raises(HodError, match="'colour' is no figure of a drive"):
        unit_of('colour')


def test_every_law_and_every_drive_of_the_room_is_registered():
    laws = {kind for kind in SpringLaw.__subclasses__() if kind.__module__ == SpringLaw.__module__}
    assert laws == set(SPRINGS.values())
    drives = {kind for kind in Motor.__subclasses__() if kind.__module__ == Motor.__module__}
    assert drives == set(TYPES.values())


def test_the_page_on_elastic_joints_names_every_kind_and_figure():
    page = (Path(__file__).parents[2] / 'docs' / 'elastic-joints.md').read_text()
    for name in (*TYPES, *SPRINGS, *(figure for kind in TYPES for figure in figures_of(kind))):
        assert re.search(rf'\b{name}\b', page), name
    for kind in (*SPRINGS.values(), *TYPES.values()):
        assert kind.__name__ in page
