# SPDX-License-Identifier: Apache-2.0
"""Springs between motors and links, where both were measured: e + e_0 = Q / K - (D / K) e', with Q of the identified model.

e = theta - q, all on the joint's side of the gear, filtered as the torques are; e_0 is the encoders' offset. e stands on the left because
its noise, that of encoders, is larger than that of the smooth Q.
"""

import numpy as np

_SIGNIFICANT = 3.0      # standard deviations


def stiffnesses(unknowns, pieces, x):
    """{column: (stiffness, deviation, damping, deviation)} of the joints whose springs were moved enough to tell."""
    pieces = [piece for piece in pieces if piece.springs is not None]
    if not pieces:
        return {}
    bodies = len(unknowns.columns)
    Q = np.concatenate([piece.Y[:, 0][:, :, unknowns.columns] @ x[:bodies] for piece in pieces])
    e, rate = (np.concatenate([piece.springs[k] for piece in pieces]) for k in range(2))
    found = {}
    for j in range(unknowns.n):
        A = np.stack([Q[:, j], -rate[:, j], -np.ones(len(Q))], axis=-1)
        lengths = np.linalg.norm(A, axis=0)
        if not lengths.all():
            continue
        scaled = A / lengths
        if np.linalg.cond(scaled) > 1e6:
            continue
        solution = np.linalg.lstsq(scaled, e[:, j], rcond=None)[0] / lengths
        rest = e[:, j] - A @ solution
        persistence = 1 + 2 * max(0.0, float(rest[1:] @ rest[:-1]) / max(float(rest @ rest), 1e-300)) * 2
        spread = np.sqrt(np.diag(np.linalg.inv(scaled.T @ scaled)) * persistence * (rest @ rest) / max(1, len(Q) - 3)) / lengths
        compliance = solution[0]
        if compliance <= _SIGNIFICANT * spread[0]:
            continue
        K = 1 / compliance
        found[j] = K, spread[0] * K**2, max(0.0, solution[1] * K), spread[1] * K
    return found
