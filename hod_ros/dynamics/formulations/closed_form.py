# SPDX-License-Identifier: Apache-2.0
"""Closed-form n-th order inverse dynamics: paper 000, section III (002 is the same at n = 1, 2), on trees.

Twists are (angular, linear) and wrenches (torque, force), body-fixed, stacked body after body into vectors of
6 (N + 1) components; the last body is the base. Axis 0 of every quantity counts its time derivatives. Units are SI.

The base is one more body, whose twist is the last six of the n + 6 rates (q', V_0). That makes one formula of fixed and
free bases: the paper's A, J, V, M are those without the base's rows and columns, its U of (33) is the base's columns of
A, and the base's wrench comes out beside Q. A joint of several axes has several columns in X; a mimic joint's screw
stands in its master's column.

C is 000's (28)-(30). It isn't unique: hod_ros.dynamics.matrices has 001's, with M' - 2 C skew, and C q' is the same.
"""

from dataclasses import dataclass
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
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.loads import checked_external
from hod_ros.errors import InputError
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class SystemKinematics:
    """The system's matrices of 000 (21)-(27), (39)-(42), (46), with their time derivatives. n' = n + 6, N' = N + 1."""

    X: Array       # (6N', n')             joint screws (23)
    A: Array       # (rows, 6N', 6N')      block (i, j): Ad of C_{i,j} where j carries i, (23), (39)
    a: Array       # (rows, N', 6, 6)      diagonal blocks ad of X_i q_i', (25), (40)
    J: Array       # (rows, 6N', n')       system Jacobian (22), (41)
    rates: Array   # (rows, n')            (q', V_0)
    V: Array       # (rows, 6N')           system twist (21), (42)
    b: Array       # (rows, N', 6, 6)      diagonal blocks ad of V_i, (31), (46)
    G: Array       # (rows, 6)             V_0' of (33) in the base's frame: minus the gravitational acceleration
    M: Array       # (N', 6, 6)            diagonal blocks M_i (12), (29)

    @property
    def U(self) -> Array:
        """(rows, 6N', 6) Ad of the inverse of C_i: from the base's frame to the bodies' (33)."""
        return self.A[:, :, -6:]


@dataclass(frozen=True)
class EquationsOfMotion:
    """M, C, Q_grav and Q_ext of 000 (1) with their time derivatives; the last six rows and columns are the base's."""

    M: Array           # (order + 1, n', n')   (28), (43), with the rotors' inertia
    C: Array           # (order + 1, n', n')   (28), (44)
    Q_grav: Array      # (order + 1, n')       (32), (47)
    Q_ext: Array       # (order + 1, n')       J^T W of external wrenches W, 002 (34), (44)


def inverse_dynamics(model, q, external=None, base=None):
    """Q (order + 1, n) from (34) for q (order + 3, n), and the wrench on the base (order + 1, 6).

    external: (order + 1, N + 1, 6) body-fixed wrenches that the environment exerts on the bodies, the base last.
    base: (pose, twists (order + 2, 6) body-fixed) of a free base; None: at rest in the world frame.
    """
    kinematics = system_kinematics(model, q[:-1], None if base is None else (base[0], base[1][:len(q) - 2]), order=len(q) - 3)
    rates = system_rates(model, q, base)
    Q = generalised_forces(equations_of_motion(model, kinematics, external), rates)
    return Q[:, :model.n], Q[:, model.n:]


