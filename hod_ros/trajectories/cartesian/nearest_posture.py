# SPDX-License-Identifier: Apache-2.0
"""Joint positions and their derivatives along a curve of poses: of all postures that hold the pose, the one nearest to a wanted posture.

q minimises the sum of weights (q - posture)^2 under the pose p(q) = p(s). So with Lagrange's multipliers f, one a component,

    W (q - posture) + J(q)^T f = 0,    p(q) = p(s),

which fixes q(s), also for redundant robots, by the pose alone: no drift, and the same posture whenever the same pose comes again. Newton's
method solves it on position level; order by order its derivatives are linear in q^(k) and f^(k), as in 003 Algorithm 2, with one matrix.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from hod_ros.kinematics.forward import forward_kinematics
from hod_ros.kinematics.forward import jacobian
from hod_ros.trajectories.cartesian.pose_curve import PoseCurve

Array = NDArray[np.float64]
_MOST_STEPS = 25
_CONVERGED = 1e-13          # of a step, by 1 + |q|
ROWS = 5                    # q and four derivatives


class NearestPosture:
    """For a link of a model on a curve; all arguments have an axis of samples in front."""

    def __init__(self, model, link: str, curve: PoseCurve, posture: Array, weights: Array):
        self.model, self.link, self.curve = model, link, curve
        self.posture, self.weights = posture, weights
        self.redundant = model.n > len(curve.components)

    def solve(self, s: Array, q: Array, f: Array, posture: Array | None = None) -> tuple[Array, Array, NDArray[np.bool_]]:
        """q, f and whether they were found, from q and f nearby."""
        posture = self.posture if posture is None else posture
        target = self.curve.poses(s)
        found = np.zeros(len(s), dtype=bool)
        for _ in range(_MOST_STEPS):
            J = self._jacobian(q[:, None])[:, 0]
            force = self.weights * (q - posture) + np.einsum('pcn,pc->pn', J, f)
            missing = np.concatenate([-force, self.error(target, q)], axis=1)
            step = _solved(self._matrix(q, f, J), missing)
            if not np.isfinite(step).all():
                break
            step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step[:, :self.model.n]).max(axis=1), 1e-300))[:, None]
            q, f = q + step[:, :self.model.n], f + step[:, self.model.n:]
            found = np.abs(step[:, :self.model.n]).max(axis=1) <= _CONVERGED * (1 + np.abs(q).max(axis=1))
            if found.all():
                break
        close = np.abs(self.error(target, q)).max(axis=1) < 1e-11 * (1 + np.abs(target[:, :3, 3]).max())
        return q, f, found | close

    def derivatives(self, s: Array, q: Array, f: Array) -> Array:
        """(samples, 5, n): q and its derivatives by the parameter of the curve."""
        n, samples = self.model.n, len(s)
        twists = self.curve.twists(s, ROWS - 1)
        motion, forces = np.zeros((samples, ROWS, n)), np.zeros((samples, ROWS, f.shape[1]))
        motion[:, 0], forces[:, 0] = q, f
        matrix = self._matrix(q, f, self._jacobian(q[:, None])[:, 0])
        for k in range(1, ROWS):
            J = self._jacobian(motion[:, :k + 1])
            lower = forward_kinematics(self.model, motion[:, :k + 1], self.link, 'world_aligned').twists[:, k - 1, self.curve.components]
            pull = sum(comb(k, i) * np.einsum('pcn,pc->pn', J[:, k - i], forces[:, i]) for i in range(k))
            x = _solved(matrix, np.concatenate([-pull, twists[:, k - 1] - lower], axis=1))
            motion[:, k], forces[:, k] = x[:, :n], x[:, n:]
        return motion

    def error(self, target: Array, q: Array) -> Array:
        """What is left to the pose, (samples, components): a world-aligned turn and shift."""
        pose = forward_kinematics(self.model, q[:, None], self.link).pose
        shift = target[:, :3, 3] - pose[:, :3, 3]
        if not self.curve.turns:
            return shift
        turn = target[:, :3, :3] @ np.swapaxes(pose[:, :3, :3], 1, 2)
        return np.concatenate([_rotation_vectors(turn), shift], axis=1)

    def condition(self, q: Array) -> Array:
        """Condition number of the Jacobian, (samples,)."""
        sigma = np.linalg.svd(self._jacobian(q[:, None])[:, 0], compute_uv=False)
        with np.errstate(all='ignore'):
            return np.where(sigma[:, -1] > 0, sigma[:, 0] / sigma[:, -1], np.inf)

    def weakest(self, q: Array) -> str:
        """In words: the motion of the link that costs most of the joints at q (n,)."""
        u, _, _ = np.linalg.svd(self._jacobian(q[None, None])[0, 0])
        direction = u[:, -1]
        k = int(np.abs(direction).argmax())
        kind = 'turning about' if self.curve.components[k] < 3 else 'moving along'
        return f'{kind} {"xyz"[self.curve.components[k] % 3]}'

    def _jacobian(self, rows):
        return jacobian(self.model, rows, self.link, 'world_aligned')[:, :, self.curve.components]

    def _matrix(self, q, f, J):
        """[[W + H, J^T], [J, 0]], where H is the derivative of J^T f by q."""
        samples, n, m = len(q), self.model.n, J.shape[1]
        out = np.zeros((samples, n + m, n + m))
        out[:, range(n), range(n)] = self.weights
        if self.redundant:
            rows = np.zeros((samples, n, 2, n))
            rows[:, :, 0], rows[:, range(n), 1, range(n)] = q[:, None], 1.0
            by_joint = self._jacobian(rows.reshape(-1, 2, n))[:, 1].reshape(samples, n, m, n)
            out[:, :n, :n] += np.einsum('pjcn,pc->pnj', by_joint, f)
        out[:, :n, n:], out[:, n:, :n] = np.swapaxes(J, 1, 2), J
        return out


def _solved(matrix, right):
    """Solutions, nan where the matrix is singular."""
    try:
        return np.linalg.solve(matrix, right[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return np.full_like(right, np.nan)


def _rotation_vectors(R):
    """(samples, 3) axis times angle, of turns by less than a half."""
    sine = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / 2
    size = np.linalg.norm(sine, axis=1)
    angle = np.arctan2(size, (np.trace(R, axis1=1, axis2=2) - 1) / 2)
    return sine * np.where(size > 1e-8, angle / np.where(size > 1e-8, size, 1.0), 1.0)[:, None]
