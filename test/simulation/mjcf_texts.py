# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions that a simulator stumbles over."""

LINK = """<link name='{}'><inertial><origin xyz='{}'/><mass value='{}'/>
<inertia ixx='{}' iyy='{}' izz='{}' ixy='0' ixz='0' iyz='0'/></inertial></link>"""
JOINT = """<joint name='{}' type='continuous'><origin xyz='{}'/><parent link='{}'/><child link='{}'/><axis xyz='{}'/></joint>"""


def bench(links):
    """One or two levers on horizontal axes."""
    second = [LINK.format('tip', '0 0 0', 0.4, 0.004, 0.004, 0.004), JOINT.format('elbow', '0 0 -0.4', 'lever', 'tip', '0 0 1')]
    return ''.join([
        "<robot name='bench'><link name='base'/>",
        LINK.format('lever', '0 0 -0.2', 1.2, 0.02, 0.02, 0.001),
        JOINT.format('hub', '0 0 0.5', 'base', 'lever', '0 1 0'),
        *(second if links == 2 else []),
        '</robot>'])


WITHOUT_MASS_BETWEEN = ''.join([
    "<robot name='cross'><link name='base'/><link name='cross'/>",
    LINK.format('lever', '0 0 -0.2', 1.2, 0.02, 0.02, 0.001),
    JOINT.format('first', '0 0 0.5', 'base', 'cross', '1 0 0'),
    JOINT.format('second', '0 0 0', 'cross', 'lever', '0 1 0'),
    '</robot>'])

UNREAL_TENSOR = ''.join([
    "<robot name='unreal'><link name='base'/>",
    LINK.format('lever', '0 0 -0.2', 1.2, 0.02, 0.02, 0.09),
    JOINT.format('hub', '0 0 0.5', 'base', 'lever', '0 1 0'),
    '</robot>'])
