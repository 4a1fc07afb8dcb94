# SPDX-License-Identifier: Apache-2.0
"""urdf_parser_py's Robot -> the records of its links and joints: each number checked, be the robot read from a text or made by hand.

A pose may have the attribute `quat_xyzw` in place of rpy, which the parser itself does not know.
"""

import math
from numbers import Real

import numpy as np
from urdf_parser_py import urdf

from hod_ros.checks import geometry
from hod_ros.checks.arguments import LARGEST
from hod_ros.checks.arguments import shown
from hod_ros.description.lint import wanted
from hod_ros.description.places import Place
from hod_ros.description.places import raised
from hod_ros.description.records import MULTIPLE
from hod_ros.description.records import Joint
from hod_ros.description.records import Link
from hod_ros.description.records import Mimic
from hod_ros.description.vocabulary import KINDS
from hod_ros.description.vocabulary import MOMENTS
from hod_ros.errors import DescriptionError

_NONE = (0.0, 0.0, 0.0)
_X = (1.0, 0.0, 0.0)
_PLAIN = (float, int)


def links_and_joints(robot, lint=None, report=raised):
    """(Links, Joints) of a Robot in its order; lint: what it was read from, so that errors know their lines.

    report: what takes an error. Where it returns, the link or joint counts as a bare link or a fixed joint.
    """
    elements = (None, None) if lint is None else (lint.links, lint.joints)
    links = [_link(*pair, report) for pair in _pairs(robot, 'links', urdf.Link, elements[0])]
    joints = [_joint(*pair, report) for pair in _pairs(robot, 'joints', urdf.Joint, elements[1])]
    return links, joints


def _pairs(robot, what, kind, elements):
    """(object, its element or None)"""
    objects = getattr(robot, what)
    if not isinstance(objects, (list, tuple)) or not all(isinstance(item, kind) for item in objects):
        raise DescriptionError(
            f"the robot's {what} are {shown(objects)}; give a list of urdf_parser_py's {kind.__name__}, as add_{what[:-1]} makes it")
    return zip(objects, [None] * len(objects) if elements is None else elements, strict=True)


def _link(link, element, report):
    fields = _Fields('link', link.name, element, report)
    inertial = fields.part(link.inertial, urdf.Inertial, 'inertial')
    bare = Link(fields.name, line=fields.line)
    if inertial is None:
        return bare
    inertia = fields.part(inertial.inertia, urdf.Inertia, 'inertial/inertia')
    if inertia is None:
        return fields.fault(fields.error('its <inertial> has no <inertia>; add it'), bare)
    origin = fields.pose(inertial.origin, 'inertial/origin')
    mass = fields.number(inertial.mass, 'inertial/mass', 'value')
    if mass < 0:
        fields.fault(fields.error(f'its mass is {mass} kg; a mass is 0 or more', fields.child('inertial/mass')))
    ixx, ixy, ixz, iyy, iyz, izz = (fields.number(getattr(inertia, key), 'inertial/inertia', key) for key in MOMENTS)
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    R = origin[:3, :3]
    return Link(fields.name, mass, origin[:3, 3], R @ tensor @ R.T, fields.line) if fields.sound else bare


def _joint(joint, element, report):
    fields = _Fields('joint', joint.name, element, report)
    kind = joint.type
    if kind not in KINDS:
        kind = fields.fault(fields.error(f'its type is {shown(kind)}; give one of {", ".join(KINDS)}'), 'fixed')
    parent, child = fields.reference(joint.parent, 'parent', 'link'), fields.reference(joint.child, 'child', 'link')
    origin = fields.pose(joint.origin, 'origin')
    if kind == 'fixed':
        return Joint(fields.name, kind, parent, child, origin, line=fields.line)
    limit = fields.part(joint.limit, urdf.JointLimit, 'limit') or _NO_LIMIT
    dynamics = fields.part(joint.dynamics, urdf.JointDynamics, 'dynamics') or _NO_DYNAMICS
    out = Joint(
        fields.name, kind, parent, child, origin, line=fields.line,
        axis=_axis(fields, joint.axis, kind),
        mimic=_mimic(fields, joint.mimic),
        position_limits=_position_limits(fields, limit, kind),
        velocity_limit=fields.limit(limit.velocity, 'velocity', math.inf),
        effort_limit=fields.limit(limit.effort, 'effort', math.inf),
        damping=fields.number(dynamics.damping, 'dynamics', 'damping', 0.0),
        friction=fields.number(dynamics.friction, 'dynamics', 'friction', 0.0),
    )
    return out if fields.sound else Joint(fields.name, 'fixed', parent, child, line=fields.line)


_NO_LIMIT, _NO_DYNAMICS = urdf.JointLimit(), urdf.JointDynamics()


