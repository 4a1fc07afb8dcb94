# SPDX-License-Identifier: Apache-2.0
"""By how much torques are late against positions: what is left of a joint's torques goes with the rate of what was found for them.

tau(t) = Y(t - s) x leaves -s Y' x to first order. So one Newton step from the estimate, with the noise that was found, has s as an unknown
more, whose column is -Y' x. It is that of all joints: friction that is none of the model's looks like a delay of its own joint.
"""

import numpy as np

_SIGNIFICANT = 5.0      # standard deviations
_NOTED = 2e-3           # [s]


def torque_delay(unknowns, pieces, width, best):
    """(delay [s], its standard deviation); zeros where torque rates were not asked for."""
    if pieces[0].torques.shape[1] < 2:
        return 0.0, 0.0
    weights = 1 / (best.noise[0]**2 * best.persistence[0])
    x = best.x
    H = np.zeros((unknowns.size + 1,) * 2)
    H[:-1, :-1] = unknowns.program.curvature(x) + unknowns.loose
    downhill = np.append(-unknowns.program.slope(x) - unknowns.loose @ x, 0.0)
    for piece in pieces:
        rows = unknowns.rows(piece, width, 0)
        own = np.concatenate([rows, -(unknowns.rows(piece, width, 1) @ x)[:, :, None]], axis=2)
        weighted = weights[:, None] * own
        H += np.tensordot(weighted, own, axes=([0, 1], [0, 1]))
        downhill += np.tensordot(piece.torques[:, 0] - rows @ x, weighted, axes=2)
    scale = 1 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    last = scale[-1] * np.linalg.pinv(H * np.outer(scale, scale), hermitian=True)[-1] * scale
    return float(last @ downhill), float(np.sqrt(max(last[-1], 0.0)))


def delay_text(delay, deviation):
    """A sentence about torques that are late or early; '' where they are not."""
    if abs(delay) < max(_NOTED, _SIGNIFICANT * deviation):
        return ''
    return (f'torques are {"late" if delay > 0 else "early"} against positions by {1e3 * abs(delay):.2g} +- {1e3 * deviation:.1g} ms, '
            'which friction and rotors take upon them; stamp both by one clock, or shift the torques')
