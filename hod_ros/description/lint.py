# SPDX-License-Identifier: Apache-2.0
"""What urdf_parser_py would take in silence, or refuse without saying where, judged in the tree of the text.

The tree that it gets holds what dynamics needs and nothing else: visual, material, transmission, gazebo and unknown elements, of which
it dislikes many, are left out, and limits that are not given are infinite there, because it would make zeros of them.
"""

import difflib
import re
from collections import defaultdict

from hod_ros.checks.arguments import listed
from hod_ros.description import misplaced
from hod_ros.description import other_formats
from hod_ros.description.numerals import are_numbers
from hod_ros.description.places import Place
from hod_ros.description.places import raised
from hod_ros.description.places import shown
from hod_ros.description.plausibility import LARGEST_TURN
from hod_ros.description.vocabulary import ELEMENTS
from hod_ros.description.vocabulary import FIXED_JOINT
from hod_ros.description.vocabulary import KINDS
from hod_ros.description.vocabulary import LONGEST_NAME
from hod_ros.description.vocabulary import NAME
from hod_ros.description.xml_text import Element
from hod_ros.errors import DescriptionError

_INFINITE = re.compile(r'\s*[+-]?inf(?:inity)?\s*', re.IGNORECASE).fullmatch
_OPEN_TO_DIALECTS = ('link', 'joint', 'inertial', 'limit', 'dynamics')      # further attributes of these change nothing
_MOST = 20_000          # links and joints; the largest of many public robots has some hundred
_MISPLACED = frozenset(ELEMENTS) - {'link', 'joint'}
_XACRO = 'xacro:'
_NOWHERE = '0 0 0'      # the parser's own default of an origin, which it takes faster than it reads this


