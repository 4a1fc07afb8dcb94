# SPDX-License-Identifier: Apache-2.0
"""A deflection over one step: D e' + f(e, k) = Q for the spring law f, exponential in the spring's stiffness at the end of the step.

With a constant stiffness c in place of the law's, g = step / D and normalised time s = time / step,

    e'(s) = -g c e + N,    N = g (Q - f(e, k) + c e),    e(1) = exp(-g c) e(0) + integral_0^1 exp(-g c (1 - s)) N(s) ds.

Q and k are the quintics through their values, rates and accelerations at both ends, and so is N, whose own at the end depend on e(1): that
is iterated, with c = df/de there, for which N hardly depends on e(1). For linear springs e is exact for the quintic Q, whatever D / c is
against the step; and where the damper is fast, e, e', e'' at the end are those of Q and k there, for every law. Steps within which N is no
quintic, those of fast transients, are halved, and where that does not help, e goes on by Euler's implicit rule, which does not overshoot.

Series are of normalised time, as Taylor coefficients.
"""

import math

from hod_ros.actuators.spring_inverse import root

TOLERANCE = 1e-7        # of the deflection: what a cubic N may differ from the quintic, counted as acceleration
MOST_HALVINGS = 8
MOST_ITERATIONS = 8


def relaxed(drive, e, Q0, Q1, k0, k1, step):
    """e at the end of a step from e at its start; Q and k as derivatives (3,) at both ends, k None where the law has none."""
    Q = joined(Q0, Q1, step)
    k = None if k0 is None else joined(k0, k1, step)
    gain = step / drive.damping
    if drive.linear_spring:
        return _decayed(e, gain * drive.stiffness, [gain * term for term in Q])
    return _advanced(drive, e, Q, k, gain, 0)


def joined(start, end, step):
    """The quintic through values, rates and accelerations at both ends of a step; where these are of no smooth motion, one that has
    jumped since the start, the quadratic through those at its end."""
    first, last = _normalised(start, step), _normalised(end, step)
    r0, r1, r2 = _beyond(first, last)
    jump = r0 - r1 / 2 + r2 / 12            # in a smooth motion of fifth order in the step, and far below r2
    if abs(jump) > 0.05 * abs(r2):
        return [last[0] - last[1] + last[2], last[1] - 2 * last[2], last[2]]
    return _quintic(first, last)


def _advanced(drive, e, Q, k, gain, halvings):
    after = _iterated(drive, e, Q, k, gain)
    if after is not None:
        return after
    if halvings == MOST_HALVINGS:
        return _implicit(drive, e, Q, k, gain)
    for half in (0.0, 0.5):
        part_Q = _part(Q, half)
        part_k = None if k is None else _part(k, half)
        e = _advanced(drive, e, part_Q, part_k, gain / 2, halvings + 1)
    return e


def _implicit(drive, e, Q, k, gain):
    """The solution of e(1) = e + g (Q - f(e(1))), which lies between e and the deflection at rest."""
    load, stiffness = _at_end(Q)[0], None if k is None else _at_end(k)[:1]
    rest = float(drive.static([load], stiffness)[0])

    def excess(after):
        force, slope = drive.forces([after], stiffness)
        return after - e + gain * (force[0] - load), 1 + gain * slope[0]
    return root(excess, min(e, rest), max(e, rest))


