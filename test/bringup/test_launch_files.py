# SPDX-License-Identifier: Apache-2.0
"""What can be said of the launch files without running them."""

import ast
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
NAMES = [path.name for path in FILES]


def calls(path, function):
    """The calls of this function or class in a launch file."""
    return [
        node for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function]


def keyword(call, name):
    """The literal that a call gives for this keyword, or None."""
    for item in call.keywords:
        if item.arg == name:
            return item.value.value if isinstance(item.value, ast.Constant) else None
    return None


def declared(path):
    return {call.args[0].value: call for call in calls(path, 'DeclareLaunchArgument')}


def exec_dependencies():
    return {element.text for element in ElementTree.parse(ROOT / 'package.xml').getroot().iter('exec_depend')}


def test_the_launch_files_are_these():
    assert NAMES == ['bringup_example.launch.py', 'demo.launch.py', 'elastic.launch.py', 'hod.launch.py']


@pytest.mark.parametrize('path', FILES, ids=NAMES)
def test_every_launch_file_offers_a_launch_description(path):
    functions = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
    assert 'generate_launch_description' in functions


@pytest.mark.parametrize('path', FILES, ids=NAMES)
def test_every_argument_is_described(path):
    arguments = declared(path)
    assert arguments
    for name, call in arguments.items():
        assert (keyword(call, 'description') or '').endswith('.'), name
        assert any(item.arg == 'default_value' for item in call.keywords), name


@pytest.mark.parametrize('path', FILES, ids=NAMES)
def test_every_argument_that_is_read_is_declared(path):
    read = {call.args[0].value for call in calls(path, 'LaunchConfiguration') if isinstance(call.args[0], ast.Constant)}
    read |= {call.args[0].value for call in calls(path, 'value') if isinstance(call.args[0], ast.Constant)}
    assert read <= set(declared(path))


@pytest.mark.parametrize('path', FILES, ids=NAMES)
def test_every_package_is_a_dependency(path):
    imported = {
        node.module.partition('.')[0] for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)}
    used = {keyword(call, 'package') for call in calls(path, 'Node')} - {None, 'hod_ros'}
    used |= imported & {'launch', 'launch_ros'}
    assert used <= exec_dependencies()


def test_the_node_knows_every_parameter_that_launch_sets():
    documented = (ROOT / 'config' / 'hod.yaml').read_text()
    for name in ('robot_description', 'autostart'):
        assert name in declared(ROOT / 'launch' / 'hod.launch.py')
        assert re.search(rf'^ *#? *{name}:', documented, re.MULTILINE), name


def test_the_executable_that_launch_starts_is_the_one_that_setup_installs():
    node, = calls(ROOT / 'launch' / 'hod.launch.py', 'Node')
    executable = keyword(node, 'executable')
    assert re.search(rf'^\[project.scripts\]\n(?:.+\n)*?{executable} = ', (ROOT / 'pyproject.toml').read_text(), re.MULTILINE)


def test_arguments_that_a_file_passes_on_are_declared_where_they_arrive():
    known = set(declared(ROOT / 'launch' / 'hod.launch.py'))
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg == 'launch_arguments':
                passed = {key.value for key in node.value.func.value.keys}
                assert passed and passed <= known, path.name


@pytest.mark.parametrize('path', FILES, ids=NAMES)
def test_the_bringup_page_lists_every_argument_with_its_default(path):
    page = (ROOT / 'docs' / 'bringup.md').read_text()
    section = page.partition(f'### {path.name}\n')[2].partition('\n#')[0]
    rows = dict(re.findall(r'^\| `(\w+)` \| (.*?) \|', section, re.MULTILINE))
    assert set(rows) == set(declared(path))
    for name, call in declared(path).items():
        default = keyword(call, 'default_value')
        if default is not None:
            assert rows[name] == (f'`{default}`' if default else 'empty'), name


def test_the_parameters_of_the_elastic_launch_file_hold_in_every_namespace():
    text = (ROOT / 'config' / 'sea_demo.yaml').read_text()
    assert re.findall(r'^/.*', text, re.MULTILINE) == ['/**:', '/**/hod_elastic_controller:', '/**/hod_elastic_plant:']


def test_setup_installs_launch_files_and_what_they_start():
    text = (ROOT / 'setup.py').read_text()
    for folder in ('config', 'examples', 'launch'):
        assert f"*shared('{folder}')" in text
    for path in FILES:
        for script in re.findall(r"'(\w+\.py)'", path.read_text()):
            assert (ROOT / 'examples' / script).is_file()