class Lint:
    """The part of a robot's tree that dynamics needs, judged.

    tree: for urdf_parser_py, without the quaternions; links, joints: their elements in document order; warnings: what is odd but harmless.
    report: what takes an error. Where it returns, the link or joint counts as a bare link or a fixed joint, or is left out: then the tree
    is not `complete`.
    """

    def __init__(self, root, report=raised):
        other_formats.refuse_root(root)
        self.tree = Element('robot', name=root.get('name') or 'robot')
        self.links, self.joints, self.warnings = [], [], []
        self.has_quaternions = False
        self.complete = True
        self._report, self._faults = report, 0
        self._oddities = defaultdict(dict)      # sentence -> the links and joints that it is about
        concerned = sum(element.tag in ('link', 'joint') for element in root)
        if concerned > _MOST:
            raise DescriptionError(f'the robot description has {concerned} links and joints; at most {_MOST} are read')
        for element in root:
            if element.tag in ('link', 'joint'):
                self._take(element)
            elif element.tag in _MISPLACED:
                self._oddities['elements that belong to no link and no joint and are not read'][f'<{element.tag}>'] = None
            elif element.tag.startswith(_XACRO):
                raise _leftover(element)
            else:
                error = misplaced.fault_at_root(element)
                if error is not None:
                    self.complete = False
                    self._fault(error)
        self.warnings += [f'{sentence}: {listed(list(names))}' for sentence, names in self._oddities.items()]

    def _take(self, element):
        faults, size = self._faults, len(self.tree)
        try:
            place = Place(element.tag, element.get('name', ''), element)
            entry = self._link(place, element) if element.tag == 'link' else self._joint(place, element)
            if self._faults == faults:
                self._judge_strays(place, element, entry)
        except DescriptionError as error:
            self._fault(error)
        if self._faults > faults:
            del self.tree[size:]
            element = _stand_in(element)
        if element is None:
            self.complete = False
            return
        (self.links if element.tag == 'link' else self.joints).append(element)
        if self._faults > faults:
            self.tree.append(element)

    def _fault(self, error):
        self._faults += 1
        self._report(error)

    def _link(self, place, element):
        self._copy(place, element, ELEMENTS['link'], self.tree)
        return ELEMENTS['link']

    def _joint(self, place, element):
        kind = element.get('type')
        if kind not in KINDS:
            problem = 'it has no type' if kind is None else f'its type {shown(kind)} is unknown'
            raise place.error(f'{problem}; give one of {", ".join(KINDS)}')
        entry = FIXED_JOINT if kind == 'fixed' else ELEMENTS['joint']
        limit = self._copy(place, element, entry, self.tree).find('limit')
        if limit is not None:
            _set_missing_limits(limit)
        return entry

    def _judge_strays(self, place, element, entry):
        nested = misplaced.fault_inside(element)
        if nested is not None:
            self.complete = False
            raise nested
        for stray in misplaced.strays(element, entry):
            where = f'<{stray.holder[:60]}>, where it is not read'
            if stray.missed:
                problem = f'its <{stray.element.tag}> stands in {where}; move it into {stray.home}'
                self._fault(place.error(problem, stray.element))
            else:
                self._oddities[f'<{stray.element.tag}> in {where}'][place.name] = None

    def _copy(self, place, element, entry, parent):
        """Adds what is read of an element to the tree; DescriptionError where it cannot be what its author meant."""
        attributes, unread = {}, []
        for name, text in element.attrib.items():
            count = entry.attributes.get(name)
            if count is None:
                unread.append(name)
                continue
            if count == NAME:
                place.check_name(text, element)
            elif not are_numbers(text, count):
                self._fault(place.error(
                    f'{name} of its <{element.tag}> is {shown(text)}; {_remedy(element.tag, name, text, count)}', element))
            elif name == 'rpy' and text != _NOWHERE and any(abs(float(angle)) > LARGEST_TURN for angle in text.split()):
                self._oddities['rpy beyond a whole turn, which is in radians: are these degrees?'][place.name] = None
            if name == 'quat_xyzw':     # which the parser does not know
                self.has_quaternions = True
            elif text != _NOWHERE or element.tag != 'origin':
                attributes[name] = text
        misspelt = self._judge_unread(place, element, entry, unread) if unread else ()
        if not entry.children:
            misspelt = [*misspelt, *(self._judge_content(place, element, entry) or ())]
        for name in entry.needed:
            if not element.get(name) and name not in misspelt:
                written = f"names no {name}; write <{element.tag} {name}='...'/>"
                problem = f'its <{element.tag}> {written if entry.attributes[name] == NAME else f"has no {name}; add it"}'
                self._fault(place.error(problem, element))
        node = Element(element.tag, attributes)
        parent.append(node)
        misspelt = self._copy_children(place, element, entry, node) if len(element) else ()
        for tag in entry.needed_children:
            if node.find(tag) is None and tag not in misspelt:
                self._fault(place.error(f'its <{element.tag}> has no <{tag}>; add it', element))
        return node

    def _copy_children(self, place, element, entry, node):
        """The tags that were probably meant by others, which is a fault."""
        found, misspelt = {}, []
        for child in element:
            tag = child.tag
            if tag in found:
                if not _same(found[tag], child):
                    self._fault(place.error(f'its <{element.tag}> has more than one <{tag}>, which differ; keep one', child))
                    continue
                self._oddities[f'more than one <{tag}>, all alike, of which the first is read'][place.name] = None
            elif tag in entry.children:
                found[tag] = child
                if tag == 'axis' and not child.attrib:
                    if self._judge_content(place, child, ELEMENTS[tag]) is not None:
                        continue
                    self._oddities["an <axis> without xyz, which means xyz='1 0 0'"][place.name] = None
                else:
                    self._copy(place, child, ELEMENTS[tag], node)
            elif tag.startswith(_XACRO):
                raise _leftover(child)
        for child in element:
            if child.tag in ELEMENTS[element.tag].children:
                continue
            meant = _meant(child.tag, entry.children, found, 0.75)
            if not meant and element.tag != 'link':
                meant = misplaced.home_of_unknown(child, entry, found)
            if meant:
                misspelt.append(meant)
                self._fault(place.error(f'its <{element.tag}> has no <{meant}>, but <{child.tag[:60]}>; write <{meant}>', child))
        return misspelt

    def _judge_content(self, place, element, entry):
        """The attributes that were probably meant by what the element holds, which is a fault; or None."""
        fault = misplaced.fault_of_content(place, element, entry)
        if fault is None:
            return None
        error, meant = fault
        self._fault(error)
        return meant

    def _judge_unread(self, place, element, entry, unread):
        """The names that were probably meant by others, which is a fault."""
        misspelt = []
        for name in unread:
            meant = _meant(name, entry.attributes, element.attrib, 0.65)
            if meant:
                misspelt.append(meant)
                self._fault(place.error(f'its <{element.tag}> has no {meant}, but {name[:60]}; write {meant}', element))
        if misspelt:
            return misspelt
        if element.tag in _OPEN_TO_DIALECTS:
            self._judge_dialect(place, element, entry, unread)
            return ()
        if not any(name in element.attrib for name in entry.attributes):
            known = ' or '.join(entry.attributes)
            self._fault(place.error(f'its <{element.tag}> has {listed(unread)}, but no {known}; write that', element))
        else:
            self._oddities[f'attributes {listed(unread)} of <{element.tag}>, which are not read'][place.name] = None
        return misspelt

    def _judge_dialect(self, place, element, entry, unread):
        for name in unread:
            homes = misplaced.homes_of_attribute(name.lower(), entry)
            if homes and not any(element.find(home) is not None for home in homes):
                where = ' or '.join(' in '.join(f'<{tag}>' for tag in reversed(home.split('/'))) for home in homes)
                problem = f'its <{element.tag}> has the attribute {name[:60]}, which is not read; write it into {where}'
                self._fault(place.error(problem, element))
            elif homes:
                self._oddities[f'attributes {listed([name])} of <{element.tag}>, which are not read'][place.name] = None


