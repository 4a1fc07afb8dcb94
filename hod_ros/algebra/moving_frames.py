# SPDX-License-Identifier: Apache-2.0
"""Changes between the three representations of a moving frame's twists and wrenches, with their time derivatives.

'body': the frame's axes and origin. 'world_aligned' (hybrid): world axes at the frame's origin. 'spatial': world axes,
the world's origin. C (..., 4, 4) is the frame's pose and V (rows, ..., 6) its body-fixed twist (angular, linear) with
derivatives; every function returns rows + 1 derivatives.
"""

import numpy as np

from hod_ros.algebra import lie
from hod_ros.algebra.leibniz import nth
from hod_ros.checks import arguments
from hod_ros.errors import InputError

REPRESENTATIONS = ('body', 'spatial', 'world_aligned')


def from_body(representation, C, V):
    """The matrices (rows + 1, ..., 6, 6) that take body-fixed twists to another representation; None for 'body'."""
    return {'body': lambda *_: None, 'spatial': adjoints, 'world_aligned': rotations}[representation](C, V)


def adjoints(C, V):
    """Derivatives of Ad_C, from body-fixed to spatial twists: Ad_C' = Ad_C ad_V, 003 (38) with body-fixed V."""
    out, ad_V = [lie.Ad(C)], lie.ad(V)
    for k in range(1, len(V) + 1):
        out.append(nth(out, ad_V, k - 1))
    return np.stack(out)


def inverse_adjoints(C, V):
    """Derivatives of Ad_C^{-1}, from spatial to body-fixed twists: (Ad_C^{-1})' = -ad_V Ad_C^{-1}, 003 (39)."""
    out, ad_V = [lie.Ad(lie.inverse(C))], lie.ad(V)
    for k in range(1, len(V) + 1):
        out.append(-nth(ad_V, out, k - 1))
    return np.stack(out)


def rotations(C, V):
    """Derivatives of blockdiag(R, R), from body-fixed to world-aligned twists: R' = R [w]."""
    R, turning = [C[..., :3, :3]], lie.skew(V[..., :3])
    for k in range(1, len(V) + 1):
        R.append(nth(R, turning, k - 1))
    R = np.stack(R)
    out = np.zeros(R.shape[:-2] + (6, 6), R.dtype)
    out[..., :3, :3] = out[..., 3:, 3:] = R
    return out


def check_representation(representation):
    if not arguments.one_of(representation, REPRESENTATIONS):
        raise InputError(f'representation is {arguments.shown(representation)}; it is one of {", ".join(map(repr, REPRESENTATIONS))}')
