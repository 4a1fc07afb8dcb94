# SPDX-License-Identifier: Apache-2.0
"""Drives in files: {joint: figures}, or a parameter file of the nodes, whose `elastic` holds the same."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from hod_ros.command.exits import Failure
from hod_ros.command.whole_files import whole_file

if TYPE_CHECKING:
    from hod_ros.command.robots import Source
    from hod_ros.model.robot_model import RobotModel

NODE = 'ros__parameters'


def read_figures(options: argparse.Namespace, source: 'Source', model: 'RobotModel') -> dict[str, dict[str, Any]]:
    """{joint: figures} of --drives and, for joints of the model that it does not name, of the description."""
    from hod_ros.actuators.description_tag import figures_from_urdf
    from hod_ros.actuators.figures import by_joint
    from hod_ros.checks.arguments import listed
    from hod_ros.checks.arguments import shown
    described = figures_from_urdf(source.text, model)
    if options.drives is None:
        return described
    given = by_joint(_of_file(options.drives))
    unknown = [joint for joint in given if joint not in model.joint_names]
    if unknown:
        raise Failure(f'{str(options.drives)!r} has a drive of {shown(unknown[0])}; the joints are {listed(model.joint_names, 12)}')
    return {**described, **given}


def _of_file(path):
    from hod_ros.recordings.documents import read_document
    try:
        document = read_document(path)
    except OSError as error:
        raise Failure(f'{str(path)!r} cannot be read: {error.strerror}') from None
    nodes = _nodes(document)
    if not nodes:
        return document
    found: dict[str, Any] = {}
    for parameters in nodes:
        found |= parameters.get('elastic') or {}
    if not found:
        raise Failure(f'{str(path)!r} is a parameter file without drives; give {NODE}: {{elastic: {{<joint>: {{type: ...}}}}}}')
    return found


def _nodes(document):
    """The parameters of each node in a parameter file; empty where it is none."""
    if not isinstance(document, dict):
        return []
    own = document.get(NODE)
    if isinstance(own, dict):
        return [own]
    return [parameters for value in document.values() for parameters in _nodes(value)]


def write_figures(path: Path, figures: dict[str, dict[str, Any]], heading: list[str]) -> None:
    """A parameter file for all nodes, under which --drives takes it too; heading: lines that say where it comes from."""
    lines = [*(f'# {line}' for line in heading), '/**:', f'  {NODE}:', '    elastic:']
    lines += [f'      {_scalar(joint)}: {{{", ".join(f"{name}: {_scalar(value)}" for name, value in values.items())}}}'
              for joint, values in figures.items()]
    if any(values.get('damping') and not values.get('damping_terms') for values in figures.values()):
        lines += ['', '/**/hod:         # its setpoints carry no more derivatives: a filter follows the dampers', f'  {NODE}:',
                  '    damping_filter: true']
    with whole_file(path) as file:
        file.write(('\n'.join(lines) + '\n').encode())


def _scalar(value):
    """As YAML has it, with a point in every number that is not whole, which parameters of a node need."""
    import json
    if isinstance(value, (list, tuple)):
        return f'[{", ".join(map(_scalar, value))}]'
    if isinstance(value, float):
        text = f'{value:.7g}'
        mantissa, e, exponent = text.partition('e')
        return text if '.' in mantissa or not mantissa.lstrip('-').isdigit() else f'{mantissa}.0{e}{exponent}'
    return json.dumps(value)
