# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_tutorial_on_elastic_joints_runs_and_ends_where_it_says(monkeypatch):
    pytest.importorskip('mujoco')
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r'```python\n(.*?)```', (ROOT / 'docs' / 'elastic-joints.md').read_text(), re.DOTALL)
    assert len(blocks) == 5
    names = {}
    for block in blocks:
        exec(block, names)
    assert names['worst'] == pytest.approx(1.2e-6, rel=0.05)
    assert names['tau'].shape == (7,)
    assert not names['disturbances'].any()
