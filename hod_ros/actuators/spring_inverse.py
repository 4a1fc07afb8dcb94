# SPDX-License-Identifier: Apache-2.0
"""The deflections that make springs exert given forces, with time derivatives of any order.

Everything is a Taylor series (see series.py). Only the first term needs a non-linear solution; every later one is linear in what is
known: with e[m] = 0 the spring's force is short by f'(e[0]) e[m].

An antagonistic pair acts on the joint by Q = f1(d1) - f2(d2), with the stiffness k = f1'(d1) + f2'(d2); d1 = x1 - q and d2 = q - x2 are
the stretches of its springs. Branch: the co-contracted one, where

    f1''(d1) / f1'(d1) + f2''(d2) / f2'(d2) > 0,

so that k grows as motor 1 is drawn ahead and motor 2 back at the same torque; for equal springs that is d1 + d2 > 0. It begins at the
least stiffness that is possible with that torque: where one spring goes slack if springs only pull, and else where the sum above is 0,
beyond which lies the other branch. The inverse is singular there and is refused below CLOSEST times the least stiffness.
"""

import math

import numpy as np

from hod_ros.errors import InputError
from hod_ros.errors import SingularityError

CLOSEST = 1.001
PLACES = 60         # at which a least stiffness is looked for where there may be several


def stretches(spring, force):
    """The series of e with f(e) = force, for one spring."""
    e = [elementwise(spring.stretch, force[0])]
    _, stiffness = spring.taylor(e)
    for m in range(1, len(force)):
        shortfall = force[m] - spring.taylor([*e, 0.0 * e[0]])[0][m]
        e.append(shortfall / stiffness[0])
    return e


def paired_stretches(springs, force, stiffness):
    """The series of d1 and d2 of an antagonistic pair; springs must exert `force` together and have `stiffness`."""
    first, second = springs
    if isinstance(force[0], np.ndarray) or isinstance(stiffness[0], np.ndarray):
        pairs = np.broadcast(force[0], stiffness[0])
        solved = np.array([_pair(springs, float(Q), float(k)) for Q, k in pairs]).reshape(-1, 2)
        d1, d2 = [solved[:, 0]], [solved[:, 1]]
    else:
        d1, d2 = ([d] for d in _pair(springs, float(force[0]), float(stiffness[0])))
    c1, c2 = elementwise(first.curvature_at, d1[0]), elementwise(second.curvature_at, d2[0])
    k1, k2 = first.taylor(d1)[1][0], second.taylor(d2)[1][0]
    determinant = k1 * c2 + k2 * c1
    for m in range(1, len(force)):
        f1, s1 = first.taylor([*d1, 0.0 * d1[0]])
        f2, s2 = second.taylor([*d2, 0.0 * d2[0]])
        Q = force[m] - f1[m] + f2[m]
        k = stiffness[m] - s1[m] - s2[m]
        d1.append((c2 * Q + k2 * k) / determinant)
        d2.append((k1 * k - c1 * Q) / determinant)
    return d1, d2


def least_stiffness(springs, force):
    """The least stiffness that an antagonistic pair can have while it exerts this force [N m/rad]."""
    return _stiffness_of_pair(springs, force, _stretch_at_least_stiffness(springs, force))


def elementwise(function, value):
    """A function of numbers, of a number or of an array of samples."""
    if isinstance(value, np.ndarray):
        return np.array([function(float(entry)) for entry in value])
    return function(value)


def _pair(springs, force, stiffness):
    """d1, d2 at one instant."""
    first, second = springs
    try:
        low = _stretch_at_least_stiffness(springs, force)
        least = _stiffness_of_pair(springs, force, low)
        if not stiffness >= CLOSEST * least:
            raise SingularityError(
                f'stiffness {stiffness:g} [N m/rad] at the torque {force:g} [N m] is below {CLOSEST} times {least:.6g}, the least that '
                'these springs can have there: they would lose their co-contraction; ask for more stiffness or less torque')

        def excess(d1):
            d2 = second.stretch(first.force_at(d1) - force)
            k2 = second.stiffness_at(d2)
            slope = first.curvature_at(d1) + second.curvature_at(d2) * first.stiffness_at(d1) / k2 if k2 else math.inf
            return first.stiffness_at(d1) + k2 - stiffness, slope

        high = first.stretch_of_stiffness(stiffness)
        d1 = root(excess, low, max(high, low))
        return d1, second.stretch(first.force_at(d1) - force)
    except InputError:
        raise SingularityError(
            f'the torque {force:g} [N m] with the stiffness {stiffness:g} [N m/rad] is beyond what these springs can represent; '
            'are the units right?') from None


def _stiffness_of_pair(springs, force, d1):
    first, second = springs
    return first.stiffness_at(d1) + second.stiffness_at(second.stretch(first.force_at(d1) - force))


def _stretch_at_least_stiffness(springs, force):
    """Where the co-contracted branch begins: the largest d1 at which k does not change along this force."""
    first, second = springs
    if first.pulls_only:
        return first.stretch(max(force, 0.0))
    end = first.stretch(force)

    def ratios(d1):
        d2 = second.stretch(first.force_at(d1) - force)
        return first.curvature_at(d1) / first.stiffness_at(d1) + second.curvature_at(d2) / second.stiffness_at(d2)

    low, high = min(0.0, end), max(0.0, end)
    if not (first.ratio_grows and second.ratio_grows):
        places = [high - (high - low) * (i / PLACES) ** 2 for i in range(1, PLACES)]
        low = next((place for place in places if ratios(place) < 0), low)
    return _crossing(ratios, low, high)


def _crossing(function, low, high):
    """Where a function rises through 0 between low and high: the secant with halved weights of an end that stays (Illinois)."""
    at_low, at_high = function(low), function(high)
    if not at_low < 0 < at_high:
        return low if at_low >= 0 else high
    stayed = 0
    for _ in range(200):
        x = high - at_high * (high - low) / (at_high - at_low)
        if not low < x < high:
            x = 0.5 * (low + high)
        value = function(x)
        if value == 0 or high - low <= 4e-16 * max(abs(low), abs(high)):
            return x
        if value > 0:
            high, at_high = x, value
            at_low *= 0.5 if stayed == 1 else 1.0
            stayed = 1
        else:
            low, at_low = x, value
            at_high *= 0.5 if stayed == -1 else 1.0
            stayed = -1
    return high


def root(function, low, high):
    """Where a function that returns (value, slope) rises through 0 between low and high: Newton's steps, halving where they leave."""
    x = high
    for _ in range(200):
        value, slope = function(x)
        if value > 0:
            high = x
        else:
            low = x
        step = value / slope if slope > 0 and math.isfinite(slope) else math.inf
        following = x - step
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - x) <= 1e-16 * abs(x) or following in (low, high) and high - low <= 4e-16 * max(abs(low), abs(high)):
            return following
        if value == 0:
            return x
        x = following
    return x
