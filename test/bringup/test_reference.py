# SPDX-License-Identifier: Apache-2.0
"""docs/reference.md against the source and a running node."""

import importlib.util
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import ros_harness

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'reference.md').read_text()
OF_ROS_OR_JOINTS = re.compile(r'elastic\..*|use_sim_time|start_type_description_service|qos_overrides\..*')
SERVICES_OF_ROS = re.compile(
    r'.*/(get|set|describe|list)_parameter.*|.*/get_(available_|transition_|type_).*|.*/set_parameters_atomically')


def table(section):
    """{first cell: further cells} of the first table below this heading."""
    text = PAGE.partition(f'\n{section}\n')[2]
    lines = re.search(r'(?:^\|.*\n)+', text, re.MULTILINE)[0].splitlines()[2:]
    rows = [[cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]] for line in lines]
    return [[cell.strip('`') for cell in row] for row in rows]


def full(name, node='/hod'):
    return name.replace('~', node) if name.startswith('~') else '/' + name.lstrip('/')


@pytest.fixture(scope='module')
def robot(ros):
    """A client of a running node that offers everything."""
    client = ros_harness.Client('reader', '/hod')
    elastic = {
        'elastic.joint1.type': 'series_elastic', 'elastic.joint1.stiffness': '3000.0', 'elastic.joint1.motor_inertia': '0.2'}
    with ros_harness.node_with_arm(client, parameters={'publish_commands': 'true', **elastic}):
        yield client
    client.close()


def test_the_generated_tables_are_those_of_the_source():
    specification = importlib.util.spec_from_file_location('write_reference', ROOT / 'tools' / 'write_reference.py')
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    remedy = f'run {Path(sys.executable).name} tools/write_reference.py'
    assert module.with_tables(PAGE) == PAGE, remedy
    policy = (ROOT / 'docs' / 'security.md').read_text()
    assert module.with_services(policy) == policy, remedy
    assert module.configuration() == (ROOT / 'config' / 'hod.yaml').read_text(), remedy


def test_the_node_declares_the_parameters_of_the_page_and_no_others(robot):
    kinds = dict(enumerate((
        'not set', 'bool', 'integer', 'double', 'string', 'byte array', 'bool array', 'integer array', 'double array',
        'string array')))
    rows = {row[0]: row for row in table('## Parameters') if '<joint>' not in row[0]}
    declared = {name: d for name, d in robot.parameter_descriptors().items() if not OF_ROS_OR_JOINTS.fullmatch(name)}
    assert set(declared) == set(rows)
    for name, descriptor in declared.items():
        _, kind, _, limits, changeable, meaning = rows[name]
        assert kinds[descriptor.type] == kind, name
        assert descriptor.read_only == (changeable == 'no'), name
        assert kind == 'double array' or bool(limits) == bool(descriptor.integer_range or descriptor.floating_point_range), name
        assert ' '.join(descriptor.description.split()) == re.sub(r'\\(.)', r'\1', meaning), name


def test_the_node_has_the_topics_of_the_page_and_no_others(robot):
    assert robot.wait_until(lambda: robot.node.count_publishers('/hod/commands'))
    published = dict(robot.node.get_publisher_names_and_types_by_node('hod', '/'))
    taken = dict(robot.node.get_subscriber_names_and_types_by_node('hod', '/'))
    for common in ('/rosout', '/parameter_events'):
        published.pop(common, None)
        taken.pop(common, None)
    rows = table('## Topics')
    assert {full(row[0]): [row[2]] for row in rows if row[1] == 'out'} == published
    assert {full(row[0]): [row[2]] for row in rows if row[1] == 'in'} == taken


