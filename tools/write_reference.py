# SPDX-License-Identifier: Apache-2.0
"""Writes config/hod.yaml, the generated tables of docs/reference.md and the services in docs/security.md: parameters and services from
their tables in hod_ros/ros/, messages from the source.

Run it with the interpreter of the project's environment after a change of either.
"""

import ast
import math
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'reference.md'
POLICY = ROOT / 'docs' / 'security.md'
CONFIG = ROOT / 'config' / 'hod.yaml'
LEVELS = {'debug', 'info', 'warning', 'error', 'fatal'}
ROOMS = (
    'checks', 'algebra', 'description', 'model', 'kinematics', 'dynamics', 'symbols', 'actuators', 'trajectories', 'recordings',
    'simulation', 'ros')


def parameters(executable='hod'):
    from hod_ros.ros.parameters.table import CHANGING
    from hod_ros.ros.parameters.table import EVERY_NODE
    from hod_ros.ros.parameters.table import TABLE
    rows = ['| name | type | default | range | may change | meaning |', '|---|---|---|---|---|---|']
    for item in sorted(TABLE[executable], key=lambda item: item.name):
        if executable != CHANGING and item in EVERY_NODE:
            continue
        kind = item.parameter_type.name.lower().replace('_', ' ')
        changeable = 'yes' if item.changeable and executable == CHANGING else 'no'
        rows.append(f'| `{item.name}` | {kind} | `{default(item.default)}` | {limits(item)} | {changeable} | {cell(item.description)} |')
    return rows


def drives():
    from hod_ros.actuators.figures import TYPES
    from hod_ros.actuators.figures import figures_of
    from hod_ros.actuators.figures import unit_of
    figures = dict.fromkeys(('type', *(figure for kind in TYPES for figure in figures_of(kind))))
    return ['| name | meaning |', '|---|---|', *(f'| `elastic.<joint>.{figure}` | {cell(unit_of(figure))} |' for figure in figures)]


def limits(item):
    return '' if item.bounds is None else f'{number(item.bounds[0])} to {number(item.bounds[1])}'


def default(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value)
    return repr(value)


def as_yaml(value):
    return repr(value) if isinstance(value, float) else default(value)


def number(value):
    if value == math.inf:
        return '.inf'
    return f'{value:.10g}' if abs(value) < 1e6 or isinstance(value, int) else f'{value:g}'


CONFIG_HEAD = """\
# Every parameter of the node `hod` with its default, written by tools/write_reference.py from hod_ros/ros/parameters/table.py.
# Types count, but whole numbers are taken where floating point is wanted (not among others in one list: ROS refuses [0, 0, -9.81];
# write [0.0, 0.0, -9.81]). A name that the node does not know is ignored, with a warning. What is not called read only may be changed
# while the node runs, and takes effect with the next setpoint.
/**:
  ros__parameters:"""
CONFIG_END = """
    # Drives of elastic joints, by the figures of docs/elastic-joints.md; with them the node publishes ~/motor_feedforward. A joint
    # named here takes all of its figures from here, others theirs from <hod_elastic> tags of the description. Read only. For example:
    # elastic:
    #   joint1: {type: series_elastic, stiffness: 3000.0, motor_inertia: 2.0e-5, gear_ratio: 100.0}

    # Quality of service, by topic: setpoint, external_wrench, feedforward, commands, motor_feedforward. Read only. The default is
    # reliable, depth 10. For example, for a planner that publishes best effort:
    # qos_overrides:
    #   /hod/setpoint:
    #     subscription: {reliability: best_effort, history: keep_last, depth: 10}"""


def configuration():
    """config/hod.yaml."""
    from hod_ros.ros.parameters.table import TABLE
    lines, open_group = [CONFIG_HEAD], ''
    groups = {item.name.partition('.')[0] for item in TABLE['hod'] if '.' in item.name and not item.is_family}
    for item in TABLE['hod']:
        group, _, rest = item.name.partition('.')
        inside = group in groups
        if group != open_group:
            lines += ['', f'    {group}:'] if inside else ['']
        open_group = group
        indent = '      ' if inside else '    '
        text = item.description
        if item.bounds and not item.is_family:
            text += f' {limits(item)}.'
        text += '' if item.changeable else ' Read only.'
        text += ' For example:' if item.is_family else ''
        lines += textwrap.wrap(text, 130 - len(indent), initial_indent=f'{indent}# ', subsequent_indent=f'{indent}# ')
        if item.is_family:
            names = (rest if inside else item.name).replace('<joint>', 'joint1').split('.')
            lines += [f'{indent}# {"  " * depth}{name}:' for depth, name in enumerate(names)]
            lines[-1] += f' {as_yaml(item.example)}'
        else:
            lines.append(f'{indent}{rest if inside else item.name}: {as_yaml(item.default)}')
    return '\n'.join([*lines, CONFIG_END, ''])


