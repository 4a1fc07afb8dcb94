# SPDX-License-Identifier: Apache-2.0
"""The layouts for PlotJuggler and Foxglove are as generated, and every curve is a field of a topic of the node."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def layouts():
    sys.path.insert(0, str(ROOT / 'tools'))
    try:
        import write_layouts
    finally:
        sys.path.pop(0)
    return write_layouts


def test_the_files_are_those_of_the_tool(layouts):
    assert (ROOT / 'config/plotjuggler.xml').read_text() == layouts.plotjuggler('/hod', 7), 'run python tools/write_layouts.py'
    assert (ROOT / 'config/foxglove.json').read_text() == layouts.foxglove('/hod', 7), 'run python tools/write_layouts.py'


def test_every_curve_is_a_number_of_a_message(layouts):
    for _, topic, field, kind in (plot for plots in layouts.TABS.values() for plot in plots):
        text = (ROOT / f'hod_interfaces/msg/{kind}.msg').read_text()
        assert re.search(rf'^(float64|uint8)\[\] {field}\b', text, re.MULTILINE), (topic, field)
        assert f'`~/{topic}`' in (ROOT / 'docs/reference.md').read_text()
    curves = [curve.get('name') for curve in ElementTree.fromstring(layouts.plotjuggler('/arm/hod', 3)).iter('curve')]
    panels = json.loads(layouts.foxglove('/arm/hod', 3))
    paths = [path['value'] for panel in panels['configById'].values() for path in panel.get('paths', ())]
    assert len(curves) == len(set(curves)) == len(paths) == 33
    assert curves[2] == '/arm/hod/feedforward/efforts[2]' and paths[2] == '/arm/hod/feedforward.efforts[2]'


def test_every_panel_stands_in_the_layout_once(layouts):
    content = json.loads((ROOT / 'config/foxglove.json').read_text())

    def leaves(node):
        return [node] if isinstance(node, str) else [leaf for side in ('first', 'second') for leaf in leaves(node[side])]

    shown = leaves(content['layout']) + [leaf for tab in content['configById']['Tab!hod']['tabs'] for leaf in leaves(tab['layout'])]
    assert sorted(shown) == sorted(content['configById'])
