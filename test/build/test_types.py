# SPDX-License-Identifier: Apache-2.0
"""What static tools see of the package: fully known types, no names that are not there, and all that are."""

import ast
import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import checkout
import numpy as np
import pytest

import hod_ros

pytestmark = pytest.mark.slow

TOOLS = Path(sys.prefix) / 'bin'
STUB = checkout.ROOT / 'hod_ros' / '__init__.pyi'
DEFINED_IN = {
    alias.asname: f'{statement.module}.{alias.name}'
    for statement in ast.parse(STUB.read_text()).body if isinstance(statement, ast.ImportFrom) for alias in statement.names}


def tool(name):
    """Its path; the tests that need it are left out where it is not installed."""
    if not (TOOLS / name).exists():
        pytest.skip(f'{name} is not installed')
    return TOOLS / name


@pytest.fixture(scope='module')
def symbols(tmp_path_factory):
    """{name: what basedpyright's type verification says of it} of a package that is installed: with it, python itself and numpy alone."""
    verify = tool('basedpyright')
    prefix = tmp_path_factory.mktemp('installed')
    venv.create(prefix, with_pip=False, symlinks=True)
    packages = next(prefix.glob('lib/python*/site-packages'))
    shutil.copytree(checkout.ROOT / 'hod_ros', packages / 'hod_ros', ignore=checkout.MADE)
    (packages / 'numpy').symlink_to(Path(np.__file__).parent)
    environment = checkout.bare_environment()
    environment['PATH'] = f'{prefix / "bin"}:{environment["PATH"]}'         # it is the first python there whose packages are looked at
    done = subprocess.run(
        [verify, '--verifytypes', 'hod_ros', '--ignoreexternal', '--outputjson'], cwd=prefix, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=1800)
    found = json.loads(done.stdout)['typeCompleteness']['symbols']
    return {symbol['name']: symbol for symbol in found}


def test_every_public_name_is_seen_by_type_verification(symbols):
    assert not set(DEFINED_IN.values()) - symbols.keys()


def test_public_names_and_their_members_have_fully_known_types(symbols):
    public = tuple(DEFINED_IN.values())
    unknown = [
        f'{name}: ' + '; '.join(remark['message'].split('\n')[0] for remark in symbol.get('diagnostics', []))
        for name, symbol in symbols.items()
        if not symbol['isTypeKnown'] and any(name == own or name.startswith(own + '.') for own in public)]
    assert not unknown, '\n'.join(unknown)


def test_a_name_that_is_not_there_is_an_error_to_mypy_and_one_that_is_is_none(tmp_path):
    program = tmp_path / 'program.py'
    program.write_text('from hod_ros import inverse_dynamics\nfrom hod_ros import no_such_name\n\nprint(inverse_dynamics, no_such_name)\n')
    done = checkout.run(
        [tool('mypy'), '--strict', '--follow-imports=silent', '--config-file=', f'--cache-dir={tmp_path / "cache"}', program],
        checkout.ROOT, checkout.bare_environment(), code=1)
    errors = [line for line in done.stdout.splitlines() if ': error: ' in line]
    assert len(errors) == 1, done.stdout
    assert 'program.py:2: ' in errors[0] and 'has no attribute "no_such_name"' in errors[0]


def test_names_of_the_stub_are_the_names_that_can_be_imported():
    assert sorted(DEFINED_IN) == hod_ros.__all__
    for name, origin in DEFINED_IN.items():
        assert origin.endswith(f'.{name}')
        assert getattr(hod_ros, name) is getattr(sys.modules[origin.rpartition('.')[0]], name)
    assert {name for name in dir(hod_ros) if not name.startswith('_')} == set(DEFINED_IN)
