# SPDX-License-Identifier: Apache-2.0
"""The motion of one body, along its chain from the base, for one sample or many.

Twists are (angular, linear), body-fixed. Axis 0 counts time derivatives; axes between it and the last are samples.
"""

import numpy as np

from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.model import joints


def chain_of(model, body):
    """The bodies from the base to this one, itself last; empty for the base, -1."""
    chain = []
    while body >= 0:
        chain.append(int(body))
        body = model.parent[body]
    return chain[::-1]


def body_pose_and_twists(model, q, body, base=None):
    """Pose C (..., 4, 4) in the world and twists V (rows - 1, ..., 6) of a body, for q (rows, ..., n).

    base: (pose (..., 4, 4), twists (rows - 1, ..., 6) body-fixed) of a free base; None: at rest in the world frame.
    """
    C, V = base_pose_and_twists(q, base)
    chain = chain_of(model, body)
    if not chain:
        return C, V
    C_rel = joints.relative_poses(model, q)[..., chain, :, :]
    xi = joints.joint_twists(model, q)[..., chain, :]
    Ad = joints.relative_adjoints(C_rel, xi)
    for i in range(len(chain)):
        C = C @ C_rel[..., i, :, :]
        V = product(Ad[..., i, :, :], V, apply) + xi[..., i, :] if len(V) else V        # 000 (4)
    return C, V


def base_pose_and_twists(q, base):
    """Pose and twists of the base in the shapes that q (rows, ..., n) asks for."""
    samples = q.shape[1:-1]
    if base is None:
        identity = np.eye(4, dtype=int).astype(q.dtype)
        return np.broadcast_to(identity, samples + (4, 4)), np.zeros((len(q) - 1, *samples, 6), q.dtype)
    pose, twists = base
    return np.broadcast_to(pose, samples + (4, 4)), np.asarray(twists)[:len(q) - 1]
