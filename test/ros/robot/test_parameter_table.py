# SPDX-License-Identifier: Apache-2.0
"""The table of parameters: every value in it is one that it allows, and what other rooms call its choices is called the same there."""

import math

import pytest

from hod_ros.ros.guards import fallback
from hod_ros.ros.guards import model_changes
from hod_ros.ros.guards import motor_gate
from hod_ros.ros.parameters.specifications import Specification
from hod_ros.ros.parameters.table import EVERY_NODE
from hod_ros.ros.parameters.table import TABLE
from hod_ros.simulation.mjcf import INTEGRATORS

pytestmark = pytest.mark.telling

ROWS = [pytest.param(item, id=f'{node}-{item.name}') for node, items in TABLE.items() for item in items]
RATIOS = ('damping', 'largest_model_step', 'largest_disturbance', 'trajectory.margin')


def named(node, name):
    return next(item for item in TABLE[node] if item.name == name)


@pytest.mark.parametrize('item', ROWS)
def test_defaults_and_examples_are_allowed_and_explained(item):
    assert item.fault(item.default, item.name) is None
    assert item.description.endswith(('.', ')'))
    assert item.is_family or item.example is None
    if item.example is not None:
        assert item.fault(item.example, item.name) is None
    numbers = isinstance(item.default, float) or item.parameter_type.name == 'DOUBLE_ARRAY'
    assert not numbers or '[' in item.description or item.name in RATIOS, 'numbers have units'


@pytest.mark.parametrize('node', TABLE)
def test_every_parameter_of_a_node_has_a_name_of_its_own(node):
    names = [item.name for item in TABLE[node]]
    assert len(names) == len(set(names))
    assert all(item in TABLE[node] for item in EVERY_NODE)


def test_choices_are_those_that_are_acted_upon():
    assert set(named('hod', 'on_timeout').one_of) == {fallback.GRAVITY, *fallback.MEANING}
    assert set(named('hod', 'model_changes').one_of) == {model_changes.AUTO, model_changes.KEEP, model_changes.SMALL}
    assert set(named('hod_elastic_controller', 'on_timeout').one_of) == set(motor_gate.MEANING)
    assert set(named('hod_elastic_plant', 'integrator').one_of) == set(INTEGRATORS)


@pytest.mark.parametrize(('item', 'value', 'fault'), [
    (Specification('a', 0.0, ''), math.nan, 'a is nan; give a finite number'),
    (Specification('a', 0.0, ''), -math.inf, 'a is -inf; give a finite number'),
    (Specification('a', 0.0, '', bounds=(0.0, math.inf)), math.inf, None),
    (Specification('a', 0.0, '', bounds=(0.0, math.inf)), -1.0, 'a is -1.0; it takes 0 to inf'),
    (Specification('a', 1, '', bounds=(1, 1_000_000)), 0, 'a is 0; it takes 1 to 1000000'),
    (Specification('a', True, ''), False, None),
    (Specification('a', [0.0], '', elements='x, y [m]'), [1.0], 'a has 1 values; give x, y [m]'),
    (Specification('a', [0.0], '', elements='4 [1/s]'), [1.0], 'a has 1 values; give 4 [1/s]'),
    (Specification('a', [0.0], ''), [1.0, math.inf], 'a is [1.0, inf]; give finite numbers'),
    (Specification('a', [0.0], '', bounds=(-1.0, 1.0)), [0.0, 2.0], 'a is [0.0, 2.0]; each takes -1 to 1'),
    (Specification('a', 'b', '', one_of=('b', 'c')), 'd', "a is 'd'; it is one of 'b', 'c'"),
    (Specification('a', ['b'], '', unique=True), ['b', 'c', 'b'], 'a names b more than once; name each once'),
])
def test_a_value_that_breaks_a_rule_is_refused_by_name_value_and_rule(item, value, fault):
    assert item.fault(value, 'a') == fault


def test_members_of_a_family_are_found_by_their_names():
    family = Specification('limits.<joint>.effort', 1.0, '')
    assert family.member('limits.arm.joint1.effort') == 'arm.joint1'
    assert family.of('arm.joint1') == 'limits.arm.joint1.effort'
    assert family.member('limits.effort') is None and family.member('limits.joint1.effort_rate') is None
