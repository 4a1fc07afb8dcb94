"""URDF text -> the records of its links and joints.

Only what dynamics needs is looked at: the root's own <link> and <joint> children, in them the elements read below. All
else (visual, collision, transmission, gazebo, ros2_control, unknown tags) may hold what it likes. The elements are read
here and not by urdf_parser_py because little of it would remain: it needs these parts stripped first and every number
checked afterwards, and its errors name neither the link nor the field.
"""

import math

import numpy as np

from hod_ros.checks.arguments import LARGEST
from hod_ros.description.records import MOVING
from hod_ros.description.records import MULTIPLE
from hod_ros.description.records import Joint
from hod_ros.description.records import Link
from hod_ros.description.records import Mimic
from hod_ros.description.xml_text import read_xml
from hod_ros.description.xml_text import shown
from hod_ros.errors import DescriptionError

_MAX_NAME = 255
_KINDS = (*MOVING, 'fixed', *MULTIPLE)
_OTHER_FORMATS = {
    'sdf': 'SDF; convert it to URDF, for example with sdformat_urdf',
    'gazebo': 'SDF; convert it to URDF, for example with sdformat_urdf',
    'world': 'SDF; convert it to URDF, for example with sdformat_urdf',
    'mujoco': "MJCF, MuJoCo's format; give the URDF of this robot",
    'mujocoinclude': "MJCF, MuJoCo's format; give the URDF of this robot",
    'COLLADA': 'COLLADA, a mesh; give the URDF that refers to it',
    'launch': 'a launch file; give the URDF that it loads',
}


def read_urdf(text):
    """(the robot's name, its Links, its Joints) in document order."""
    robot = read_xml(text)
    if robot.tag != 'robot':
        kind = _OTHER_FORMATS.get(robot.tag, 'no URDF; give a text whose root is <robot>')
        raise DescriptionError(f'the robot description has the root element <{robot.tag[:60]}>: it is {kind}')
    links = [_link(element) for element in robot.iterfind('link')]
    joints = [_joint(element) for element in robot.iterfind('joint')]
    return robot.get('name') or 'robot', links, joints


