"""What in a description is possible to compute with, but hardly true of a real robot."""

import numpy as np

from hod_ros.checks import arguments

_RELATIVE_SLACK = 1e-6
_SMALL_RADIUS = 1e-6        # [m] moments below mass * radius^2 are rounding


def inertia_warnings(link):
    """Sentences about a link whose mass and tensor no real body has."""
    if link.mass == 0.0:
        if link.tensor.any():
            yield (f'link {link.name!r} has no mass but the inertia {_figures(np.diag(link.tensor))} kg m^2 on its '
                   'diagonal; one of them is wrong')
        return
    moments = np.linalg.eigvalsh(link.tensor)
    slack = _RELATIVE_SLACK * np.abs(moments).max() + link.mass * _SMALL_RADIUS**2
    a, b, c = moments = np.where(np.abs(moments) < slack, 0.0, moments)
    if a < -slack:
        yield (f'link {link.name!r} has the principal moments of inertia {_figures(moments)} kg m^2; a real body has '
               'none below zero')
    elif a + b < c - slack:
        yield (f'link {link.name!r} has the principal moments of inertia {_figures(moments)} kg m^2, of which the '
               'largest exceeds the sum of the others, as in no real body (triangle inequality); was the tensor meant '
               'about another point?')


def limit_warnings(joint):
    """Sentences about limits that contradict themselves."""
    lower, upper = joint.position_limits
    if lower > upper:
        yield f'joint {joint.name!r} has a lower limit of {lower:g} above its upper limit of {upper:g}'
    for what, value in (('velocity', joint.velocity_limit), ('effort', joint.effort_limit)):
        if value < 0:
            yield f'joint {joint.name!r} has a {what} limit of {value:g}; a limit is 0 or more'
    for what, value in (('damping', joint.damping), ('friction', joint.friction)):
        if value < 0:
            yield f'joint {joint.name!r} has a {what} of {value:g}; real joints have 0 or more'


def free_base_warnings(base, link, inertia):
    """A sentence about a free base that is none of its own."""
    if arguments.one_of(base, ('free',)) and not inertia.any():
        yield f'the free base, link {link!r}, has no inertia of its own, so that forward dynamics may be singular'


def idle_joint_warnings(joint_names, coordinate, screws, screw_body, parent, inertias, armature):
    """Sentences about joints whose force is zero in every motion of their own, since all that they move lies on their axes.

    For every axis: its joint's column, its screw, its body; for every body: its parent and its inertia (6, 6) in the axes of its screws.
    """
    below = [False] * len(parent)       # whether bodies further out have inertia, which their joints take off this axis
    for i in range(len(parent) - 1, -1, -1):
        if parent[i] >= 0:
            below[parent[i]] |= below[i] or bool(inertias[i].any())
    idle = [not inertia for inertia in armature]
    for column, X, body in zip(coordinate, screws, screw_body, strict=True):
        M = inertias[body]
        idle[column] &= not below[body] and abs(X @ M @ X) <= _RELATIVE_SLACK**2 * np.abs(M).max()
    for joint in (name for name, flag in zip(joint_names, idle, strict=True) if flag):
        yield (f'joint {joint!r} turns masses that lie on its axis and have no inertia about it, so that its acceleration takes no '
               'force and forward dynamics has no solution; give its links an inertia, or the joint an armature')


def _figures(values):
    return ', '.join(f'{value:.6g}' for value in values)
