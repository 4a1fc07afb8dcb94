# SPDX-License-Identifier: Apache-2.0
"""Springs between motors and links, where both were measured: e + e_0 = Q / K - (D / K) e' - s q', with Q of the identified model.

e = theta - q, all on the joint's side of the gear, filtered as the torques are; e_0 is the encoders' offset, s the delay of the motors'
stamps, which is sought where it is told from 0. Viscous friction on the links' side looks like stamps that are early. e stands on the left
because its noise, that of encoders, is larger than that of the smooth Q.
"""

from dataclasses import dataclass

import numpy as np

_SIGNIFICANT = 3.0      # standard deviations
_TOLD_APART = 1e6       # condition of the columns


@dataclass(frozen=True)
class Spring:
    stiffness: tuple        # each with its standard deviation
    damping: tuple
    delay: tuple            # [s] of the motor's stamps; zeros where it is not told from 0
    unexplained: float      # part of the deflection


def springs(unknowns, pieces, x):
    """{column: Spring} of the joints whose springs were moved enough to tell."""
    pieces = [piece for piece in pieces if piece.springs is not None]
    if not pieces:
        return {}
    bodies = len(unknowns.columns)
    Q = np.concatenate([piece.Y[:, 0][:, :, unknowns.columns] @ x[:bodies] for piece in pieces])
    e, rate, speed = (np.concatenate([piece.springs[k] for piece in pieces]) for k in range(3))
    found = {}
    for j in range(unknowns.n):
        columns = [Q[:, j], -rate[:, j], -np.ones(len(Q)), -speed[:, j]]
        delay = 0.0, 0.0
        solved = _solved(columns, e[:, j])
        if solved is not None and abs(solved[0][3]) > _SIGNIFICANT * solved[1][3]:
            delay = float(solved[0][3]), float(solved[1][3])
        else:
            solved = _solved(columns[:3], e[:, j])
        if solved is None:
            continue
        solution, spread, rest = solved
        compliance = solution[0]
        if compliance <= _SIGNIFICANT * spread[0]:
            continue
        K = 1 / compliance
        found[j] = Spring(
            (float(K), float(spread[0] * K**2)), (float(max(0.0, solution[1] * K)), float(spread[1] * K)), delay,
            float(np.std(rest) / np.std(e[:, j])))
    return found


def _solved(columns, values):
    """(solution, standard deviations, what is left) of least squares; None where the columns are not told apart."""
    A = np.stack(columns, axis=-1)
    lengths = np.linalg.norm(A, axis=0)
    if not lengths.all():
        return None
    scaled = A / lengths
    if np.linalg.cond(scaled) > _TOLD_APART:
        return None
    solution = np.linalg.lstsq(scaled, values, rcond=None)[0] / lengths
    rest = values - A @ solution
    persistence = 1 + 2 * max(0.0, float(rest[1:] @ rest[:-1]) / max(float(rest @ rest), 1e-300)) * 2
    variance = persistence * (rest @ rest) / max(1, len(A) - A.shape[1])
    return solution, np.sqrt(np.diag(np.linalg.inv(scaled.T @ scaled)) * variance) / lengths, rest