def _iterated(drive, e, Q, k, gain):
    """e at the end; None where it does not settle or N is no quintic."""
    Q0, Q1 = Q[:3], _at_end(Q)
    k0, k1 = (None, None) if k is None else (k[:3], _at_end(k))
    start, held, _ = _known(drive, e, Q0, k0, gain)
    rest, stiffness = drive.forces([e], None if k is None else k1[:1])
    decay, load = gain * stiffness[0], [gain * term for term in Q]
    after = _decayed(e, decay, [load[0] + decay * e - gain * rest[0], *load[1:]])
    for _ in range(MOST_ITERATIONS):
        before = after
        end, held_then, stiffness = _known(drive, after, Q1, k1, gain)
        decay = gain * stiffness
        first, last = _remainder(stiffness, start, held), _remainder(stiffness, end, held_then)
        rest = _quintic(first, last)
        after = _decayed(e, decay, [a + gain * b for a, b in zip(_padded(load), rest, strict=True)])
        if not math.isfinite(after):
            return None
        if abs(after - before) <= 1e-14 * (abs(after) + abs(e)):
            break
    else:
        if abs(after - before) > 1e-12 * (abs(after) + abs(e)):
            return None
    difference = _decayed(0.0, decay, [gain * (a - b) for a, b in zip(rest, _padded(_cubic(first, last)), strict=True)])
    largest = abs(e) + abs(after) + (abs(Q0[0]) + abs(Q1[0])) / stiffness
    if abs(difference) * max(1.0, decay) ** 2 > TOLERANCE * largest:
        return None
    return after


def _known(drive, e, Q, k, gain):
    """Three terms of e from its first, three of what the spring exerts, and its stiffness."""
    series = [e, 0.0, 0.0]
    force, stiffness = drive.forces(series, k)
    for m in (0, 1):
        series[m + 1] = gain * (Q[m] - force[m]) / (m + 1)
        force = drive.forces(series, k)[0]
    return series, force, stiffness[0]


def _remainder(stiffness, e, force):
    """What the spring exerts less than one of constant stiffness."""
    return [stiffness * a - b for a, b in zip(e, force, strict=True)]


def _decayed(e, decay, load):
    """e(1) of e' = -decay e + load, a polynomial."""
    out, factorial = math.exp(-decay) * e, 1.0
    for j, (coefficient, weight) in enumerate(zip(load, phi_functions(decay, len(load)), strict=True)):
        factorial *= max(j, 1)
        out += coefficient * factorial * weight
    return out


def phi_functions(z, count):
    """integral_0^1 exp(-(1 - s) z) s^(j - 1) / (j - 1)! ds for j = 1, ..., count."""
    if z < 2.0:
        last = sum((-z) ** i / math.factorial(count + i) for i in range(26))
        values = [last]
        for j in range(count - 1, 0, -1):               # phi_j = 1 / j! - z phi_(j + 1), in the direction in which errors shrink
            values.append(1 / math.factorial(j) - z * values[-1])
        return values[::-1]
    values, value = [], math.exp(-z)
    for j in range(count):
        value = (1 / math.factorial(j) - value) / z
        values.append(value)
    return values


def _normalised(derivatives, step):
    return [float(derivatives[0]), float(derivatives[1]) * step, float(derivatives[2]) * step * step / 2]


def _beyond(first, last):
    """How far value, rate and acceleration at the end are off the quadratic through those at the start."""
    return (last[0] - first[0] - first[1] - first[2], last[1] - first[1] - 2 * first[2], 2 * (last[2] - first[2]))


def _quintic(first, last):
    r0, r1, r2 = _beyond(first, last)
    return [*first, 10 * r0 - 4 * r1 + r2 / 2, -15 * r0 + 7 * r1 - r2, 6 * r0 - 3 * r1 + r2 / 2]


def _cubic(first, last):
    r0, r1 = last[0] - first[0] - first[1], last[1] - first[1]
    return [*first[:2], 3 * r0 - r1, r1 - 2 * r0]


def _padded(polynomial):
    return [*polynomial, *[0.0] * (6 - len(polynomial))]


def _at_end(polynomial):
    """Three terms about the end."""
    return [sum(math.comb(j, m) * term for j, term in enumerate(polynomial)) for m in range(3)]


def _part(polynomial, start):
    """The same polynomial over half the step, from `start` on."""
    moved = [sum(math.comb(j, m) * start ** (j - m) * polynomial[j] for j in range(m, len(polynomial))) for m in range(len(polynomial))]
    return [term * 0.5 ** m for m, term in enumerate(moved)]
