# SPDX-License-Identifier: Apache-2.0
"""Derivatives by the state: paper 001, section IV, of M, C, g; of inverse dynamics Q and of forward dynamics q''.

Twists are (angular, linear), body-fixed. A derivative by a vector has its axis last: M_q[i, j, h] = dM_ij / dq_h. For
joints of several axes the derivatives by coordinates are those along their screws with the quasi-velocities held; see
hod_ros.kinematics.jacobians.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import transpose
from hod_ros.algebra.linear import solve
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics import loads
from hod_ros.dynamics.forward_dynamics import checked_base
from hod_ros.dynamics.forward_dynamics import forward_dynamics
from hod_ros.dynamics.load_derivatives import body_wrenches_by_state
from hod_ros.dynamics.loads import Wrenches
from hod_ros.dynamics.matrices import body_inertias
from hod_ros.dynamics.matrices import coriolis_blocks
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.kinematics.jacobians import state_jacobians
from hod_ros.model import motions
from hod_ros.model.quantities import Quantity
from hod_ros.model.robot_model import RobotModel


class MatrixDerivatives(NamedTuple):
    """Derivatives of 001's matrices by the state, (24)."""

    M_q: Array     # (n, n, n)     dM / dq_h, (24a)
    C_q: Array     # (n, n, n)     dC / dq_h, (24b)
    C_dq: Array    # (n, n, n)     dC / dq_h', (24c)
    g_q: Array     # (n, n)        dg / dq_h, (24d)


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of Q(q, q', q''), all (n, n)."""

    q: Array       # dQ / dq [N m/rad]
    dq: Array      # dQ / dq' [N m s/rad]
    ddq: Array     # dQ / dq'' = M


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of q''(q, q', Q), all (n, n)."""

    q: Array       # dq'' / dq = -M^-1 dQ / dq
    dq: Array      # dq'' / dq' = -M^-1 dQ / dq'
    Q: Array       # dq'' / dQ = M^-1


def matrix_derivatives(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, threads: int | None = None) -> MatrixDerivatives:
    """Derivatives of M, C, g by q and q', for q (2, n) or (samples, 2, n). base: as in dynamics_matrices; the axes are then n + 6 long.

    threads: how many a batch may run on, as in inverse_dynamics. 001 (24).

    Raises InputError where an argument has the wrong shape, name or value; ModelError where nothing that moves has inertia.

        >>> d = matrix_derivatives(model, q[:2])
        >>> np.allclose(d.M_q @ q[1], dynamics_matrices(model, q).M[1])            # M' = sum_h dM / dq_h q_h'
        True
    """
    if isinstance(q, np.ndarray) and (q.ndim == 3 or q.ndim == 2 and len(q) <= motions.MOST_ROWS_UNASKED):
        q = q[..., :2, :]
    return MatrixDerivatives._make(_MATRICES(model, q, base, None, threads))


def _of_matrices(model, q, base):
    q = q[:2]
    kinematics = jacobians(model, q, base)
    by_state = state_jacobians(model, kinematics)
    inertia = body_inertias(model)[:, None]
    J, J_dot, V = kinematics.J[0][:, None], kinematics.J[1][:, None], kinematics.V[0][:, None]
    dJ, dJ_dot = by_state.J, by_state.J_dot
    ad_J = lie.ad(transpose(kinematics.J[0]))                           # adj of the columns J_k^h, for (18)-(19)
    psi = coriolis_blocks(inertia, V)
    psi_q = coriolis_blocks(inertia, apply(dJ, kinematics.rates[0]))    # (20)
    psi_dq = coriolis_blocks(inertia, transpose(kinematics.J[0]))       # (19)
    gamma = kinematics.gamma[0][:, None, :, None]
    M_half = transpose(dJ) @ inertia @ J
    M_q = M_half + transpose(M_half)                                                                # (24a)
    C_q = transpose(dJ) @ (psi @ J + inertia @ J_dot) + transpose(J) @ (
        inertia @ dJ_dot + psi_q @ J + psi @ dJ)                                                    # (24b)
    C_dq = transpose(J) @ (psi_dq @ J + inertia @ dJ)                                               # (24c), (30)
    g_q = (transpose(dJ) @ inertia - transpose(J) @ inertia @ ad_J) @ gamma                         # (24d)
    M_q, C_q, C_dq, g_q = (np.moveaxis(value.sum(0), 0, -1) for value in (M_q, C_q, C_dq, g_q[..., 0]))
    return M_q, C_q, C_dq, g_q


_MATRICES = Quantity('matrix_derivatives', _of_matrices, 'a derivative of the matrices', 2, asked=motions.massive, remedy=motions.FEWER)


def inverse_dynamics_derivatives(model: RobotModel, q: ArrayLike, *, wrenches: Wrenches | None = None, base: FreeBase | None = None,
                                 threads: int | None = None) -> InverseDynamicsDerivatives:
    """Exact derivatives of Q by q, q', q'', for q (3, n) or (samples, 3, n); further rows are of no influence.

    wrenches: as in inverse_dynamics, rows 0 count; each is held constant in its own frame while the robot moves.
    base: (pose, twists (2, 6)) of a free base: Q is then (Q, W), and the axes are n + 6 long.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats; ModelError where
    nothing that moves has inertia.

        >>> d = inverse_dynamics_derivatives(model, q[:3])
        >>> np.allclose(d.ddq, dynamics_matrices(model, q).M[0])
        True
    """
    kernel = getattr(model, '_compiled', None)
    if kernel is not None and wrenches is None and threads is None and (base is None or _is_pair(base)):
        matrices = kernel.inverse_dynamics_derivatives(q) if base is None else kernel.inverse_dynamics_derivatives(q, None, None, *base)
        if matrices is not None:
            if base is not None and len(base[1]) > 2:
                motions.check_twists(base[1], 2, matrices[0].shape[:-2])
            return tuple.__new__(InverseDynamicsDerivatives, matrices)      # what _make does, in two thirds of its time
    arguments.threads(threads)
    q = motions.motions(motions.massive(model), q, 3, remedy=motions.FEWER)
    if q.shape[-2] > 3 and q.dtype != object:
        return inverse_dynamics_derivatives(model, q[..., :3, :], wrenches=wrenches, base=base, threads=threads)
    q = q[..., :3, :]
    bases = motions.bases_of(model, base, q.shape[:-2], 2)
    pairs = None if wrenches is None else loads.pairs(wrenches)
    if pairs is not None:
        checked = loads.checked_loads(model, q, pairs)
    if kernel is not None:
        values, places = loads.for_kernel(model, checked, q.shape[:-2]) if pairs else (None, None)
        matrices = kernel.inverse_dynamics_derivatives(q, values, places, *(bases or ()), threads=threads)
        if matrices is not None:
            return InverseDynamicsDerivatives._make(matrices)
    if q.ndim == 2:
        return _one_sample(model, q, pairs, bases)
    each = [
        _one_sample(model, one, None if pairs is None else loads.of_sample(pairs, i), None if bases is None else (bases[0][i], bases[1][i]))
        for i, one in enumerate(q)]
    size = model.n + 6 * (base is not None)
    stacked = (np.reshape([getattr(one, name) for one in each], (len(q), size, size)) for name in ('q', 'dq', 'ddq'))
    return InverseDynamicsDerivatives(*stacked)


def _is_pair(base):
    return isinstance(base, tuple) and len(base) == 2


@np.errstate(over='ignore', invalid='ignore')
def _one_sample(model, q, wrenches, base):
    kinematics = jacobians(model, q, base)
    by_state = state_jacobians(model, kinematics)
    inertia = body_inertias(model)
    J, J_dot, V = kinematics.J[0], kinematics.J[1], kinematics.V[0]
    rate, acceleration = kinematics.rates
    momentum = apply(inertia, V)
    ad_Vt = transpose(lie.ad(V))
    W = apply(inertia, kinematics.V[1] + kinematics.gamma[0]) - apply(ad_Vt, momentum)          # (2), with gravity

    def wrench_by(V_x, A_x):
        """Derivatives of W (N + 1, h, 6) from those of the twist and of the acceleration, gamma included."""
        return (apply(inertia[:, None], A_x) - apply(transpose(lie.ad(V_x)), momentum[:, None])
                - apply(ad_Vt[:, None], apply(inertia[:, None], V_x)))

    V_q = apply(by_state.J, rate)
    A_q = apply(by_state.J, acceleration) + apply(by_state.J_dot, rate)
    columns = transpose(J)
    W_q = wrench_by(V_q, A_q - apply(lie.ad(columns), kinematics.gamma[0][:, None]))                # (18)
    W_dq = wrench_by(columns, transpose(J_dot) + V_q)                                               # (30)
    if wrenches is not None:
        external, external_q = body_wrenches_by_state(model, q, kinematics.J, loads.pairs(wrenches), base)
        W, W_q = W - external[0], W_q - external_q[0]
    Q_q = np.einsum('khin,ki->nh', by_state.J, W) + np.einsum('kin,khi->nh', J, W_q)
    Q_dq = np.einsum('kin,khi->nh', J, W_dq)
    M = (transpose(J) @ inertia @ J).sum(0)
    M[:model.n, :model.n] += np.diag(model.armature)
    motions.finite_result(model, (Q_q, Q_dq, M), 'a derivative of Q', q)
    return InverseDynamicsDerivatives(Q_q, Q_dq, M)


def forward_dynamics_derivatives(model: RobotModel, q: ArrayLike, Q: ArrayLike, *, wrenches: Wrenches | None = None,
                                 base: FreeBase | None = None, base_wrench: ArrayLike | None = None,
                                 threads: int | None = None) -> ForwardDynamicsDerivatives:
    """Exact derivatives of q'' by q, q' and Q, for q (2, n) and the forces Q (n,), or (samples, 2, n) and (samples, n).

    wrenches: as in inverse_dynamics_derivatives. base: (pose, twist (6,)) of a free base, base_wrench: the wrench (6,)
    that drives it, none by default; then q'', q, q', Q are continued by the base's, and the axes are n + 6 long.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value; SingularityError where the mass matrix is singular.

        >>> d = forward_dynamics_derivatives(model, q[:2], np.zeros(7))
        >>> np.allclose(d.Q @ dynamics_matrices(model, q).M[0], np.eye(7))
        True
    """
    arguments.threads(threads)
    kernel = getattr(model, '_compiled', None)
    if kernel is not None and wrenches is None and base_wrench is None and (base is None or _is_pair(base)):
        matrices = kernel.forward_dynamics_derivatives(q, Q, None, None, *(base or ()), threads=threads)
        if matrices is not None:
            return ForwardDynamicsDerivatives._make(matrices)
    q = motions.motions(model, q, 2, remedy=motions.FEWER)[..., :2, :]
    Q = arrays.vector(Q, model.joint_names, 'Q')[None] if q.ndim == 2 else arrays.array(
        Q, (len(q), model.n), 'Q', 'the forces of every sample')[:, None]
    if base_wrench is not None:
        base_wrench = arrays.vector(base_wrench, motions.WRENCH, 'base_wrench')[None]
    (pose, twist), drive = (None, None), None
    if base is not None or base_wrench is not None:
        (pose, twist), drive = checked_base(model, base, base_wrench, Q)
    wrenches = None if wrenches is None else loads.pairs(wrenches)
    if kernel is not None:
        checked = loads.checked_loads(model, np.zeros((*q.shape[:-2], 3, model.n)), wrenches) if wrenches else ()
        values, places = loads.for_kernel(model, checked, q.shape[:-2]) if wrenches else (None, None)
        matrices = kernel.forward_dynamics_derivatives(
            q, Q[..., 0, :], values, places, pose, twist, None if drive is None else drive[..., 0, :], threads=threads)
        if matrices is not None:
            return ForwardDynamicsDerivatives._make(matrices)
    rows = forward_dynamics(model, q, Q, wrenches=wrenches, base=base, base_wrench=base_wrench)
    if base is not None:
        rows, twists = rows
        base = pose, np.concatenate([twist[..., None, :], twists], axis=-2)
    D = inverse_dynamics_derivatives(model, np.concatenate([q, rows], axis=-2), wrenches=wrenches, base=base)
    one = np.broadcast_to(np.eye(D.ddq.shape[-1]), D.ddq.shape)
    return ForwardDynamicsDerivatives(-solve(D.ddq, D.q), -solve(D.ddq, D.dq), solve(D.ddq, one))