def _axis(fields, xyz, kind):
    axis = np.array(fields.vector(xyz, 'axis', 'xyz', _X))
    largest = np.abs(axis).max()
    if largest == 0.0 and kind in MULTIPLE:     # which no model moves
        return np.array(_X)
    if largest == 0.0:
        error = fields.error("its axis is zero; give a direction, such as <axis xyz='0 0 1'/>", fields.child('axis'))
        return fields.fault(error, axis)
    axis = axis / largest
    return axis / np.linalg.norm(axis)


def _mimic(fields, mimic):
    mimic = fields.part(mimic, urdf.JointMimic, 'mimic')
    if mimic is None:
        return None
    return Mimic(
        fields.reference(mimic.joint, 'mimic', 'joint'), fields.number(mimic.multiplier, 'mimic', 'multiplier', 1.0),
        fields.number(mimic.offset, 'mimic', 'offset', 0.0))


def _position_limits(fields, limit, kind):
    """A missing bound is 0 by the format's definition; with both missing the joint is taken as unlimited."""
    lower, upper = fields.limit(limit.lower, 'lower', None), fields.limit(limit.upper, 'upper', None)
    if kind == 'continuous' or lower is upper is None:
        return -math.inf, math.inf
    return lower or 0.0, upper or 0.0


class _Fields(Place):
    """The values of a link or joint, each checked; a path leads to their element. sound: whether none had a fault yet."""

    def __init__(self, what, name, element, report):
        super().__init__(what, name, element)
        self.sound = True
        self._report = report

    def fault(self, error, stand_in=None):
        """The stand-in, where the report returns."""
        self.sound = False
        self._report(error)
        return stand_in

    def part(self, value, kind, path):
        """An object of the parser's, or None."""
        if value is not None and not isinstance(value, kind):
            error = self.error(f"its {path.rpartition('/')[2]} is {shown(value)}; give urdf_parser_py's {kind.__name__}")
            return self.fault(error)
        return value

    def reference(self, name, tag, attribute):
        """The name of another link or joint."""
        if not name:
            return self.fault(self.error(f"its <{tag}> names no {attribute}; write <{tag} {attribute}='...'/>", self.child(tag)), '')
        self.check_name(name)
        return name

    def number(self, value, path, attribute, default=None):
        if value.__class__ is float and -LARGEST < value < LARGEST:
            return value
        if value is None and default is not None:
            return default
        return self._numbers([value], path, attribute, 1)[0]

    def limit(self, value, attribute, default):
        """A bound that may be infinite."""
        if value is None:
            return default
        if isinstance(value, Real) and not isinstance(value, bool) and not math.isnan(value):
            element = None if math.isfinite(value) else self.child('limit')
            if element is None or attribute not in element.attrib:
                return float(value)
        return self.fault(self._wrong(value, 'limit', attribute, 1, ''), default)

    def vector(self, values, path, attribute, default):
        if values.__class__ is list and len(values) == 3 and all(x.__class__ in _PLAIN and -LARGEST < x < LARGEST for x in values):
            return values
        return default if values is None else self._numbers(values, path, attribute, 3)

    def pose(self, origin, path):
        """4x4 of an origin, the identity where there is none."""
        C = np.eye(4)
        origin = self.part(origin, urdf.Pose, path)
        if origin is None:
            return C
        C[:3, 3] = self.vector(origin.xyz, path, 'xyz', _NONE)
        quaternion = getattr(origin, 'quat_xyzw', None)
        if quaternion is None:
            C[:3, :3] = geometry.rotation_of_rpy(*self.vector(origin.rpy, path, 'rpy', _NONE))
            return C
        element = self.child(path)
        if origin.rpy is not None and any(origin.rpy) or element is not None and 'rpy' in element.attrib:
            self.fault(self.error('its <origin> has both rpy and quat_xyzw; keep one', element))
        values = np.array(self._numbers(quaternion, path, 'quat_xyzw', 4))
        try:
            C[:3, :3] = geometry.rotation_of_quaternion(
                values, 'quat_xyzw of its <origin>', lambda problem: self.error(problem, element))
        except DescriptionError as error:
            self.fault(error)
        return C

    def _numbers(self, values, path, attribute, count):
        """Floats of what should be so many numbers."""
        try:
            items = list(values)
        except TypeError:
            items = []
        real = len(items) == count and all(isinstance(item, Real) and not isinstance(item, (bool, np.bool_)) for item in items)
        if real and all(abs(item) < LARGEST for item in items):
            return [float(item) for item in items]
        hint = f' below {LARGEST:g}' if real and all(map(math.isfinite, items)) else ''
        return self.fault(self._wrong(values[0] if count == 1 else values, path, attribute, count, hint), [0.0] * count)

    def _wrong(self, value, path, attribute, count, hint):
        element = self.child(path)
        text = shown(value) if element is None else shown(element.get(attribute))
        return self.error(f'{attribute} of its <{path.rpartition("/")[2]}> is {text}; give {wanted(count)}{hint}', element)