def test_the_quality_of_service_is_that_of_the_page(robot):
    for name, direction, _, quality, _ in table('## Topics'):
        find = (robot.node.get_publishers_info_by_topic if direction == 'out'
                else robot.node.get_subscriptions_info_by_topic)
        profiles = [info.qos_profile for info in find(full(name)) if info.node_name == 'hod']
        assert profiles, name
        for profile in profiles:
            assert profile.reliability.name.lower() == quality.partition(',')[0].replace(' ', '_'), name
            assert (profile.durability.name == 'TRANSIENT_LOCAL') == ('transient local' in quality), name


def test_the_node_offers_the_services_of_the_page_and_no_others(robot):
    rows = {full(row[0]): [row[1]] for row in table('## Services')}
    assert robot.wait_until(lambda: set(rows) <= set(offered(robot)))
    assert {name: types for name, types in offered(robot).items() if not SERVICES_OF_ROS.fullmatch(name)} == rows


def test_the_security_policy_allows_what_the_node_does_and_no_more(robot):
    text = (ROOT / 'docs' / 'security.md').read_text()
    policy = ElementTree.fromstring(re.search(r'```xml\n(.*?)```', text, re.DOTALL)[1])
    assert robot.wait_until(lambda: '/hod/compute_inverse_dynamics' in offered(robot))
    for node in ('hod', 'hod_services'):
        assert robot.wait_until(lambda node=node: node in robot.node.get_node_names())
        profile = next(item for item in policy.iter('profile') if item.get('node') == node)

        def named(kind, right, profile=profile):
            return {f'/{item.text}' for group in profile.iter(kind) if group.get(right) == 'ALLOW' for item in group}

        ask = robot.node
        published = {name for name, _ in ask.get_publisher_names_and_types_by_node(node, '/')}
        taken = {name for name, _ in ask.get_subscriber_names_and_types_by_node(node, '/')}
        answered = {name for name, _ in ask.get_service_names_and_types_by_node(node, '/')}
        assert named('topics', 'publish') == published
        assert named('topics', 'subscribe') - {'/clock'} == taken - {'/clock', '/parameter_events'}
        assert named('services', 'reply') == answered


def offered(robot):
    return {name: types for name, types in robot.node.get_service_names_and_types() if name.startswith('/hod/')}


def test_every_reason_for_a_dropped_setpoint_is_listed():
    from hod_ros.ros.setpoints import bad_setpoints
    reasons = {
        value for name, value in vars(bad_setpoints).items() if name.isupper() and isinstance(value, str)}
    assert {row[0] for row in table('Reasons for which setpoints are dropped, counted as `dropped: <reason>`:')} == reasons


def diagnostics_source():
    """Of all parts that report a Status."""
    texts = [path.read_text() for path in (ROOT / 'hod_ros' / 'ros').rglob('*.py')]
    return ''.join(text for text in texts if 'Status(' in text)


def test_every_diagnostic_of_the_page_is_one_that_the_node_says(robot):
    source = diagnostics_source()
    rows = table('## Diagnostics')
    _, _, _ = robot.diagnostics('model')
    tasks = {status.name.partition(': ')[2] for status in robot.reports[-1].status}
    assert {row[0] for row in rows} == tasks
    for task, level, message, _ in rows:
        assert level in ('OK', 'WARN', 'ERROR'), task
        said = message in source or message == 'active' and robot.diagnostics('model')[1] == 'active'
        assert said, f'{task}: {message}'


def test_every_diagnostic_that_the_node_says_is_on_the_page():
    source = diagnostics_source()
    levels = re.findall(r"level, text = (\w+), f?'(?:\{[^}]*\};? ?)*([^{']*)", source)
    levels += [(level, text) for level, text in re.findall(r"Status\(\s*'[\w ]+', (\w+), f?'([^{']*)", source)]
    assert len(levels) > 10
    messages = [f'{row[1]} {row[2]}' for row in table('## Diagnostics')]
    for level, text in levels:
        words = text.strip(' :;')
        assert not words or any(message.startswith(level) and (words in message or message.partition(' ')[2] in words)
                                for message in messages), (level, text)