def _stand_in(element):
    """What takes the place of a link or joint with faults, so that the others can be judged; None where it can have no place."""
    ends = [] if element.tag == 'link' else [(tag, element.find(tag)) for tag in FIXED_JOINT.needed_children]
    names = [element.get('name'), *(None if end is None else end.get('link') for _, end in ends)]
    if not all(name and len(name) <= LONGEST_NAME for name in names):
        return None
    out = Element(element.tag, {'name': names[0]} if element.tag == 'link' else {'name': names[0], 'type': 'fixed'})
    out.extend(Element(tag, link=end.get('link')) for tag, end in ends)
    out.line = element.line
    return out


def wanted(count):
    """What an attribute of so many numbers has to hold."""
    return 'one finite number' if count == 1 else f'{count} finite numbers separated by spaces'


def _remedy(tag, name, text, count):
    """How to mend what is not so many numbers."""
    if tag == 'limit' and _INFINITE(text):
        bound = name in ('lower', 'upper')
        return 'where there is no limit, ' + (
            'leave out lower and upper both, or give this one a large number, such as 1e9' if bound else 'leave it out')
    return f'give {wanted(count)}{"; it looks like unexpanded xacro" if "$" in text else ""}'


def _set_missing_limits(limit):
    for name in ('effort', 'velocity'):
        if name not in limit.attrib:
            limit.set(name, 'inf')
    if 'lower' not in limit.attrib and 'upper' not in limit.attrib:
        limit.set('lower', '-inf')
        limit.set('upper', 'inf')


def _meant(name, known, present, likeness):
    """The known name that is absent and was probably meant by an unknown one, or None."""
    absent = [word for word in known if word not in present]
    matches = difflib.get_close_matches(name.lower(), absent, 1, likeness) if absent else None
    return matches[0] if matches else None


def _same(one, other):
    return one.attrib == other.attrib and len(one) == len(other) and all(
        a.tag == b.tag and _same(a, b) for a, b in zip(one, other, strict=True))


def _leftover(element):
    return DescriptionError(
        f'the robot description still holds <{element.tag[:60]}> (line {element.line}); expand it first: '
        'xacro robot.urdf.xacro > robot.urdf', element.line)
