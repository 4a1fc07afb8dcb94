# SPDX-License-Identifier: Apache-2.0
"""Gains of a chain of integrators from the poles that its feedback shall have."""

import numpy as np
from numpy.typing import ArrayLike

from hod_ros.checks.arguments import shown
from hod_ros.checks.types import Array
from hod_ros.errors import InputError


def pole_gains(poles: ArrayLike) -> Array:
    """Gains (n, order) or (order,) for the poles (n, order) or (order,) of each joint [1/s].

    With the error e = q_d - q of a joint, the input q^(order) = q_d^(order) + sum_k gains[k] e^(k) makes e decay with these poles:
    they are the roots of s^order + gains[order - 1] s^(order - 1) + ... + gains[0]. Complex poles come in conjugate pairs.

    Raises InputError where poles are not finite, do not decay, or complex ones come without their conjugates.

        >>> pole_gains([-1.0, -2.0])                  # (s + 1)(s + 2) = s^2 + 3 s + 2
        array([2., 3.])
    """
    try:
        if np.asarray(poles).dtype.kind not in 'uifcO':
            raise TypeError
        poles = np.asarray(poles, dtype=complex)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f'poles is {shown(poles)}; give numbers (order,) or (n, order) [1/s]') from None
    if poles.ndim not in (1, 2) or not poles.size:
        raise InputError(f'poles has the shape {poles.shape}; give (order,) or (n, order), 4 poles for a joint behind a spring')
    if poles.ndim == 2:
        return np.stack([_gains(row, f' of joint {j} (counted from 0)') for j, row in enumerate(poles)])
    return _gains(poles, '')


def _gains(poles, of):
    if not np.isfinite(poles).all():
        raise InputError(f'poles{of} are {poles.tolist()}; give finite numbers [1/s]')
    if poles.real.max() >= 0:
        raise InputError(f'poles{of} hold {poles[np.argmax(poles.real)]:g}, which does not decay; give negative real parts [1/s]')
    paired = _in_pairs(poles)
    if paired is None:
        raise InputError(f'poles{of} are {poles.tolist()}; complex poles come in conjugate pairs')
    with np.errstate(over='ignore', invalid='ignore'):
        coefficients = np.ones(1)
        for factor in paired:
            coefficients = np.convolve(coefficients, factor)
    if not np.isfinite(coefficients).all():
        raise InputError(f'poles{of} are {poles.tolist()}, whose gains are too large for floating point numbers; give poles in [1/s]')
    return coefficients[:0:-1].copy()


def _in_pairs(poles):
    """The real factors of the polynomial with these roots; None where complex ones are in no conjugate pairs, to rounding."""
    slack = 1e-9 * np.abs(poles).max()
    real = np.abs(poles.imag) <= slack
    factors = [[1.0, -pole.real] for pole in poles[real]]
    below = list(poles[~real & (poles.imag < 0)])
    for pole in poles[~real & (poles.imag > 0)]:
        distances = [abs(pole.conjugate() - other) for other in below]
        if not distances or min(distances) > slack:
            return None
        middle = (pole + below.pop(int(np.argmin(distances))).conjugate()) / 2
        factors.append([1.0, -2 * middle.real, middle.real**2 + middle.imag**2])
    return None if below else factors