@np.errstate(over='ignore', invalid='ignore')
def system_kinematics(model: RobotModel, q: ArrayLike, base: FreeBase | None = None, *, order: int | None = None) -> SystemKinematics:
    """A, a, J, V, b of q (rows + 1, n): derivatives 0 .. rows - 1 of all.

    base: (pose, twists (rows, 6) body-fixed) of a free base; None: at rest in the world frame.
    order: how many derivatives are meant; needed beyond twelve rows of q, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> kinematics = system_kinematics(model, q[:4])
        >>> kinematics.J.shape, kinematics.V.shape
        ((3, 48, 13), (3, 48))
    """
    q = motions.motion(model, q, 2, order=order)
    base = motions.free_base(model, base, len(q) - 1)
    rates = system_rates(model, q, base)
    X = system_screws(model)
    N, rows = len(model.bodies) + 1, len(rates)
    xi = np.concatenate([joints.joint_twists(model, q), rates[:, None, -6:]], axis=1)
    a = lie.ad(xi)                                                              # (25), (40)
    A = adjoint_derivatives(tree_adjoints(model, q), a)
    J = A @ X                                                                   # (22), (41)
    V = product(J, rates, apply)                                                # (21), (42)
    b = lie.ad(V.reshape(rows, N, 6))                                           # (31), (46)
    G = np.zeros((rows, 6), A.dtype)
    g = np.concatenate([np.zeros(3), -model.gravity])
    G[0] = g if base is None else lie.Ad(lie.inverse(base[0])) @ g
    for k in range(1, rows):
        G[k] = -nth(b[:, -1], G, k - 1, apply)
    motions.finite_result(model, (A, J, V, G), "the system's kinematics", q)
    return SystemKinematics(X, A, a, J, rates, V, b, G, system_inertia(model))


def system_rates(model, q, base=None):
    """(q', V_0) and its derivatives, (rows, n + 6) for q (rows + 1, n)."""
    twists = np.zeros((len(q) - 1, 6), q.dtype) if base is None else base[1][:len(q) - 1]
    return np.concatenate([q[1:], twists], axis=1)


def system_screws(model):
    """X, (6(N + 1), n + 6): the bodies' joint screws, and the identity for the base."""
    N, n = len(model.bodies), model.n
    screws = joints.screw_matrices(model)
    X = np.zeros((6 * N + 6, n + 6), screws.dtype)
    X[:-6, :n] = screws.reshape(6 * N, n)
    X[-6:, n:] = np.eye(6)
    return X


def system_inertia(model):
    """The diagonal blocks of (29), (N + 1, 6, 6)."""
    return np.concatenate([model.M, model.M_base[None]])


def tree_adjoints(model, q):
    """A of (23) for row 0 of q: Ad of C_{i,j} = C_i^-1 C_j where body j carries body i, 0 elsewhere."""
    N = len(model.bodies) + 1
    Ad = lie.Ad(lie.inverse(joints.relative_poses(model, q)))
    A = np.zeros((N, 6, 6 * N), Ad.dtype)
    A[-1, :, -6:] = np.eye(6, dtype=int)
    for i, parent in enumerate(model.parent):
        np.matmul(Ad[i], A[parent], out=A[i])
        A[i, :, 6 * i:6 * i + 6] = np.eye(6, dtype=int)
    return A.reshape(6 * N, 6 * N)


def adjoint_derivatives(A, a):
    """A, A', ... (rows, 6N', 6N') by (27), (39): A' = -A (a A - a), for the blocks a (rows, N', 6, 6)."""
    A, minus = [A], []
    diagonal = dense(a[:-1])
    for k in range(len(a) - 1):
        minus.append(diagonal[k] - nth(a, A, k, _times))                        # a^(k) minus the inner sum of (39)
        A.append(nth(A, minus, k))
    return np.stack(A)


def system_coriolis(kinematics):
    """The system's C = -M A a - b^T M (rows, 6N', 6N') with its derivatives, (30), (45)."""
    M, A, b = kinematics.M, kinematics.A, kinematics.b
    diagonal = dense(transpose(b) @ M)
    Aa = product(A, dense(kinematics.a)).reshape(len(A), len(M), 6, -1)
    return -(M @ Aa).reshape(A.shape) - diagonal


