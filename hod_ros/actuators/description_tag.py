# SPDX-License-Identifier: Apache-2.0
"""Drives from a robot description: the tag <hod_elastic>, our own, at the level of <robot>.

    <hod_elastic joint="joint1" type="series_elastic" stiffness="3000" motor_inertia="2e-5" gear_ratio="100"/>

Its attributes are `joint` and the figures of drive_from_figures; pairs are two numbers with a blank between. URDF itself knows no
elastic joints, and the stiffnesses that some dialects write elsewhere have no common meaning: none of them is ever taken. urdf_parser_py
drops what it doesn't know, so a Robot of its own holds neither. A tag of a joint that is locked is read, and not used: what stands still
needs no drive.
"""

import difflib
from collections.abc import Mapping
from os import PathLike
from typing import Any

from urdf_parser_py.urdf import Robot

from hod_ros.actuators.drives import Motor
from hod_ros.actuators.figures import by_joint
from hod_ros.actuators.figures import drive_from_figures
from hod_ros.description.numerals import are_numbers
from hod_ros.description.records import MOVING
from hod_ros.description.xml_text import read_xml
from hod_ros.errors import DescriptionError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

Source = str | bytes | PathLike[str] | Robot

WORDS_OF_TAG = ('hod', 'elastic')
TAG = '_'.join(WORDS_OF_TAG)
WORDS = ('type', 'spring', 'motor_link')              # figures that are no numbers
WHOLE_NUMBERS = ('damping_terms',)
NOT_FINITE = ('inf', 'infinity', 'nan')
FOREIGN = ('stiffness', 'spring', 'elastic', 'compliance')


def figures_from_urdf(source: Source, model: RobotModel) -> dict[str, dict[str, Any]]:
    """{joint: figures} of the tags <hod_elastic> in a URDF, for the joints of a model of it."""
    if not _may_mention(source, WORDS_OF_TAG):
        return {}
    root = read_xml(source)
    _refuse_other_places(root)
    joints = {joint.get('name'): joint for joint in root.findall('joint')}
    found = {}
    for tag in root.findall(TAG):
        joint = tag.get('joint')
        if joint is None:
            raise DescriptionError(f'a <{TAG}> has no joint; name the joint: <{TAG} joint="..." type="..." .../>')
        if joint not in joints:
            raise DescriptionError(f'<{TAG}> names the joint {joint!r}, which this robot description does not have')
        if joint in found:
            raise DescriptionError(f'two <{TAG}> name the joint {joint!r}; a joint has one drive')
        if joint not in model.joint_names:
            _refuse_undriven(joint, joints)
        found[joint] = {name: _figure(joint, name, value) for name, value in tag.attrib.items() if name != 'joint'}
    return {joint: figures for joint, figures in found.items() if joint in model.joint_names}


def _refuse_other_places(root):
    """Refuses tags of ours inside other elements, and what was meant for one."""
    meant = {tag for tag in {element.tag for element in root.iter()} if _meant(tag)}
    for holder in root.iter() if meant else ():
        for element in holder:
            if element.tag in meant and (element.tag != TAG or holder is not root):
                joint = element.get('joint', holder.get('name') if holder.tag == 'joint' else '...')
                raise DescriptionError(
                    f'the robot description holds <{element.tag[:60]}> in <{holder.tag[:60]}> (line {element.line}), which is not read; '
                    f'write <{TAG} joint="{joint}" .../> directly below <robot>', element.line)


def _meant(tag):
    """Whether a tag is ours, or meant to be."""
    letters = ''.join(filter(str.isalpha, tag.lower()))
    return _has(letters, WORDS_OF_TAG) and bool(difflib.get_close_matches(letters, (''.join(WORDS_OF_TAG),), 1, 0.85))


def _refuse_undriven(name, joints):
    """Refuses a joint that no drive moves by itself, however the robot is loaded; those that are locked could have one."""
    kind, mimic = joints[name].get('type'), joints[name].find('mimic')
    if kind not in MOVING:
        raise DescriptionError(f'<{TAG}> names the joint {name!r}, which is {kind} and has no drive; remove the tag')
    master = None if mimic is None else mimic.get('joint')
    if master in joints:
        raise DescriptionError(
            f'<{TAG}> names the joint {name!r}, which mimics {master!r} and has no drive of its own; name that joint, or remove the tag')


def foreign_stiffness(source: Source) -> list[str]:
    """Sentences about what looks like an elastic joint in a URDF but is no <hod_elastic>, and is therefore not used."""
    if not _may_mention(source, FOREIGN):
        return []
    found = []
    for joint in read_xml(source).findall('joint'):
        for element in joint.iter():
            if element.tag == TAG:
                continue
            names = [f'<{element.tag}>'] if _looks_elastic(element.tag) else []
            names += [f'{name}={value!r}' for name, value in element.attrib.items() if name != 'name' and _looks_elastic(name)]
            found += [
                f'joint {joint.get("name")!r} has {name}, which is no standard URDF and is not used; if it describes a drive, '
                f'say so by <{TAG} joint="{joint.get("name")}" .../> or by the parameters elastic.{joint.get("name")}.*'
                for name in names]
    return found


def drives_from_urdf(
        source: 'str | bytes | PathLike[str] | Robot', model: RobotModel,
        figures: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Motor]:
    """{joint: drive} for the joints of a model: from `figures` ({joint: figures}), and from its URDF for joints not named there.

    source: what RobotModel.from_urdf takes: text, a pathlib.Path, or a Robot of urdf_parser_py, which holds no <hod_elastic>.

    Raises DescriptionError where the text or one of its <hod_elastic> is wrong, InputError where figures are.

        >>> figures = {'panda_joint1': {'type': 'series_elastic', 'stiffness': 3000.0, 'motor_inertia': 0.2}}
        >>> drives_from_urdf(example_robot('panda'), model, figures)['panda_joint1'].stiffness
        3000.0
    """
    motions.robot_model(model)
    figures = {} if figures is None else by_joint(figures)
    described = figures_from_urdf(source, model)
    return {joint: drive_from_figures(joint, values) for joint, values in {**described, **figures}.items()}


def _may_mention(source, words):
    """Whether a description needs to be parsed; most texts hold none of the words, and no Robot does."""
    return _has(source, words) if isinstance(source, str) else not isinstance(source, Robot)


def _looks_elastic(name):
    return _has(name, FOREIGN)


def _has(text, words):
    text = text.lower()
    return any(word in text for word in words)


def _figure(joint, name, value):
    if name in WORDS:
        return value
    try:
        numbers = [int(part) if name in WHOLE_NUMBERS else float(part) for part in _numerals(value)]
    except ValueError:
        numbers = []
    if not numbers:
        raise DescriptionError(f'<{TAG}> of joint {joint!r}: {name} is {value!r}; give a number')
    return numbers[0] if len(numbers) == 1 else numbers


def _numerals(value):
    parts = value.split()
    return parts if all(are_numbers(part) or part.lower().lstrip('+-') in NOT_FINITE for part in parts) else []
