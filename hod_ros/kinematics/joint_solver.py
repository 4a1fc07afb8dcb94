# SPDX-License-Identifier: Apache-2.0
"""Joint rates from a link's twist: J x = r for square, redundant and overdetermined J, weighted and damped."""

import numpy as np

from hod_ros.errors import SingularityError

_NEGLIGIBLE = 1e-13


class JointSolver:
    """One Jacobian (r, n), decomposed once and used for every order of derivative, as 003's Algorithm 2 does.

    Of all x that solve J x = r it takes the one nearest to a wanted x in the norm sqrt(sum weights x^2).
    """

    def __init__(self, J, weights=None):
        self.J = J
        self.scale = np.ones(J.shape[1]) if weights is None else 1 / np.sqrt(weights)
        self.left, self.sigma, self.right = np.linalg.svd(J * self.scale, full_matrices=False)

    @property
    def condition(self):
        """Largest by smallest singular value; infinite at a singularity."""
        if not len(self.sigma):
            return np.inf
        return self.sigma[0] / self.sigma[-1] if self.sigma[-1] > _NEGLIGIBLE * self.sigma[0] else np.inf

    def solve(self, r, wanted=0.0, damping=0.0):
        """x (n,) that minimises |J x - r|^2 + damping^2 |x - wanted|^2: damped least squares, exact without damping."""
        r = r - self.J @ np.broadcast_to(wanted, self.J.shape[1:])
        sigma = self.sigma
        kept = sigma > (_NEGLIGIBLE * sigma[:1] if damping == 0 else -1)
        factor = np.divide(sigma, sigma ** 2 + damping ** 2, out=np.zeros_like(sigma), where=kept & (sigma > 0))
        return wanted + self.scale * (self.right.T @ (factor * (self.left.T @ r)))

    def check(self, max_condition, link):
        """Refuse what can't be solved to useful accuracy."""
        if not self.condition <= max_condition:
            raise SingularityError(
                f'the Jacobian of link {link!r} has the condition number {self.condition:.3g} here, above '
                f'{max_condition:g}: the robot is at or near a singularity; move it away, name fewer components, '
                'or give damping')
