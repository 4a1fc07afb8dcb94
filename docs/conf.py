# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration of the documentation, for `make docs` and for rosdoc2 (see rosdoc2.yaml)."""

import importlib.util
import inspect
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

# rosdoc2 builds a copy of this folder elsewhere, with the repository on sys.path.
ROOT = next(path for path in [Path(__file__).resolve().parent.parent, *map(Path, sys.path)] if (path / 'hod_ros' / '__init__.pyi').exists())
sys.path.insert(0, str(ROOT))
warnings.filterwarnings('ignore', 'hod_ros runs on its numpy reference')       # the pages need no compiled kernel

project = 'hod_ros'
author = 'hod_ros maintainers'
copyright = 'hod_ros maintainers, Apache-2.0'
release = version = re.search(r"__version__ = '([^']+)'", (ROOT / 'hod_ros' / '__init__.py').read_text())[1]

extensions = ['myst_parser', 'sphinx.ext.autodoc', 'sphinx.ext.mathjax']
myst_enable_extensions = ['dollarmath']
myst_heading_anchors = 4
source_suffix = {'.md': 'markdown', '.rst': 'restructuredtext'}
exclude_patterns = ['_build']
autodoc_member_order = 'bysource'
autodoc_typehints = 'none'
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True

html_theme = 'furo'
html_title = f'hod_ros {release}'
html_baseurl = ''
html_show_sourcelink = False

ROOMS = {
    'errors': 'Errors',
    'model': 'Robots',
    'description': 'Descriptions',
    'dynamics': 'Dynamics',
    'kinematics': 'Kinematics',
    'symbols': 'Symbols and precision',
    'actuators': 'Elastic joints',
    'trajectories': 'Trajectories',
    'identification': 'Identification',
    'recordings': 'Recordings',
    'simulation': 'Simulation',
    'cpp': 'C++',
}


def public_names():
    """{room: [name]} of hod_ros/__init__.pyi."""
    found = {}
    for module, name in re.findall(r'^from (\S+) import (\w+) as', (ROOT / 'hod_ros' / '__init__.pyi').read_text(), re.MULTILINE):
        found.setdefault(module.split('.')[1], []).append(name)
    return found


def write_python_reference(app):
    """One page a room below docs/python/, with every public name."""
    folder = Path(app.srcdir) / 'python'
    folder.mkdir(exist_ok=True)
    rooms = public_names()
    for room, names in rooms.items():
        lines = [ROOMS[room], '=' * len(ROOMS[room]), '', 'All names are imported from ``hod_ros`` itself.', '']
        for name in names:
            kind = 'autoclass' if name[0].isupper() else 'autofunction'
            kind = 'autoexception' if name.endswith('Error') else kind
            lines += [f'.. {kind}:: hod_ros.{name}', *(['   :members:'] if kind == 'autoclass' else []), '']
        write(folder / f'{room}.rst', '\n'.join(lines))
    contents = '\n'.join(f'   {room}' for room in ROOMS if room in rooms)
    write(folder / 'index.rst', '\n'.join([
        'Python reference', '================', '',
        'Every public name, by subject: ``from hod_ros import ...``. Rows of arrays are time derivatives',
        'unless a docstring says otherwise.',
        'These names, their arguments and the shapes and units of what they return are stable: they change with a major version only. All',
        'else below ``hod_ros`` may move between two releases.', '', '.. toctree::', '   :maxdepth: 2', '', contents, '']))


def make_scene(app):
    """The moving robot of the page on `hod`, as `hod view --html` writes it; without viser its frame is left out."""
    if importlib.util.find_spec('viser') is None:
        app.connect('source-read', lambda app, page, source: source.__setitem__(0, re.sub('<iframe.*?</iframe>', '', source[0])))
        return
    motion = ROOT / 'config' / 'motions' / 'panda_pick.csv'
    subprocess.run(
        [sys.executable, '-W', 'ignore', '-m', 'hod_ros.command.main', 'view', 'panda', motion, '--html', Path(app.outdir) / 'panda.html'],
        check=True, stdout=subprocess.DEVNULL, env={**os.environ, 'PYTHONPATH': str(ROOT)})


def find_files_of_repository(app, page, source):
    """Links to files outside of the pages hold where rosdoc2 has copied the pages to."""
    source[0] = source[0].replace('](../', f']({os.path.relpath(ROOT, app.srcdir)}/')


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def plain_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text: paragraphs stay, `name: meaning` becomes an entry of a list, indented blocks are code."""
    out, code = [], False
    if what == 'class':
        lines += ['', *fields_of(obj)]
    for line in lines:
        text = line.rstrip()
        if text.startswith('    '):
            if not code:
                out += ['', '::', '']
            code = True
            out.append(text)
            continue
        if code and text:
            out.append('')
            code = False
        entry = re.match(r'(\w+(?:, \w+)*): (.*)', text)
        text = re.sub(r"([\\*`|_])", r'\\\1', text)
        if entry:
            text = re.sub(r"([\\*`|_])", r'\\\1', entry[2])
            names = re.sub(r'_', r'\\_', entry[1])
            out += ['', f'**{names}**: {text}']
        else:
            out.append(text)
    lines[:] = [*out, '']


def fields_of(kind):
    """`name: comment` of the annotated fields of a class, in the order of its source, its bases' first."""
    for base in reversed(kind.__mro__):
        if base.__module__.startswith('hod_ros'):
            found = re.findall(r'^    (\w+): [^#\n]*# (.+)$', inspect.getsource(base), re.MULTILINE)
            yield from (f'{name}: {meaning}' for name, meaning in found)


def setup(app):
    app.connect('builder-inited', write_python_reference)
    app.connect('builder-inited', make_scene)
    app.connect('source-read', find_files_of_repository)
    app.connect('autodoc-process-docstring', plain_docstring)
