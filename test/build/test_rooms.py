# SPDX-License-Identifier: Apache-2.0
"""The walls between the rooms, as the table in docs/architecture.md draws them."""

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.telling

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / 'hod_ros'
ROW = re.compile(r'^\| `hod_ros/(\w+)/` \|.*\|([^|]*)\|$', re.MULTILINE)


def allowed():
    """{room: the rooms that it may import} from the page."""
    table = {room: set(re.findall(r'\w+', others)) for room, others in ROW.findall((ROOT / 'docs' / 'architecture.md').read_text())}
    assert len(table) > 10
    return table


def imports(path):
    """The rooms of hod_ros that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split('.')[0] == 'hod_ros':
            parts = node.module.split('.')
            yield parts[1] if len(parts) > 1 else node.names[0].name
        elif isinstance(node, ast.Import):
            yield from (name.name.split('.')[1] for name in node.names if name.name.startswith('hod_ros.'))


def test_every_room_stands_on_the_page():
    assert {path.parent.name for path in PACKAGE.glob('*/__init__.py')} == set(allowed())


def test_rooms_import_only_what_the_page_allows():
    table = allowed()
    wrong = [
        f'{path.relative_to(ROOT)} imports {other}'
        for room, others in table.items() for path in (PACKAGE / room).rglob('*.py') for other in imports(path)
        if other in table and other != room and other not in others]
    assert not wrong


def test_rooms_do_not_import_one_another_in_a_circle():
    table, done = allowed(), set()
    while len(done) < len(table):
        ready = {room for room in table if room not in done and table[room] & set(table) <= done}
        assert ready, f'a circle among {sorted(set(table) - done)}'
        done |= ready


def test_only_the_ros_room_knows_rclpy():
    rooms = {
        path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob('*.py')
        if re.search(r'^\s*(from|import) (rclpy|hod_interfaces)', path.read_text(), re.MULTILINE)}
    assert rooms == {'ros'}
