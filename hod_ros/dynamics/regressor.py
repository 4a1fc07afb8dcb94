# SPDX-License-Identifier: Apache-2.0
"""Linearity in the inertial parameters: regressors Y with Q = Y pi, models from changed parameters; 001, section III.

The parameters pi, by body, in 001's order (9): m, m r (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg], [kg m], [kg m^2]; the
tensor about the origin of the body's frame, which is the joint's, in its axes. One block for each moving joint's body
in the order of joint_names, then the mimic joints' bodies in the model's order, then the base's if it is free. After
the bodies come the rotor inertias (armature) of the joints that have one, in the order of joint_names; so Y pi is the
whole Q, and a model without rotors has ten parameters a body.

Twists are (angular, linear), body-fixed. Axis 0 counts time derivatives. Y is dQ / dpi, the derivative by parameters.
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import product
from hod_ros.algebra.leibniz import transpose
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.checks.types import FreeBase
from hod_ros.dynamics.matrices import body_inertias
from hod_ros.kinematics.jacobians import base_rates
from hod_ros.kinematics.jacobians import jacobians
from hod_ros.model import motions
from hod_ros.model.quantities import Quantity
from hod_ros.model.robot_model import RobotModel

BODY_PARAMETERS = ('m', 'mx', 'my', 'mz', 'Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz')


def regressor(model: RobotModel, q: ArrayLike, *, base: FreeBase | None = None, order: int | None = None,
              threads: int | None = None) -> Array:
    """Y (order + 1, n, p) for q (order + 3, n): Y[k] @ inertial_parameters(model) = Q^(k). Without external loads.

    For q (samples, order + 3, n): (samples, order + 1, n, p), with a free base's motion given once or for each sample.

    base: (pose, twists (order + 2, 6) body-fixed) of a free base; six more rows of Y then give the wrench on it.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    threads: how many a batch may run on, as in inverse_dynamics.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> Y = regressor(model, q)
        >>> Y.shape, np.allclose(Y @ inertial_parameters(model), inverse_dynamics(model, q))
        ((3, 7, 70), True)
    """
    return _REGRESSOR(model, q, base, order, threads, _slots(model))


def _slots(model):
    """What the kernel asks: where each body's parameters stand; nothing without a kernel."""
    kernel = getattr(model, '_compiled', None)
    if kernel is None:
        return ()
    if 'parameters' not in kernel.kept:
        kernel.kept['parameters'] = np.append(np.argsort(parameter_bodies(model)), len(model.bodies)).astype(float)
    return (kernel.kept['parameters'],)


def slotine_li_regressor(model: RobotModel, q: ArrayLike, reference: ArrayLike, *, base: FreeBase | None = None,
                         order: int | None = None) -> Array:
    """Y (order + 1, n, p) of 001 (16): Y[k] @ inertial_parameters(model) is the k-th derivative of M q_r'' + C q_r' + g.

    q: (order + 2, n). reference: (order + 2, n), rows q_r', q_r'', ... [rad/s], ... C is 001's (6b).
    base: (pose, twists (order + 1, 6) body-fixed) of a free base; reference has then six columns more, its twists.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> Y = slotine_li_regressor(model, q[:4], q[1:])          # the reference being the motion itself
        >>> np.allclose(Y @ inertial_parameters(model), inverse_dynamics(model, q))
        True
    """
    reference = motions.rates(model, reference, 2, 'reference')
    motions.check_order(reference, 2, 'reference', order, batches=False)
    q = motions.derivatives(model, q, len(reference))[:len(reference)]
    base = motions.base_of(model, base, len(q) - 1)
    with np.errstate(over='ignore', invalid='ignore'):
        Y = _regressor(model, q, reference, base)
    given = np.concatenate([q, reference[:, :model.n]])
    return motions.finite_result(model, Y, 'the regressor', given, 'the rows of q and reference')


def _regressor(model, q, reference, base=None):
    """(15)-(16) with time derivatives for q and reference of equal rows."""
    kinematics = jacobians(model, q, base)
    J, V = kinematics.J, kinematics.V
    u = product(J, reference[:, None], apply)                                           # J_k q_r'
    alpha = u[1:] + product(lie.ad(V), u, apply) + kinematics.gamma[:-1]           # below (15)
    wrench = momentum_regressor(alpha) - product(transpose(lie.ad(V)), momentum_regressor(u[:-1]))
    Y = product(transpose(J[:-1]), wrench)                                              # (rows, N, n, 10)
    Y = np.moveaxis(Y[:, parameter_slots(model)], 1, 2)
    Y = Y.reshape(*Y.shape[:2], 10 * Y.shape[2])
    return np.concatenate([Y, _rotor_columns(model, reference[1:])], axis=-1)


_REGRESSOR = Quantity(
    'regressor', lambda model, q, base: _regressor(model, q[:-1], base_rates(q, base), base), 'the regressor', 3)


