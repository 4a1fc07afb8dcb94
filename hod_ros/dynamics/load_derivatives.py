# SPDX-License-Identifier: Apache-2.0
"""External loads by state: body-fixed wrenches change with the coordinates where a load is held in another frame."""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.dynamics import loads


def body_wrenches_by_state(model, q, J, wrenches, base=None):
    """Body-fixed wrenches W (rows, N + 1, 6) and dW / dq_h (rows, N + 1, h, 6), with time derivatives.

    q: (rows + 2, n). J: Jacobians (rows or more, N + 1, 6, h). wrenches: (link, LinkWrench) each.
    """
    total = loads.on_bodies(model, q, wrenches, base)
    rows = len(total)
    columns = transpose(J[:rows])
    by_q = np.zeros(columns.shape, np.result_type(J, total))
    for link, wrench in wrenches:
        if wrench.frame == 'link':
            continue
        body, placement = model.body_of(link)
        turning = columns[:, body]
        if wrench.frame == 'world_aligned':
            angular, origin = turning[..., :3], placement[:3, 3]
            turning = np.concatenate([angular, np.cross(origin, angular)], axis=-1)     # about the link's origin only
        W = loads.on_bodies(model, q, [(link, wrench)], base)[:, body]
        by_q[:, body] += product(transpose(lie.ad(turning)), W[:, None], apply)
    return total, by_q
