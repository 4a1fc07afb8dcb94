# SPDX-License-Identifier: Apache-2.0
"""Links and joints in order: the one tree that they must form."""

from collections import Counter

from hod_ros.checks.arguments import listed
from hod_ros.errors import DescriptionError


def in_tree_order(links, joints):
    """(root link's name, joints depth first, siblings in document order), or an error that says why this is no tree."""
    _check_names('link', links)
    _check_names('joint', joints)
    if not links:
        raise DescriptionError('the robot description has no links; a robot has one at least')
    names = {link.name for link in links}
    above = {}
    below = {name: [] for name in names}
    for joint in joints:
        for end, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in names:
                raise DescriptionError(
                    f'joint {joint.name!r}: its {end} link {link!r} does not exist; add that link or correct the '
                    'name')
        if joint.child in above:
            raise DescriptionError(
                f'link {joint.child!r} is the child of two joints, {above[joint.child].name!r} and {joint.name!r}: '
                'closed loops are no tree; remove one of the two')
        above[joint.child] = joint
        below[joint.parent].append(joint)
    roots = [link.name for link in links if link.name not in above]
    if len(roots) > 1:
        raise DescriptionError(
            f'the links {listed(roots)} have no parent joint, but a robot has one root link only; join them by '
            'joints, or describe each robot by itself')
    order = _depth_first(roots, below)
    if len(order) < len(joints):
        placed = {joint.name for joint in order}
        loop = _loop(next(joint for joint in joints if joint.name not in placed), above)
        raise DescriptionError(f'joints form a closed loop, {listed(loop)}, which is no tree; remove one of them')
    return roots[0], order


def floating_base(root, ordered, links):
    """The floating joint that ties a robot to a bare world link, or None."""
    world = next(link for link in links if link.name == root)
    below = [joint for joint in ordered if joint.parent == root]
    return below[0] if world.massless and [joint.kind for joint in below] == ['floating'] else None


def _check_names(what, items):
    repeated = [name for name, times in Counter(item.name for item in items).items() if times > 1]
    if repeated:
        raise DescriptionError(
            f'more than one {what} is called {listed(repeated)}; every {what} needs a name of its own')


def _loop(joint, above):
    """Names of the joints of the loop that is reached from this joint upwards."""
    path = {}
    while joint.name not in path:
        path[joint.name] = len(path)
        joint = above[joint.parent]
    return list(path)[path[joint.name]:]


def _depth_first(roots, below):
    order, pending = [], [joint for root in reversed(roots) for joint in reversed(below[root])]
    while pending:
        joint = pending.pop()
        order.append(joint)
        pending.extend(reversed(below[joint.child]))
    return order
