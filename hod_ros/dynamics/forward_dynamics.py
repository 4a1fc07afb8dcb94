# SPDX-License-Identifier: Apache-2.0
"""Higher-order forward dynamics: the motion's derivatives q'', q''', ... that given forces and their derivatives cause.

The k-th derivative of the equations of motion is linear in q^(k+2), with the mass matrix of the present configuration:
M q^(k+2) = Q^(k) - (the k-th derivative of inverse dynamics where q^(k+2) = 0). Articulated bodies solve that in O(N).
Mimic joints couple bodies that are no neighbours: models with them are solved with the mass matrix itself.

Twists are (angular, linear) and wrenches (torque, force), body-fixed. Axis 0 counts time derivatives. Numbers may be of
any kind.
"""

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.linear import check_definite
from hod_ros.algebra.linear import solve
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics import loads
from hod_ros.dynamics.formulations import articulated
from hod_ros.dynamics.formulations import recursive
from hod_ros.dynamics.loads import Wrenches
from hod_ros.errors import InputError
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.free_base import on_free_joint
from hod_ros.model.robot_model import RobotModel


@overload
def forward_dynamics(model: RobotModel, q: ArrayLike, Q: ArrayLike, *, wrenches: Wrenches | None = None, base: None = None,
                     base_wrench: None = None, order: int | None = None, threads: int | None = None) -> Array: ...


@overload
def forward_dynamics(model: RobotModel, q: ArrayLike, Q: ArrayLike, *, wrenches: Wrenches | None = None, base: FreeBase,
                     base_wrench: ArrayLike | None = None, order: int | None = None, threads: int | None = None) -> tuple[Array, Array]: ...


def forward_dynamics(model: RobotModel, q: ArrayLike, Q: ArrayLike, *, wrenches: Wrenches | None = None, base: FreeBase | None = None,
                     base_wrench: ArrayLike | None = None, order: int | None = None,
                     threads: int | None = None) -> Array | tuple[Array, Array]:
    """q'', q''', ... (order + 1, n) for q (2, n), rows q and q', and Q (order + 1, n), rows Q, Q', ..., Q^(order).

    Also for samples: q (samples, 2, n) and Q (samples, order + 1, n) give (samples, order + 1, n).
    wrenches: external loads as in inverse_dynamics.
    order: how many derivatives are meant; needed beyond twelve rows of Q, which may be samples.
    A free base needs base=(pose (4, 4), twist (6,) body-fixed); base_wrench (order + 1, 6) drives it, None: nothing
    does. The result is then the pair of the above and the base's twist', twist'', ... (order + 1, 6). For samples, each
    of these three is given once or with an axis of samples before its own.
    M q^(k+2) = Q^(k) - (the k-th derivative of inverse dynamics where q^(k+2) = 0).

    Raises InputError where an argument has the wrong shape, name or value; SingularityError where the mass matrix is singular.

        >>> Q = inverse_dynamics(model, q)
        >>> np.allclose(forward_dynamics(model, q[:2], Q), q[2:])
        True
    """
    if threads is not None:
        arguments.threads(threads)
    kernel = getattr(model, '_compiled', None)
    if kernel is not None and wrenches is None and base is None and base_wrench is None:
        rows = kernel.forward_dynamics(q, Q, threads=threads) if threads else kernel.forward_dynamics(q, Q)
        if rows is not None:
            motions.check_order(rows, 1, 'Q', order)
            return rows
    q, Q = _checked(model, q, Q, order)
    base, base_wrench = checked_base(model, base, base_wrench, Q)
    checked = None
    if wrenches is not None:
        wrenches = loads.pairs(wrenches)
        checked = loads.checked_loads(model, _rows_of_zeros(Q), wrenches)
    rows = _compiled(kernel, model, q, Q, checked, base, base_wrench, threads)
    if rows is not None:
        return rows
    if q.ndim == 2:
        return _one_sample(model, q, Q, wrenches, base, base_wrench)
    out = []
    for i in range(len(q)):
        one_base = None if base is None else (base[0][i], base[1][i])
        one_wrench = None if base is None else base_wrench[i]
        out.append(_one_sample(model, q[i], Q[i], None if wrenches is None else loads.of_sample(wrenches, i), one_base, one_wrench))
    if base is None:
        return np.reshape(out, Q.shape)
    return tuple(np.reshape([pair[k] for pair in out], (*Q.shape[:-1], size)) for k, size in ((0, model.n), (1, 6)))


