# SPDX-License-Identifier: Apache-2.0
"""What model builders refuse, and what they only doubt, in joint screws, poses and inertias: by the joint's name."""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.checks import geometry
from hod_ros.description.plausibility import inertia_doubts
from hod_ros.errors import ModelError

TOLERANCE = 1e-9
_ROUNDING = 1e-12


def unit_screws(joint, X):
    """The screws (d, 6) of a joint, their directions of length 1."""
    if X.shape[1:] != (6,) or not 1 <= len(X) <= 6:
        raise ModelError(
            f'joint {joint!r} has screws of the shape {X.shape}; give (6,) for one axis or (d, 6) for d = 2 to 6')
    if X.dtype == object:
        return X
    if not np.isfinite(X).all():
        raise ModelError(f'joint {joint!r} has a screw with the entry {X[~np.isfinite(X)][0]}; give finite numbers')
    X = geometry.screws(X, lambda row: f'joint {joint!r}: screw {row}', ModelError)
    brackets = (lie.ad(X)[:, None] @ X[None, :, :, None])[..., 0].reshape(-1, 6)
    if np.linalg.matrix_rank(X, TOLERANCE) < len(X):
        raise ModelError(f'joint {joint!r}: its {len(X)} screws depend on each other linearly; give each axis once')
    residue = brackets - brackets @ np.linalg.pinv(X) @ X
    if np.abs(residue).max() > TOLERANCE * max(1.0, np.abs(X).max() ** 2):
        raise ModelError(
            f'joint {joint!r}: its {len(X)} screws make no joint with constant screws, because their products leave '
            'their span (a universal joint, for example); give it as several joints with links without mass (inertia '
            'None) between them')
    return X


def check_inertia(what, M):
    """what: whose inertia it is."""
    if M.shape != (6, 6):
        raise ModelError(
            f'{what} has an inertia of the shape {M.shape}; give (6, 6), for example from '
            'link_inertia')
    geometry.check_inertias(M[None], lambda _: what, ModelError)


def doubts(link, M):
    """Doubts about an inertia (6, 6), which numbers other than floats never raise."""
    if M.dtype == object or not M.any():
        return
    m, c = M[3, 3], lie.skew(np.array([M[2, 4], M[0, 5], M[1, 3]]))
    about_com = M[:3, :3] + (c @ c / m if m > 0 else 0.0)
    if np.abs(about_com).max() <= _ROUNDING * np.abs(M[:3, :3]).max():
        return      # a point of mass
    yield from inertia_doubts(link, m, about_com, point_masses=True)


def check_parent(parent, joints):
    if parent.shape != (len(joints),) or parent.dtype.kind not in 'iu':
        raise ModelError(f'parent is {parent.tolist()}; give {len(joints)} indices of links, -1 for the base')
    for i, joint in enumerate(joints):
        if not -1 <= parent[i] < i:
            raise ModelError(
                f'the link of joint {joint!r}, number {i}, has the parent {parent[i]}; a parent comes before it, or is '
                '-1, the base')
