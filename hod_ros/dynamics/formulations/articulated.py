# SPDX-License-Identifier: Apache-2.0
"""Higher-order forward dynamics in O(N): articulated bodies on time derivatives.

With A_i = V_i^(k+1), the k-th derivative of the equations of motion of every body and joint reads

    A_i = Ad A_p + c_i + X_i q_i^(k+2),    W_i^(k) = I_i A_i + p_i

where the biases c_i and p_i follow from lower orders by the Leibniz rule on 000 (4) and (20), while I_i, the
articulated inertia, is the same at every order: one factorisation serves them all.

Twists are (angular, linear) and wrenches (torque, force), body-fixed. Axis 0 counts time derivatives. Numbers may be of
any kind.
"""

from math import comb

import numpy as np

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import apply
from hod_ros.algebra.leibniz import nth
from hod_ros.algebra.leibniz import transpose
from hod_ros.algebra.linear import check_pivot
from hod_ros.model import joints


def accelerations(model, q, Q, external=None):
    """q'', q''', ... (order + 1, n) for q (2, n) and Q (order + 1, n); every screw has a coordinate of its own.

    external: function of (k, q up to row k + 1) -> (N + 1, 6), the k-th derivatives of the wrenches on the bodies.
    """
    motion = _Motion(model, q)
    q = list(q)
    for k in range(len(Q)):
        load = 0 if external is None else external(k, np.stack(q))[:-1]
        q.append(motion.advance(Q[k], load))
    return np.stack(q[2:])


class ArticulatedBodies:
    """Articulated inertias I_i and, for every screw, U = I X and D = X^T U + armature, at q (1, n).

    The axes of a joint are taken one by one, as if bodies without mass lay between them.
    """

    def __init__(self, model, q):
        N = len(model.bodies)
        self.model = model
        self.Ad = lie.Ad(lie.inverse(joints.relative_poses(model, q)))
        self.screws = [np.flatnonzero(model.screw_body == i) for i in range(N)]
        self.I = np.array(model.M, np.result_type(model.M, self.Ad))    # I_i, as the body's own joint feels it
        self.freed = np.zeros_like(self.I)                              # as felt upstream of that joint
        self.U = np.zeros(model.X.shape, self.I.dtype)
        self.D = np.zeros(len(model.X), self.I.dtype)
        rigid = np.array(self.I)                        # composite inertias
        for i in reversed(range(N)):
            inertia = self.I[i]
            for s in reversed(self.screws[i]):
                X = model.X[s]
                self.U[s] = inertia @ X
                self.D[s] = X @ self.U[s] + model.armature[model.coordinate[s]]
                magnitude = 0 if rigid.dtype == object else abs(X) @ abs(rigid[i]) @ abs(X)
                check_pivot(self.D[s], magnitude, model.joint_names[model.coordinate[s]])
                inertia = inertia - np.outer(self.U[s], self.U[s]) / self.D[s]
            self.freed[i] = inertia
            parent = model.parent[i]
            if parent >= 0:
                self.I[parent] += self.Ad[i].T @ inertia @ self.Ad[i]
                rigid[parent] += self.Ad[i].T @ rigid[i] @ self.Ad[i]

    def solve(self, c, p, Q):
        """q^(k+2) (m,), A (N, 6) and W (N, 6) for biases c, p (N, 6) and forces Q (m,) along the screws."""
        model, N = self.model, len(self.model.bodies)
        p, u = list(p), np.zeros_like(self.D + Q)
        for i in reversed(range(N)):
            bias = p[i]
            for s in reversed(self.screws[i]):
                u[s] = Q[s] - model.X[s] @ bias
                bias = bias + self.U[s] * (u[s] / self.D[s])
            parent = model.parent[i]
            if parent >= 0:
                p[parent] = p[parent] + self.Ad[i].T @ (bias + self.freed[i] @ c[i])
        A, x = np.zeros((N, 6), u.dtype), np.zeros_like(u)
        for i, parent in enumerate(model.parent):
            a = c[i] + (self.Ad[i] @ A[parent] if parent >= 0 else 0)
            for s in self.screws[i]:
                x[s] = (u[s] - self.U[s] @ a) / self.D[s]
                a = a + model.X[s] * x[s]
            A[i] = a
        return x, A, apply(self.I, A) + np.reshape(p, A.shape)


class _Motion:
    """Twists, adjoints and wrenches of all bodies up to the order reached so far; lists count derivatives."""

    def __init__(self, model, q):
        self.model, self.tree = model, ArticulatedBodies(model, q[:1])
        self.Ad, self.ad_xi, self.xi = [self.tree.Ad], [], [joints.joint_twists(model, q)[0]]
        self.V, self.ad_Vt, self.momentum = [], [], []
        self.G, self.W = [], []
        V = np.zeros((len(model.bodies) + 1, 6), np.result_type(self.tree.I, q))
        for i, parent in enumerate(model.parent):
            V[i] = self.Ad[0][i] @ V[parent] + self.xi[0][i]
        self._append_twists(V)

    def advance(self, Q, load):
        """The next row of q, (n,): q^(k+2) from Q^(k) (n,) and the loads' k-th derivatives (N, 6)."""
        model, k = self.model, len(self.W)
        self.ad_xi.append(lie.ad(self.xi[k]))
        self._append_gravity(k)
        self.Ad.append(-nth(self.ad_xi, self.Ad, k))                                    # below 000 (20)
        above = [V[model.parent] for V in self.V]
        c = sum(comb(k + 1, j) * apply(self.Ad[j], above[k + 1 - j]) for j in range(1, k + 2))
        p = apply(model.M, self.G[k][:-1]) - nth(self.ad_Vt, self.momentum, k, apply) - load
        if k:
            passed = sum(comb(k, j) * apply(transpose(self.Ad[j]), self.W[k - j]) for j in range(1, k + 1))
            _add_to_parents(p, model.parent, passed)
        x, A, W = self.tree.solve(c, p, Q[model.coordinate])
        self.W.append(W)
        self._append_twists(np.concatenate([A, np.zeros((1, 6), A.dtype)]))
        row = np.zeros(model.n, x.dtype)
        row[model.coordinate] = x
        self.xi.append(joints.joint_twists(model, np.stack([0 * row, row]))[0])
        return row

    def _append_twists(self, V):
        self.V.append(V)
        self.ad_Vt.append(transpose(lie.ad(V[:-1])))
        self.momentum.append(apply(self.model.M, V[:-1]))

    def _append_gravity(self, k):
        G = np.zeros((len(self.model.bodies) + 1, 6), np.result_type(self.tree.I, self.model.gravity))
        if k == 0:
            G[-1, 3:] = -self.model.gravity
        self.G.append(G)
        for i, parent in enumerate(self.model.parent):
            G[i] = sum(comb(k, j) * (self.Ad[j][i] @ self.G[k - j][parent]) for j in range(k + 1))


def _add_to_parents(p, parents, values):
    for parent, value in zip(parents, values, strict=True):
        if parent >= 0:
            p[parent] += value
