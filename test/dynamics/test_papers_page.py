# SPDX-License-Identifier: Apache-2.0
"""docs/papers.md has a row for every numbered equation, and every test and module that it names exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import hod_ros
from hod_ros.model import screws

ROOT = Path(__file__).parents[2]
NUMBERED = {'000': 47, '001': 33, '002': 67, '003': 42}


def sections():
    text = (ROOT / 'docs' / 'papers.md').read_text()
    parts = re.split(r'^## (\d{3})$', text.partition('## Slips')[0], flags=re.MULTILINE)
    return {
        paper: [[cell.strip() for cell in re.split(r'(?<!\\)\|', line.strip('|'))]
                for line in body.splitlines() if line.startswith('|') and not line.startswith(('| equation', '|---'))]
        for paper, body in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize('paper', NUMBERED)
def test_every_numbered_equation_has_a_row(paper):
    found = set()
    for equation, _, _ in sections()[paper]:
        for first, last in re.findall(r'\((\d+)[a-z]?\)(?:-\((\d+)[a-z]?\))?', equation):
            found |= set(range(int(first), int(last or first) + 1))
    assert set(range(1, NUMBERED[paper] + 1)) <= found


def test_every_test_that_the_page_names_exists():
    known = {path.name: path.read_text() for path in (ROOT / 'test').glob('*/test_*.py')}
    for paper, rows in sections().items():
        for equation, _, tests in rows:
            file = None
            assert '::' in tests, f'{paper} {equation} names no test'
            for name, test in re.findall(r'`(?:[\w/]*/)?(\w+\.py)?::(\w+)`', tests):
                file = name or file
                assert f'def {test}(' in known[file], f'{paper} {equation} names {file}::{test}, which does not exist'


def test_every_name_without_a_module_is_public():
    for paper, rows in sections().items():
        for equation, functions, _ in rows:
            for name in re.findall(r'`(\w+)(?:\([^`]*\)(?:\.\w+)?)?`', functions):
                assert hasattr(hod_ros, name) or hasattr(screws, name), f'{paper} {equation}: {name}'


def test_every_module_that_the_page_names_has_the_function():
    rooms = ('algebra', 'model', 'kinematics', 'dynamics', 'symbols')
    modules = {path.stem: path for room in rooms for path in (ROOT / 'hod_ros' / room).rglob('*.py')}
    for paper, rows in sections().items():
        for equation, functions, _ in rows:
            for module, name in re.findall(r'`([a-z]\w+)\.(\w+)', functions):
                assert module in modules, f'{paper} {equation} names the module {module}, which does not exist'
                dotted = '.'.join(modules[module].relative_to(ROOT).with_suffix('').parts)
                assert hasattr(import_module(dotted), name), f'{paper} {equation}: {module}.{name}'
