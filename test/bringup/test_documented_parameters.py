# SPDX-License-Identifier: Apache-2.0
"""Parameter files that pages show, given to a running node."""

from pathlib import Path

import pytest
import ros_harness
import yaml

ROOT = Path(__file__).parents[2]
NODE_KEYS = {'/hod', '/**/hod', '/**', 'hod'}


def parameter_files():
    """(page, its text) of every YAML block of a page that is for the node hod."""
    for page in [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        for block in page.read_text().split('```yaml\n')[1:]:
            text = block.partition('\n```')[0]
            keys = [key for key, value in yaml.safe_load(text).items() if isinstance(value, dict) and 'ros__parameters' in value]
            if NODE_KEYS.intersection(keys):
                yield pytest.param(text, id=f'{page.name}: {keys[0]}')


def flat(tree, prefix=''):
    """{name: value} of nested mappings."""
    if not isinstance(tree, dict):
        return {prefix: tree}
    return {name: value for key, branch in tree.items() for name, value in flat(branch, f'{prefix}.{key}' if prefix else key).items()}


def test_pages_show_parameter_files():
    assert {'from-moveit.md', 'elastic-joints.md', 'planners.md'} <= {file.id.partition(':')[0] for file in parameter_files()}


@pytest.mark.parametrize('text', parameter_files())
def test_a_page_s_parameter_file_is_taken_by_the_node_entry_by_entry(ros, tmp_path, text):
    (tmp_path / 'hod.yaml').write_text(text)
    entries = {name: value for node in yaml.safe_load(text).values() for name, value in flat(node['ros__parameters']).items()}
    assert entries
    client = ros_harness.Client('reader', '/hod')
    with ros_harness.node_with_arm(client, parameters_file=tmp_path / 'hod.yaml'):
        held = {name: client.get_parameter(name) for name in entries}
    client.close()
    assert {name: list(value) if hasattr(value, 'tolist') else value for name, value in held.items()} == entries
