# SPDX-License-Identifier: Apache-2.0
"""Which joints move: those selected, those that mimic them, and those that stay locked."""


from hod_ros.checks import arguments
from hod_ros.checks.arguments import listed
from hod_ros.description.places import raised
from hod_ros.description.records import MULTIPLE
from hod_ros.errors import DescriptionError
from hod_ros.errors import InputError
from hod_ros.model.mimic_joints import Driven
from hod_ros.model.mimic_joints import follow


def select(joints, keep, locked, floating, words, report=raised):
    """(names of the independent joints, {joint name: its Driven}) for the joints of a tree in its order.

    floating: the joint that ties the robot to a bare world link, or None; words: how messages spell the options; report: what takes an
    error of the description. Where it returns, that joint counts as locked.
    """
    by_name = {joint.name: joint for joint in joints}
    locked = arguments.numbers_by_name(locked, words.locked, '[rad] or [m]')
    for name in locked:
        _check_selectable(name, words.locked, by_name)
        if by_name[name].kind in MULTIPLE and locked[name] != 0.0:
            raise InputError(
                f'{words.entry(words.locked, name)} is {locked[name]}, but a {by_name[name].kind} joint can be locked at 0 only, '
                'its origin')
    if keep is None:
        keep = [joint.name for joint in joints if _independent(joint) and joint.name not in locked]
    else:
        keep = arguments.names(keep, words.joints)
        for name in keep:
            _check_selectable(name, words.joints, by_name)
            if name in locked:
                raise InputError(f'joint {name!r} is named both in {words.joints} and in {words.locked}; name it in one of them')
    faults = {name: _several_axes(by_name[name], joints, floating, words) for name in keep if by_name[name].kind in MULTIPLE}
    for fault in faults.values():
        report(fault)
    keep = [name for name in keep if name not in faults]
    drives = {name: Driven(None, 0.0, position) for name, position in locked.items()}
    drives |= {name: Driven(name, 1.0, 0.0) for name in keep}
    for joint in joints:
        follow(drives, joint, by_name, report)
    return tuple(keep), drives


def _independent(joint):
    return joint.kind != 'fixed' and joint.mimic is None


def _check_selectable(name, argument, by_name):
    joint = by_name.get(name)
    if joint is not None and _independent(joint):
        return
    candidates = listed(other.name for other in by_name.values() if _independent(other)) or 'none'
    if joint is None:
        problem = f'names {name!r}, but the robot has no such joint'
    elif joint.kind == 'fixed':
        problem = f'names {name!r}, which is a fixed joint'
    else:
        problem = f'names {name!r}, which mimics {joint.mimic.master!r} and cannot be chosen by itself; name its master'
    raise InputError(f'{argument} {problem}; joints to choose from: {candidates}')


def _several_axes(joint, joints, floating, words):
    if joint is floating:
        return DescriptionError(
            f'joint {joint.name!r} is floating below the bare link {joint.parent!r}: the base of this robot is free; {words.free_base}, or '
            f'{words.lock([joint.name])}, its origin', joint.line)
    parent = joint.parent
    alone = all(other is joint or parent not in (other.parent, other.child) for other in joints)
    free = f', or, if it ties the robot to the world, remove it and its parent link {parent!r}, and {words.free_base}' if alone else ''
    return DescriptionError(
        f'joint {joint.name!r} is {joint.kind}: it has several coordinates, which a description cannot give to a model; '
        f'{words.lock([joint.name])}, its origin, or replace it by revolute and prismatic joints{free}', joint.line)
