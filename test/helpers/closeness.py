# SPDX-License-Identifier: Apache-2.0
"""Comparison in the norm that counts: the largest error against the largest entry, for each derivative on axis 0."""

import numpy as np


def close(value, expected, tolerance=1e-12):
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    assert value.shape == expected.shape
    for k, (ours, theirs) in enumerate(zip(value, expected, strict=True)):
        error, size = np.abs(ours - theirs).max(), np.abs(theirs).max()
        assert error <= tolerance * size + 1e-15, f'row {k} is {error / max(size, 1e-300):.1e} off'
