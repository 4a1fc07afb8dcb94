# SPDX-License-Identifier: Apache-2.0
"""What users hand in for a URDF: named as what it is, with the remedy."""

from hod_ros.description.places import shown
from hod_ros.errors import DescriptionError

_LFS_POINTER = 'version https://git-lfs.github.com/'
_SDF = 'SDF; convert it to URDF, for example with sdformat_urdf'
_MJCF = "MJCF, MuJoCo's format; give the URDF of this robot"
_ROOTS = {
    'sdf': _SDF,
    'gazebo': _SDF,
    'world': _SDF,
    'model': "a model's cover sheet or part of an SDF; give the URDF of this robot",
    'mujoco': _MJCF,
    'mujocoinclude': _MJCF,
    'COLLADA': 'COLLADA, a mesh; give the URDF that refers to it',
    'launch': 'a launch file; give the URDF that it loads',
    'html': 'a page of the web; download the file itself (the raw file)',
    'package': 'a package.xml; give the URDF of this robot',
}
_SRDF = frozenset((
    'group', 'group_state', 'end_effector', 'virtual_joint', 'passive_joint', 'disable_collisions', 'disable_default_collisions'))
_PATHS = ('.urdf', '.xacro', '.xml')


def refuse_text(start):
    """Refuses a text by how it begins after spaces and comments."""
    if start.startswith(_LFS_POINTER):
        raise DescriptionError(
            "the robot description is a pointer of Git LFS, which stands for a file that was not downloaded; run 'git lfs pull' where it "
            'comes from')
    if start.lower().startswith(('<!doctype html', '<html')):
        raise DescriptionError(f'the robot description is {_ROOTS["html"]}')
    if start[:9].upper() == '<!DOCTYPE':
        raise DescriptionError(
            'the robot description holds a DOCTYPE, which a URDF never needs and which may hide entity bombs; '
            'remove it')
    if not start.startswith('<'):
        remedy = "give the text of a URDF, which begins with '<robot'"
        if start.rstrip().endswith(_PATHS):
            remedy = 'it looks like a path: give the text of that file, or a Path object'
        raise DescriptionError(f'the robot description is not XML: it begins with {shown(start)}; {remedy}')


def refuse_root(root):
    """Refuses an XML tree that is no URDF."""
    if root.tag != 'robot':
        kind = _ROOTS.get(root.tag, 'no URDF; give a text whose root is <robot>')
        raise DescriptionError(f'the robot description has the root element <{root.tag[:60]}>: it is {kind}')
    tags = {child.tag for child in root}
    if tags & _SRDF and not tags & {'link', 'joint'}:
        raise DescriptionError(
            'the robot description has no links but groups and the like: it is an SRDF, which adds to a URDF what MoveIt plans with; give '
            'that URDF')
