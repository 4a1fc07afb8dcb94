# SPDX-License-Identifier: Apache-2.0
"""Gamma(q), which takes joints' rates to the derivatives of their coordinates: q' = Gamma(q) w, 001 Remark 7 and (33).

A joint of one axis has w = q'. One of several axes stands at exp(xi), xi = sum_k X_k q_k, and its rates w are the components of
its body-fixed twist along the screws X_k, which Gamma takes to q' by the inverse of the exponential's differential:
sum_k X_k w_k = dexp(xi) xi', dexp(xi) = 1 - ad_xi / 2! + ad_xi^2 / 3! - ...
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.errors import SingularityError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel

_LARGEST_CONDITION = 1e10


def coordinate_rates(model: RobotModel, q: ArrayLike) -> Array:
    """Gamma (n, n) at the position q (n,): the derivatives of the coordinates are Gamma @ w, where row 1 of a motion holds w.

    For joints of one axis w = q', so Gamma is the identity there; for others it is a block of their size. A function f of the
    position has the derivative (df/dq) Gamma along the joints' screws, 001 (33).

    Raises InputError where q is not (n,) finite numbers, SingularityError where coordinates have no rates: a joint turned by 2 pi.

        >>> ball = RobotModel.from_screws([np.eye(3, 6)], [np.eye(4)], [link_inertia(1.0, [0, 0, 0.1], 0.01 * np.eye(3))])
        >>> np.allclose(coordinate_rates(ball, [0.0, 0.0, 0.5]) @ [0, 0, 1.0], [0, 0, 1])        # about the axis itself
        True
    """
    q = arrays.floats(arrays.vector(q, motions.robot_model(model).joint_names, 'q'), 'q')
    gamma = np.eye(model.n)
    for body in np.flatnonzero(np.bincount(model.screw_body, minlength=len(model.bodies)) > 1):
        own = model.screw_body == body
        X, columns = np.asarray(model.X[own], float), model.coordinate[own]
        onto = np.linalg.pinv(X.T) @ _dexp(q[columns] @ X) @ X.T
        if np.linalg.cond(onto) > _LARGEST_CONDITION:
            raise SingularityError(
                f'the coordinates of joint {model.joints[body]!r} have no rates at {q[columns].tolist()}, where it has turned by a '
                'multiple of 2 pi; give coordinates of the same pose that turn less')
        gamma[np.ix_(columns, columns)] = np.linalg.inv(onto)
    return gamma


def _dexp(xi):
    """The differential of exp_twist at xi, (6, 6): body-fixed twist = _dexp(xi) @ xi'."""
    A = np.zeros((12, 12))
    A[:6, :6], A[:6, 6:] = -lie.ad(xi), np.eye(6)
    return _exponential(A)[:6, 6:]                      # exp of [[-ad, 1], [0, 0]] holds the integral of exp(-s ad)


def _exponential(A):
    """exp(A) by scaling, Taylor's series and squaring."""
    halvings = max(0, int(np.ceil(np.log2(max(np.abs(A).sum(axis=1).max(), 1e-300)))) + 1)
    A = A / 2.0**halvings
    term = out = np.eye(len(A))
    for k in range(1, 20):
        term = term @ A / k
        out = out + term
    for _ in range(halvings):
        out = out @ out
    return out
