# SPDX-License-Identifier: Apache-2.0
"""Mimic joints: whom each follows, directly or through others, and by which multiplier and offset."""

from dataclasses import dataclass
from dataclasses import replace

from hod_ros.checks import arguments
from hod_ros.description.places import raised
from hod_ros.description.plausibility import Doubt
from hod_ros.description.records import MULTIPLE
from hod_ros.errors import DescriptionError


@dataclass(frozen=True)
class Driven:
    """q = multiplier * (the selected joint's q) + offset, or q = offset where `joint` is None."""

    joint: str | None
    multiplier: float
    offset: float


def without_dangling_mimics(joints, freed=None):
    """(the joints, those that mimic a joint which is not there now independent; doubts about these)

    freed: the floating joint that a free base takes the place of, or None.
    """
    there = {joint.name for joint in joints}
    dangling = [joint for joint in joints if joint.mimic is not None and joint.mimic.master not in there]
    doubts = [
        Doubt('joint', joint.name, f'mimics {_absence(joint.mimic.master, freed)}: it is taken as an independent joint',
              repr(joint.mimic.master))
        for joint in dangling]
    return [replace(joint, mimic=None) if joint in dangling else joint for joint in joints], doubts


def _absence(master, freed):
    if freed is not None and master == freed.name:
        return 'the floating joint of the free base, which has no one coordinate to follow'
    return 'a joint that does not exist'


def follow(drives, joint, by_name, report=raised):
    """Adds the drives of this joint and of all that it mimics, directly or not.

    report: what takes an error. Where it returns, joints that cannot follow count as locked.
    """
    chain = {}
    while joint.name not in drives and joint.mimic is not None and joint.kind != 'fixed':
        master = by_name[joint.mimic.master]
        if joint.kind in MULTIPLE or master.kind in MULTIPLE:
            report(DescriptionError(
                f'joint {joint.name!r} ({joint.kind}) mimics {master.name!r} ({master.kind}), but only joints of one '
                'coordinate can mimic one another; remove <mimic>', joint.line))
            break
        chain[joint.name] = joint
        if master.name in chain:
            names = [*chain, master.name]
            circle = ' -> '.join(names if len(names) < 10 else [*names[:4], '...', *names[-4:]])
            report(DescriptionError(
                f'joint {joint.name!r} closes a circle of mimic joints, {circle}; remove <mimic> from one of them', joint.line))
            break
        joint = master
    drive = drives.setdefault(joint.name, Driven(None, 0.0, 0.0))
    for follower in reversed(chain.values()):
        mimic = follower.mimic
        multiplier = mimic.multiplier * drive.multiplier
        offset = mimic.multiplier * drive.offset + mimic.offset
        if not max(abs(multiplier), abs(offset)) < arguments.LARGEST:
            report(DescriptionError(
                f'joint {follower.name!r} mimics {mimic.master!r}, and with it {drive.joint!r} by the multiplier '
                f'{multiplier:g} and the offset {offset:g}; give figures of a robot', follower.line))
            multiplier = offset = 0.0
        drive = Driven(drive.joint if multiplier else None, multiplier, offset)
        drives[follower.name] = drive
