# SPDX-License-Identifier: Apache-2.0
"""What parameters say about the robot: joints, locked positions, armature, gravity, payload, drives. The same for every node."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hod_ros.ros.parameters.declared import Parameters

LOCKED = 'locked_positions.<joint>'


@dataclass(frozen=True)
class RobotSettings:

    joints: tuple           # empty: all
    locked: tuple           # of (joint, position [rad] or [m])
    armature: tuple         # of (joint, rotor inertia [kg m^2])
    named: tuple            # of (parameter, joint): joints that parameters name and that must exist
    gravity: tuple          # [m/s^2]
    payload: tuple          # link, mass [kg], center [m], ixx, ixy, ixz, iyy, iyz, izz [kg m^2]
    elastic: tuple          # of (joint, ((figure, value), ...)): drives of elastic joints
    damping_filter: bool    # whether drives may need one


def robot_settings(parameters: Parameters, changes: Mapping[str, Any] | None = None) -> RobotSettings:
    """The settings as the parameters are, but for `changes` ({name: new value})."""
    values = {**parameters, **(changes or {})}
    named = [('command_joints', joint) for joint in values.get('command_joints', ())]
    for family in parameters.families:
        if '<joint>' in family and family != LOCKED:
            named += [(family.replace('<joint>', joint), joint) for joint in parameters.members(family)]
    return RobotSettings(
        joints=tuple(values['joints']),
        locked=tuple(parameters.members(LOCKED).items()),
        armature=tuple(parameters.members('armature.<joint>').items()),
        named=tuple(named),
        gravity=tuple(values['gravity']),
        payload=(values['payload.link'], values['payload.mass'], tuple(values['payload.center']), tuple(values['payload.inertia'])),
        elastic=tuple((joint, tuple(figures.items())) for joint, figures in parameters.elastic.items()),
        damping_filter=values.get('damping_filter', True),
    )
