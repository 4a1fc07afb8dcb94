# SPDX-License-Identifier: Apache-2.0
"""Identified bodies back to the links of a URDF.

A body is several links where joints between them are fixed or locked, and a recording tells of their sum only. The heaviest takes what is
left beside the others as they are described; where that would be no real body's inertia, the others are scaled down together until it is.
"""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.description.inertials import with_inertials
from hod_ros.description.urdf import read_urdf
from hod_ros.dynamics.regressor import parameter_bodies
from hod_ros.errors import InputError
from hod_ros.identification.consistency import is_consistent
from hod_ros.model.assembly import spatial_inertia

_SHARES = (1.0, 0.5, 0.25, 0.1, 0.01, 0.0)


def described_with(model, text, changed):
    """The URDF's text with the model's inertias in the bodies `changed` (joints that move them)."""
    links = {link.name: link for link in read_urdf(text).links}
    unknown = [name for name in model.links if name not in links]
    if unknown:
        raise InputError(f'the description has no link {unknown[0]!r}, which the model has; give the URDF that the model was made of')
    inertials = {}
    for i in parameter_bodies(model):
        if model.joints[i] not in changed:
            continue
        members = {name: pose for name, (body, pose) in model.links.items() if body == i and not links[name].massless}
        if not members:
            continue
        carrier = max(members, key=lambda name: links[name].mass)
        others = {name: spatial_inertia(links[name], pose) for name, pose in members.items() if name != carrier}
        share = next(share for share in _SHARES if is_consistent(_parameters(model.M[i] - share * _sum(others))))
        inertials[carrier] = _in_link(model.M[i] - share * _sum(others), members[carrier])
        if share != 1:
            inertials |= {name: _in_link(share * M, members[name]) for name, M in others.items()}
    return with_inertials(text, inertials)


def _sum(inertias):
    return sum(inertias.values(), np.zeros((6, 6)))


def _parameters(M):
    return np.array([M[3, 3], M[2, 4], M[0, 5], M[1, 3], M[0, 0], M[1, 1], M[2, 2], M[0, 1], M[0, 2], M[1, 2]])


def _in_link(M, pose):
    """(mass, centre, tensor about it) in the link's own frame, of an inertia about the body's."""
    mass = M[3, 3]
    centre = np.array([M[2, 4], M[0, 5], M[1, 3]]) / mass if mass else np.zeros(3)
    c = lie.skew(centre)
    R = pose[:3, :3]
    return mass, R.T @ (centre - pose[:3, 3]), R.T @ (M[:3, :3] + mass * (c @ c)) @ R
