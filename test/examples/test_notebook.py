# SPDX-License-Identifier: Apache-2.0
"""The notebook's cells run one after the other, and it is a notebook that Jupyter opens."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / 'examples' / 'first_steps.ipynb'


def cells(kind):
    return [''.join(cell['source']) for cell in json.loads(NOTEBOOK.read_text())['cells'] if cell['cell_type'] == kind]


def test_the_notebooks_cells_run_and_show_what_they_say(capsys):
    matplotlib = pytest.importorskip('matplotlib')
    matplotlib.use('Agg')
    from matplotlib import pyplot
    names = {}
    for number, source in enumerate(cells('code')):
        exec(compile(source, f'{NOTEBOOK.name}, code cell {number}', 'exec'), names)
    pyplot.close(names['figure'])
    assert names['error'] < 1e-4
    deflections, torques = 3000.0 * names['ahead'], names['Q'][:, 0]
    np.testing.assert_allclose(deflections, torques, atol=1e-9)
    assert capsys.readouterr().out.count('\n') == 2


def test_it_is_stored_without_results_and_in_the_format_that_it_names():
    stored = json.loads(NOTEBOOK.read_text())
    assert (stored['nbformat'], stored['nbformat_minor']) == (4, 5)
    assert len({cell['id'] for cell in stored['cells']}) == len(stored['cells'])
    assert all(cell['outputs'] == [] and cell['execution_count'] is None for cell in stored['cells'] if cell['cell_type'] == 'code')


def test_pages_that_it_links_exist():
    targets = [target for text in cells('markdown') for target in re.findall(r'\]\((.*?)\)', text)]
    assert targets and all((NOTEBOOK.parent / target).exists() for target in targets)
