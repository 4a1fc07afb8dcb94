# SPDX-License-Identifier: Apache-2.0
"""The elements and attributes of a URDF that dynamics needs; all others may hold what they like."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from hod_ros.description.records import MOVING
from hod_ros.description.records import MULTIPLE

KINDS = (*MOVING, 'fixed', *MULTIPLE)       # of joints
MOMENTS = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
LONGEST_NAME = 255

NAME = 0        # in place of a count of numbers: the attribute is a name


@dataclass(frozen=True)
class Entry:
    """What is read of an element."""

    attributes: Mapping[str, int] = field(default_factory=dict)     # and how many numbers each holds, or NAME
    children: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()        # attributes that must be there
    needed_children: tuple[str, ...] = ()


ELEMENTS = {
    'link': Entry({'name': NAME}, children=('inertial',)),
    'inertial': Entry(children=('origin', 'mass', 'inertia'), needed_children=('mass', 'inertia')),
    'origin': Entry({'xyz': 3, 'rpy': 3, 'quat_xyzw': 4}),
    'mass': Entry({'value': 1}, needed=('value',)),
    'inertia': Entry(dict.fromkeys(MOMENTS, 1), needed=MOMENTS),
    'joint': Entry(
        {'name': NAME, 'type': NAME}, children=('parent', 'child', 'origin', 'axis', 'limit', 'dynamics', 'mimic'),
        needed_children=('parent', 'child')),
    'parent': Entry({'link': NAME}, needed=('link',)),
    'child': Entry({'link': NAME}, needed=('link',)),
    'axis': Entry({'xyz': 3}),
    'limit': Entry(dict.fromkeys(('lower', 'upper', 'effort', 'velocity'), 1)),
    'dynamics': Entry(dict.fromkeys(('damping', 'friction'), 1)),
    'mimic': Entry({'joint': NAME, 'multiplier': 1, 'offset': 1}, needed=('joint',)),
}
FIXED_JOINT = Entry(ELEMENTS['joint'].attributes, children=('parent', 'child', 'origin'), needed_children=('parent', 'child'))
