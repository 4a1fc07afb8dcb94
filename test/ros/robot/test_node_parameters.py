# SPDX-License-Identifier: Apache-2.0
"""Parameters: documented, refused with a reason where they can't be, and read from files."""

import re
from pathlib import Path

import pytest
import yaml
from ros_harness import NodeProcess
from ros_harness import running_node

CONFIG = Path(__file__).parents[3] / 'config' / 'hod.yaml'
FROM_RCLPY = ('use_sim_time', 'start_type_description_service', 'qos_overrides.')


@pytest.fixture(scope='module', autouse=True)
def node():
    with running_node(parameters_file=CONFIG) as node:
        yield node


def flat(parameters, prefix=''):
    """(full name, value) of nested parameters."""
    for name, value in parameters.items():
        if isinstance(value, dict):
            yield from flat(value, f'{prefix}{name}.')
        else:
            yield prefix + name, value


def test_configuration_file_documents_every_parameter_with_its_default(client):
    documented = yaml.safe_load(CONFIG.read_text())['/**']['ros__parameters']
    declared = {n: d for n, d in client.parameter_descriptors().items() if not n.startswith(FROM_RCLPY)}
    documented = dict(flat(documented))
    assert set(documented) == set(declared)
    for name, value in documented.items():
        assert client.get_parameter(name) == value
        assert declared[name].description


@pytest.mark.parametrize('name, value, reason', [
    ('order', -1, 'out of range'),
    ('order', 101, 'out of range'),
    ('order', 1.5, 'type'),
    ('gravity', [0.0, 0.0], 'gravity has 2 values; give x, y, z'),
    ('gravity', [0.0, 0.0, float('nan')], 'give finite numbers'),
    ('max_samples', 0, 'out of range'),
    ('joints', ['joint1'], 'read-only'),
    ('autostart', False, 'read-only'),
    ('robot_description', '<robot', 'robot'),
    ('no_such_parameter', 1, 'no parameter no_such_parameter; config/hod.yaml names all'),
    ('limits.joint1.effort', 1.0, 'limits.joint1.effort was not given at the start'),
    ('elastic.joint1.stiffness', 1.0, 'elastic.joint1.stiffness was not given at the start'),
])
def test_bad_value_is_refused_with_a_reason_and_the_old_one_stays(client, name, value, reason):
    before = None if 'no parameter' in reason or 'not given' in reason else client.get_parameter(name)
    accepted, said = client.set_parameter(name, value)
    assert not accepted
    assert reason in said
    if before is not None:
        assert client.get_parameter(name) == before


def test_whole_numbers_are_taken_where_floating_point_is_wanted(client):
    assert client.set_parameter('gravity', [0, 0, -9]) == (True, '')
    assert client.get_parameter('gravity') == [0.0, 0.0, -9.0]


@pytest.mark.parametrize('name, value, text', [
    ('order', '-1', 'parameter order is -1; it takes 0 to 100'),
    ('order', 'two', "parameter order is 'two', of type string; it takes integer"),
    ('gravity', '[1, 2]', 'gravity has 2 values'),
    ('joints', '[a, b, a]', 'joints names a more than once'),
    ('locked_positions.a', 'up', 'it takes double'),
])
def test_bad_value_at_the_start_ends_the_node_with_one_sentence(name, value, text):
    node = NodeProcess(parameters={name: value})
    assert node.wait() == 1
    assert text in node.output
    assert 'Traceback' not in node.output


def test_unknown_names_at_the_start_are_ignored_with_a_warning(client):
    parameters = {'setpoint_timeot': '1.0', 'limits.joint1.efort': '3.0', 'limits.joint1.effort': '3.0', 'use_sim_time': 'false'}
    with running_node(parameters=parameters) as node:
        node.wait_for_output('waiting for a robot description')
        assert re.findall(r'parameter (\S+) is none of this node', node.output) == ['limits.joint1.efort', 'setpoint_timeot']
