"""Writes the generated tables of docs/reference.md: parameters from their specifications, messages from the source.

Run it with the interpreter of the project's environment after a change of either.
"""

import ast
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'reference.md'
LEVELS = {'debug', 'info', 'warning', 'error', 'fatal'}
ROOMS = ('checks', 'algebra', 'description', 'model', 'kinematics', 'dynamics', 'symbols', 'actuators', 'trajectories', 'simulation', 'ros')


def parameters():
    from hod_ros.ros.parameters.elastic import UNITS
    from hod_ros.ros.parameters.specifications import FAMILIES
    from hod_ros.ros.parameters.specifications import SPECIFICATIONS
    rows = ['| name | type | default | range | may change | meaning |', '|---|---|---|---|---|---|']
    for item in sorted((*SPECIFICATIONS, *FAMILIES), key=lambda item: item.name):
        kind = item.parameter_type.name.lower().replace('_', ' ')
        limits = '' if item.minimum is None else f'{number(item.minimum)} to {number(item.maximum)}'
        rows.append(
            f'| `{item.name}` | {kind} | `{default(item.default)}` | {limits} | {"no" if item.read_only else "yes"} | '
            f'{cell(item.description)} |')
    rows += [f'| `elastic.<joint>.{figure}` | | | | no | {cell(unit)} |' for figure, unit in UNITS.items()]
    return rows


def default(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return number(value)
    return repr(value)


def number(value):
    if value == math.inf:
        return '.inf'
    return f'{value:.10g}' if abs(value) < 1e6 or isinstance(value, int) else f'{value:g}'


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
            if name.endswith('Error') or name.startswith('Bad'):
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


def with_tables(page):
    """The page with its generated parts as they must be."""
    for name, make in (('parameters', parameters), ('messages', messages)):
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
