# SPDX-License-Identifier: Apache-2.0
"""The text of a URDF with other masses: the attributes of some links' <inertial> are replaced, every other character stays."""

import re
from xml.parsers import expat

import numpy as np

from hod_ros.checks import geometry
from hod_ros.checks.arguments import shown
from hod_ros.description.xml_text import ENDING
from hod_ros.description.xml_text import read_xml
from hod_ros.description.xml_text import without_declaration
from hod_ros.errors import DescriptionError

_TAG = re.compile(rb'<[^"\'>]*(?:"[^"]*"[^"\'>]*|\'[^\']*\'[^"\'>]*)*>')
_MOMENTS = (('ixx', 0, 0), ('ixy', 0, 1), ('ixz', 0, 2), ('iyy', 1, 1), ('iyz', 1, 2), ('izz', 2, 2))


def with_inertials(text, inertials):
    """The text (str) with {link: (mass, centre (3,), tensor (3, 3) about it)}, both in the axes of the link's frame [kg], [m], [kg m^2].

    The axes in which a link's <inertial> states its tensor stay as they are. Raises DescriptionError where a link has no <inertial>.
    """
    read_xml(text)      # refuses what is none, in our words
    data = text.encode('utf-8')
    edits = []
    found = _inertial_tags(without_declaration(text.rstrip(ENDING)).encode('utf-8'))
    for link, (mass, centre, tensor) in inertials.items():
        if link not in found:
            raise DescriptionError(f'link {shown(link)} has no <inertial> whose figures could be replaced; give it one')
        tags = found[link]
        R = _axes(data, tags)
        turned = R.T @ np.asarray(tensor) @ R
        xyz = ' '.join(_number(value) for value in centre)
        for at in tags['mass']:
            edits.append(_edit(data, at, {'value': _number(mass)}))
        for at in tags['inertia']:
            edits.append(_edit(data, at, {name: _number(turned[i, j]) for name, i, j in _MOMENTS}))
        if tags['origin']:
            edits += [_edit(data, at, {'xyz': xyz}) for at in tags['origin']]
        else:
            at = tags['mass'][0]
            edits.append((at, at, f'<origin xyz="{xyz}"/>'.encode()))
    for start, end, new in sorted(edits, reverse=True):
        data = data[:start] + new + data[end:]
    return data.decode('utf-8')


def _inertial_tags(data):
    """{link: {tag: [offset of each element of the first <inertial>]}}"""
    parser = expat.ParserCreate('utf-8')
    path, found, link = [], {}, None

    def start(tag, attributes):
        nonlocal link
        path.append(tag)
        if len(path) == 2 and tag == 'link':
            link = attributes.get('name')
        elif len(path) == 4 and path[1:3] == ['link', 'inertial'] and tag in ('origin', 'mass', 'inertia'):
            found.setdefault(link, {'origin': [], 'mass': [], 'inertia': []})[tag].append(parser.CurrentByteIndex)

    def end(tag):
        path.pop()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(data, True)
    return found


def _axes(data, tags):
    """(3, 3) the axes in which a tensor stands."""
    if not tags['origin']:
        return np.eye(3)
    attributes = _attributes(_TAG.match(data, tags['origin'][0])[0])
    if 'quat_xyzw' in attributes:
        return geometry.rotation_of_quaternion(np.array(attributes['quat_xyzw'].split(), float), 'quat_xyzw')
    return geometry.rotation_of_rpy(*map(float, attributes.get('rpy', '0 0 0').split()))


def _attributes(tag):
    return {name.decode(): (double or single).decode() for name, double, single in re.findall(
        rb'([\w:.-]+)\s*=\s*(?:"([^"]*)"|\'([^\']*)\')', tag)}


def _edit(data, at, values):
    """(start, end, new) of a start tag with other values of some attributes."""
    match = _TAG.match(data, at)
    tag = match[0]
    for name, value in values.items():
        pattern = re.compile(rb'(\s' + name.encode() + rb'\s*=\s*)(?:"[^"]*"|\'[^\']*\')')
        if pattern.search(tag):
            tag = pattern.sub(lambda m, value=value: m[1] + b'"' + value.encode() + b'"', tag, count=1)
        else:
            end = len(tag) - (2 if tag.endswith(b'/>') else 1)
            tag = tag[:end].rstrip() + f' {name}="{value}"'.encode() + tag[end:]
    return at, match.end(), tag


def _number(value):
    return repr(float(value))
