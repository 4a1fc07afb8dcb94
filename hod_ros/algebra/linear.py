# SPDX-License-Identifier: Apache-2.0
"""Linear systems with a mass matrix, for numbers of any kind."""

import numpy as np

from hod_ros.errors import SingularityError

ROUNDING = 1e-12        # of what a pivot could be at most


def solve(M, right):
    """M^-1 times a vector or a matrix; M symmetric positive definite, see check_definite."""
    if M.dtype != object and right.dtype != object:
        return np.linalg.solve(M, right)
    M, x = M.astype(object), np.array(right, dtype=object)
    for k in range(len(M)):
        for i in range(k + 1, len(M)):
            factor = M[i, k] / M[k, k]
            M[i, k:] = M[i, k:] - factor * M[k, k:]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(len(M))):
        x[k] = (x[k] - M[k, k + 1:] @ x[k + 1:]) / M[k, k] if k + 1 < len(M) else x[k] / M[k, k]
    return x


def check_definite(M, magnitudes, joint_names):
    """SingularityError with the joint's name where a pivot of M (n, n) is nothing but rounding; magnitudes: see check_pivot, (n,)."""
    M = np.array(M)
    for j, joint in enumerate(joint_names):
        check_pivot(M[j, j], magnitudes[j], joint)
        M[j + 1:, j + 1:] = M[j + 1:, j + 1:] - np.outer(M[j + 1:, j] / M[j, j], M[j, j + 1:])


def check_pivot(pivot, magnitude, joint):
    """SingularityError where the inertia that a joint moves on its own is nothing but rounding.

    magnitude: what it could be at most, were nothing in it to cancel; numbers other than floats are told from zero only. What is too large
    for a number is found by others.
    """
    if pivot <= ROUNDING * magnitude if isinstance(pivot, (float, np.floating)) else pivot == 0:
        raise SingularityError(
            f'joint {joint!r} moves no inertia of its own ({float(pivot):.3g} kg m^2 or kg), so its acceleration has no finite value; give '
            'its links an inertia, or it an armature')