def momentum_regressor(V):
    """A(V) (..., 6, 10) of (8), (10)-(12): momentum M V = A(V) pi_k; torque rows first."""
    w, v = V[..., :3], V[..., 3:]
    out = np.zeros(V.shape + (10,), V.dtype)
    out[..., :3, 1:4] = -lie.skew(v)
    out[..., :3, 4:] = tensor_regressor(w)
    out[..., 3:, 0] = v
    out[..., 3:, 1:4] = lie.skew(w)
    return out


def tensor_regressor(a):
    """(..., 3, 6) of (12): I a = tensor_regressor(a) (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    out = np.zeros(a.shape + (6,), a.dtype)
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    out[..., 0, 0], out[..., 0, 3], out[..., 0, 4] = x, y, z
    out[..., 1, 1], out[..., 1, 3], out[..., 1, 5] = y, x, z
    out[..., 2, 2], out[..., 2, 4], out[..., 2, 5] = z, x, y
    return out


def inertial_parameters(model: RobotModel) -> Array:
    """pi (p,), all inertial parameters of a model, so that Q = Y pi with its regressor Y.

    For each body these are m, m r (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg], [kg m], [kg m^2], 001 (9), the tensor about the
    origin of the body's frame, which is the joint's, then the joints' armatures; parameter_names tells which is which.

    Raises InputError where model is no RobotModel.

        >>> pi = inertial_parameters(model)
        >>> np.allclose(regressor(model, q) @ pi, inverse_dynamics(model, q))
        True
    """
    M = body_inertias(motions.robot_model(model))[parameter_slots(model)]
    entries = ((3, 3), (2, 4), (0, 5), (1, 3), (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    blocks = np.stack([M[:, i, j] for i, j in entries], axis=-1)
    return np.concatenate([blocks.ravel(), model.armature[rotors(model)]])


def parameter_names(model: RobotModel) -> tuple[str, ...]:
    """(p,) names such as 'joint1/Ixx', by the joint that moves the body, or the base's link; 'joint1/armature'.

    Raises InputError where model is no RobotModel.

        >>> parameter_names(model)[:5]
        ('panda_joint1/m', 'panda_joint1/mx', 'panda_joint1/my', 'panda_joint1/mz', 'panda_joint1/Ixx')
    """
    motions.robot_model(model)
    movers = (*model.joints, model.base_link)
    bodies = [f'{movers[i]}/{name}' for i in parameter_slots(model) for name in BODY_PARAMETERS]
    return (*bodies, *(f'{model.joint_names[j]}/armature' for j in rotors(model)))


def with_inertial_parameters(model: RobotModel, parameters: ArrayLike) -> RobotModel:
    """The model with other parameters (p,), in the order of inertial_parameters(model). They need not be physical.

    Raises InputError where parameters are not (p,) finite numbers.

        >>> heavier = with_inertial_parameters(model, 1.1 * inertial_parameters(model))
        >>> np.allclose(inverse_dynamics(heavier, q), 1.1 * inverse_dynamics(model, q))
        True
    """
    parameters = arrays.vector(parameters, parameter_names(model), 'parameters')
    slots = parameter_slots(model)
    M = np.array(body_inertias(model), dtype=np.result_type(model.M, parameters))
    blocks = parameters[:10 * len(slots)].reshape(-1, 10)
    columns = momentum_regressor(np.eye(6, dtype=int))                  # column j of M_k is A(e_j) pi_k
    M[slots] = transpose(apply(columns, blocks[:, None]))
    armature = np.array(model.armature, dtype=np.result_type(model.armature, parameters))
    armature[rotors(model)] = parameters[10 * len(slots):]
    return model.replace(M=M[:-1], M_base=M[-1], armature=armature)


def parameter_bodies(model):
    """Indices of the bodies in the parameters' order: moving joints' by joint_names, then mimic joints'."""
    owner = {}
    for own_name in (True, False):
        for body, column in zip(model.screw_body, model.coordinate, strict=True):
            if not own_name or model.joints[body] == model.joint_names[column]:
                owner.setdefault(int(column), int(body))
    first = list(dict.fromkeys(owner[column] for column in sorted(owner)))
    return np.array(first + [i for i in range(len(model.bodies)) if i not in first], dtype=np.intp)


def parameter_slots(model):
    """parameter_bodies, and the place after the last body for a free base."""
    bodies = parameter_bodies(model)
    return np.append(bodies, len(model.bodies)) if model.base == 'free' else bodies


def rotors(model):
    """Columns of the joints that have a rotor inertia."""
    return np.flatnonzero(model.armature)


def _rotor_columns(model, accelerations):
    columns = rotors(model)     # those of a free base's rates, if any, come after the joints'
    out = np.zeros((*accelerations.shape, len(columns)), accelerations.dtype)
    out[:, columns, np.arange(len(columns))] = accelerations[:, columns]
    return out
