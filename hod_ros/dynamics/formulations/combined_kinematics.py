# SPDX-License-Identifier: Apache-2.0
"""Inverse and forward kinematics in one recursion, in spatial representation: paper 003's Algorithm 2, on trees and for any order.

Order by order: the joint screws' derivatives from the bodies' twists so far, (9); q^(k) from the link's twist, with one
decomposition of its Jacobian; the twists of all bodies one derivative further, (6). Nothing is computed twice.
"""

from collections.abc import Mapping
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.checks.types import Array
from hod_ros.dynamics.formulations.spatial import SpatialMotion
from hod_ros.dynamics.formulations.spatial import spatial_motion
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import chain_of
from hod_ros.kinematics.inverse import COMPONENTS
from hod_ros.kinematics.inverse import TwistTask
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@np.errstate(over='ignore', invalid='ignore')
def combined_kinematics(model: RobotModel, q: ArrayLike, link: str, twists: ArrayLike, *, components: Sequence[int] = COMPONENTS,
                        weights: ArrayLike | None = None, null_motion: ArrayLike | None = None,
                        prescribed: Mapping[str, ArrayLike] | None = None, damping: float = 0.0,
                        max_condition: float = 1e6, order: int | None = None) -> tuple[Array, SpatialMotion]:
    """(motion, spatial): q and its derivatives (rows + 1, n) that move a link as the spatial twists (rows, 6) say, and all bodies' motion.

    Arguments as in inverse_kinematics(..., 'spatial'), whose motion this is; spatial is spatial_motion(model, motion), a by-product
    of 003's Algorithm 2. For fixed bases.

    Raises InputError where an argument has the wrong shape, name or value or the base is free, SingularityError near singularities.

        >>> twists = forward_kinematics(model, q, 'panda_link8', 'spatial').twists
        >>> motion, spatial = combined_kinematics(model, q[0], 'panda_link8', twists)
        >>> np.allclose(spatial.V[:, 6], twists), np.allclose(spatial.V, spatial_motion(model, motion).V)
        (True, True)
    """
    task = TwistTask(
        model, q, link, twists, components=components, weights=weights, null_motion=null_motion, prescribed=prescribed, damping=damping,
        max_condition=max_condition, order=order)
    if model.base == 'free':
        raise InputError(
            f'{model.name} has a free base; combined_kinematics is for fixed ones: inverse_kinematics takes base=(pose, twists)')
    body, _ = model.body_of(link)
    rows, bodies, screws = task.rows, len(model.bodies), len(model.X)
    start = spatial_motion(model, np.stack([task.q, np.zeros(model.n)]))
    S, V = np.zeros((rows, screws, 6)), np.zeros((rows, bodies + 1, 6))
    ad_V, motion = np.zeros((rows, screws, 6, 6)), np.zeros((rows + 1, model.n))
    S[0], motion[0] = start.S[0], task.q                                            # 1)
    moves = np.isin(model.screw_body, chain_of(model, body))
    J = np.zeros((6, model.n))
    np.add.at(J.T, model.coordinate[moves], (S[0] * model.multiplier[:, None])[moves])
    task.decompose(J)
    rates = np.zeros((rows, screws, 1))
    for k in range(rows):
        if k:
            S[k] = nth(ad_V, S, k - 1, apply)                                       # (9)
        carried = nth(S, rates, k, np.multiply)                                     # all of V^(k) but S q^(k+1)
        prescribed_part = task.prescribed_part(k + 1)
        motion[k + 1] = task.solve(k + 1, carried[moves].sum(axis=0) + J @ prescribed_part)       # 2.a) to 5.a)
        rates[k, :, 0] = motion[k + 1, model.coordinate] * model.multiplier
        own = carried + S[0] * rates[k]
        for i, parent in enumerate(model.parent):
            V[k, i] = V[k, parent] + own[model.screw_body == i].sum(axis=0)         # 2.b) to 5.b)
        ad_V[k] = lie.ad(V[k, model.screw_body])
    motions.finite_result(model, (S, V), 'the motion of the bodies', motion)
    return motion, SpatialMotion(start.C, S, V)