def _link(element):
    where = _Place('link', element)
    inertial = where.child(element, 'inertial')
    if inertial is None:
        return Link(where.name)
    origin = where.pose(inertial)
    mass_element, inertia = where.child(inertial, 'mass', needed=True), where.child(inertial, 'inertia', needed=True)
    mass = where.number(mass_element, 'value')
    if mass < 0:
        raise DescriptionError(f'{where}: its mass is {mass} kg; a mass is 0 or more')
    ixx, ixy, ixz, iyy, iyz, izz = (where.number(inertia, key) for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    R = origin[:3, :3]
    return Link(where.name, mass, origin[:3, 3], R @ tensor @ R.T)


def _joint(element):
    where = _Place('joint', element)
    kind = element.get('type')
    if kind not in _KINDS:
        problem = 'it has no type' if kind is None else f'its type {shown(kind)} is unknown'
        raise DescriptionError(f'{where}: {problem}; give one of {", ".join(_KINDS)}')
    parent, child = (where.reference(where.child(element, end, needed=True), 'link') for end in ('parent', 'child'))
    limit, dynamics, mimic = (where.child(element, tag) for tag in ('limit', 'dynamics', 'mimic'))
    if kind == 'fixed':
        return Joint(where.name, kind, parent, child, where.pose(element))
    return Joint(
        where.name, kind, parent, child, where.pose(element),
        axis=_axis(where, element),
        mimic=_mimic(where, mimic),
        position_limits=_position_limits(where, limit, kind),
        velocity_limit=where.number(limit, 'velocity', math.inf),
        effort_limit=where.number(limit, 'effort', math.inf),
        damping=where.number(dynamics, 'damping', 0.0),
        friction=where.number(dynamics, 'friction', 0.0),
    )


def _axis(where, element):
    axis = where.vector(where.child(element, 'axis'), 'xyz', (1.0, 0.0, 0.0))
    largest = np.abs(axis).max()
    if largest == 0.0:
        raise DescriptionError(f"{where}: its axis is zero; give a direction, such as <axis xyz='0 0 1'/>")
    axis = axis / largest
    return axis / np.linalg.norm(axis)


def _mimic(where, element):
    if element is None:
        return None
    master = where.reference(element, 'joint')
    return Mimic(master, where.number(element, 'multiplier', 1.0), where.number(element, 'offset', 0.0))


def _position_limits(where, element, kind):
    """A missing bound is 0 by the format's definition; with both missing the joint is taken as unlimited."""
    lower, upper = where.number(element, 'lower', None), where.number(element, 'upper', None)
    if kind == 'continuous' or lower is upper is None:
        return -math.inf, math.inf
    return lower or 0.0, upper or 0.0


class _Place:
    """A link or joint of the text, by whose name errors speak of it."""

    def __init__(self, what, element):
        self._what = what
        self.name = element.get('name', '')
        if not self.name:
            raise DescriptionError(f'a {what} has no name; every {what} needs its own')
        self._check_length(self.name)

    def __str__(self):
        return f'{self._what} {shown(self.name)}'

    def reference(self, element, attribute):
        """The name of another link or joint."""
        name = element.get(attribute)
        if not name:
            tag = element.tag
            raise DescriptionError(f"{self}: its <{tag}> names no {attribute}; write <{tag} {attribute}='...'/>")
        self._check_length(name)
        return name

    def child(self, element, tag, *, needed=False):
        found = element.findall(tag)
        if len(found) > 1:
            raise DescriptionError(f'{self}: it has {len(found)} <{tag}> in its <{element.tag}>; keep one')
        if needed and not found:
            raise DescriptionError(f'{self}: its <{element.tag}> has no <{tag}>; add it')
        return found[0] if found else None

    def number(self, element, attribute, *default):
        return self._numbers(element, attribute, 1, *default)

    def vector(self, element, attribute, *default):
        return np.array(self._numbers(element, attribute, 3, *default))

    def pose(self, element):
        """4x4 of the <origin> in an element, the identity where there is none."""
        origin = self.child(element, 'origin')
        C = np.eye(4)
        if origin is None:
            return C
        C[:3, 3] = self.vector(origin, 'xyz', (0.0, 0.0, 0.0))
        if origin.get('quat_xyzw') is not None:
            C[:3, :3] = self._quaternion_rotation(origin)
        else:
            C[:3, :3] = _rpy_rotation(*self.vector(origin, 'rpy', (0.0, 0.0, 0.0)))
        return C

    def _check_length(self, name):
        if len(name) > _MAX_NAME:
            raise DescriptionError(
                f'{self}: the name {shown(name)} has {len(name)} characters; at most {_MAX_NAME} are read')

    def _quaternion_rotation(self, origin):
        if origin.get('rpy') is not None:
            raise DescriptionError(f'{self}: its <origin> has both rpy and quat_xyzw; keep one')
        quaternion = np.array(self._numbers(origin, 'quat_xyzw', 4))
        length = np.linalg.norm(quaternion)
        if abs(length - 1.0) > 1e-3:
            raise DescriptionError(
                f'{self}: quat_xyzw of its <origin> has the length {length:g}; give a unit quaternion')
        x, y, z, w = quaternion / length
        return np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ])

    def _numbers(self, element, attribute, count, *default):
        """A float, or a list of several, of an attribute; the default where element or attribute is absent."""
        text = None if element is None else element.get(attribute)
        if text is None:
            if default:
                return default[0]
            raise DescriptionError(f'{self}: its <{element.tag}> has no {attribute}; add it')
        words = text.split()
        values = [_float(word) for word in words]
        bound = math.inf if element.tag == 'limit' else LARGEST
        if len(words) == count and all(abs(value) < bound for value in values):
            return values if count > 1 else values[0]
        wanted = 'one finite number' if count == 1 else f'{count} finite numbers separated by spaces'
        hint = f' below {bound:g}' if len(words) == count and all(map(math.isfinite, values)) else ''
        hint += '; it looks like unexpanded xacro' if '$' in text else ''
        raise DescriptionError(f'{self}: {attribute} of its <{element.tag}> is {shown(text)}; give {wanted}{hint}')


def _float(word):
    try:
        return math.nan if '_' in word else float(word)
    except ValueError:
        return math.nan


def _rpy_rotation(roll, pitch, yaw):
    """Turns about the fixed axes x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll)"""
    sr, cr, sp, cp, sy, cy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.sin, math.cos))
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])
