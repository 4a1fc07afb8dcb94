# SPDX-License-Identifier: Apache-2.0
"""The code in the documentation's pages runs as printed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'


PAGES = (
    '../README', 'elastic-first-hour', 'identification', 'recordings', 'robot-descriptions', 'building-models', 'forward-dynamics',
    'from-inverse-dynamics-solver', 'from-moveit', 'from-pinocchio', 'gradients', 'legged-robots', 'symbols-and-precision',
    'time-optimal', 'trajectories')
OF_THE_CLONE = {'from-moveit': 'examples/panda_plan.yaml'}      # files that pages read and nothing installs


@pytest.mark.parametrize('page', PAGES)
def test_python_blocks_run_one_after_the_other_wherever_they_are_pasted(page, capsys, monkeypatch, tmp_path):
    if page == 'symbols-and-precision':
        pytest.importorskip('sympy')
        pytest.importorskip('mpmath')
    if page == 'elastic-first-hour':
        pytest.importorskip('mujoco')
    if page == 'from-pinocchio':
        pytest.importorskip('pinocchio')
    if page in OF_THE_CLONE:
        copy = tmp_path / OF_THE_CLONE[page]
        copy.parent.mkdir()
        copy.write_bytes((ROOT / OF_THE_CLONE[page]).read_bytes())
    monkeypatch.chdir(tmp_path)
    text = (DOCS / f'{page}.md').read_text()
    blocks = re.findall(r'```python\n(.*?)```', text, flags=re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, f'{page}.md', 'exec'), names)
    printed = [line for block in blocks for line in re.findall(r'print\(.*?\) +# (.*)', block)]
    output = capsys.readouterr().out.splitlines()
    assert output[:len(printed)] == printed


@pytest.mark.parametrize('page', ['../README.md', *sorted(path.name for path in DOCS.glob('*.md'))])
def test_pictures_and_pages_that_are_linked_exist(page):
    for target in re.findall(r'\]\(([^)#:]+)\)', (DOCS / page).read_text()):
        assert ((DOCS / page).parent / target).exists(), f'{page} links to {target}'
