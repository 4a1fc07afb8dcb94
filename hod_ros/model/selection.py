"""Which joints move: those selected, those that mimic them, and those that stay locked."""

from dataclasses import dataclass
from dataclasses import replace

from hod_ros.checks import arguments
from hod_ros.checks.arguments import listed
from hod_ros.description.plausibility import Doubt
from hod_ros.description.records import MULTIPLE
from hod_ros.errors import DescriptionError
from hod_ros.errors import InputError


@dataclass(frozen=True)
class Drive:
    """q = multiplier * (the selected joint's q) + offset, or q = offset where `joint` is None."""

    joint: str | None
    multiplier: float
    offset: float


def without_dangling_mimics(joints):
    """(the joints, those that mimic a joint which does not exist now independent; doubts about these)"""
    existing = {joint.name for joint in joints}
    dangling = [joint for joint in joints if joint.mimic is not None and joint.mimic.master not in existing]
    doubts = [
        Doubt('joint', joint.name, 'mimics a joint that does not exist: it is taken as an independent joint', repr(joint.mimic.master))
        for joint in dangling]
    return [replace(joint, mimic=None) if joint in dangling else joint for joint in joints], doubts


def select(joints, keep, locked, floating, words):
    """(names of the independent joints, {joint name: its Drive}) for the joints of a tree in its order.

    floating: the joint that ties the robot to a bare world link, or None; words: how messages spell the options.
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
    for name in keep:
        _check_single(by_name[name], floating, words)
    drives = {name: Drive(None, 0.0, position) for name, position in locked.items()}
    drives |= {name: Drive(name, 1.0, 0.0) for name in keep}
    for joint in joints:
        _add_drive(drives, joint, by_name)
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


def _check_single(joint, floating, words):
    if joint is floating:
        raise DescriptionError(
            f'joint {joint.name!r} is floating below the bare link {joint.parent!r}: the base of this robot is free; {words.free_base}, or '
            f'{words.lock([joint.name])}, its origin')
    if joint.kind in MULTIPLE:
        raise DescriptionError(
            f'joint {joint.name!r} is {joint.kind}: it has several coordinates, which a description cannot give to a model; '
            f'{words.lock([joint.name])}, its origin, or replace it by revolute and prismatic joints, or, if it ties the robot to the '
            f'world, remove it and {words.free_base}')


def _add_drive(drives, joint, by_name):
    """Adds the drives of this joint and of all that it mimics, directly or not."""
    chain = {}
    while joint.name not in drives and joint.mimic is not None and joint.kind != 'fixed':
        master = by_name[joint.mimic.master]
        if joint.kind in MULTIPLE or master.kind in MULTIPLE:
            raise DescriptionError(
                f'joint {joint.name!r} ({joint.kind}) mimics {master.name!r} ({master.kind}), but only joints of one '
                'coordinate can mimic one another; remove <mimic>')
        chain[joint.name] = joint
        if master.name in chain:
            names = [*chain, master.name]
            circle = ' -> '.join(names if len(names) < 10 else [*names[:4], '...', *names[-4:]])
            raise DescriptionError(
                f'joint {joint.name!r} closes a circle of mimic joints, {circle}; remove <mimic> from one of them')
        joint = master
    drive = drives.setdefault(joint.name, Drive(None, 0.0, 0.0))
    for follower in reversed(chain.values()):
        mimic = follower.mimic
        multiplier = mimic.multiplier * drive.multiplier
        offset = mimic.multiplier * drive.offset + mimic.offset
        if not max(abs(multiplier), abs(offset)) < arguments.LARGEST:
            raise DescriptionError(
                f'joint {follower.name!r} mimics {mimic.master!r}, and with it {drive.joint!r} by the multiplier '
                f'{multiplier:g} and the offset {offset:g}; give figures of a robot')
        drive = Drive(drive.joint if multiplier else None, multiplier, offset)
        drives[follower.name] = drive
