"""What model builders refuse, and what they only doubt, in joint screws, poses and inertias: by the joint's name."""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.checks.arguments import LARGEST
from hod_ros.errors import ModelError

TOLERANCE = 1e-9


def check_joint(joint, X):
    if X.shape[1:] != (6,) or not 1 <= len(X) <= 6:
        raise ModelError(
            f'joint {joint!r} has screws of the shape {X.shape}; give (6,) for one axis or (d, 6) for d = 2 to 6')
    if X.dtype == object:
        return
    if not np.isfinite(X).all():
        raise ModelError(f'joint {joint!r} has a screw with the entry {X[~np.isfinite(X)][0]}; give finite numbers')
    for row, screw in enumerate(X):
        length = np.linalg.norm(screw[:3] if screw[:3].any() else screw[3:])
        if abs(length - 1) > TOLERANCE:
            raise ModelError(
                f'joint {joint!r}: screw {row} is {screw.tolist()}, whose direction has the length {length:g}; make it '
                'a unit vector, so that the coordinate is an angle or a length')
    if np.abs(X).max() > LARGEST:
        raise ModelError(f'joint {joint!r} has screws {X.tolist()}; give those of a real joint, in [m]')
    brackets = (lie.ad(X)[:, None] @ X[None, :, :, None])[..., 0].reshape(-1, 6)
    if np.linalg.matrix_rank(X, TOLERANCE) < len(X):
        raise ModelError(f'joint {joint!r}: its {len(X)} screws depend on each other linearly; give each axis once')
    residue = brackets - brackets @ np.linalg.pinv(X) @ X
    if np.abs(residue).max() > TOLERANCE * max(1.0, np.abs(X).max() ** 2):
        raise ModelError(
            f'joint {joint!r}: its {len(X)} screws make no joint with constant screws, because their products leave '
            'their span (a universal joint, for example); give it as several joints with links without mass (inertia '
            'None) between them')


def check_pose(joint, C):
    if C.dtype == object:
        return
    R = C[:3, :3]
    rotates = np.isfinite(C).all() and np.abs(R).max() < 2 and np.abs(R @ R.T - np.eye(3)).max() < 1e-6 and np.linalg.det(R) > 0
    if not rotates or np.any(C[3] != [0, 0, 0, 1]):
        raise ModelError(
            f'joint {joint!r}: its reference configuration {C.tolist()} is no pose; give a 4x4 rotation and '
            'displacement')


def check_inertia(what, M):
    """what: whose inertia it is."""
    if M.shape != (6, 6):
        raise ModelError(
            f'{what} has an inertia of the shape {M.shape}; give (6, 6), for example from '
            'link_inertia')
    if M.dtype == object:
        return
    m = M[3, 3]
    scale = np.abs(M).max()
    expected = np.zeros((6, 6))
    c = lie.skew(np.array([M[2, 4], M[0, 5], M[1, 3]]))
    expected[:3, :3], expected[3:, 3:] = (M[:3, :3] + M[:3, :3].T) / 2, m * np.eye(3)
    expected[:3, 3:], expected[3:, :3] = c, -c
    if not (np.abs(M) < LARGEST).all() or not m >= 0 or np.abs(M - expected).max() > TOLERANCE * scale:
        raise ModelError(
            f'{what} has the inertia {M.tolist()}, which is none of a rigid body in coordinates '
            '(angular, linear): symmetric, with the mass (0 or more) on the diagonal of its last block; make it with '
            'link_inertia')


def doubts(link, M):
    """Sentences about an inertia that no real body has."""
    if M.dtype == object or not M.any():
        return
    m, c = M[3, 3], lie.skew(np.array([M[2, 4], M[0, 5], M[1, 3]]))
    about_com = M[:3, :3] + (c @ c / m if m > 0 else 0.0)
    moments = np.linalg.eigvalsh(about_com)
    slack = 1e-6 * np.abs(moments).max()
    if moments[0] < -slack:
        yield (f'link {link!r} has the principal moments of inertia {", ".join(f"{x:.6g}" for x in moments)} kg m^2 about its centre of '
               'mass; a real body has none below zero')
    elif moments[0] + moments[1] < moments[2] - slack:
        yield (f'link {link!r} has the principal moments of inertia {", ".join(f"{x:.6g}" for x in moments)} kg m^2 '
               'about its centre of mass, of which the largest exceeds the sum of the others; no real body does. Was '
               'the tensor meant about another point?')


def check_carried(joints, parent, M, screw_body, armature):
    """Refuses joints whose force would be zero in every motion, because nothing that they move has inertia."""
    carried = (M != 0).any((-1, -2))
    for i in range(len(joints) - 1, -1, -1):
        if parent[i] >= 0:
            carried[parent[i]] |= carried[i]
    for k, body in enumerate(screw_body):
        if not carried[body] and armature[k] == 0:
            raise ModelError(
                f'nothing that joint {joints[body]!r} moves has any inertia, so its force would be zero in every '
                'motion; give its links an inertia, or it an armature')


def check_parent(parent, joints):
    if parent.shape != (len(joints),) or parent.dtype.kind not in 'iu':
        raise ModelError(f'parent is {parent.tolist()}; give {len(joints)} indices of links, -1 for the base')
    for i, joint in enumerate(joints):
        if not -1 <= parent[i] < i:
            raise ModelError(
                f'the link of joint {joint!r}, number {i}, has the parent {parent[i]}; a parent comes before it, or is '
                '-1, the base')
