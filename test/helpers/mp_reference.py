# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of any order by another way, in fifty digits: Newton's and Euler's laws about centres of mass, in world axes.

Positions and rotation matrices of all bodies are Taylor polynomials of time; forces are mass times their second derivative, moments the
derivative of R I R^T w; every joint gets the power of all forces beyond it along its axis. Nothing of hod_ros' algorithms is used,
only a model's arrays.
"""

import mpmath
import numpy as np
from mpmath import mpf

DIGITS = 50


def reference(model, q):
    """Q (order + 1, n) as floats, for q (order + 3, n) of floats and a model of single axes on a fixed base."""
    with mpmath.workdps(DIGITS):
        return _reference(model, q)


def _reference(model, q):
    length = len(q)
    frames, axes, lines = [], [], []
    for i, parent in enumerate(model.parent):
        column = model.coordinate[i]
        angle = [mpf(q[k, column]) * mpf(model.multiplier[i]) / mpmath.factorial(k) for k in range(length)]
        angle[0] += mpf(model.offset[i])
        R, p = frames[parent] if parent >= 0 else (_constant(np.eye(3), length), _constant(np.zeros(3), length))
        B = _exact(model.B[i])
        p = [p[k] + R[k] @ B[:3, 3] for k in range(length)]
        turned = _rotation(B[:3, :3])
        R = [r @ turned for r in R]
        e, v = _exact(model.X[i, :3]), _exact(model.X[i, 3:])
        if any(e):
            e = e / mpmath.sqrt(e @ e)
        turn, shift = _motion(e, v, angle, length)
        axes.append([r @ e for r in R])
        lines.append((p, [r @ v for r in R]))
        frames.append((_product(R, turn), [a + b for a, b in zip(p, _product(R, shift), strict=True)]))
    forces = []
    gravity = _exact(model.gravity)
    for (R, p), M in zip(frames, model.M, strict=True):
        m, tensor = mpf(M[3, 3]), _exact(M[:3, :3])
        c = _exact([M[2, 4], M[0, 5], M[1, 3]]) / m if m else _exact(np.zeros(3))
        about_com = tensor - m * (c @ c * _exact(np.eye(3)) - np.outer(c, c))
        center = [p[k] + R[k] @ c for k in range(length)]
        force = [m * x for x in _rate(_rate(center))]
        force[0] = force[0] - m * gravity
        Rt = [r.T for r in R]
        spin = _product(_rate(R), Rt)
        w = [np.array([s[2, 1], s[0, 2], s[1, 0]]) for s in spin]
        momentum = _product(_product([r @ about_com for r in R], Rt), w)
        moment = _rate(momentum)
        forces.append((center, force, [a + b for a, b in zip(moment, _cross(center, force), strict=False)]))
    Q = np.zeros((length - 2, model.n), object) + mpf(0)
    total = [[f for f in force] for _, force, _ in forces], [[t for t in torque] for _, _, torque in forces]
    for i in reversed(range(len(model.parent))):
        force, torque = total[0][i], total[1][i]
        origin, slide = lines[i]
        about = [a - b for a, b in zip(torque, _cross(origin, force), strict=False)]
        power = [a + b for a, b in zip(_dot(axes[i], about), _dot(slide, force), strict=False)]
        for k in range(length - 2):
            Q[k, model.coordinate[i]] += mpf(model.multiplier[i]) * power[k] * mpmath.factorial(k)
        up = model.parent[i]
        if up >= 0:
            for k in range(length - 2):
                total[0][up][k] = total[0][up][k] + force[k]
                total[1][up][k] = total[1][up][k] + torque[k]
    for j in range(model.n):
        for k in range(length - 2):
            Q[k, j] += mpf(model.armature[j]) * mpf(q[k + 2, j])
    return Q.astype(float)


def _rotation(R):
    """The rotation whose floats these are: a matrix that is orthogonal to rounding only has derivatives of high order all its own."""
    for _ in range(3):
        R = R @ (3 * _exact(np.eye(3)) - R.T @ R) / 2
    return R


def _motion(e, v, angle, length):
    """Rotation and displacement series of exp(X q) for X = (e, v), e a unit vector or zero."""
    E = np.array([[mpf(0), -e[2], e[1]], [e[2], mpf(0), -e[0]], [-e[1], e[0], mpf(0)]])
    identity = _exact(np.eye(3))
    if not any(e):
        return _constant(np.eye(3), length), [v * a for a in angle]
    sine, cosine = [mpmath.sin(angle[0])], [mpmath.cos(angle[0])]
    for k in range(1, length):
        sine.append(sum(j * angle[j] * cosine[k - j] for j in range(1, k + 1)) / k)
        cosine.append(-sum(j * angle[j] * sine[k - j] for j in range(1, k + 1)) / k)
    versine = [-x for x in cosine]
    versine[0] += 1
    R = [sine[k] * E + versine[k] * (E @ E) for k in range(length)]
    R[0] = R[0] + identity
    G = [angle[k] * identity + versine[k] * E + (angle[k] - sine[k]) * (E @ E) for k in range(length)]
    return R, [g @ v for g in G]


def _exact(array):
    return np.vectorize(mpf, otypes=[object])(np.asarray(array, float))


def _constant(array, length):
    return [_exact(array)] + [_exact(np.zeros_like(array))] * (length - 1)


def _rate(series):
    return [(k + 1) * series[k + 1] for k in range(len(series) - 1)]


def _product(f, g):
    return [sum((f[j] @ g[k - j] for j in range(k + 1)), 0 * (f[0] @ g[0])) for k in range(min(len(f), len(g)))]


def _cross(f, g):
    return [sum(np.cross(f[j], g[k - j]) for j in range(k + 1)) for k in range(min(len(f), len(g)))]


def _dot(f, g):
    return [sum(f[j] @ g[k - j] for j in range(k + 1)) for k in range(min(len(f), len(g)))]
