# SPDX-License-Identifier: Apache-2.0
"""`hod info`: what a robot is made of."""

import argparse
import gc

from hod_ros.command import exits
from hod_ros.command.reports import add_json
from hod_ros.command.reports import figure
from hod_ros.command.reports import print_json
from hod_ros.command.reports import styled
from hod_ros.command.reports import table
from hod_ros.command.robots import add_robot
from hod_ros.command.robots import described_robot

DESCRIPTION = "What a robot is made of: its joints with axes and limits, its links' masses, total mass and centre of mass, warnings."
EXAMPLES = """\
examples:
  hod info panda
  hod info arm.urdf.xacro --joints joint1,joint2,joint3 --lock gripper=0.04
  hod info my_robot.urdf --json | jq '.joints[] | select(.effort_limit == null) | .name'     joints without an effort limit
"""
HEADER = ('joint', 'kind', 'axis', 'position', 'velocity', 'effort', 'link', 'mass [kg]')


def arguments(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    gc.disable()            # of a process so short: looking for cycles among what is imported takes a tenth of its time
    source, description, model = described_robot(options)
    found = summary(description, model)
    found['warnings'] = [source.placed(warning) for warning in found['warnings']]
    if options.json:
        print_json(found)
    else:
        _show(found)
    return exits.DONE


def summary(description, model) -> dict:
    """Everything that is shown."""
    import numpy as np

    from hod_ros.dynamics.momentum import centre_of_mass
    from hod_ros.dynamics.momentum import total_mass
    from hod_ros.model.topology import in_tree_order
    root, ordered = in_tree_order(description.links, description.joints)
    mass = {link.name: link.mass for link in description.links}
    total = float(total_mass(model))
    return {
        'name': model.name,
        'hash': model.hash,
        'base': {'link': root, 'kind': model.base, 'mass': mass[root]},
        'moving_joints': list(model.joint_names),
        'links': len(description.links),
        'mass': total,
        'centre_of_mass': centre_of_mass(model, np.zeros((1, model.n)))[0] if total > 0 and model.base == 'fixed' else None,
        'gravity': model.gravity,
        'joints': [_joint(joint, mass, model) for joint in ordered],
        'warnings': list(model.warnings)}


def _joint(joint, mass, model):
    found = {
        'name': joint.name, 'kind': joint.kind, 'parent': joint.parent, 'link': joint.child, 'link_mass': mass[joint.child],
        'moves': joint.name in model.joint_names}
    if joint.kind == 'fixed':
        return found
    mimic = None if joint.mimic is None else {
        'joint': joint.mimic.master, 'multiplier': joint.mimic.multiplier, 'offset': joint.mimic.offset}
    return found | {
        'axis': joint.axis, 'position_limits': joint.position_limits, 'velocity_limit': joint.velocity_limit,
        'effort_limit': joint.effort_limit, 'damping': joint.damping, 'friction': joint.friction, 'mimic': mimic}


def _show(found):
    base = found['base']
    print(f'{styled(found["name"], "bold")}: {len(found["moving_joints"])} joints move, {found["links"]} links, {found["mass"]:.4g} kg, '
          f'{base["kind"]} base {base["link"]!r}, model {found["hash"]}')
    if found['centre_of_mass'] is not None:
        print('centre of mass with all joints at 0: ' + ', '.join(f'{x:.4g}' for x in found['centre_of_mass']) + ' m')
    print()
    print('\n'.join(table(HEADER, list(_rows(found)), right=(4, 5, 7))))
    if any(joint['kind'] != 'fixed' for joint in found['joints']):
        print('\npositions, velocities and efforts in rad, rad/s, N m; of prismatic joints in m, m/s, N')
    for warning in found['warnings']:
        print(f'\n{styled("warning", "yellow")}: {warning}')


def _rows(found):
    depths = _depths(found)
    base = found['base']
    yield ('', '', '', '', '', '', base['link'], figure(base['mass']))
    for joint in found['joints']:
        name = '  ' * depths[joint['name']] + joint['name']
        if joint['kind'] == 'fixed':
            yield name, 'fixed', '', '', '', '', joint['link'], figure(joint['link_mass'])
            continue
        kind = joint['kind'] if joint['moves'] else f'{joint["kind"]}, locked'
        if joint['mimic']:
            kind = f'{joint["kind"]}, mimics {joint["mimic"]["joint"]}'
        lower, upper = joint['position_limits']
        yield (
            name, kind, ' '.join(f'{x:.4g}' for x in joint['axis'] + 0.0), f'{lower:.4g} .. {upper:.4g}' if upper < float('inf') else '',
            figure(joint['velocity_limit']), figure(joint['effort_limit']), joint['link'], figure(joint['link_mass']))


def _depths(found):
    """{joint: how far it is indented}: one further behind each branching, so that chains stay straight."""
    joints = found['joints']
    below, depth_of_link = {}, {found['base']['link']: 0}
    for joint in joints:
        below.setdefault(joint['parent'], []).append(joint)
    depths = {}
    for joint in joints:            # parents before children
        depth = depth_of_link[joint['parent']] + (len(below[joint['parent']]) > 1)
        depths[joint['name']] = depth_of_link[joint['link']] = depth
    return depths
