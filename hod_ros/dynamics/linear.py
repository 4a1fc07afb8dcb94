"""Linear systems for numbers of any kind."""

import numpy as np

from hod_ros.errors import SingularityError


def solve(M, right):
    """M^-1 times a vector or a matrix; M symmetric positive definite where its numbers are not floats."""
    if M.dtype != object and right.dtype != object:
        try:
            return np.linalg.solve(M, right)
        except np.linalg.LinAlgError:
            raise SingularityError(
                'the mass matrix is singular: a joint moves no inertia; give its link a mass or the joint an armature'
            ) from None
    M, x = M.astype(object), np.array(right, dtype=object)
    for k in range(len(M)):
        for i in range(k + 1, len(M)):
            factor = M[i, k] / M[k, k]
            M[i, k:] = M[i, k:] - factor * M[k, k:]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(len(M))):
        x[k] = (x[k] - M[k, k + 1:] @ x[k + 1:]) / M[k, k] if k + 1 < len(M) else x[k] / M[k, k]
    return x
