# SPDX-License-Identifier: Apache-2.0
"""What joints bear, as a part of what they may, and the colours of that."""

import numpy as np

from hod_ros.checks.types import Array

# At shares of the limit: light steel, amber, red, and violet beyond. Lightness falls throughout: it can be told without seeing hues.
SHARES = np.array([0.0, 0.5, 1.0, 1.3])
COLOURS = np.array([[198, 208, 220], [244, 180, 60], [200, 40, 30], [95, 15, 90]], dtype=float)
UNMOVED = (120, 125, 132)       # the base


def scale_of(values: Array, limits: 'Array | None') -> Array:
    """(n,) what counts as 1 for each joint: its limit, or where it has none the largest of `values` (samples, n), of all joints alike."""
    largest = np.abs(values).max() if values.size else 0.0
    scale = np.full(values.shape[-1], largest if largest > 0 else 1.0)
    if limits is not None:
        scale = np.where(np.isfinite(limits) & (limits > 0), limits, scale)
    return scale


def colours_of(shares: Array) -> Array:
    """(..., 3) red, green and blue of 0 to 255 for shares of 0 or more."""
    return np.stack([np.interp(shares, SHARES, channel) for channel in COLOURS.T], axis=-1).round().astype(np.uint8)
