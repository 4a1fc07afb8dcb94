# SPDX-License-Identifier: Apache-2.0
"""A robot description -> the records of its links and joints, in this order:

    text -> xml_text: size, depth, encoding -> lint: what the parser would take in silence -> urdf_parser_py's Robot
         -> robot_object: one check of its objects, which serves a Robot of the caller's own too

Only what dynamics needs is looked at: the root's own <link> and <joint> children, in them the elements of the vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike

from urdf_parser_py import xml_reflection
from urdf_parser_py.urdf import Robot

from hod_ros.checks.arguments import shown
from hod_ros.description.lint import Lint
from hod_ros.description.places import raised
from hod_ros.description.records import Joint
from hod_ros.description.records import Link
from hod_ros.description.robot_object import links_and_joints
from hod_ros.description.xml_text import read_xml
from hod_ros.errors import DescriptionError


@dataclass(frozen=True)
class Description:
    """A robot's links and joints in document order, and what is odd about their description but harmless."""

    name: str
    links: list[Link]
    joints: list[Joint]
    warnings: list[str]
    complete: bool = True       # whether no link or joint had to be left out


def read_urdf(source: 'str | bytes | PathLike[str] | Robot', report: Callable[[DescriptionError], None] = raised) -> Description:
    """The Description of a URDF: its text (str or bytes), its path, or urdf_parser_py's Robot.

    report: what takes an error. Where it returns, the next is looked for, with a bare link or a fixed joint in that one's place.
    """
    if isinstance(source, Robot):
        if source.name is not None and not isinstance(source.name, str):
            raise DescriptionError(f"the robot's name is {shown(source.name)}; give a text")
        return Description(source.name or 'robot', *links_and_joints(source, None, report), [])
    lint = Lint(read_xml(source), report)
    robot = Robot.from_xml(lint.tree, xml_reflection.Path('robot'))
    if lint.has_quaternions:
        _add_quaternions(robot, lint)
    return Description(robot.name, *links_and_joints(robot, lint, report), lint.warnings, lint.complete)


def _add_quaternions(robot, lint):
    """The parser knows rpy only: without this a pose of quat_xyzw would not turn."""
    for link, element in zip(robot.links, lint.links, strict=True):
        _add_quaternion(link.inertial, element.find('inertial'))
    for joint, element in zip(robot.joints, lint.joints, strict=True):
        _add_quaternion(joint, element)


def _add_quaternion(owner, element):
    origin = None if element is None else element.find('origin')
    text = None if origin is None else origin.get('quat_xyzw')
    if text is not None:
        owner.origin.quat_xyzw = [float(word) for word in text.split()]