def _compiled(kernel, model, q, Q, checked, base, base_wrench, threads):
    """The kernel's result for checked arguments; None where it has none."""
    if kernel is None or Q.dtype == object or any(values.dtype == object for _, values, _ in checked or ()):
        return None
    given = [q, Q, *((*base, base_wrench) if base is not None else (None, None, None))]
    if checked:
        given += loads.for_kernel(model, checked, Q.shape[:-2])
    return kernel.forward_dynamics(*given, threads=threads)


def has_own_coordinates(model):
    """Whether every screw has a coordinate of its own: no mimic joints."""
    return len(model.X) == model.n and bool(np.all(model.multiplier == 1) and np.all(model.offset == 0))


def mass_matrix_route(model, q, Q, external=None):
    """As articulated.accelerations, through M itself: serves mimic joints, and as a check of the other."""
    M, magnitudes = mass_matrix(model, q[0])
    check_definite(M, magnitudes, model.joint_names)
    q = list(q)
    for k in range(len(Q)):
        q.append(0 * q[0])
        rows = np.stack(q)
        loads_so_far = None if external is None else np.stack([external(j, rows[:-1]) for j in range(k + 1)])
        q[-1] = solve(M, Q[k] - recursive.inverse_dynamics(model, rows, loads_so_far)[0][k])
    return np.stack(q[2:])


def mass_matrix(model, q):
    """M (n, n) from composite inertias, at q (n,), and what its diagonal could be at most, were nothing in it to cancel (n,)."""
    m = len(model.X)
    Ad = lie.Ad(lie.inverse(joints.relative_poses(model, q[None])))
    composite = np.array(model.M, np.result_type(model.M, Ad))
    along_screws, magnitudes = np.zeros((m, m), composite.dtype), np.zeros(m)
    for i in reversed(range(len(model.bodies))):
        mine, body = model.screw_body == i, i
        F = composite[i] @ model.X[mine].T
        along_screws[np.ix_(mine, mine)] = model.X[mine] @ F
        if composite.dtype != object:
            magnitudes[mine] = np.diag(abs(model.X[mine]) @ abs(composite[i]) @ abs(model.X[mine]).T)
        while model.parent[body] >= 0:
            F, body = Ad[body].T @ F, model.parent[body]
            above = model.screw_body == body
            along_screws[np.ix_(above, mine)] = model.X[above] @ F
            along_screws[np.ix_(mine, above)] = along_screws[np.ix_(above, mine)].T
        if model.parent[i] >= 0:
            composite[model.parent[i]] += Ad[i].T @ composite[i] @ Ad[i]
    onto = np.zeros((m, model.n), dtype=model.multiplier.dtype)
    onto[np.arange(m), model.coordinate] = model.multiplier
    return onto.T @ along_screws @ onto + np.diag(model.armature), (abs(onto.T) @ np.sqrt(magnitudes)) ** 2 + model.armature


def _one_sample(model, q, Q, wrenches, base, base_wrench):
    external = None if wrenches is None else _external(model, wrenches, None if base is None else base[0])
    if base is None:
        return _solved(model, q, Q, external)
    pose, twist = base
    q = np.concatenate([np.stack([0 * twist, twist]), q], axis=1)
    out = _solved(on_free_joint(model, pose), q, np.concatenate([base_wrench, Q], axis=1), external)
    return out[:, 6:], out[:, :6]


