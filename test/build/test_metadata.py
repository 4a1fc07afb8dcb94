# SPDX-License-Identifier: Apache-2.0
"""What the package says of itself, and what its environment is made of."""

import ast
import importlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import checkout
import pytest

DISTROS = ['jazzy', 'kilted']
PACKAGES = {'hod_ros': checkout.ROOT, 'hod_interfaces': checkout.ROOT / 'hod_interfaces'}


def manifest(package):
    return ElementTree.parse(PACKAGES[package] / 'package.xml').getroot()


@pytest.mark.parametrize('distro', DISTROS)
def test_every_requirement_is_pinned_exactly(distro):
    lines = (checkout.ROOT / 'requirements' / f'{distro}.txt').read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith('#')]
    assert len(pins) > 100
    for pin in pins:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9a-z.]+( ; python_version [^;]+)?", pin), pin


def test_what_is_installed_agrees_with_itself():
    done = subprocess.run([sys.executable, '-m', 'pip', 'check'], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize('package', PACKAGES)
def test_the_manifest_is_one_that_catkin_accepts_without_a_warning(package):
    from catkin_pkg.package import parse_package
    warnings = []
    parsed = parse_package(str(PACKAGES[package]), warnings=warnings)
    assert parsed.package_format == 3
    assert parsed.licenses == ['Apache-2.0']
    assert not warnings


def test_both_packages_and_setup_have_one_version():
    versions = {manifest(package).findtext('version') for package in PACKAGES}
    versions.add(re.search(r"__version__ = '([^']+)'", (checkout.ROOT / 'hod_ros' / '__init__.py').read_text())[1])
    assert len(versions) == 1


def test_the_manifest_names_the_ros_packages_that_are_imported_and_no_others():
    declared = {element.text for element in manifest('hod_ros') if element.tag.endswith('depend')}
    imported = set()
    for source in (file for room in ('hod_ros', 'examples', 'launch', 'test') for file in (checkout.ROOT / room).rglob('*.py')):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition('.')[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition('.')[0])
    assert _ros(imported)
    assert _ros(imported) == _ros(declared)


def _ros(names):
    return {name for name in names if name.endswith(('_msgs', '_interfaces')) or name == 'rclpy'}


def test_every_interface_file_is_built():
    files = [*PACKAGES['hod_interfaces'].glob('msg/*.msg'), *PACKAGES['hod_interfaces'].glob('srv/*.srv')]
    assert len(files) > 8
    for path in files:
        assert hasattr(importlib.import_module(f'hod_interfaces.{path.parent.name}'), path.stem), path.name


def test_no_page_holds_what_a_merge_left():
    pages = [*checkout.ROOT.glob('*.md'), *checkout.ROOT.glob('*.rst'), *(checkout.ROOT / 'docs').glob('*.*')]
    assert len(pages) > 20
    for page in pages:
        assert not re.search(r'(?m)^(<{7}|>{7}) ', page.read_text()), page.name