@np.errstate(over='ignore', invalid='ignore')
def equations_of_motion(model: RobotModel, kinematics: SystemKinematics, external: ArrayLike | None = None) -> EquationsOfMotion:
    """M, C, Q_grav, Q_ext with as many derivatives as the kinematics have rows; 000 (28), (32), (43), (47).

    external: (rows, N + 1, 6) body-fixed wrenches that the environment exerts on the bodies, the base's last; None: no loads.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats; ModelError where
    nothing that moves has inertia.

        >>> equations = equations_of_motion(model, system_kinematics(model, q[:4]))
        >>> np.allclose(equations.M[0, :7, :7], dynamics_matrices(model, q).M[0])
        True
    """
    _check_kinematics(model, kinematics)
    J, N = kinematics.J, len(kinematics.M)
    external = checked_external(model, external, len(J))
    Jt = transpose(J)
    rows, size, n = J.shape
    M = product(Jt, (kinematics.M @ J.reshape(rows, N, 6, n)).reshape(J.shape))                     # (28), (43)
    M[0, :model.n, :model.n] += np.diag(model.armature)
    C = product(Jt, product(system_coriolis(kinematics), J))                                        # (28), (44)
    weight = apply(kinematics.M, product(kinematics.U, kinematics.G, apply).reshape(rows, N, 6)).reshape(rows, size)
    Q_grav = product(Jt, weight, apply)                                                             # (32), (47)
    Q_ext = np.zeros_like(Q_grav) if external is None else product(Jt, external.reshape(rows, size), apply)
    for name, part in (('M', M), ('C', C), ('Q_grav', Q_grav), ('Q_ext', Q_ext)):
        arrays.not_too_large(part, name)
    return EquationsOfMotion(M, C, Q_grav, Q_ext)


def _check_kinematics(model, kinematics):
    motions.massive(model)
    if not isinstance(kinematics, SystemKinematics):
        raise InputError(f'kinematics is {arguments.shown(kinematics)}; give what system_kinematics(model, q) returns')
    N, n = len(model.bodies), model.n
    if kinematics.J.shape[1:] != (6 * N + 6, n + 6):
        raise InputError(
            f'kinematics is of another robot: its J has the shape {kinematics.J.shape}, but {N} bodies and {n} joints of {model.name} need '
            f'(rows, {6 * N + 6}, {n + 6}); give system_kinematics(model, q) of the same model')


def generalised_forces(equations, rates):
    """Q (order + 1, n') by (34) for the rates (order + 2, n')."""
    return (product(equations.M, rates[1:], apply) + product(equations.C, rates[:-1], apply)
            + equations.Q_grav - equations.Q_ext)


def derivative_coefficients(equations: EquationsOfMotion, n: int) -> list[Array]:
    """P_1 .. P_(n+2) of 000 (37)-(38), (n + 2, n', n'): Q^(n) = sum_k P_k q^(k) + Q_grav^(n) - Q_ext^(n).

    Raises InputError where equations are of another kind or have fewer than n derivatives.

        >>> equations = equations_of_motion(model, system_kinematics(model, q[:4]))
        >>> derivative_coefficients(equations, 2).shape
        (4, 13, 13)
    """
    if not isinstance(equations, EquationsOfMotion):
        raise InputError(f'equations is {arguments.shown(equations)}; give what equations_of_motion returns')
    M, C = equations.M, equations.C
    if arguments.count(n, 'n', 0) >= len(M):
        raise InputError(
            f'n is {arguments.shown(n)}, but equations have derivatives up to {len(M) - 1}; give one of these, or more rows of q')
    P = [C[n]]
    for k in range(2, n + 2):
        P.append(comb(n, k - 2) * M[n - k + 2] + comb(n, k - 1) * C[n - k + 1])
    return np.stack([*P, M[0]])


def _times(blocks, matrix):
    """Block-diagonal (N', 6, 6) times (6N', columns)."""
    size, columns = matrix.shape
    return (blocks @ matrix.reshape(len(blocks), 6, columns)).reshape(size, columns)


def dense(blocks):
    """(..., N', 6, 6) -> (..., 6N', 6N') block-diagonal matrix."""
    N = blocks.shape[-3]
    out = np.zeros(blocks.shape[:-3] + (N, 6, N, 6), blocks.dtype)
    for i in range(N):
        out[..., i, :, i, :] = blocks[..., i, :, :]
    return out.reshape(blocks.shape[:-3] + (6 * N, 6 * N))
