# SPDX-License-Identifier: Apache-2.0
"""Kinematics and inverse dynamics in spatial representation: paper 003, on trees and for any order.

Twists are (angular, linear) and wrenches (torque, force), resolved in world axes and taken about the world's origin.
Axis 0 of every quantity counts its time derivatives. The axis of bodies has one place more than there are bodies: the
last, which the parent index -1 addresses, is the base. Wrenches W are, as in the paper, what moves the bodies: their
W^grav and W^app are minus the gravity wrench and minus the wrench that the environment exerts.
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
from hod_ros.algebra.moving_frames import adjoints
from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.loads import checked_external
from hod_ros.errors import InputError
from hod_ros.kinematics.chain import base_pose_and_twists
from hod_ros.model import joints
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class SpatialMotion:
    """Poses, instantaneous joint screws and twists of all bodies, with time derivatives.

    What spatial_motion returns; 003 Algorithm 1.

        >>> motion = spatial_motion(model, q)
        >>> motion.S.shape, motion.V.shape
        ((4, 7, 6), (4, 8, 6))
    """

    C: Array       # (N + 1, 4, 4)         C_i
    S: Array       # (rows, m, 6)          S_k, one a screw
    V: Array       # (rows, N + 1, 6)      V_i


def zero_reference(model: RobotModel) -> Array:
    """A (N, 4, 4) and Y (m, 6): poses C_i(0) of the bodies and joint screws, in the base's frame at q = 0, 003 (4).

    Raises InputError where model is no RobotModel.

        >>> A, Y = zero_reference(model)
        >>> A.shape, Y.shape
        ((7, 4, 4), (7, 6))
    """
    motions.robot_model(model)
    A = np.zeros((len(model.bodies) + 1, 4, 4), model.B.dtype)
    A[-1] = np.eye(4, dtype=int)
    for i, parent in enumerate(model.parent):
        A[i] = A[parent] @ model.B[i]
    return A[:-1], apply(lie.Ad(A[model.screw_body]), model.X)


@np.errstate(over='ignore', invalid='ignore')
def spatial_motion(model: RobotModel, q: ArrayLike, base: FreeBase | None = None, *, accelerated: bool = False,
                   order: int | None = None) -> SpatialMotion:
    """Algorithm 1 for q (rows + 1, n): derivatives 0 .. rows - 1 of all twists and joint screws, rows = 4 in the paper.

    base: (pose, twists (rows, 6) body-fixed) of a free base; None: at rest in the world frame. accelerated: the world
    itself rises at -g, which is how gravity enters the inverse dynamics; V', S'', ... are then not the kinematic ones.
    order: how many derivatives are meant; needed beyond twelve rows of q, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> spatial = spatial_motion(model, q)
        >>> np.allclose(spatial.C, body_fixed_motion(model, q).C)
        True
    """
    q = motions.motion(model, q, 1, order=order)
    base = motions.base_of(model, base, len(q) - 1)
    accelerated = arguments.flag(accelerated, 'accelerated')
    s = joints.screw_coordinates(model, q)
    A, Y = zero_reference(model)
    moved = joints.exponentials(model, Y, s[0])
    rates, rows, N = s[1:, :, None], len(s) - 1, len(model.bodies)
    f = np.zeros((N + 1, 4, 4), moved.dtype)
    V = np.zeros((rows, N + 1, 6), np.result_type(moved, s))
    S = np.zeros((rows, len(Y), 6), V.dtype)
    ad_V = np.zeros((rows, N, 6, 6), V.dtype)
    f[-1], V[:, -1] = _base_motion(model, q, base, accelerated)
    first = np.searchsorted(model.screw_body, np.arange(N + 1))
    for i, parent in enumerate(model.parent):
        own = slice(first[i], first[i + 1])
        f[i] = f[parent] @ moved[i]                                             # (4)
        for k in range(rows):
            S[k, own] = nth(ad_V[:, i], S[:, own], k - 1, apply) if k else apply(lie.Ad(f[i]), Y[own])      # (9), (7)
            V[k, i] = V[k, parent] + nth(S[:, own], rates[:, own], k, np.multiply).sum(0)                   # (6)
            ad_V[k, i] = lie.ad(V[k, i])
    f[:-1] = f[:-1] @ A
    motions.finite_result(model, (f, S, V), 'the motion of the bodies', q)
    return SpatialMotion(f, S, V)


def _base_motion(model, q, base, accelerated):
    C, V_body = base_pose_and_twists(q, base)
    V = product(adjoints(C, V_body), V_body, apply) if len(V_body) else V_body
    if accelerated:
        kinematic, G = V.copy(), weightless_acceleration(model)
        V = V.astype(np.result_type(V, G))
        V[1:2] += G
        for k in range(2, len(V)):
            V[k] += comb(k, 2) * (lie.ad(G) @ kinematic[k - 2])                 # the rising world's Ad'' = ad_G
    return C, V


def weightless_acceleration(model: RobotModel) -> Array:
    """G = (0, -g), (6,): the acceleration of the world that stands for gravity, below 003 (28) and in (23)-(25) [m/s^2].

    Raises InputError where model is no RobotModel.

        >>> float(weightless_acceleration(model)[5])
        9.81
    """
    motions.robot_model(model)
    return np.concatenate([0 * model.gravity, -model.gravity])


def mass_matrices(model: RobotModel, C: ArrayLike) -> Array:
    """M_i^s = Ad_{C_i}^{-T} M_i Ad_{C_i}^{-1} of all bodies and, last, of the base: (N + 1, 6, 6), 003 (13).

    C: (N + 1, 4, 4) poses of the bodies and the base in the world, as spatial_motion(model, q).C.

    Raises InputError where model is no RobotModel, or C holds no poses of its bodies.

        >>> motion = spatial_motion(model, q)
        >>> mass_matrices(model, motion.C).shape
        (8, 6, 6)
    """
    return _mass_matrices(model, arrays.poses(C, len(motions.robot_model(model).bodies) + 1, 'C'))


def _mass_matrices(model, C):
    to_body = lie.Ad(lie.inverse(C))
    return transpose(to_body) @ np.concatenate([model.M, model.M_base[None]]) @ to_body


def mass_matrix_derivatives(M, V, rows):
    """Derivatives 0 .. rows - 1 of M^s (..., 6, 6) by repeated use of 003 (14)."""
    ad_V = lie.ad(V)
    ad_Vt, out = transpose(ad_V), [M]
    for k in range(1, rows):
        out.append(-nth(out, ad_V, k - 1) - nth(ad_Vt, out, k - 1))
    return np.stack(out)


def momentum_screws(M: ArrayLike, V: ArrayLike) -> Array:
    """Pi_i^s with as many derivatives as V (rows, ..., 6): 003 (10), (16), (19), (22); Leibniz with (14) beyond.

    M: (..., 6, 6) inertias of the bodies about the world's origin, in world axes [kg], [kg m], [kg m^2]; V: their twists (angular, linear).

    Raises InputError where an argument has the wrong shape, name or value.

        >>> float(momentum_screws(link_inertia(2.0, [0.0, 0.0, 0.0]), [[0, 0, 0, 3.0, 0, 0]])[0, 3])          # m v
        6.0
    """
    M, V = _checked_bodies(M, V)
    with np.errstate(over='ignore', invalid='ignore'):
        return arrays.not_too_large(_momentum_screws(M, V), 'a momentum screw')


def _momentum_screws(M, V):
    ad_V = lie.ad(V[:3])
    ad_Vt = transpose(ad_V)
    Pi = [apply(M, V[0])]
    if len(V) > 1:
        Pi.append(apply(M, V[1]) - apply(ad_Vt[0], Pi[0]))
    if len(V) > 2:
        square = ad_V[0] @ ad_V[0]
        turned = apply(ad_V[0], V[1])
        carried = transpose(ad_V[1] + square)
        Pi.append(apply(M, V[2] - turned) - 2 * apply(ad_Vt[0], Pi[1]) - apply(carried, Pi[0]))
    if len(V) > 3:
        last = transpose(ad_V[2] + 2 * ad_V[1] @ ad_V[0] + ad_V[0] @ ad_V[1] + square @ ad_V[0])
        Pi.append(
            apply(M, V[3] - 2 * apply(ad_V[0], V[2]) + apply(ad_V[0], turned))
            - 3 * apply(ad_Vt[0], Pi[2]) - 3 * apply(carried, Pi[1]) - apply(last, Pi[0]))
    if len(V) > 4:
        M = mass_matrix_derivatives(M, V, len(V))
        Pi += [nth(M, V, k, apply) for k in range(4, len(V))]
    return np.stack(Pi)


def gravity_wrenches(M: ArrayLike, V: ArrayLike, G: ArrayLike, rows: int) -> Array:
    """W_i^{s,grav} with derivatives 0 .. rows - 1: 003 (23)-(25), with (14) beyond. V: kinematic twist, G = (0, -g).

    M: (..., 6, 6) inertias about the world's origin, in world axes; V: (rows - 1 or more, ..., 6); the result is (rows, ..., 6),
    (torque, force) [N m], [N].

    Raises InputError where an argument has the wrong shape, name or value.

        >>> inertia = link_inertia(2.0, [0.0, 0.0, 0.1])
        >>> W = gravity_wrenches(inertia, np.zeros((1, 6)), [0, 0, 0, 0, 0, 9.81], rows=1)
        >>> float(W[0, 5])                                   # m g
        19.62
    """
    M, V = _checked_bodies(M, V)
    G, rows = arrays.array(G, (6,), 'G', 'what weightless_acceleration(model) returns, (0, -g)'), arguments.count(rows, 'rows', 1)
    if rows > len(V) + 1:
        raise InputError(f'rows is {arguments.shown(rows)}, but V with {len(V)} rows allows {len(V) + 1} at most; give more rows of V')
    with np.errstate(over='ignore', invalid='ignore'):
        return arrays.not_too_large(_gravity_wrenches(M, V, G, rows), 'a gravity wrench')


def _gravity_wrenches(M, V, G, rows):
    ad_V = lie.ad(V[:2])
    out = [apply(M, G)]
    if rows > 1:
        rate = M @ ad_V[0]
        out.append(-apply(rate + transpose(rate), G))
    if rows > 2:
        half = rate @ ad_V[0] + transpose(ad_V[0]) @ rate - M @ ad_V[1]
        out.append(apply(half + transpose(half), G))
    if rows > 3:
        out += list(apply(mass_matrix_derivatives(M, V, rows)[3:], G))
    return np.stack(out)


def inter_body_wrenches(model: RobotModel, W: ArrayLike) -> Array:
    """W-bar_i (rows, N + 1, 6) of the bodies' own wrenches W: sums over all that a body carries, 003 (30).

    W: (rows, N + 1, 6) in world axes about the world's origin, the base's last.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> W = np.ones((1, 8, 6))
        >>> inter_body_wrenches(model, W)[0, :, 0]
        array([7., 6., 5., 4., 3., 2., 1., 8.])
    """
    W = arrays.array(
        W, ('rows', len(motions.robot_model(model).bodies) + 1, 6), 'W', 'a wrench for each body and, last, for the base')
    with np.errstate(over='ignore', invalid='ignore'):
        return arrays.not_too_large(_inter_body_wrenches(model, W), 'a wrench between bodies')


def _inter_body_wrenches(model, W):
    W = W.copy()
    for i in reversed(range(len(model.bodies))):
        W[:, model.parent[i]] += W[:, i]
    return W


def joint_forces(model: RobotModel, S: ArrayLike, W: ArrayLike, q: ArrayLike) -> Array:
    """Q_i = S_i^T W-bar_i with derivatives (rows, n), 003 (29), (31), with the rotors' inertia.

    S: (rows or more, m, 6) joint screws, as spatial_motion's. W: (rows, N + 1, 6), as inter_body_wrenches'. q: (rows + 2 or more, n).

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> motion = spatial_motion(model, q, accelerated=True)                      # gravity as the acceleration of the world
        >>> Pi = momentum_screws(mass_matrices(model, motion.C), motion.V)
        >>> np.allclose(joint_forces(model, motion.S, inter_body_wrenches(model, Pi[1:]), q), inverse_dynamics(model, q))
        True
    """
    W = arrays.array(W, ('rows', len(motions.robot_model(model).bodies) + 1, 6), 'W', 'what inter_body_wrenches returns')
    S = arrays.array(S, ('rows', len(model.X), 6), 'S', 'the joint screws of spatial_motion')
    if len(S) < len(W):
        raise InputError(f'S has {len(S)} rows, but W has {len(W)}; give as many derivatives of the joint screws, or more')
    q = motions.derivatives(model, q, len(W) + 2)
    with np.errstate(over='ignore', invalid='ignore'):
        return arrays.not_too_large(_joint_forces(model, S, W, q), 'a joint force')


def _joint_forces(model, S, W, q):
    along = product(S, W[:, model.screw_body], _dot, len(W))
    return joints.collect(model, along) + model.armature * q[2:2 + len(W)]


def inverse_dynamics(model, q, external=None, base=None, *, gravity='acceleration'):
    """Algorithm 3 for q (order + 3, n): Q (order + 1, n), and the wrench on the base (order + 1, 6), body-fixed.

    external: (order + 1, N + 1, 6) body-fixed wrenches that the environment exerts on the bodies. base: see
    spatial_motion. gravity: 'acceleration' of the world, or separate 'wrenches' (23)-(25); the result is the same.
    """
    if not arguments.one_of(gravity, ('acceleration', 'wrenches')):
        raise InputError(f"gravity is {arguments.shown(gravity)}; it enters as 'acceleration' or as 'wrenches'")
    q = motions.derivatives(model, q, 3)
    rows = len(q) - 2
    external = checked_external(model, external, rows)
    motion = spatial_motion(model, q, base, accelerated=gravity == 'acceleration', order=len(q) - 1)
    M = _mass_matrices(model, motion.C)
    W = _momentum_screws(M, motion.V)[1:]
    if gravity == 'wrenches':
        W = W + _gravity_wrenches(M, motion.V, weightless_acceleration(model), rows)
    if external is not None:
        W = W - _spatial_wrenches(motion.C, motion.V, external)
    W = _inter_body_wrenches(model, W)
    return _joint_forces(model, motion.S, W, q), body_fixed_wrenches(motion.C[-1], motion.V[:, -1], W[:, -1])


def spatial_wrenches(C: ArrayLike, V: ArrayLike, W: ArrayLike) -> Array:
    """Body-fixed wrenches W (rows, N, 6) in spatial representation, 003 (35): (Ad_C^{-T})' = -ad_V^T Ad_C^{-T}.

    C: (N, 4, 4) poses of the bodies; V: (rows - 1 or more, N, 6) their spatial twists. What the environment exerts, so resolved, is minus
    003's W^app.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> motion = spatial_motion(model, q)
        >>> W = body_wrenches(model, q, {'panda_link8': np.ones((3, 6))})
        >>> spatial_wrenches(motion.C, motion.V, W).shape
        (3, 8, 6)
    """
    W = arrays.array(W, ('rows', 'bodies', 6), 'W', 'body-fixed wrenches, row k the k-th time derivative')
    C, V = arrays.poses(C, W.shape[1], 'C'), arrays.array(V, ('rows', W.shape[1], 6), 'V', 'spatial twists of the same bodies')
    if len(V) < len(W) - 1:
        raise InputError(f'V has {len(V)} rows, but W with {len(W)} needs {len(W) - 1}; give more rows of V')
    with np.errstate(over='ignore', invalid='ignore'):
        return arrays.not_too_large(_spatial_wrenches(C, V, W), 'a spatial wrench')


def _spatial_wrenches(C, V, W):
    ad_Vt, T = transpose(lie.ad(V)), [transpose(lie.Ad(lie.inverse(C)))]
    for k in range(1, len(W)):
        T.append(-nth(ad_Vt, T, k - 1))
    return product(T, W, apply)


def body_fixed_wrenches(C, V, W):
    """Spatial wrenches W (rows, ..., 6) in body-fixed representation: (Ad_C^T)' = Ad_C^T ad_V^T."""
    ad_Vt, T = transpose(lie.ad(V)), [transpose(lie.Ad(C))]
    for k in range(1, len(W)):
        T.append(nth(T, ad_Vt, k - 1))
    return product(T, W, apply)


def _checked_bodies(M, V):
    M, V = arrays.finite(arrays.numbers(M, 'M'), 'M'), arrays.finite(arrays.numbers(V, 'V'), 'V')
    if V.ndim < 2 or V.shape[-1] != 6 or not len(V) or M.shape != (*V.shape[1:-1], 6, 6):
        raise InputError(
            f'M has the shape {M.shape} and V has {V.shape}; give an inertia matrix (..., 6, 6) and at least one row of twists '
            '(rows, ..., 6) of the same bodies, row k the k-th time derivative')
    return M, V


def _dot(a, b):
    return (a * b).sum(-1)
