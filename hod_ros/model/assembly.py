"""Links and joints -> the fields of a RobotModel: links that do not move against one another become one body.

Inertias are 6x6 in coordinates (angular, linear), about the origin of the frame they are given in.
"""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.checks import arguments
from hod_ros.description.plausibility import free_base_warnings
from hod_ros.description.plausibility import idle_joint_warnings
from hod_ros.description.plausibility import inertia_warnings
from hod_ros.description.plausibility import limit_warnings
from hod_ros.errors import DescriptionError
from hod_ros.errors import InputError
from hod_ros.model.bodies import STANDARD_GRAVITY
from hod_ros.model.selection import select
from hod_ros.model.selection import without_dangling_mimics
from hod_ros.model.topology import in_tree_order


def assemble(name, links, joints, *, keep=None, gravity=STANDARD_GRAVITY, locked=None, base='fixed', armature=None):
    """The fields of a RobotModel of Link and Joint records; the options are RobotModel.from_urdf's (`keep`: its `joints`)."""
    if not arguments.one_of(base, ('fixed', 'free')):
        raise InputError(f"base is {arguments.shown(base)}; give 'fixed' or 'free'")
    gravity = arguments.finite_vector(gravity, 3, 'gravity', '[m/s^2]')
    root, ordered = in_tree_order(links, joints)
    if base == 'free':
        root, ordered, links = _without_world(root, ordered, links)
    ordered, mimic_warnings = without_dangling_mimics(ordered)
    joint_names, drives = select(ordered, keep, locked)
    bodies = _Bodies(root, {link.name: link for link in links})
    for joint in ordered:
        bodies.attach(joint, drives[joint.name])
    columns = {joint: column for column, joint in enumerate(joint_names)}
    armature = _armature(armature, ordered, columns)
    coordinate = [columns[drives[joint.name].joint] for joint in bodies.joints]
    _check_inertia(bodies, coordinate, joint_names, armature, base == 'free')
    by_name = {joint.name: joint for joint in ordered}
    selected = [by_name[joint] for joint in joint_names]
    return dict(
        name=name,
        joint_names=joint_names,
        bodies=bodies.frames,
        joints=[joint.name for joint in bodies.joints],
        parent=bodies.parent,
        coordinate=coordinate,
        multiplier=[drives[joint.name].multiplier for joint in bodies.joints],
        offset=[drives[joint.name].offset for joint in bodies.joints],
        B=np.reshape(bodies.placements, (-1, 4, 4)),
        X=np.reshape([joint.screw for joint in bodies.joints], (-1, 6)),
        M=np.reshape(bodies.inertias[1:], (-1, 6, 6)),
        M_base=bodies.inertias[0],
        links=bodies.links,
        base_link=root,
        base=base,
        gravity=gravity,
        armature=armature,
        damping=_on_coordinates(bodies.joints, drives, joint_names, lambda joint, multiplier: joint.damping * multiplier**2),
        friction=_on_coordinates(bodies.joints, drives, joint_names, lambda joint, multiplier: joint.friction * abs(multiplier)),
        position_limits=np.reshape([joint.position_limits for joint in selected], (-1, 2)),
        velocity_limits=[joint.velocity_limit for joint in selected],
        effort_limits=[joint.effort_limit for joint in selected],
        warnings=[
            *(warning for link in links for warning in inertia_warnings(link)),
            *(warning for joint in selected for warning in limit_warnings(joint)),
            *mimic_warnings,
            *_model_warnings(base, root, bodies, joint_names),
            *idle_joint_warnings(
                joint_names, coordinate, [joint.screw for joint in bodies.joints], range(len(bodies.joints)), bodies.parent,
                bodies.inertias[1:], armature),
        ],
    )