def _solved(model, q, Q, external):
    accelerations = articulated.accelerations if has_own_coordinates(model) else mass_matrix_route
    with np.errstate(over='ignore', invalid='ignore'):
        out = accelerations(model, q, Q, external)
    return motions.finite_result(model, out, 'the motion', np.concatenate([q, Q]), "the rows q, q', Q, Q', ...")


def _external(model, wrenches, pose):
    """Function of (k, q up to row k + 1): the k-th derivatives of the loads as wrenches on bodies (N + 1, 6), the
    base's last.

    With the pose of a free base, the first six columns of q are the base's, and so is the first wrench.
    """
    def external(k, q):
        q = np.concatenate([q[:k + 2], 0 * q[:1]])
        if pose is None:
            return loads.on_bodies(model, q, wrenches)[k]
        values = loads.on_bodies(model, q[:, 6:], wrenches, (pose, q[1:, :6]))[k]
        return np.concatenate([values[-1:], values[:-1], 0 * values[:1]])
    return external


def _checked(model, q, Q, order):
    """q (..., 2, n) and Q (..., order + 1, n) as arrays of finite numbers."""
    names, n = motions.robot_model(model).joint_names, model.n
    q, Q = arrays.numbers(q, 'q'), arrays.numbers(Q, 'Q')
    if q.ndim not in (2, 3) or q.shape[-2:] != (2, n):
        raise InputError(f"q has the shape {q.shape}; give (2, {n}), rows q and q', or (samples, 2, {n})")
    if Q.ndim != q.ndim or Q.shape[-1] != n or Q.shape[-2] < 1 or Q.shape[:-2] != q.shape[:-2]:
        raise InputError(
            f"Q has the shape {Q.shape}, q has {q.shape}; give (order + 1, {n}), rows Q, Q', ..., for each sample of q")
    motions.check_order(Q, 1, 'Q', order)
    motions.check_rows(model, Q, 'Q')
    for name, array in (('q', q), ('Q', Q)):
        if array.dtype != object and not np.isfinite(array).all():
            *_, row, column = at = tuple(np.argwhere(~np.isfinite(array))[0])
            raise InputError(f'{name} is {array[at]} in row {row} of {names[column]!r}; every number must be finite')
    q, Q = motions.numbers_of(model, q, 'q'), motions.numbers_of(model, Q, 'Q')
    kind = np.result_type(q, Q)
    return q.astype(kind, copy=False), Q.astype(kind, copy=False)


def checked_base(model, base, base_wrench, Q):
    """Pose (..., 4, 4), twist (..., 6) and wrench (..., order + 1, 6) of a free base; (None, None) of a fixed one."""
    if model.base == 'fixed':
        if base is not None or base_wrench is not None:
            raise InputError(f"{model.name} has a fixed base, which takes no base; make the model with base='free'")
        return None, None
    try:
        pose, twist = base
    except (TypeError, ValueError):
        raise InputError(f'{model.name} has a free base; give base=(pose (4, 4), twist (6,))') from None
    samples, order = Q.shape[:-2], Q.shape[-2] - 1
    twist = arrays.numbers(twist, 'the twist of base')
    if twist.shape not in ((6,), (*samples, 6)):
        raise InputError(f'the twist of base has the shape {twist.shape}; give {(*samples, 6)}, angular before linear')
    pose, twists = motions.free_bases(model, (pose, twist[..., None, :]), samples, 1)
    W = np.zeros((order + 1, 6)) if base_wrench is None else arrays.numbers(base_wrench, 'base_wrench')
    if W.shape not in ((order + 1, 6), (*samples, order + 1, 6)):
        raise InputError(f'base_wrench has the shape {W.shape}; give {(*samples, order + 1, 6)}, as many rows as Q has')
    if W.dtype != object and not np.isfinite(W).all():
        raise InputError(f'base_wrench holds {W[~np.isfinite(W)][0]}; every number must be finite')
    return (pose, twists[..., 0, :]), np.broadcast_to(W, (*samples, order + 1, 6))


def _rows_of_zeros(Q):
    return np.zeros((*Q.shape[:-2], Q.shape[-2] + 2, Q.shape[-1]))
