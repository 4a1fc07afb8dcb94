# SPDX-License-Identifier: Apache-2.0
"""A robot description and parameters made into a model with drives: the one place for every node."""

from dataclasses import dataclass
from dataclasses import replace
from functools import cached_property

import numpy as np

from hod_ros.actuators.description_tag import drives_from_urdf
from hod_ros.actuators.description_tag import foreign_stiffness
from hod_ros.actuators.drives import Drive
from hod_ros.actuators.prepared_drives import PreparedDrives
from hod_ros.checks.arguments import listed
from hod_ros.checks.arguments import some
from hod_ros.errors import DescriptionError
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.payload import with_payload
from hod_ros.model.robot_model import RobotModel
from hod_ros.model.wording import Wording
from hod_ros.ros.elastic.stamped_filter import damped_joint
from hod_ros.ros.robot.settings import RobotSettings

# How messages about a description spell what parameters say.
PARAMETERS = Wording(
    joints='the parameter joints', locked='locked_positions', armature='armature', entry='{}.{}'.format,
    lock=lambda joints: f'set {", ".join(f"locked_positions.{joint}" for joint in joints[:6])}{", ..." if len(joints) > 6 else ""} to 0.0',
    free_base='use the Python library, since nodes are for fixed bases (but for requests that hold a motion of the base)')
NOTHING = '', 0.0, (0.0,) * 3, (0.0,) * 6       # the payload of a robot that carries none


@dataclass(frozen=True)
class Robot:

    settings: RobotSettings
    source: str                     # where the description came from, in words
    empty_handed: RobotModel        # without its payload
    model: RobotModel
    drives: dict[str, Drive]        # of elastic joints
    unused: tuple[str, ...]         # sentences about what the description says and nothing here takes

    @classmethod
    def build(cls, text: str, source: str, settings: RobotSettings) -> 'Robot':
        """DescriptionError or ModelError where the description is bad, another HodError where these settings don't fit it."""
        empty_handed = _without_payload(text, settings)
        try:
            drives = drives_from_urdf(text, empty_handed, {joint: dict(figures) for joint, figures in settings.elastic})
        except InputError as error:         # the parameters' figures have been checked: it is one of the description's
            raise DescriptionError(str(error)) from None
        joint = damped_joint(PreparedDrives(empty_handed, drives)) if drives else None
        if joint is not None and not settings.damping_filter:
            raise InputError(
                f'joint {joint!r} has damping without damping_terms, which takes a filter that remembers earlier setpoints; '
                'set the parameter damping_filter to true, or give damping_terms, 1 or more')
        model = _loaded(empty_handed, settings)
        return cls(settings, source, empty_handed, model, drives, tuple(foreign_stiffness(text)))

    def with_settings(self, settings: RobotSettings) -> 'Robot':
        """The same robot with the gravity and the payload of these settings; HodError where they are bad."""
        return replace(self, settings=settings, model=_loaded(self.empty_handed, settings))

    @cached_property
    def prepared(self) -> PreparedDrives:
        """Its drives for its model; joints that have none are rigid."""
        return PreparedDrives(self.model, self.drives)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*(f'implausible: {warning}' for warning in self.model.warnings), *self.unused)

    @property
    def payload_warnings(self) -> tuple[str, ...]:
        """Those of the warnings that are about its payload."""
        return tuple(f'implausible: {warning}' for warning in self.model.warnings[len(self.empty_handed.warnings):])

    def __str__(self) -> str:
        model = self.model
        return f'robot {model.name!r} ({model.hash}) from {self.source}, {model.n} joints: {some(model.joint_names)}'


def _without_payload(text, settings):
    if not text.strip():
        raise DescriptionError('the robot description is empty; publish the URDF of the robot')
    model = RobotModel.from_urdf(
        text, joints=list(settings.joints) or None, locked=dict(settings.locked) or None, armature=dict(settings.armature) or None,
        gravity=settings.gravity, words=PARAMETERS)
    if not model.n:
        raise DescriptionError(f'robot {model.name!r} has no moving joint; there is nothing to compute')
    for parameter, joint in settings.named:
        if joint not in model.joint_names:
            raise InputError(
                f'parameter {parameter} names the joint {joint!r}, which robot {model.name!r} does not have or which is '
                f'locked; its joints are {listed(model.joint_names, 12)}')
    return model


def _loaded(model, settings):
    if tuple(model.gravity) != settings.gravity:
        model = model.replace(gravity=settings.gravity)
    link, mass, center, (ixx, ixy, ixz, iyy, iyz, izz) = settings.payload
    if settings.payload == NOTHING:
        return motions.massive(model)
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    if tensor.any() and not mass:
        raise InputError('payload.inertia is not zero, but payload.mass is 0; give the mass, or an inertia of zeros with it')
    # What no link carries yet must make sense as well.
    loaded = with_payload(model, link or next(iter(model.links)), mass, center, tensor)
    return motions.massive(loaded if link else model)
