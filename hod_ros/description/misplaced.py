# SPDX-License-Identifier: Apache-2.0
"""What bears figures of a link or joint, but stands where nothing is read.

Dialects add elements and attributes of their own, which are passed over; known words in the wrong place are no dialect.
"""

import difflib
from typing import NamedTuple

from hod_ros.description.places import shown
from hod_ros.description.vocabulary import ELEMENTS
from hod_ros.description.vocabulary import FIXED_JOINT
from hod_ros.description.vocabulary import MOMENTS
from hod_ros.description.vocabulary import Entry
from hod_ros.errors import DescriptionError

_MASSES = ('inertial', 'mass', 'inertia')
_HOMES_IN_A_LINK = {'inertial': 'inertial', 'mass': 'inertial/mass', 'inertia': 'inertial/inertia'}
_OF_THEIR_OWN = ('gazebo', 'transmission', 'ros2_control')      # which speak of links and joints in other formats
_SHAPES = ('visual', 'collision')
_PARTS = ('inertial', *_SHAPES, 'parent', 'child')
_OF_NO_DIALECT = (*ELEMENTS['origin'].attributes, *MOMENTS, 'multiplier')
_IN_OTHER_FORMATS = {'pose': 'origin'}
_UNKNOWN = Entry()


class Stray(NamedTuple):
    element: object
    holder: str             # the tag that it stands in
    home: str               # where it is read, in words
    missed: bool            # whether nothing is there


def strays(element, entry):
    """Known elements below a link or joint in another place than that where they are read."""
    if element.tag == 'link':
        for stray, holder in _below(element, ELEMENTS['link'], _MASSES):
            home = _HOMES_IN_A_LINK[stray.tag]
            yield Stray(stray, holder.tag, '<link>' if stray.tag == 'inertial' else '<inertial>', element.find(home) is None)
        for child in element:
            if child.tag in ELEMENTS and child.tag not in _HOMES_IN_A_LINK:
                yield Stray(child, 'link', '', False)
        return
    own = [tag for tag in entry.children if tag not in FIXED_JOINT.needed_children]
    for stray, holder in _below(element, ELEMENTS['joint'], (*own, *_MASSES)):
        if stray.tag in _MASSES:
            yield Stray(stray, holder.tag, 'a <link>', True)
        else:
            yield Stray(stray, holder.tag, '<joint>', element.find(stray.tag) is None)


def _below(element, entry, tags):
    """(element, what it stands in) of these tags, where they are not read"""
    for child in element:
        known = child.tag in entry.children
        if child.tag in tags and not known:
            yield child, element
        elif len(child) and child.tag not in _OF_THEIR_OWN:
            yield from _below(child, ELEMENTS[child.tag] if known else _UNKNOWN, tags)


def homes_of_attribute(name, entry):
    """Paths of the elements below one of this entry that go by the name of an attribute, or have it."""
    homes = []
    for tag in entry.children:
        if name == tag or name in ELEMENTS[tag].attributes:
            homes.append(tag)
        homes += [f'{tag}/{home}' for home in homes_of_attribute(name, ELEMENTS[tag])]
    return homes


def home_of_unknown(element, entry, found):
    """The tag of what an unknown element has instead, by its attributes or by another format's name for it; or None."""
    tag = _IN_OTHER_FORMATS.get(element.tag)
    if tag in entry.children:
        return None if tag in found else tag
    for name in element.attrib:
        homes = homes_of_attribute(name, entry) if name in _OF_NO_DIALECT else []
        if homes and not any(home in found for home in homes):
            return homes[0]
    return None


def fault_of_content(place, element, entry):
    """(the fault of what an element holds that has attributes only, the attributes which that was to be), or None."""
    text = (element.text or '').strip()
    if text:
        return _no_attribute(place, element, shown(text), next(iter(entry.attributes))), entry.needed
    for child in element:
        name = child.tag.lower()
        if name in entry.attributes and name not in element.attrib:
            return _no_attribute(place, child, f'<{child.tag[:60]}>', name, element.tag), (name,)
    return None


def _no_attribute(place, at, held, name, tag=None):
    tag = tag or at.tag
    return place.error(f"its <{tag}> holds {held}, which is not read; write <{tag} {name}='...'/>", at)


def fault_at_root(element):
    """The fault of an element of the root that is, or holds, a link or joint which is not read; or None."""
    tag = _local(element)
    meant = difflib.get_close_matches(tag, ('link', 'joint'), 1, 0.75)
    if meant and (element.tag.lower() == meant[0] or any(_local(child) in _PARTS for child in element)):
        return _error(element, f'which is not read; write <{meant[0]}>')
    kind = _kind(element)
    if kind and element.tag not in _OF_THEIR_OWN:
        return _error(element, f'which is not read; write <{kind}> where it is one')
    return _fault_of_nested(element, (inner for inner in _inside(element) if _kind(inner)))


def fault_inside(element):
    """The fault of a link or joint inside of this one, in which it is not read; or None."""
    return _fault_of_nested(element, (inner for inner in _inside(element) if _local(inner) in ('link', 'joint') and _kind(inner)))


def _fault_of_nested(element, nested):
    inner = next(nested, None)
    return None if inner is None else _error(inner, f'inside <{element.tag[:60]}>, where it is not read; move it up into <robot>')


def _inside(element):
    """All elements in one, but for those that speak of links and joints in other formats."""
    if element.tag not in _OF_THEIR_OWN:
        for child in element:
            if len(child):
                yield child
                yield from _inside(child)


def _local(element):
    return element.tag.rpartition(':')[2].lower()


def _kind(element):
    """Whether an element is made like a link or like a joint."""
    if element.find('inertial') is not None and element.tag not in _SHAPES:
        return 'link'
    ends = [element.find(tag) for tag in FIXED_JOINT.needed_children]
    return 'joint' if all(end is not None and 'link' in end.attrib for end in ends) else None


def _error(element, problem):
    name = f' name={shown(element.get("name"))}' if 'name' in element.attrib else ''
    return DescriptionError(
        f'the robot description holds <{element.tag[:60]}{name}> (line {element.line}), {problem}', element.line)
