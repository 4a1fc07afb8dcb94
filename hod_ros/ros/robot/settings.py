"""What a robot description is turned into a model with: joints, locked positions, armature, gravity, payload."""

from dataclasses import dataclass

import numpy as np

from hod_ros.actuators.description_tag import drives_from_urdf
from hod_ros.actuators.description_tag import foreign_stiffness
from hod_ros.actuators.motor_feedforward import PreparedDrives
from hod_ros.errors import DescriptionError
from hod_ros.errors import InputError
from hod_ros.model.payload import with_payload
from hod_ros.model.robot_model import RobotModel
from hod_ros.ros.elastic.motors import check_drives
from hod_ros.ros.parameters.specifications import ARMATURE
from hod_ros.ros.parameters.specifications import EFFORT_LIMITS
from hod_ros.ros.parameters.specifications import LOCKED_POSITION

CHANGEABLE = frozenset(('gravity', 'payload.link', 'payload.mass', 'payload.center', 'payload.inertia'))


@dataclass(frozen=True)
class ModelSettings:

    joints: tuple           # empty: all
    locked: tuple           # of (joint, position [rad] or [m])
    armature: tuple         # of (joint, rotor inertia [kg m^2])
    named: tuple            # of (parameter, joint): joints that other parameters name and that must exist
    gravity: tuple          # [m/s^2]
    payload: tuple          # link, mass [kg], center [m], ixx, ixy, ixz, iyy, iyz, izz [kg m^2]
    elastic: tuple = ()     # of (joint, ((figure, value), ...)): drives of elastic joints
    damping_filter: bool = False    # whether drives may need one

    def build(self, text):
        """The model of a description without its payload; HodError where there is none."""
        if not text.strip():
            raise DescriptionError('the robot description is empty; publish the URDF of the robot')
        model = RobotModel.from_urdf(
            text, joints=list(self.joints) or None, locked=dict(self.locked) or None, armature=dict(self.armature) or None,
            gravity=self.gravity)
        if not model.n:
            raise DescriptionError(f'robot {model.name!r} has no moving joint; there is nothing to compute')
        for parameter, joint in self.named:
            if joint not in model.joint_names:
                raise InputError(
                    f'parameter {parameter} names the joint {joint!r}, which robot {model.name!r} does not have or which is '
                    f'locked; its joints are {", ".join(model.joint_names)}')
        return model

    def drives(self, text, plain):
        """{joint: drive} of the elastic joints, from the parameters and the description; and warnings about what is not taken."""
        drives = drives_from_urdf(text, plain, {joint: dict(figures) for joint, figures in self.elastic})
        if drives:
            check_drives(PreparedDrives(plain, drives), self.damping_filter)
        return drives, foreign_stiffness(text)

    def load(self, plain):
        """The model with this gravity and payload, of a plain one."""
        if tuple(plain.gravity) != self.gravity:
            plain = plain.replace(gravity=self.gravity)
        link, mass, center, (ixx, ixy, ixz, iyy, iyz, izz) = self.payload
        if not link:
            return plain
        return with_payload(plain, link, mass, center, np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]))


def model_settings(parameters, changes, elastic=()):
    """The settings as the parameters are, but for `changes` ({name: new value})."""
    def value(name):
        return changes[name] if name in changes else parameters[name]

    named = [('command_joints', joint) for joint in parameters['command_joints']]
    for family in (ARMATURE, *EFFORT_LIMITS):
        named += [(family.name.replace('<joint>', joint), joint) for joint in parameters.of_joints(family)]
    return ModelSettings(
        joints=tuple(parameters['joints']),
        locked=tuple(parameters.of_joints(LOCKED_POSITION).items()),
        armature=tuple(parameters.of_joints(ARMATURE).items()),
        named=tuple(named),
        gravity=tuple(value('gravity')),
        payload=(value('payload.link'), value('payload.mass'), tuple(value('payload.center')), tuple(value('payload.inertia'))),
        elastic=elastic,
        damping_filter=parameters['damping_filter'],
    )
