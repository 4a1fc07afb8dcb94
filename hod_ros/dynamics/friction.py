# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints: viscous friction exactly, Coulomb friction by a smooth law, with time derivatives of any order.

    Q_f = d q' + f tanh(q' / w)

d [N m s/rad] and f [N m] are the description's <dynamics damping friction>, w [rad/s] is the width within which the dry friction turns:
at |q'| = w it has 76 % of its value, at 3 w 99.5 %. Units are given for revolute joints; for prismatic joints read m for rad, N for N m.
A mimic joint's friction is added to its master's, d times multiplier^2, f times |multiplier|.
"""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks import arguments
from hod_ros.checks import arrays
from hod_ros.checks.types import Array
from hod_ros.errors import InputError
from hod_ros.model import motions
from hod_ros.model.robot_model import RobotModel


def friction_forces(model: RobotModel, q: ArrayLike, *, width: float,
                    order: int | None = None) -> Array:
    """(order + 1, n): the forces that overcome the joints' friction, row k the k-th time derivative; to be added to Q.

    q: (order + 3, n) as for inverse_dynamics. width: w > 0, the velocity [rad/s] or [m/s] of the smooth law, one or one for each joint.
    order: how many derivatives are meant; needed beyond twelve rows, which may be samples.
    Q_f = d q' + f tanh(q' / w), d and f being the model's damping and friction.

    Raises InputError where an argument has the wrong shape, name or value, or the result is too large for floats.

        >>> sticky = model.replace(friction=np.full(7, 0.5), damping=np.full(7, 2.0))
        >>> friction_forces(sticky, q, width=0.02).shape
        (3, 7)
    """
    q = motions.motion(model, q, 3, order=order)
    width = _checked_width(model, width)
    rates = q[1:-1]
    dry = np.flatnonzero(model.friction)
    Q = model.damping * rates
    if dry.size:
        with np.errstate(over='ignore', invalid='ignore'):
            Q[:, dry] += model.friction[dry] * tanh_derivatives(arrays.floats(rates[:, dry], 'q') / width[dry])
        if Q.dtype != object and not np.isfinite(Q).all():
            row, column = np.argwhere(~np.isfinite(Q))[0]
            name = model.joint_names[column]
            raise InputError(
                f'the friction of joint {name!r} is too large for a floating point number in row {row}, with a width of {width[column]:g}; '
                'are the units of q right ([rad], [m], [s]), and is the width that of a real joint?')
    return Q


def tanh_derivatives(u):
    """Time derivatives of tanh(u(t)), for u and its time derivatives in rows (rows, ...).

    With normalised Taylor coefficients x[k] = x^(k) / k!, y = tanh u obeys y' = (1 - y^2) u', hence
    k y[k] = sum_j j u[j] s[k-j], where s = 1 - y^2.
    """
    factorials = np.cumprod([1.0, *range(1, len(u))])
    u = u / _as_column(factorials, u)
    y, s = np.empty_like(u), np.empty_like(u)
    y[0] = np.tanh(u[0])
    s[0] = 1.0 / np.cosh(np.minimum(np.abs(u[0]), _FLAT))**2
    for k in range(1, len(u)):
        y[k] = sum(j * u[j] * s[k - j] for j in range(1, k + 1)) / k
        s[k] = -sum(y[j] * y[k - j] for j in range(k + 1))
    return y * _as_column(factorials, u)


_FLAT = 350.0       # beyond it 1 - tanh^2 is 0 in floating point


def _as_column(factors, u):
    return factors.reshape(-1, *[1] * (u.ndim - 1))


def _checked_width(model, width):
    given, width = width, arrays.floats(width, 'width')
    if width.shape not in ((), (model.n,)):
        raise InputError(f'width is {arguments.shown(given)}; give one number, or one for each of the {model.n} joints')
    width = np.broadcast_to(width, model.n)
    if not (np.isfinite(width).all() and (width > 0).all()):
        raise InputError(f'width is {width.tolist()}; the smooth law of Coulomb friction needs velocities above 0 [rad/s] or [m/s]')
    return width
