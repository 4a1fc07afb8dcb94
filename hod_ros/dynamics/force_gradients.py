# SPDX-License-Identifier: Apache-2.0
"""Gradients of the forces' time derivatives: dQ^(k) / dq^(j), of any order.

What an optimiser needs that plans with limits on torque rates. The derivatives of Q by q, q', q'' (001, section IV) are
differentiated along the motion. The derivative by q^(j) of a time derivative is the time derivative of the derivative
by q^(j) plus the derivative by q^(j-1), so

    dQ^(k) / dq^(j) = sum_i C(k, i) D^(k-i) dQ / dq^(j-i).

That holds for true coordinates: not for joints of several axes, whose rates are quasi-velocities, nor for a free base.
"""

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.dynamics import loads
from hod_ros.dynamics.load_derivatives import body_wrenches_by_state
from hod_ros.dynamics.loads import Wrenches
from hod_ros.dynamics.matrices import body_inertias
from hod_ros.dynamics.matrices import sum_over_bodies
from hod_ros.errors import InputError
from hod_ros.errors import ModelError
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import motions
from hod_ros.model.quantities import compiled
from hod_ros.model.robot_model import RobotModel


def force_gradients(model: RobotModel, q: ArrayLike, *, wrenches: Wrenches | None = None, order: int | None = None,
                    threads: int | None = None) -> Array:
    """dQ^(k) / dq^(j) as [k, j] of (order + 1, order + 3, n, n), for q (order + 3, n); 0 where j > k + 2. In batches (samples, ...).

    wrenches: as in inverse_dynamics, functions of time in their own frames.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value; ModelError for a free base, joints of several axes and a model
    without inertia.

        >>> G = force_gradients(model, q)
        >>> G.shape, np.allclose(G[2, 4], dynamics_matrices(model, q).M[0])          # dQ'' / dq'''' = M
        ((3, 5, 7, 7), True)
    """
    arguments.threads(threads)
    pairs = None if wrenches is None else loads.pairs(wrenches)
    G = _compiled('force_gradients', model, q, (), pairs, order, threads)
    if G is not None:
        return G
    q = _motions(model, q, order)
    if pairs:
        loads.checked_loads(model, q, pairs)
    if q.ndim == 2:
        return _one_sample(model, q, pairs)
    each = [_one_sample(model, one, None if pairs is None else loads.of_sample(pairs, i)) for i, one in enumerate(q)]
    return np.reshape(each, (len(q), q.shape[1] - 2, q.shape[1], model.n, model.n))


def force_gradient_product(model: RobotModel, q: ArrayLike, v: ArrayLike, *, wrenches: Wrenches | None = None, order: int | None = None,
                           threads: int | None = None) -> Array:
    """The adjoint, sum over k of v[k] @ dQ^(k) / dq^(j): (order + 3, n) for v (order + 1, n), the gradient of sum_k v[k] . Q^(k).

    q, wrenches, order, threads: as in force_gradients; v has q's axis of samples.

    Raises InputError where an argument has the wrong shape, name or value; ModelError for a free base, joints of several axes and a model
    without inertia.

        >>> v = np.ones((3, 7))
        >>> g = force_gradient_product(model, q, v)
        >>> g.shape, np.allclose(g, np.einsum('ki,kjin->jn', v, force_gradients(model, q)))
        ((5, 7), True)
    """
    arguments.threads(threads)
    pairs = None if wrenches is None else loads.pairs(wrenches)
    g = _compiled('force_gradient_product', model, q, (v,), pairs, order, threads)
    if g is not None:
        return g
    G = force_gradients(model, q, wrenches=pairs, order=order, threads=threads)
    v = motions.numbers_of(model, arrays.finite(arrays.numbers(v, 'v'), 'v'), 'v')
    shape = (*G.shape[:-4], G.shape[-4], G.shape[-1])
    if v.shape != shape:
        raise InputError(f'v has the shape {v.shape}, but needs {shape}: row k weighs the k-th time derivative of Q')
    with np.errstate(over='ignore', invalid='ignore'):
        product = np.einsum('...kn,...kjnm->...jm', v, G)
    return motions.finite_result(model, product, 'a product with gradients of Q', v, 'v')


