# SPDX-License-Identifier: Apache-2.0
"""Screw algebra of SE(3) in coordinates (angular, linear), for floats, symbols and multiprecision numbers alike.

All functions take stacks: the last one or two axes are the vector or matrix, the axes before them are kept.
"""

from importlib import import_module

import numpy as np

from hod_ros.checks.arguments import exact_package


def skew(v):
    """(..., 3) -> (..., 3, 3): skew(v) u = v x u."""
    out = np.zeros(v.shape + (3,), v.dtype)
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


def pose(R, p):
    """The homogeneous 4x4 matrix of a rotation (..., 3, 3) and a displacement (..., 3)."""
    out = np.zeros(R.shape[:-2] + (4, 4), np.result_type(R, p))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = R, p, 1
    return out


def inverse(C):
    """The inverse of a pose."""
    Rt = np.swapaxes(C[..., :3, :3], -1, -2)
    return pose(Rt, -(Rt @ C[..., :3, 3, None])[..., 0])


def Ad(C):
    """(..., 4, 4) -> (..., 6, 6): twists of C's frame to twists of the frame in which C is given."""
    R = C[..., :3, :3]
    out = np.zeros(R.shape[:-2] + (6, 6), R.dtype)
    out[..., :3, :3] = out[..., 3:, 3:] = R
    out[..., 3:, :3] = skew(C[..., :3, 3]) @ R
    return out


def ad(V):
    """(..., 6) -> (..., 6, 6): ad(V) U is the screw product [V, U]."""
    out = np.zeros(V.shape + (6,), V.dtype)
    out[..., :3, :3] = out[..., 3:, 3:] = skew(V[..., :3])
    out[..., 3:, :3] = skew(V[..., 3:])
    return out


def exp(X, q):
    """Pose after the motion q (...) [rad] or [m] along the screw X (..., 6), whose direction is a unit vector or zero."""
    e, v = X[..., :3], X[..., 3:]
    turning = (e * e).sum(-1) != 0
    q = np.asarray(q)
    angle = np.where(turning, q, 0 * q)
    sine, cosine = sin_cos(angle)
    sine, versine, angle = (np.asarray(f)[..., None, None] for f in (sine, 1 - cosine, angle))
    E = skew(e)
    EE = E @ E
    identity = np.eye(3, dtype=int)
    R = identity + sine * E + versine * EE
    along = np.where(turning, 0 * q, q)[..., None, None]
    G = (along + angle) * identity + versine * E + (angle - sine) * EE
    return pose(R, (G @ v[..., None])[..., 0])


def exp_twist(xi):
    """Pose after unit time along a constant twist (6,) of any size: accurate also where it hardly turns but moves far."""
    squared = (xi[:3] * xi[:3]).sum()
    E = skew(xi[:3])
    EE = E @ E
    if squared == 0 or (xi.dtype != object and squared < 1e-10):
        sine, versine, rest = 1 - squared / 6, 0.5 - squared / 24, 1 / 6    # series: the terms left out are below rounding
    else:
        package = package_of(squared)
        angle = package.sqrt(squared)
        sine, half = package.sin(angle), package.sin(angle / 2)
        sine, versine, rest = sine / angle, 2 * half * half / squared, (angle - sine) / (angle * squared)
    identity = np.eye(3, dtype=int)
    R = identity + sine * E + versine * EE
    G = identity + versine * E + rest * EE
    return pose(R, G @ xi[3:])


def sin_cos(x):
    """sin and cos of an array of any kind of number."""
    if x.dtype != object:
        return np.sin(x), np.cos(x)
    packages = [package_of(value) for value in x.flat]
    return tuple(
        np.array([getattr(package, f)(value) for package, value in zip(packages, x.flat, strict=True)], object).reshape(x.shape)
        for f in ('sin', 'cos'))


def package_of(value):
    """The package whose sin, cos and sqrt take this kind of number: mpmath, sympy or numpy."""
    package = exact_package(value)
    return import_module(package) if package else np


def log(C):
    """The twist (6,) with exp_twist(log(C)) = C, for floats; its rotation turns by at most pi."""
    R, p = C[:3, :3], C[:3, 3]
    sine_axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = np.sqrt(sine_axis @ sine_axis), (np.trace(R) - 1) / 2
    angle = np.arctan2(sine, cosine)
    if cosine > -0.5:
        w = sine_axis * (angle / sine if sine > 1e-8 else 1)
    else:
        axes = (R + R.T) / 2 - cosine * np.eye(3)               # (1 - cos) e e^T
        e = axes[:, np.argmax(np.diag(axes))]
        w = np.copysign(angle, e @ sine_axis) * e / np.sqrt(e @ e)
    half = angle / 2
    # Below 1e-4 the next term of the series is under rounding.
    factor = (1 - half / np.tan(half)) / angle ** 2 if angle > 1e-4 else 1 / 12
    W = skew(w)
    return np.concatenate([w, p - W @ p / 2 + factor * (W @ (W @ p))])