class _Bodies:
    """Bodies as they grow joint by joint; body -1 is the base, whose inertia comes first in `inertias`."""

    def __init__(self, root, links_by_name):
        self._links_by_name = links_by_name
        self.frames, self.joints, self.parent, self.placements = [], [], [], []
        self.inertias = [np.zeros((6, 6))]
        self.links = {}
        self._place(root, -1, np.eye(4))

    def attach(self, joint, drive):
        body, pose = self.links[joint.parent]
        pose = pose @ joint.origin
        if not joint.moves:
            self._place(joint.child, body, pose)
        elif drive.joint is None:
            self._place(joint.child, body, pose @ lie.exp(joint.screw, drive.offset))
        else:
            self.frames.append(joint.child)
            self.joints.append(joint)
            self.parent.append(body)
            self.placements.append(pose)
            self.inertias.append(np.zeros((6, 6)))
            self._place(joint.child, len(self.frames) - 1, np.eye(4))

    def _place(self, name, body, pose):
        self.links[name] = (body, pose)
        link = self._links_by_name[name]
        if not link.massless:
            self.inertias[body + 1] += spatial_inertia(link, pose)


def _on_coordinates(joints, drives, joint_names, figure):
    """(n,) figures of the joints and of those that mimic them, as seen at the independent joints."""
    total = dict.fromkeys(joint_names, 0.0)
    for joint in joints:
        drive = drives[joint.name]
        total[drive.joint] += figure(joint, drive.multiplier)
    return list(total.values())


def spatial_inertia(link, pose):
    """000 (12): (6, 6) inertia of a link about the frame in which `pose` places it."""
    R = pose[:3, :3]
    c = lie.skew(R @ link.com + pose[:3, 3])
    M = np.zeros((6, 6))
    M[:3, :3] = R @ link.tensor @ R.T - link.mass * (c @ c)
    M[:3, 3:] = link.mass * c
    M[3:, :3] = -link.mass * c
    M[3:, 3:] = link.mass * np.eye(3)
    return M


def _without_world(root, ordered, links):
    """A free base means what a floating joint below a bare world link means: the joint and the world link go."""
    world = next(link for link in links if link.name == root)
    below = [joint for joint in ordered if joint.parent == root]
    if not world.massless or [joint.kind for joint in below] != ['floating']:
        return root, ordered, links
    return ordered[0].child, ordered[1:], [link for link in links if link is not world]


def _armature(values, ordered, columns):
    """(n,) from {joint name: rotor inertia}; a locked joint's rotor does not move."""
    values = arguments.numbers_by_name(values, 'armature', '[kg m^2] or [kg]')
    out = np.zeros(len(columns))
    independent = [joint.name for joint in ordered if joint.moves and joint.mimic is None]
    for name, value in values.items():
        if name not in independent:
            raise InputError(
                f'armature names {name!r}, which is no independent moving joint; these are '
                f'{", ".join(independent) or "none"}')
        if value < 0:
            raise InputError(f'armature[{name!r}] is {value}; a rotor inertia is 0 or more')
        if name in columns:
            out[columns[name]] = value
    return out


def _check_inertia(bodies, coordinate, joint_names, armature, free):
    """Refuses joints whose force would be zero in every motion, because nothing that they move has inertia."""
    carried = [M.copy() for M in bodies.inertias]
    for i in range(len(bodies.parent) - 1, -1, -1):
        # Where the inertia lies does not matter here: mass and tensors of a subtree only need to be told from none.
        carried[bodies.parent[i] + 1] += np.abs(carried[i + 1])
    moved = np.array(armature)
    for joint, column, M in zip(bodies.joints, coordinate, carried[1:], strict=True):
        moved[column] += M[3, 3] if joint.kind == 'prismatic' else np.abs(M).max()
    if free and not sum(carried).any():
        raise DescriptionError('no link of the free robot has any inertia; give its links an <inertial>')
    idle = [joint for joint, inertia in zip(joint_names, moved, strict=True) if inertia == 0.0]
    if idle:
        which = 'joint' if len(idle) == 1 else 'each of the joints'
        raise DescriptionError(
            f'nothing that {which} {", ".join(map(repr, idle))} moves has any inertia, so its force would be zero in '
            'every motion; give the links that it moves an <inertial>, or the joint an armature, or lock it (leave it '
            'out of joints)')


def _model_warnings(base, root, bodies, joint_names):
    yield from free_base_warnings(base, root, bodies.inertias[0])
    if base == 'fixed' and not joint_names:
        yield 'the robot has no moving joint'