def _compiled(name, model, q, given, pairs, order, threads):
    """The kernel's answer under loads (link, LinkWrench) each, if any; None where it has none."""
    if pairs and getattr(model, '_compiled', None) is not None:
        q = _motions(model, q, order)
        given = (*given, *loads.for_kernel(model, loads.checked_loads(model, q, pairs), q.shape[:-2]))
    return compiled(model, name, 3, q, *given, order=order, threads=threads)


def _motions(model, q, order):
    q = motions.motions(motions.massive(model), q, 3, order)
    if not model.single_axes or model.base == 'free':
        raise ModelError(
            f'{model.name} has joints of several axes or a free base, whose rates are no derivatives of coordinates; '
            'inverse_dynamics_derivatives gives the derivatives of Q itself by their quasi-velocities')
    return q


@np.errstate(over='ignore', invalid='ignore')
def _one_sample(model, q, wrenches):
    by = force_derivatives(model, q, wrenches)
    orders = len(by[0])
    out = np.zeros((orders, orders + 2, model.n, model.n), by[0].dtype)
    for k in range(orders):
        for i in range(k + 1):
            for s in range(3):
                out[k, i + s] = out[k, i + s] + comb(k, i) * by[s][k - i]
    return motions.finite_result(model, out, 'a gradient of Q', q)


def force_derivatives(model, q, wrenches=None):
    """dQ / dq, dQ / dq', dQ / dq'' and their time derivatives along the motion, each (order + 1, n, n)."""
    kinematics = jacobians(model, q)
    rows = len(q) - 2
    J, V, gamma = kinematics.J, kinematics.V, kinematics.gamma
    inertia = body_inertias(model)
    dJ = jacobian_derivatives(model, kinematics)
    columns = transpose(J)
    momentum = apply(inertia, V)
    ad_Vt = transpose(lie.ad(V))
    W = apply(inertia, V[1:] + gamma[:rows]) - product(ad_Vt, momentum, apply, rows)

    def wrench_by(V_x, A_x):
        return (apply(inertia[:, None], A_x[:rows]) - product(transpose(lie.ad(V_x)), momentum[:, :, None], apply, rows)
                - product(ad_Vt[:, :, None], apply(inertia[:, None], V_x), apply, rows))

    V_q = product(dJ, kinematics.rates[:, None, None], apply)
    W_q = wrench_by(V_q, V_q[1:] - product(lie.ad(columns), gamma[:, :, None], apply, rows))
    W_dq = wrench_by(columns, columns[1:rows + 1] + V_q[:rows])
    if wrenches is not None:
        external, external_q = body_wrenches_by_state(model, q, J, loads.pairs(wrenches))
        W, W_q = W - external, W_q - external_q
    projected = product(transpose(dJ), W[:, :, None], apply, rows).sum(1)               # (rows, h, n)
    M = sum_over_bodies(J[:rows], inertia @ J[:rows])
    M[0] = M[0] + np.diag(model.armature)
    by_q = transpose(projected) + sum_over_bodies(J[:rows], transpose(W_q))
    return by_q, sum_over_bodies(J[:rows], transpose(W_dq)), M


def jacobian_derivatives(model, kinematics):
    """dJ_k / dq_h with time derivatives, (rows, N + 1, h, 6, n): (31) by the Leibniz rule."""
    J, Ad = kinematics.J, kinematics.Ad
    rows, bodies, _, n = J.shape
    ad_Xi = lie.ad(np.swapaxes(kinematics.Xi, -1, -2))
    dJ = np.zeros((rows, bodies, n, 6, n), J.dtype)
    for i, parent in enumerate(model.parent):
        for r in range(rows):
            dJ[r, i] = nth(Ad[:, i], dJ[:, parent], r) - ad_Xi[i] @ nth(Ad[:, i], J[:, parent], r)
    return dJ
