# SPDX-License-Identifier: Apache-2.0
"""Small URDFs by their parts."""

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, inside='', kind='revolute'):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


def arm(inside='', kind='revolute', child=INERTIAL):
    """base - swing - arm"""
    return robot(link('base'), joint('swing', 'base', 'arm', inside, kind), link('arm', child))
