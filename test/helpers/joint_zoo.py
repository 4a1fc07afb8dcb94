# SPDX-License-Identifier: Apache-2.0
"""Models with joints of one to six axes, and their motions: quasi-velocities as polynomials in time."""

from math import factorial

import numpy as np
from random_trees import random_inertia
from random_trees import random_pose

from hod_ros import RobotModel
from hod_ros.algebra import lie
from hod_ros.model import screws

KINDS = ('free', 'revolute', 'spherical', 'prismatic', 'spherical', 'cylindrical', 'planar', 'helical')


def zoo(rng, kinds=KINDS, **options):
    """A random tree with these joints, in body-fixed representation."""
    parent = [-1] + [int(rng.integers(0, i)) for i in range(1, len(kinds))]
    return RobotModel.from_screws(
        [random_joint(rng, kind) for kind in kinds],
        [random_pose(rng) for _ in kinds], [random_inertia(rng) for _ in kinds],
        representation='body', parent=parent, **options)


def random_joint(rng, kind):
    e = rng.standard_normal(3)
    across = np.cross(e, rng.standard_normal(3))
    return {
        'free': screws.free(), 'spherical': screws.spherical(), 'cylindrical': screws.cylindrical(e),
        'planar': screws.planar(e, across / np.linalg.norm(across)), 'revolute': screws.revolute(e),
        'prismatic': screws.prismatic(e), 'helical': screws.helical(e, (0, 0, 0), 0.3),
    }[kind]


def columns_of(model, body):
    return np.flatnonzero(model.screw_body == body)


def polynomial(rows, t):
    """Value at t of the polynomial that has these derivatives (rows, ...) at 0."""
    return sum(row * t**k / factorial(k) for k, row in enumerate(rows))


def joint_motion(model, q, body, t, terms=40):
    """exp at the start, then along the quasi-velocities: pose of the joint at t, by the power series of C' = C [xi]."""
    columns = columns_of(model, body)
    X = model.X[columns]
    start = lie.exp_twist(X.T @ q[0, columns])
    xi = [X.T @ row[columns] / factorial(k) for k, row in enumerate(q[1:])]
    hat = [lie.pose(lie.skew(v[:3]), v[3:]) - np.diag([0, 0, 0, 1]) for v in xi]
    C = [start]
    for k in range(terms):
        C.append(sum(C[k - j] @ hat[j] for j in range(min(k + 1, len(hat)))) / (k + 1))
    return sum(c * t**k for k, c in enumerate(C))


def time_derivatives(function, rows, reach=0.2, nodes=25):
    """Derivatives 0 .. rows - 1 at 0 of a smooth function of time, by Chebyshev interpolation: good to 1e-9 up to the
    third."""
    from numpy.polynomial import chebyshev
    x = np.cos((np.arange(nodes) + 0.5) * np.pi / nodes)
    series = chebyshev.chebfit(x, np.array([function(reach * t) for t in x]), nodes - 3)
    return np.array([chebyshev.chebval(0, chebyshev.chebder(series, k)) / reach**k for k in range(rows)])
