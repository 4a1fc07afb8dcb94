# SPDX-License-Identifier: Apache-2.0
"""Links and joints in order: the one tree that they must form."""

from collections import Counter

from hod_ros.checks.arguments import listed
from hod_ros.description.places import raised
from hod_ros.errors import DescriptionError


def in_tree_order(links, joints, report=raised):
    """(root link's name, joints depth first, siblings in document order), or errors that say why this is no tree.

    report: what takes the errors. Where it returns, the result is None.
    """
    above, below = {}, {link.name: [] for link in links}
    faults = [*_names(links, joints), *_ends(joints, above, below)] or [*_roots(links, above)]
    if not faults:
        root = next((link.name for link in links if link.name not in above), None)
        order = [] if root is None else _depth_first(root, below)
        if len(order) == len(joints):
            return root, order
        faults = [_loop(order, joints, above)]
    for fault in faults:
        report(fault)
    return None


def _names(links, joints):
    for what, items in (('link', links), ('joint', joints)):
        times = Counter(item.name for item in items)
        repeated = [name for name in times if times[name] > 1]
        if repeated:
            second = [item for item in items if item.name == repeated[0]][1]
            yield DescriptionError(
                f'more than one {what} is called {listed(repeated)}; every {what} needs a name of its own', second.line)
    if not links:
        yield DescriptionError('the robot description has no links; a robot has one at least')


def _ends(joints, above, below):
    """Faults of the joints' ends; fills {child: its joint} and {parent: its joints}."""
    for joint in joints:
        for end, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in below:
                yield DescriptionError(
                    f'joint {joint.name!r}: its {end} link {link!r} does not exist; add that link or correct the name', joint.line)
        if joint.child in above:
            yield DescriptionError(
                f'link {joint.child!r} is the child of two joints, {above[joint.child].name!r} and {joint.name!r}: '
                'closed loops are no tree; remove one of the two', joint.line)
        above.setdefault(joint.child, joint)
        below.get(joint.parent, []).append(joint)


def _roots(links, above):
    roots = [link for link in links if link.name not in above]
    if len(roots) > 1:
        yield DescriptionError(
            f'the links {listed([link.name for link in roots])} have no parent joint, but a robot has one root link only; join them by '
            'joints, or describe each robot by itself', roots[1].line)


def floating_base(root, ordered, links):
    """The floating joint that ties a robot to a bare world link, or None."""
    world = next(link for link in links if link.name == root)
    below = [joint for joint in ordered if joint.parent == root]
    return below[0] if world.massless and [joint.kind for joint in below] == ['floating'] else None


def _loop(order, joints, above):
    """The fault of joints that are not in the order, because they lead back to themselves."""
    placed = {joint.name for joint in order}
    joint = next(joint for joint in joints if joint.name not in placed)
    path = {}
    while joint.name not in path:
        path[joint.name] = joint
        joint = above[joint.parent]
    names = list(path)
    names = names[names.index(joint.name):]
    return DescriptionError(f'joints form a closed loop, {listed(names)}, which is no tree; remove one of them', path[names[0]].line)


def _depth_first(root, below):
    order, pending = [], list(reversed(below[root]))
    while pending:
        joint = pending.pop()
        order.append(joint)
        pending.extend(reversed(below[joint.child]))
    return order
