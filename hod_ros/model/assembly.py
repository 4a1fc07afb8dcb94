# SPDX-License-Identifier: Apache-2.0
"""Links and joints -> the fields of a RobotModel: links that do not move against one another become one body.

Inertias are 6x6 in coordinates (angular, linear), about the origin of the frame they are given in.
"""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.checks import arguments
from hod_ros.checks.arguments import listed
from hod_ros.description.places import raised
from hod_ros.description.plausibility import free_base_warnings
from hod_ros.description.plausibility import grouped
from hod_ros.description.plausibility import inertia_doubts
from hod_ros.description.plausibility import limit_doubts
from hod_ros.description.plausibility import lock_doubts
from hod_ros.description.plausibility import place_doubts
from hod_ros.errors import InputError
from hod_ros.model import field_checks
from hod_ros.model.bodies import STANDARD_GRAVITY
from hod_ros.model.idle import idle_warnings
from hod_ros.model.mimic_joints import without_dangling_mimics
from hod_ros.model.rotors import rotor_warnings
from hod_ros.model.selection import select
from hod_ros.model.topology import floating_base
from hod_ros.model.topology import in_tree_order
from hod_ros.model.wording import PYTHON
from hod_ros.model.wording import Wording


def assemble(description, *, keep=None, gravity=STANDARD_GRAVITY, locked=None, base='fixed', armature=None, words=PYTHON, report=raised):
    """The fields of a RobotModel of a Description; the options are RobotModel.from_urdf's (`keep`: its `joints`).

    report: what takes an error of the description. Where it returns, the next is looked for, and the fields are no robot's: None, where
    there is no tree.
    """
    links = description.links
    field_checks.base(base, InputError)
    if not isinstance(words, Wording):
        raise InputError(f'words is {arguments.shown(words)}; give a Wording')
    gravity = arguments.finite_vector(gravity, 3, 'gravity', '[m/s^2]')
    tree = in_tree_order(links, description.joints, report)
    if tree is None:
        return None
    root, ordered = tree
    floating, freed = floating_base(root, ordered, links), None
    if base == 'free' and floating is not None:
        # A free base means what a floating joint below a bare world link means: the joint and the world link go.
        links = [link for link in links if link.name != root]
        root, ordered, floating, freed = floating.child, ordered[1:], None, floating
    ordered, mimic_doubts = without_dangling_mimics(ordered, freed)
    joint_names, drives = select(ordered, keep, locked, floating, words, report)
    bodies = _Bodies(root, {link.name: link for link in links})
    for joint in ordered:
        bodies.attach(joint, drives[joint.name])
    columns = {joint: column for column, joint in enumerate(joint_names)}
    armature = _armature(armature, ordered, columns, words)
    coordinate = [columns[drives[joint.name].joint] for joint in bodies.joints]
    screws = np.reshape([joint.screw for joint in bodies.joints], (-1, 6))
    inertias = np.reshape(bodies.inertias[1:], (-1, 6, 6))
    by_name = {joint.name: joint for joint in ordered}
    selected = [by_name[joint] for joint in joint_names]
    fields = dict(
        name=description.name,
        joint_names=joint_names,
        bodies=bodies.frames,
        joints=[joint.name for joint in bodies.joints],
        parent=bodies.parent,
        coordinate=coordinate,
        multiplier=[drives[joint.name].multiplier for joint in bodies.joints],
        offset=[drives[joint.name].offset for joint in bodies.joints],
        B=np.reshape(bodies.placements, (-1, 4, 4)),
        X=screws,
        M=inertias,
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
            *description.warnings,
            *grouped(
                doubt for link in links if base == 'free' or bodies.links[link.name][0] >= 0
                for doubt in (*inertia_doubts(link.name, link.mass, link.tensor), *place_doubts(link))),
            *grouped(doubt for joint in selected for doubt in limit_doubts(joint)),
            *grouped(
                doubt for joint in ordered if drives[joint.name].joint is None
                for doubt in lock_doubts(joint, drives[joint.name].offset)),
            *grouped(mimic_doubts),
            *free_base_warnings(base, root, bodies.inertias[0]),
            *(['the robot has no moving joint'] if base == 'fixed' and not joint_names else []),
            *idle_warnings(joint_names, coordinate, screws, range(len(screws)), bodies.parent, inertias, armature, words),
        ],
    )
    fields['warnings'] += rotor_warnings(fields, words)
    return fields


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


def _armature(values, ordered, columns, words):
    """(n,) from {joint name: rotor inertia}; a locked joint's rotor does not move."""
    values = arguments.numbers_by_name(values, words.armature, '[kg m^2] or [kg]')
    out = np.zeros(len(columns))
    independent = [joint.name for joint in ordered if joint.moves and joint.mimic is None]
    for name, value in values.items():
        if name not in independent:
            raise InputError(
                f'{words.armature} names {name!r}, which is no independent moving joint; these are {listed(independent) or "none"}')
        if value < 0:
            raise InputError(f'{words.entry(words.armature, name)} is {value}; a rotor inertia is 0 or more')
        if name in columns:
            out[columns[name]] = value
    return out
