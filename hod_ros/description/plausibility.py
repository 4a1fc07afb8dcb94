# SPDX-License-Identifier: Apache-2.0
"""What in a description is possible to compute with, but hardly true of a real robot.

A doubt is about one link or joint; grouped() makes sentences of them, one for all that are alike.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from hod_ros.checks import arguments
from hod_ros.checks import geometry

LARGEST_TURN = 6.5          # [rad] of an angle that is written down
_LARGEST_RADIUS = 1.0       # [m] of gyration
_FARTHEST_COM = 10.0        # [m] from its link's origin
_DOUBTED_LIMITS = (20.0, 1000.0)        # [rad] or [m]: beyond what joints reach, and below what is written for no limit
_RELATIVE_SLACK = 1e-6
_MOST_NAMED = 6


@dataclass(frozen=True)
class Doubt:
    what: str           # 'link' or 'joint'
    name: str
    problem: str        # the same of all that are alike, with its remedy
    figure: str = ''


def grouped(doubts):
    """Sentences, in the order in which each problem first came up."""
    alike = defaultdict(list)
    for doubt in doubts:
        alike[doubt.what, doubt.problem].append(doubt)
    return [_sentence(what, problem, some) for (what, problem), some in alike.items()]


def _sentence(what, problem, doubts):
    figures = {doubt.figure for doubt in doubts}
    if len(figures) == 1:
        names = arguments.listed((doubt.name for doubt in doubts), _MOST_NAMED)
        shared = figures.pop()
        return f'{what}{"s" if len(doubts) > 1 else ""} {names}: {shared and shared + ": "}{problem}'
    names = ', '.join(f'{doubt.name!r} ({doubt.figure})' for doubt in doubts[:_MOST_NAMED])
    more = f' and {len(doubts) - _MOST_NAMED} more' if len(doubts) > _MOST_NAMED else ''
    return f'{what}s {names}{more}: {problem}'


def inertia_doubts(link, mass, tensor, *, point_masses=False):
    """Doubts about a mass [kg] and a tensor (3, 3) about the centre of mass [kg m^2]; point_masses: whether the author may mean them."""
    if mass == 0.0:
        if tensor.any():
            yield Doubt('link', link, 'no mass but an inertia; one of them is wrong', f'{_figures(np.diag(tensor))} kg m^2 on its diagonal')
        return
    if not tensor.any():
        if not point_masses:
            yield Doubt('link', link, 'a mass without rotational inertia, taken as a point; is its <inertia> missing?', f'{mass:.4g} kg')
        return
    moments, fault = geometry.principal_moments(tensor, mass)
    radius = np.sqrt(max(moments[2], 0.0) / mass) if mass > 0 else 0.0
    if fault:
        yield Doubt('link', link, f'principal moments of inertia, {fault}', f'{_figures(moments)} kg m^2')
    elif radius > _LARGEST_RADIUS:
        yield Doubt(
            'link', link, 'an inertia much too large for its mass (the radius of gyration, sqrt(I / m), is above a metre); is one of them '
            'in another unit?', f'{mass:.4g} kg, {moments[2]:.4g} kg m^2')


def place_doubts(link):
    """Doubts about where a link's mass is."""
    distance = np.linalg.norm(link.com)
    if distance > _FARTHEST_COM:
        yield Doubt('link', link.name, "the distance of its centre of mass from its origin; places are in metres: are these millimetres?",
                    f'{distance:.4g} m')


def limit_doubts(joint):
    """Doubts about limits that contradict themselves, or are in another unit."""
    lower, upper = joint.position_limits
    if lower > upper:
        yield Doubt('joint', joint.name, 'a lower position limit above the upper one', f'{lower:g} and {upper:g}')
    least, most = _DOUBTED_LIMITS
    if least < max(abs(lower), abs(upper)) < most:
        question = 'in metres: are these millimetres?' if joint.kind == 'prismatic' else 'in radians: are these degrees?'
        yield Doubt('joint', joint.name, f'position limits, which are {question}', f'{lower:g} and {upper:g}')
    for what, value in (('a velocity limit', joint.velocity_limit), ('an effort limit', joint.effort_limit)):
        if value < 0:
            yield Doubt('joint', joint.name, f'{what} below zero; a limit is 0 or more, and is left out where there is none', f'{value:g}')
    for what, value in (('damping', joint.damping), ('friction', joint.friction)):
        if value < 0:
            yield Doubt('joint', joint.name, f'{what} below zero; real joints have 0 or more', f'{value:g}')


def lock_doubts(joint, position):
    """Doubts about where a joint is locked: farther beyond its limits than it has room between them."""
    lower, upper = joint.position_limits
    if 0 < upper - lower < max(position - upper, lower - position):
        unit = 'metres: are these millimetres?' if joint.kind == 'prismatic' else 'radians: are these degrees?'
        yield Doubt('joint', joint.name, f'locked far beyond its limits; positions are in {unit}',
                    f'{position:g}, limits {lower:g} and {upper:g}')


def free_base_warnings(base, link, inertia):
    """A sentence about a free base that is none of its own."""
    if arguments.one_of(base, ('free',)) and not inertia.any():
        yield f'the free base, link {link!r}, has no inertia of its own, so that forward dynamics may be singular'


def on_axis_doubts(joint_names, coordinate, screws, screw_body, parent, inertias, armature):
    """Doubts about joints whose force is zero in every motion of their own, since all that they move lies on their axes.

    For every axis: its joint's column, its screw, its body; for every body: its parent and its inertia (6, 6) in the axes of its screws.
    """
    below = [False] * len(parent)       # whether bodies further out have inertia, which their joints take off this axis
    for i in range(len(parent) - 1, -1, -1):
        if parent[i] >= 0:
            below[parent[i]] |= below[i] or bool(inertias[i].any())
    idle, moving = [not inertia for inertia in armature], [False] * len(armature)
    for column, X, body in zip(coordinate, screws, screw_body, strict=True):
        M = inertias[body]
        moving[column] |= bool(M.any())
        idle[column] &= not below[body] and abs(X @ M @ X) <= _RELATIVE_SLACK**2 * np.abs(M).max()
    for joint, flag, some in zip(joint_names, idle, moving, strict=True):
        if flag and some:
            yield Doubt(
                'joint', joint, 'turns masses that lie on its axis and have no inertia about it, so that its acceleration takes no force '
                'and forward dynamics has no solution; give its links an inertia, or the joint an armature')


def _figures(values):
    return ', '.join(f'{value:.6g}' for value in values)