def messages():
    rows = ['| message | comes as | from |', '|---|---|---|']
    for room in ROOMS:
        found = set()
        for path in sorted((ROOT / 'hod_ros' / room).rglob('*.py')):
            found.update(messages_of(ast.parse(path.read_text())))
        rows += [f'| {cell(text)} | {kind} | {room} |' for text, kind in sorted(found)]
    return rows


def messages_of(tree):
    """(text, kind) of every message that is raised, logged, printed or put in a response, in the order of the source."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = ast.unparse(node.exc.func)
            if name.endswith('.error'):             # of a link or joint of a description, which it names
                found.append((node.lineno, f'link or joint ...: {template(node.exc.args[0])}', 'DescriptionError'))
            elif name == 'error':                   # of the kind that the caller wants
                found.append((node.lineno, template(node.exc.args[0]), 'HodError'))
            elif name.endswith('Error') or name.startswith('Bad'):
                found += [(node.lineno, text, name) for text in map(template, node.exc.args) if text]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
            if 'logger' in ast.unparse(node.func.value) and node.args:
                found.append((node.lineno, template(node.args[0]), f'log, {node.func.attr}'))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith('response.message'):
            found.append((node.lineno, template(node.value), 'response'))
    return [(text, kind) for _, text, kind in sorted(found, key=lambda item: item[0]) if text and ' ' in text]


def template(node):
    """The text of a string literal with what is filled in as `...`; '' for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ''
    if isinstance(node, ast.JoinedStr):
        return re.sub(r'(\.\.\.)+', '...', ''.join(template(part) for part in node.values))
    if isinstance(node, ast.FormattedValue):
        return '...'
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return template(node.left) + template(node.right)
    return ''


def cell(text):
    text = ' '.join(text.split())
    return re.sub(r'([|*_<>])', r'\\\1', text)


LIFECYCLE = (
    '| `~/change_state` | `lifecycle_msgs/srv/ChangeState` | always | configure, activate, deactivate, cleanup, shutdown |',
    '| `~/get_state` | `lifecycle_msgs/srv/GetState` | always | the lifecycle state |')
OF_ROS = (
    'change_state', 'get_state', 'get_available_states', 'get_available_transitions', 'get_transition_graph', 'get_type_description',
    'describe_parameters', 'get_parameters', 'get_parameter_types', 'list_parameters', 'set_parameters', 'set_parameters_atomically')


def services():
    from hod_ros.ros.services.table import ALWAYS_ANSWERED
    from hod_ros.ros.services.table import ANSWERED
    from hod_ros.ros.services.table import COMPUTED
    rows = ['| name | type | from state | meaning |', '|---|---|---|---|']
    for name, service in (COMPUTED | ANSWERED | ALWAYS_ANSWERED).items():
        kind = '/'.join((service.type.__module__.partition('.')[0], 'srv', service.type.__name__))
        state = 'always' if name in ALWAYS_ANSWERED else 'inactive'
        rows.append(f'| `~/{name}` | `{kind}` | {state} | {cell(service.meaning)} |')
    return [*rows, *LIFECYCLE]


def with_services(policy):
    """docs/security.md with the services that the node and its services' process answer."""
    from hod_ros.ros.services.table import ALWAYS_ANSWERED
    from hod_ros.ros.services.table import ANSWERED
    from hod_ros.ros.services.table import COMPUTED
    replies = {
        'hod': [f'hod/{name}' for name in (*ANSWERED, *ALWAYS_ANSWERED, *OF_ROS)],
        'hod_services': [*(f'hod/{name}' for name in COMPUTED), 'hod_services/get_type_description'],
    }
    for node, names in replies.items():
        lines = ''.join(f'            <service>{name}</service>\n' for name in names)
        pattern = rf'(<profile ns="/" node="{node}">.*?<services reply="ALLOW">\n).*?( *</services>)'
        policy, count = re.subn(pattern, rf'\g<1>{lines}\g<2>', policy, count=1, flags=re.DOTALL)
        assert count == 1, node
    return policy


PARTS = {
    'services': services,
    'parameters': parameters,
    'parameters of hod_elastic_controller': lambda: parameters('hod_elastic_controller'),
    'parameters of hod_elastic_plant': lambda: parameters('hod_elastic_plant'),
    'parameters of drives': drives,
    'messages': messages,
}


def with_tables(page):
    """The page with its generated parts as they must be."""
    for name, make in PARTS.items():
        begin, end = f'<!-- generated: {name} -->\n', f'<!-- end of {name} -->'
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise SystemExit(f'{PAGE.name} has no part {begin.strip()} ... {end}')
        page = before + begin + '\n'.join(make()) + '\n' + end + after
    return page


if __name__ == '__main__':
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(with_tables(PAGE.read_text()))
    POLICY.write_text(with_services(POLICY.read_text()))
    CONFIG.write_text(configuration())
